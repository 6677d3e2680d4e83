//! Checks of the pages: their links resolve, the files that `docs/ARCHITECTURE.md` names exist, and the words that it
//! retires are not used in code and guides. Also checks the width of code lines, because rustfmt does not wrap strings,
//! comments and macros.

use std::path::{Path, PathBuf};

/// The old and the new word of each row of the table.
fn table(text: &str) -> Vec<(String, String)> {
    let section = text.split("\n### Retired words\n").nth(1).expect("the table of retired words");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix("` |"));
    rows.filter_map(|row| row.split_once("` | `")).map(|(old, new)| (old.to_owned(), new.to_owned())).collect()
}

/// All files in a folder with this extension, except build outputs.
pub(crate) fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() && name != "target" && !name.to_string_lossy().starts_with('.') {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|own| own == extension) {
            found.push(path);
        }
    }
}

/// Whether a text contains this identifier.
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
    let (mut all, mut back) = (Vec::new(), Vec::new());
    for extension in ["rs", "md"] {
        files(root, extension, &mut all);
    }
    // These two files describe the past.
    all.retain(|path| !path.ends_with("docs/ARCHITECTURE.md") && !path.ends_with("CHANGELOG.md"));
    for path in all {
        let text = std::fs::read_to_string(&path).expect("a source");
        let found = retired.iter().filter(|(old, _)| has_word(&text, old));
        back.extend(found.map(|(old, new)| format!("{}: `{old}`, write `{new}`", path.display())));
    }
    assert!(back.is_empty(), "{}", back.join("\n"));
}

/// Resolving a plan depends only on its text and on the files that are passed in.
#[test]
fn plans_read_no_disk() {
    const READS: [&str; 12] = [
        "fs::",
        "fs_err",
        "File::open",
        ".exists()",
        ".metadata(",
        ".canonicalize(",
        ".read_dir(",
        "glob::glob",
        "NetworkFile::read",
        "PolicyFile::read",
        "OpeningSource::resolve",
        "JournalReader::open",
    ];
    let mut sources = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("plan/src"), "rs", &mut sources);
    assert!(sources.len() > 20, "{sources:?}");
    sources.retain(|path| !path.ends_with("disk.rs") && !path.components().any(|part| part.as_os_str() == "tests"));
    for path in sources {
        let text = std::fs::read_to_string(&path).expect("a file");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for read in READS {
            assert!(!code.contains(read), "{}: `{read}` belongs into plan/src/disk.rs", path.display());
        }
    }
}

/// The most columns of a line of code, as in `rustfmt.toml`.
const COLUMNS: usize = 120;

#[test]
fn lines_of_code_are_not_too_long() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rustfmt = std::fs::read_to_string(root.join("rustfmt.toml")).expect("the settings of rustfmt");
    assert!(rustfmt.contains(&format!("max_width = {COLUMNS}")), "{rustfmt}");
    let mut all = Vec::new();
    files(root, "rs", &mut all);
    let mut long = Vec::new();
    for path in all {
        let text = std::fs::read_to_string(&path).expect("a source");
        let numbered = (1..).zip(text.lines()).filter(|(_, line)| line.chars().count() > COLUMNS);
        long.extend(numbered.map(|(number, _)| format!("{}:{number}", path.display())));
    }
    assert!(long.is_empty(), "more than {COLUMNS} columns:\n{}", long.join("\n"));
}

/// All paths that a path with alternatives in braces stands for.
fn expanded(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let (alternatives, after) = rest.split_once('}').expect("a closing brace");
    alternatives.split(',').flat_map(|one| expanded(&format!("{before}{}{after}", one.trim()))).collect()
}

/// The paths that a page names in code spans, relative to the root of the repository.
fn paths(text: &str) -> Vec<String> {
    let code = text.split('`').skip(1).step_by(2);
    let is_path = |code: &&str| code.contains('/') && !code.contains([' ', ':', '>', '*']) && !code.contains("NAME");
    code.filter(is_path).flat_map(expanded).collect()
}

#[test]
fn files_that_the_page_names_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all = paths(&std::fs::read_to_string(root.join("docs/ARCHITECTURE.md")).expect("the page"));
    assert!(all.len() > 200, "{}", all.len());
    let is_there = |path: &&String| [path.as_str(), &format!("{path}.rs")].iter().any(|path| root.join(path).exists());
    let missing: Vec<&String> = all.iter().filter(|path| !is_there(path)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The anchors of a page's headings, as forges make them.
fn anchors(page: &str) -> Vec<String> {
    let is_kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
    let anchor = |heading: &str| heading.to_lowercase().chars().filter(is_kept).collect::<String>().replace(' ', "-");
    outside_blocks(page)
        .filter(|line| line.starts_with('#'))
        .map(|line| anchor(line.trim_matches(['#', ' '])))
        .collect()
}

/// The lines of a page outside fenced blocks.
fn outside_blocks(page: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        inside ^= is_fence;
        !inside && !is_fence
    })
}

/// The targets of a page's links that are not web addresses.
fn links(page: &str) -> Vec<&str> {
    let targets =
        outside_blocks(page).flat_map(|line| line.split("](").skip(1).filter_map(|rest| rest.split(')').next()));
    targets.filter(|target| !target.contains("://")).collect()
}

#[test]
fn links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut pages, mut broken, mut count) = (Vec::new(), Vec::new(), 0);
    files(root, "md", &mut pages);
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a page");
        for link in links(&text) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { page.clone() } else { page.with_file_name("").join(path) };
            let has_anchor =
                || std::fs::read_to_string(&target).is_ok_and(|text| anchors(&text).iter().any(|one| one == anchor));
            if !target.exists() || !anchor.is_empty() && !has_anchor() {
                broken.push(format!("{}: {link}", page.display()));
            }
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn only_whole_words_count() {
    assert!(has_word("let lamp = Lamp::new();", "Lamp") && has_word("Lamp", "Lamp"));
    assert!(!has_word("LampPost, MyLamp, Lamp_1", "Lamp"));
}
