//! Names: valid names of runs and entrants, and names for those that have none.

/// The most bytes of a run's name: it names a folder.
const LONGEST_RUN_NAME: usize = 64;
/// The most bytes of an entrant's name.
const LONGEST_ENTRANT_NAME: usize = 100;

/// The form of a run's name, for messages.
pub(super) const RUN_NAME_FORM: &str = "1 to 64 letters, digits, `-`, `_` or `.`";
/// The form of an entrant's name, for messages.
pub const ENTRANT_NAME_FORM: &str = "1 to 100 printable characters with a letter or a digit, and no blanks around them";

fn fits_a_folder(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Whether this is a valid name of a run: it names a folder.
pub(super) fn names_a_run(name: &str) -> bool {
    (1..=LONGEST_RUN_NAME).contains(&name.len()) && !name.starts_with('.') && name.chars().all(fits_a_folder)
}

/// Whether this is a valid name of an entrant. Lists and game records show the name between other words, so it must be
/// visible and unchanged there.
pub fn names_an_entrant(name: &str) -> bool {
    let shows = !name.chars().any(char::is_control) && name.chars().any(char::is_alphanumeric);
    shows && name.len() <= LONGEST_ENTRANT_NAME && name.trim() == name
}

/// Returns a run's name that begins like `text`, with invalid characters replaced, and ends with `added`.
pub(super) fn run_name(text: &str, added: &str) -> String {
    let room = LONGEST_RUN_NAME.saturating_sub(added.len());
    let fit = text.chars().map(|c| if fits_a_folder(c) { c } else { '-' });
    format!("{}{added}", fit.take(room).collect::<String>())
}

/// Returns a name for a run between these engines.
pub fn run_between(engines: &[String]) -> String {
    let text = engines.join("-vs-");
    let fit: String = text.chars().map(|c| if fits_a_folder(c) { c } else { '-' }).collect();
    let name = run_name(fit.trim_start_matches(['.', '-']), "");
    if name.is_empty() { "run".to_owned() } else { name }
}

/// Returns names for engines, each of which may have a name and a program: their own names, or those of their programs,
/// with a number where two are equal.
pub fn of_engines(engines: &[(Option<&str>, Option<&str>)]) -> Vec<String> {
    let mut taken: Vec<String> = engines.iter().filter_map(|(name, _)| name.map(str::to_owned)).collect();
    let mut free = |program: &str| {
        let numbered = (2..).map(|number| format!("{program}-{number}"));
        let free = std::iter::once(program.to_owned()).chain(numbered).find(|name| !taken.contains(name));
        let free = free.unwrap_or_default();
        taken.push(free.clone());
        free
    };
    let name = |(name, program): &(Option<&str>, Option<&str>)| {
        name.map_or_else(|| free(program.map_or("engine", file_name)), str::to_owned)
    };
    engines.iter().map(name).collect()
}

/// The last part of a path without its extension.
pub fn file_stem(path: &str) -> &str {
    let name = file_name(path);
    name.rsplit_once('.')
        .map_or(name, |(stem, _)| stem)
        .split('/')
        .next_back()
        .filter(|stem| !stem.is_empty())
        .unwrap_or(name)
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_without_a_name_are_called_after_their_programs() {
        let programs = [(None, Some("./dev/sf")), (None, Some("sf")), (None, Some("/a/b.c"))];
        assert_eq!(of_engines(&programs), ["sf", "sf-2", "b.c"]);
        assert_eq!(of_engines(&[(None, Some("sf")), (Some("sf"), Some("x")), (None, None)]), ["sf-2", "sf", "engine"]);
    }

    #[test]
    fn a_run_is_called_after_its_engines() {
        let name = |engines: &[&str]| run_between(&engines.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(name(&["dev", "my base"]), "dev-vs-my-base");
        assert_eq!(name(&[".x"]), "x");
        assert_eq!(name(&["é"]), "run");
        assert_eq!(name(&["a".repeat(90).as_str()]).len(), 64);
    }

    #[test]
    fn made_names_can_name_a_run() {
        assert_eq!(run_name("my patch", "-aaaa-bbbb"), "my-patch-aaaa-bbbb");
        let long = run_name(&"x".repeat(90), "-verify");
        assert!(long.ends_with("-verify") && names_a_run(&long));
        for refused in ["", ".x", "a/b", "a b"] {
            assert!(!names_a_run(refused), "{refused}");
        }
    }
}
