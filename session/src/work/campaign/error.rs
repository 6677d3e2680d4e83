//! Errors of campaigns.

use std::path::PathBuf;

/// Why a campaign cannot be played as requested. The user can mend all these errors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CampaignError {
    /// There is no patch.
    #[error("the campaign has no patches: add a `[[campaign.patch]]`{}", folder.as_ref().map_or_else(
        || ", or name a folder of patch files by `patches`".to_owned(),
        |folder| format!(", or put files that end in `.patch` into {}", folder.display())
    ))]
    Empty {
        /// The folder that was searched for patch files, if the configuration names one.
        folder: Option<PathBuf>,
    },
    /// The folder of patch files cannot be read.
    #[error("cannot read the folder of patches {}: {cause}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        cause: std::io::Error,
    },
    /// The name of a file cannot be the name of a patch.
    #[error("the file {} cannot name a patch: expected up to 80 printable characters before `.patch`", file.display())]
    FileName {
        /// The file.
        file: PathBuf,
    },
    /// Two patches have the same name.
    #[error("two patches are called `{patch}`: one is listed, and the other is {}. Rename one of them", file.display())]
    Twice {
        /// The name.
        patch: String,
        /// The file of the second patch.
        file: PathBuf,
    },
    /// The working tree was requested.
    #[error("{what} cannot be `worktree`: a campaign plays commits. Commit the work, and give `HEAD`")]
    Worktree {
        /// The request.
        what: String,
    },
    /// A patch is the checked-out commit, and files were changed since.
    #[error(
        "patch `{patch}` is `{asked}`, which is checked out with changes that are not committed: commit them, or leave \
        them out with --allow-dirty"
    )]
    Uncommitted {
        /// The patch.
        patch: String,
        /// Its revision, as requested.
        asked: String,
    },
    /// No patch can play.
    #[error("no patch can play:\n  {}", why.join("\n  "))]
    NothingPlays {
        /// The patches and their reasons, one per line.
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
    /// A patch that has played has changed.
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
        /// The differences, one per line.
        differences: Vec<String>,
    },
}
