//! Words that were retired: the table "Retired words" of `docs/ARCHITECTURE.md` has each with the word in its place,
//! and none may come back into the code.

use std::path::{Path, PathBuf};

/// The old and the new word of each row of the table.
fn table(text: &str) -> Vec<(String, String)> {
    let section = text.split("\n### Retired words\n").nth(1).expect("the table of retired words");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix("` |"));
    rows.filter_map(|row| row.split_once("` | `")).map(|(old, new)| (old.to_owned(), new.to_owned())).collect()
}

/// All sources in a folder, but for what was built.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() && name != "target" && !name.to_string_lossy().starts_with('.') {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Whether a text has this identifier.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word)
        .any(|(at, _)| !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next()))
}

#[test]
fn retired_words_stay_away() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let retired = table(&std::fs::read_to_string(root.join("docs/ARCHITECTURE.md")).expect("the page"));
    assert!(retired.len() >= 20, "{retired:?}");
    let mut files = Vec::new();
    sources(root, &mut files);
    let mut back = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a source");
        let found = retired.iter().filter(|(old, _)| has_word(&text, old));
        back.extend(found.map(|(old, new)| format!("{}: `{old}`, write `{new}`", path.display())));
    }
    assert!(back.is_empty(), "{}", back.join("\n"));
}

#[test]
fn only_whole_words_count() {
    assert!(has_word("let lamp = Lamp::new();", "Lamp") && has_word("Lamp", "Lamp"));
    assert!(!has_word("LampPost, MyLamp, Lamp_1", "Lamp"));
}
