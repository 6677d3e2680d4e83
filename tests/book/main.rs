//! The guides as a book: mdBook builds it without a warning, and the links of its pages resolve. The test is ignored
//! without `mdbook` on the path.

#[path = "../tools/mod.rs"]
#[allow(dead_code, reason = "nothing of this package is run")]
mod tools;
#[path = "../tools/trials.rs"]
mod trials;

use regex_lite::Regex;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use trials::{When, tests};

fn main() -> ExitCode {
    let when = if tools::installed("mdbook") { When::Always } else { When::Never };
    trials::run(trials::trials(tests![the_book_is_built_without_warnings], when))
}

fn the_book_is_built_without_warnings() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = tempfile::tempdir().expect("a folder");
    let book = out.path().join("book");
    let built = Command::new("mdbook").arg("build").arg(root.join("docs")).arg("--dest-dir").arg(&book).output();
    let built = built.expect("mdbook");
    let output = [built.stdout, built.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(built.status.success() && !output.contains("WARN") && !output.contains("ERROR"), "{output}");
    let (mut pages, mut broken) = (Vec::new(), Vec::new());
    html(&book, &mut pages);
    assert!(pages.len() > 10, "{pages:?}");
    for page in &pages {
        broken.extend(broken_links(page).into_iter().map(|link| format!("{}: {link}", page.display())));
    }
    assert!(broken.is_empty(), "links to pages that the book does not have:\n{}", broken.join("\n"));
}

/// The pages of the book that come from `docs`.
fn html(folder: &Path, found: &mut Vec<PathBuf>) {
    const MADE: [&str; 3] = ["print.html", "toc.html", "404.html"];
    for entry in folder.read_dir().expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            html(&path, found);
        } else if path.extension().is_some_and(|own| own == "html") && !MADE.iter().any(|made| name == *made) {
            found.push(path);
        }
    }
}

/// The links of a page to missing pages.
fn broken_links(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).expect("a page");
    let text = text.split("<main").nth(1).and_then(|rest| rest.split("</main>").next()).unwrap_or_default();
    let link = Regex::new(r#"href="([^":#]+\.html)[#"]"#).expect("a pattern");
    let targets = link.captures_iter(text).map(|found| found[1].to_owned());
    targets.filter(|target| !page.with_file_name("").join(target).exists()).collect()
}
