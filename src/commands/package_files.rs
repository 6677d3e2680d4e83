//! `spar package-files`: man pages and completion scripts in a folder, as packages install them.

use crate::failure::{Exit, Failure};
use std::path::Path;

#[cfg(not(feature = "man"))]
pub(crate) fn write(_folder: &Path) -> Result<Exit, Failure> {
    Err(Failure::usage(crate::optional::missing("man pages", "man")))
}

#[cfg(feature = "man")]
pub(crate) fn write(folder: &Path) -> Result<Exit, Failure> {
    use super::print;
    use crate::args::help;
    use clap_complete::Shell;

    let (pages, scripts) = (folder.join("man1"), folder.join("completions"));
    for folder in [&pages, &scripts] {
        fs_err::create_dir_all(folder)?;
    }
    // The command of help would be a page for each of the others again.
    clap_mangen::generate_to(help::command().disable_help_subcommand(true), &pages)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut help::command(), "spar", &scripts)?;
    }
    print(format_args!("wrote {} and {}", pages.display(), scripts.display()))?;
    Ok(Exit::Done)
}
