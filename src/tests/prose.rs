//! Checks the English of the pages: no sentence of the guides has more than [`LONGEST`] words, and no guide uses a
//! [`RETIRED`] phrase.
//!
//! Sentences end at `.`, `!`, `?`, `:` or `;` before a capital, a code span or a parenthesis. Code spans count as one
//! word, blocks are skipped, and each cell of a table and each point of a list is a paragraph of its own.

use regex_lite::Regex;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// The most words of a sentence.
const LONGEST: usize = 45;

/// Phrases that readers stumble over, each with a replacement.
const RETIRED: &[(&str, &str)] = &[
    ("is told of", "learns about"),
    ("are told of", "learn about"),
    ("is said of", "a statement with a subject"),
    ("is told from", "differs from"),
    ("whoever", "you, or the person"),
    ("nobody", "a statement without it"),
    ("anew", "again"),
    ("on end", "in a row"),
    ("says so", "reports it"),
    ("said so", "reported it"),
    ("the like", "name the things"),
    ("be it", "whether"),
    ("were it", "if it were"),
    ("besides", "also"),
    ("of which", "a second sentence"),
    ("for want of", "without"),
    ("has to be said", "is required"),
    ("goes on", "continues"),
    ("at hand", "this"),
    ("all the same", "still"),
    ("now and then", "sometimes"),
];

/// Pages that are not guides: they may describe the past and name retired phrases.
const NOT_GUIDES: &[&str] = &["docs/ARCHITECTURE.md", "docs/measurements/"];

/// The paragraphs of a page, without code spans and link targets.
fn paragraphs(page: &str) -> Vec<String> {
    let comment = Regex::new(r"(?s)<!--.*?-->").expect("a pattern");
    let [code, link] = ["`[^`]*`", r"\[([^\]]*)\]\([^)]*\)"].map(|pattern| Regex::new(pattern).expect("a pattern"));
    let opens = Regex::new(r"^\s*([-*#>]|\d+\.)\s").expect("a pattern");
    let (mut all, mut inside) = (vec![String::new()], false);
    for line in comment.replace_all(page, "").lines() {
        let is_fence = line.trim_start().starts_with("```");
        inside ^= is_fence;
        if inside || is_fence || line.trim().is_empty() {
            all.push(String::new());
        } else if line.trim_start().starts_with('|') {
            all.extend(code.replace_all(line, "CODE").split('|').map(str::to_owned));
            all.push(String::new());
        } else {
            if opens.is_match(line) {
                all.push(String::new());
            }
            let last = all.last_mut().expect("a paragraph");
            last.push_str(line);
            last.push(' ');
        }
    }
    let plain = |text: &String| link.replace_all(&code.replace_all(text, "CODE"), "$1").trim().to_owned();
    all.iter().map(plain).filter(|text| !text.is_empty()).collect()
}

/// The sentences of a paragraph.
fn sentences(paragraph: &str) -> Vec<&str> {
    let end = Regex::new(r"[.!?:;]\s+[A-Z(*]").expect("a pattern");
    let (mut found, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(next) = end.find_at(paragraph, at) {
        found.push(&paragraph[from..=next.start()]);
        from = next.start() + 1;
        at = from;
    }
    found.push(&paragraph[from..]);
    found.into_iter().map(str::trim).collect()
}

fn words(sentence: &str) -> usize {
    Regex::new(r"[A-Za-z][\w'-]*").expect("a pattern").find_iter(sentence).count()
}

/// The errors of a page.
fn faults(page: &str) -> Vec<String> {
    let retired: Vec<(Regex, &str, &str)> = RETIRED
        .iter()
        .map(|(old, new)| (Regex::new(&format!(r"(?i)\b{old}\b")).expect("a pattern"), *old, *new))
        .collect();
    let mut found = Vec::new();
    for paragraph in paragraphs(page) {
        for sentence in sentences(&paragraph) {
            let count = words(sentence);
            if count > LONGEST {
                found.push(format!("{count} words, at most {LONGEST}: {sentence}"));
            }
            let odd = retired.iter().filter(|(pattern, ..)| pattern.is_match(sentence));
            found.extend(odd.map(|(_, old, new)| format!("\"{old}\", write {new}: {sentence}")));
        }
    }
    found
}

/// The guides, by their paths relative to the root of the repository.
fn guides(root: &Path) -> Vec<String> {
    let mut pages: Vec<PathBuf> = Vec::new();
    super::pages::files(&root.join("docs"), "md", &mut pages);
    pages.push(root.join("README.md"));
    let name = |page: &PathBuf| page.strip_prefix(root).expect("a page of the root").display().to_string();
    pages.iter().map(name).filter(|name| !NOT_GUIDES.iter().any(|other| name.starts_with(other))).collect()
}

#[test]
fn guides_are_in_plain_english() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    for name in guides(root) {
        let page = read_to_string(root.join(&name)).expect("a page");
        wrong.extend(faults(&page).into_iter().map(|fault| format!("{name}: {fault}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn long_sentences_and_retired_phrases_are_found() {
    let long = ["word"; LONGEST + 1].join(" ");
    for (page, count) in [
        (format!("{long}."), 1),
        (format!("# Title\n\nShort. {long}.\n"), 1),
        (format!("```\n{long}\n```\n<!-- {long} -->\n"), 0),
        (format!("One `{long}` code span."), 0),
        (format!("| {long} | cell |\n|---|---|\n| one | two |\n"), 1),
        (["word"; 30].join(" ") + ". " + &["Word"; 30].join(" ") + ".", 0),
        (["- word"; 60].join("\n"), 0),
        ("Whoever reads this\nis told\nof it.".to_owned(), 2),
        ("The likelihood of renewed besieging.".to_owned(), 0),
        ("See [whoever](nobody.md).".to_owned(), 1),
    ] {
        let faults = faults(&page);
        assert_eq!(faults.len(), count, "{page}: {faults:?}");
    }
}
