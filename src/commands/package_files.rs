//! `spar package-files`: writes man pages and completion scripts into a folder, laid out for packages.

use crate::failure::{Exit, Failure};
use std::path::Path;

#[cfg(not(feature = "man"))]
pub(crate) fn write(_folder: &Path) -> Result<Exit, Failure> {
    Err(Failure::usage(crate::optional::missing("man pages", "man")))
}

#[cfg(feature = "man")]
pub(crate) fn write(folder: &Path) -> Result<Exit, Failure> {
    use super::completions::script;
    use super::print;
    use crate::args::help;
    use clap_complete::{Generator, Shell};

    let (pages, scripts) = (folder.join("man1"), folder.join("completions"));
    for folder in [&pages, &scripts] {
        fs_err::create_dir_all(folder)?;
    }
    // The `help` subcommand would add a second page for each command.
    clap_mangen::generate_to(help::command().disable_help_subcommand(true), &pages)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        fs_err::write(scripts.join(shell.file_name("spar")), script(shell)?)?;
    }
    print(format_args!("wrote {} and {}", pages.display(), scripts.display()))?;
    Ok(Exit::Done)
}

#[cfg(feature = "man")]
#[test]
fn each_command_has_a_page_and_each_shell_a_script() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(write(folder.path()).is_ok());
    let text = |path: &str| std::fs::read_to_string(folder.path().join(path)).unwrap_or_default();
    assert!(text("man1/spar.1").contains(".TH spar 1"), "{}", text("man1/spar.1"));
    assert!(text("man1/spar-sprt.1").contains("elo0") && text("man1/spar-book-pick.1").contains("window"));
    for script in ["spar.bash", "_spar", "spar.fish"] {
        assert!(text(&format!("completions/{script}")).contains("SPAR_COMPLETE"), "{script}");
    }
}
