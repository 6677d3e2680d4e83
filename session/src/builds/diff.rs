//! The difference between the two engines of a test. If both were built from one repository, this is the command that
//! shows it, and its web page if the repository's host is known to have one.

use super::cache::{Source, built_into};
use super::git::{GitTimeouts, Repository};
use super::revision::{Revision, WORKTREE};
use arena::config::RunConfig;
use play::entrant::{Entrant, PlayerSpec};
use reports::numbers::Diff;
use std::path::Path;
use std::time::Duration;

/// The timeout: the difference is optional, so it must not delay a page for longer.
const WITHIN: Duration = Duration::from_secs(10);

/// Returns the difference between the two entrants of a run, the second of which is the base; `None` unless spar built
/// both here, from different revisions of one repository.
pub(crate) fn diff(config: &RunConfig) -> Option<Diff> {
    let [dev, base] = config.entrants.as_slice() else { return None };
    let [dev, base] = [source(&dev.player)?, source(&base.player)?];
    if dev.repository != base.repository || dev.revision.id == base.revision.id {
        return None;
    }
    let (from, to) = (base.revision, dev.revision);
    // No web host has a snapshot of a working tree.
    let is_pushed = ![&from, &to].iter().any(|revision| revision.asked == WORKTREE);
    let remote = is_pushed
        .then(|| {
            Repository::open(&dev.repository, GitTimeouts { within: WITHIN, ..GitTimeouts::default() }).ok()?.remote()
        })
        .flatten();
    Some(Diff {
        command: format!("git diff {} {}", from.commit, to.commit),
        link: remote.and_then(|remote| compared(&remote, &from.commit, &to.commit)),
        from: from.short().to_owned(),
        to: to.short().to_owned(),
    })
}

/// Returns the revisions of a run's entrants, in their order, for those that spar built here and that are unchanged.
pub fn revisions(config: &RunConfig) -> Vec<(String, Revision)> {
    let built = |entrant: &Entrant| Some((entrant.name.clone(), source(&entrant.player)?.revision));
    config.entrants.iter().filter_map(built).collect()
}

fn source(player: &PlayerSpec) -> Option<Source> {
    let PlayerSpec::Process(process) = player else { return None };
    built_into(Path::new(&process.command))?.1.source
}

/// Returns the web page that compares two commits, if the remote is on a host with such pages. Omits names and
/// passwords in the address.
fn compared(remote: &str, from: &str, to: &str) -> Option<String> {
    let Address { host, port, path } = Address::read(remote)?;
    let compare = match host.as_str() {
        "github.com" | "codeberg.org" | "gitea.com" => format!("compare/{from}...{to}"),
        "bitbucket.org" => format!("branches/compare/{to}..{from}"),
        _ if host == "gitlab.com" || host.starts_with("gitlab.") => format!("-/compare/{from}...{to}"),
        _ => return None,
    };
    Some(format!("https://{host}{port}/{path}/{compare}"))
}

/// The web address of a repository.
struct Address<'a> {
    host: String,
    /// Includes the colon; empty for the default port.
    port: &'a str,
    path: &'a str,
}

impl<'a> Address<'a> {
    /// Reads `https://host/path.git`, `ssh://git@host:22/path` and `git@host:path`. Only the port of a web address is
    /// kept.
    fn read(remote: &'a str) -> Option<Self> {
        let (place, path, is_web) = match remote.split_once("://") {
            Some((scheme @ ("https" | "http" | "ssh" | "git" | "git+ssh" | "ssh+git"), rest)) => {
                let (place, path) = rest.split_once('/')?;
                (place, path, scheme == "https")
            }
            Some(_) => return None,
            None => {
                let (place, path) = remote.split_once(':')?;
                (place, path, false)
            }
        };
        let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
        let (host, port) = place.split_at(place.find(':').unwrap_or(place.len()));
        let port = if is_web && port != ":443" { port } else { "" };
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | '/');
        let is_plain = path.contains('/') && path.chars().chain(host.chars()).all(allowed) && !path.contains("..");
        let is_port = port.is_empty() || port.len() > 1 && port[1..].bytes().all(|byte| byte.is_ascii_digit());
        let host = host.to_ascii_lowercase();
        // Hosts offer ssh under another name for networks that block port 22.
        let prefixes = ["www.", "ssh.github", "altssh."];
        let host = match prefixes.iter().find(|prefix| host.starts_with(**prefix)) {
            Some(&"ssh.github") => host["ssh.".len()..].to_owned(),
            Some(prefix) => host[prefix.len()..].to_owned(),
            None => host,
        };
        (is_plain && is_port).then_some(Self { host, port, path })
    }
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
            "ssh://git@github.com/o/engine",
            "git@github.com:/o/engine.git",
            "https://GitHub.com:443/o/engine.git",
            "https://www.github.com/o/engine",
            "ssh://git@ssh.github.com:443/o/engine.git",
            "git+ssh://git@github.com/o/engine.git",
            "git://github.com/o/engine.git",
        ] {
            assert_eq!(page(remote), github, "{remote}");
        }
        let gitlab = "https://gitlab.example.org/g/s/e/-/compare/a1...b2";
        assert_eq!(page("https://gitlab.example.org/g/s/e.git").as_deref(), Some(gitlab));
        for remote in ["git@gitlab.example.org:g/s/e.git", "ssh://git@gitlab.example.org:2222/g/s/e.git"] {
            assert_eq!(page(remote).as_deref(), Some(gitlab), "{remote}");
        }
        let with_port = "https://gitlab.example.org:8443/g/e/-/compare/a1...b2";
        assert_eq!(page("https://me@gitlab.example.org:8443/g/e.git").as_deref(), Some(with_port));
        assert_eq!(page("git@altssh.gitlab.com:g/e").as_deref(), Some("https://gitlab.com/g/e/-/compare/a1...b2"));
        let bucket = "https://bitbucket.org/o/e/branches/compare/b2..a1";
        assert_eq!(page("git@bitbucket.org:o/e.git").as_deref(), Some(bucket));
        for remote in [
            "/srv/git/engine.git",
            "file:///srv/engine.git",
            "https://example.org/o/engine",
            "git@github.com:engine",
            "https://github.com/o/e\"><script>",
            "https://github.com/../e",
            "https://gitlab.com:80x/o/e",
            "../engine.git",
            "C:/git/engine.git",
            "git@github.com-work:o/e.git",
            "",
        ] {
            assert_eq!(page(remote), None, "{remote}");
        }
    }
}
