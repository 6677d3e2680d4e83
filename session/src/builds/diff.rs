//! What lies between the two engines of a test: where both were built from one repository, the command that shows it, and its page where
//! a web forge is known to have it.

use super::cache::{Source, built_into};
use super::git::{Patience, Repository, WORKTREE};
use arena::config::RunConfig;
use play::entrant::PlayerSpec;
use reports::numbers::Diff;
use std::path::Path;
use std::time::Duration;

/// A page is not held up for longer by what it can do without.
const WITHIN: Duration = Duration::from_secs(10);

/// Of the two entrants of a run, the second of which is the base; `None` unless spar built both here, from different revisions of one
/// repository.
pub(crate) fn diff(config: &RunConfig) -> Option<Diff> {
    let [dev, base] = config.entrants.as_slice() else { return None };
    let [dev, base] = [source(&dev.player)?, source(&base.player)?];
    if dev.repository != base.repository || dev.revision.id == base.revision.id {
        return None;
    }
    let (from, to) = (base.revision, dev.revision);
    // No forge has a snapshot of a working tree.
    let is_pushed = ![&from, &to].iter().any(|revision| revision.asked == WORKTREE);
    let remote = is_pushed
        .then(|| Repository::open(&dev.repository, Patience { within: WITHIN, ..Patience::default() }).ok()?.remote())
        .flatten();
    Some(Diff {
        command: format!("git diff {} {}", from.commit, to.commit),
        link: remote.and_then(|remote| compared(&remote, &from.commit, &to.commit)),
        from: from.short().to_owned(),
        to: to.short().to_owned(),
    })
}

fn source(player: &PlayerSpec) -> Option<Source> {
    let PlayerSpec::Process(process) = player else { return None };
    built_into(Path::new(&process.command))?.1.source
}

/// The page that compares two commits, where the remote is on a forge that has such pages. Names and passwords in the address are left
/// out.
fn compared(remote: &str, from: &str, to: &str) -> Option<String> {
    let (host, path) = address(remote)?;
    let compare = match host {
        "github.com" | "codeberg.org" | "gitea.com" => format!("compare/{from}...{to}"),
        "bitbucket.org" => format!("branches/compare/{to}..{from}"),
        _ if host == "gitlab.com" || host.starts_with("gitlab.") => format!("-/compare/{from}...{to}"),
        _ => return None,
    };
    Some(format!("https://{host}/{path}/{compare}"))
}

/// Host and path of `https://host/path.git`, `ssh://git@host:22/path` and `git@host:path`.
fn address(remote: &str) -> Option<(&str, &str)> {
    let (place, path) = match remote.split_once("://") {
        Some(("https" | "http" | "ssh" | "git", rest)) => rest.split_once('/')?,
        Some(_) => return None,
        None => remote.split_once(':')?,
    };
    let host = place.rsplit_once('@').map_or(place, |(_, host)| host);
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | '/');
    let is_plain = path.contains('/') && path.chars().chain(host.chars()).all(allowed) && !path.contains("..");
    is_plain.then_some((host, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forges_have_pages_that_compare() {
        let page = |remote: &str| compared(remote, "a1", "b2");
        let github = Some("https://github.com/o/engine/compare/a1...b2".to_owned());
        for remote in [
            "https://github.com/o/engine",
            "https://github.com/o/engine.git/",
            "https://me:secret@github.com/o/engine.git",
            "git@github.com:o/engine.git",
            "ssh://git@github.com:22/o/engine.git",
        ] {
            assert_eq!(page(remote), github, "{remote}");
        }
        let gitlab = "https://gitlab.example.org/g/s/e/-/compare/a1...b2";
        assert_eq!(page("https://gitlab.example.org/g/s/e.git").as_deref(), Some(gitlab));
        let bucket = "https://bitbucket.org/o/e/branches/compare/b2..a1";
        assert_eq!(page("git@bitbucket.org:o/e.git").as_deref(), Some(bucket));
        for remote in [
            "/srv/git/engine.git",
            "file:///srv/engine.git",
            "https://example.org/o/engine",
            "git@github.com:engine",
            "https://github.com/o/e\"><script>",
            "https://github.com/../e",
            "",
        ] {
            assert_eq!(page(remote), None, "{remote}");
        }
    }
}
