//! Why a campaign cannot be played as requested.

use std::path::PathBuf;

/// Why a campaign cannot be played as requested. The user can mend all of these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CampaignError {
    /// There is no patch.
    #[error("the campaign has no patches: add a `[[campaign.patch]]`{}", folder.as_ref().map_or_else(
        || ", or name a folder of patch files by `patches`".to_owned(),
        |folder| format!(", or put files that end in `.patch` into {}", folder.display())
    ))]
    Empty {
        /// The folder that was searched for patch files, if one was named.
        folder: Option<PathBuf>,
    },
    /// The folder of patch files cannot be read.
    #[error("cannot read the folder of patches {}: {cause}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why not.
        cause: std::io::Error,
    },
    /// A file has no name that a patch could have.
    #[error("the file {} cannot name a patch: expected up to 80 printable characters before `.patch`", file.display())]
    FileName {
        /// The file.
        file: PathBuf,
    },
    /// Two patches have one name.
    #[error("two patches are called `{patch}`: one is listed, and the other is {}. Rename one of them", file.display())]
    Twice {
        /// The name.
        patch: String,
        /// The second one's file.
        file: PathBuf,
    },
    /// The working tree was asked for.
    #[error("{what} cannot be `worktree`: a campaign plays commits. Commit the work, and give `HEAD`")]
    Worktree {
        /// What was asked for.
        what: String,
    },
    /// A patch is what is checked out, and files were changed since.
    #[error(
        "patch `{patch}` is `{asked}`, which is checked out with changes that are not committed: commit them, or leave \
        them out with --allow-dirty"
    )]
    Uncommitted {
        /// The patch.
        patch: String,
        /// Its revision, as it was asked for.
        asked: String,
    },
    /// No patch can play.
    #[error("no patch can play:\n  {}", why.join("\n  "))]
    NothingPlays {
        /// Each patch and why it does not, one line each.
        why: Vec<String>,
    },
    /// A patch that has played is no longer listed.
    #[error(
        "patch `{patch}` has played, and is missing from the configuration now: put it back, or start a new \
        campaign under another `name`"
    )]
    Removed {
        /// The patch.
        patch: String,
    },
    /// A patch that has played is another one now.
    #[error(
        "patch `{patch}` has played, and is another one now: give the new one another name, and both the same \
        `idea`"
    )]
    Changed {
        /// The patch.
        patch: String,
    },
    /// A campaign cannot be resumed as requested.
    #[error(
        "{} was started with another configuration:\n  {}\n\
         During a campaign only its patches, `max_pairs` and `together_pairs` may change. Undo the change to resume \
         it, or start a new one", path.display(), differences.join("\n  ")
    )]
    Other {
        /// Its folder.
        path: PathBuf,
        /// What differs, one line each.
        differences: Vec<String>,
    },
}
