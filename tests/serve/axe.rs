//! Accessibility for people who do not see a page or use no mouse: the rules of axe-core, and a walk through each page
//! by the Tab key. axe-core is not part of spar: `SPAR_AXE` names its `axe.min.js`, or `target/python` is a Python
//! environment with the package `axe-core-python`.

use crate::browser::Browser;
use crate::control::{controlled, enter};
use crate::jobs::ended_campaign;
use crate::{MATCH, configured, serve, spar};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The script of axe-core, if it is available.
pub(crate) fn script() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("SPAR_AXE") {
        return Some(named.into());
    }
    let environments = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/python/lib");
    let of = |environment: std::fs::DirEntry| environment.path().join("site-packages/axe_core_python/axe.min.js");
    std::fs::read_dir(environments).ok()?.flatten().map(of).find(|script| script.is_file())
}

/// Unfolds everything and tries the rules. Returns each violation as a line: its rule and its place.
const TRY: &str = "(async () => { for (const details of document.querySelectorAll('details')) details.open = true; \
    const { violations } = await axe.run(document, { resultTypes: ['violations'] }); \
    return violations.flatMap(({ id, nodes }) => nodes.slice(0, 4).map(({ target, html }) => \
        `${id}: ${target.join(' ')} ${html.slice(0, 120)}`)); })()";

/// The violations of the page that is shown.
fn breaches(browser: &mut Browser) -> Vec<String> {
    let text = std::fs::read_to_string(script().expect("axe-core")).expect("a script");
    browser.value(&format!("{text}\n;0"));
    let found = browser.value(TRY);
    found.as_array().expect("breaches").iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// All pages of a server that can start runs, the page of a run with each of its parts, and the condition when each is
/// complete.
const PAGES: [(&str, &str); 9] = [
    ("/", "document.querySelectorAll('#runs li.finished').length === 2"),
    ("/runs/match-one-1", "document.querySelector('#tiles div')"),
    ("/runs/match-one-1#games", "document.querySelector('#list [aria-pressed=\"true\"]')"),
    ("/runs/match-one-1#report", "document.querySelector('#report-numbers table')"),
    ("/runs/match-one-1#conditions", "document.querySelector('#report-conditions section')"),
    ("/runs/match-one-1#log", "document.querySelector('.log li')"),
    ("/compare?runs=match-one-1,match-two-1", "document.querySelectorAll('#heads .block').length === 2"),
    ("/new", "document.querySelector('[data-path=\"sprt.elo0\"]')"),
    ("/board", "document.body.dataset.phase === 'setup'"),
];

fn two_matches(runs: &Path) {
    for name in ["one", "two"] {
        let file = configured(runs, name, &MATCH.replace("\"done\"", &format!("\"{name}\"")));
        assert!(spar(runs).arg("match").arg(file).status().expect("spar match").success());
    }
}

pub(crate) fn no_page_breaks_a_rule_of_axe() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    two_matches(runs);
    let (_server, site) = controlled(runs);
    enter(&mut browser, &format!("{site}/"));
    let report = format!("file://{}", runs.join("match-one-1/report.html").display());
    let mut all = Vec::new();
    let pages = PAGES.iter().map(|(path, is_there)| (format!("{site}{path}"), *is_there));
    for (address, is_there) in pages.chain([(report, "document.querySelector('#board svg')")]) {
        all.extend(breaches_in_all_looks(&mut browser, &address, is_there));
    }
    assert_eq!(all, Vec::<String>::new());
}

pub(crate) fn the_page_of_a_job_breaks_no_rule_of_axe() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let runs = ended_campaign(folder.path());
    let (_server, port) = serve(&runs, 0);
    let site = format!("http://127.0.0.1:{port}");
    let mut all = breaches_in_all_looks(&mut browser, &format!("{site}/"), "document.querySelector('#jobs tbody tr')");
    let page = browser.value("document.querySelector('#job-list a').href");
    let page = page.as_str().expect("the address of the campaign");
    all.extend(breaches_in_all_looks(&mut browser, page, "document.querySelector('#now table')"));
    assert_eq!(all, Vec::<String>::new());
}

/// The violations of a page, light and dark, wide and narrow.
fn breaches_in_all_looks(browser: &mut Browser, address: &str, is_there: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (scheme, width) in [("light", 1440), ("dark", 1440), ("light", 390)] {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        browser.call("Emulation.setEmulatedMedia", &json!({ "features": [feature] }));
        browser.resize(width);
        browser.open(address);
        browser.wait_until(is_there);
        all.extend(breaches(browser).into_iter().map(|breach| format!("{address}, {scheme}, {width}: {breach}")));
    }
    all
}

/// Numbers the elements that the Tab key should reach: all visible ones that can have the focus.
const MARK: &str = "document.querySelectorAll('[data-mark]').forEach((node) => delete node.dataset.mark); \
    [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]\
    .filter((node) => node.tabIndex >= 0 && !node.disabled && node.checkVisibility({ visibilityProperty: true }) && \
        !(node.localName === 'input' && node.type === 'radio' && !node.checked))\
    .map((node, index) => { node.dataset.mark = index; return index; }).length";

/// Describes the elements that were not reached.
const MISSED: &str = "[...document.querySelectorAll('[data-mark]')].filter((node) => node.isConnected && \
    !window.reached.has(node.dataset.mark)).map((node) => `${node.localName}#${node.id}.${node.className} \
    ${node.textContent.slice(0, 30)}`)";

pub(crate) fn pages_are_walked_through_by_the_tab_key_alone() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    two_matches(runs);
    let (_server, site) = controlled(runs);
    browser.resize(1440);
    enter(&mut browser, &format!("{site}/"));
    for (path, is_there) in PAGES {
        browser.open(&format!("{site}{path}"));
        browser.wait_until(is_there);
        browser.value("document.activeElement.blur(); window.reached = new Set(); window.hidden = []");
        let marked = browser.value(MARK).as_u64().expect("a number");
        assert!(marked >= 5, "{path}: {marked}");
        // Each element has the focus once, and is visible then. Date fields have several parts.
        for _ in 0..2 * marked + 20 {
            if browser.value(MISSED) == json!([]) {
                break;
            }
            browser.press("Tab");
            browser.value(
                "(() => { const node = document.activeElement, style = getComputedStyle(node); \
                    window.reached.add(node.dataset.mark); \
                    const isSeen = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1; \
                    if (node !== document.body && !isSeen) \
                    window.hidden.push(`${node.localName}#${node.id}`); })()",
            );
        }
        assert_eq!(browser.value(MISSED), json!([]), "{path}: not reached");
        assert_eq!(browser.value("[...new Set(window.hidden)]"), json!([]), "{path}: without an outline");
    }
    // The browser logs refused requests: those without the token, and the form before it is filled in.
    let refused = ["400 (Bad Request)", "401 (Unauthorized)"];
    browser.problems.retain(|problem| !refused.iter().any(|why| problem.contains(why)));
    assert_eq!(browser.problems, Vec::<String>::new());
}
