//! The page of a run in tabs: keys, addresses, requests, and the plots that grow.

use crate::browser::Browser;
use crate::{MATCH, Process, configured, fits, serve, spar};
use serde_json::{Value, json};

/// The open tab, by the page and by the address; only one panel is visible.
fn open_tab(browser: &mut Browser) -> Value {
    let panels = "[...document.querySelectorAll('[role=tabpanel]')].filter((panel) => !panel.hidden)";
    let shown = browser.value(&format!("{panels}.map((panel) => panel.id).join()"));
    let tab = browser.value("document.querySelector('[role=tab][aria-selected=true]').id");
    let of = |id: &Value, start: &str| id.as_str().and_then(|id| id.strip_prefix(start)).map(str::to_owned);
    assert_eq!(of(&shown, "panel-"), of(&tab, "tab-"), "{shown} {tab}");
    browser.value("location.hash")
}

/// The requests of the page to the interface.
fn asked(browser: &mut Browser, what: &str) -> Value {
    browser.value(&format!(
        "performance.getEntriesByType('resource').some((one) => one.name.includes('/api/') && \
         one.name.includes({}))",
        json!(what)
    ))
}

pub(crate) fn a_run_is_read_in_tabs_by_keys_alone() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = configured(folder.path(), "done", MATCH);
    assert!(spar(folder.path()).arg("match").arg(file).status().expect("spar match").success());
    let (_server, port) = serve(folder.path(), 0);
    let page = format!("http://127.0.0.1:{port}/runs/match-done-1");
    browser.call("Emulation.setTimezoneOverride", &json!({ "timezoneId": "Asia/Tokyo" }));
    browser.resize(1440);
    browser.open(&page);
    browser.wait_until("document.querySelector('#tiles div') && document.querySelector('svg.live-plot')");
    assert_eq!(open_tab(&mut browser), json!(""));
    for what in ["/games", "/sections", "/log", "/config"] {
        assert_eq!(asked(&mut browser, what), json!(false), "{what} belongs to a tab that is not open");
    }
    browser.value("document.getElementById('tab-overview').focus()");
    for (key, tab, is_there) in [
        ("ArrowRight", "#games", "document.querySelector('#list [aria-pressed=\"true\"]')"),
        ("ArrowRight", "#report", "document.querySelector('#report-figures svg')"),
        ("ArrowRight", "#conditions", "document.querySelector('#report-conditions time')"),
        ("ArrowRight", "#log", "document.querySelectorAll('#log-entries li').length >= 2"),
        ("ArrowRight", "#overview", "document.querySelector('svg.live-plot')"),
        ("End", "#log", "true"),
        ("ArrowLeft", "#conditions", "true"),
        ("Home", "#overview", "true"),
    ] {
        browser.press(key);
        assert_eq!(open_tab(&mut browser), json!(tab), "{key}");
        let focused = browser.value("document.activeElement.hash");
        assert_eq!(focused, json!(tab), "the open tab has the focus");
        let outline = browser.value("getComputedStyle(document.activeElement).outlineStyle");
        assert_ne!(outline, json!("none"), "the focus is seen");
        browser.wait_until(is_there);
    }
    // Back and forward, from elsewhere, and from the former places of parts of the page.
    browser.value("history.go(-2)");
    browser.wait_until("document.body.dataset.tab === 'log' && location.hash === '#log'");
    browser.value("history.forward()");
    browser.wait_until("document.body.dataset.tab === 'conditions'");
    let zone = "document.querySelector('#report-conditions time').textContent";
    assert!(browser.value(zone).as_str().is_some_and(|time| time.contains("GMT+9")), "the viewer's own time");
    for (anchor, tab) in
        [("conditions-of", "conditions"), ("downloads", "report"), ("now", "overview"), ("none", "overview")]
    {
        browser.open(&format!("{page}?{anchor}#{anchor}"));
        browser.wait_until(&format!("document.body.dataset.tab === '{tab}'"));
    }
    browser.open(&format!("{page}?game#games/3.2"));
    browser.wait_until("document.querySelector('#list [data-game=\"3.2\"]')?.getAttribute('aria-pressed') === 'true'");
    for tab in ["overview", "games", "report", "conditions", "log"] {
        browser.value(&format!("document.getElementById('tab-{tab}').click()"));
        fits(&mut browser, tab);
        browser.picture(&format!("tab-{tab}"));
    }
    assert_eq!(browser.problems, Vec::<String>::new());
}

/// Three players that play for longer than the test.
const THREE: &str = r#"
name = "three"
[match]
pairs = 1000000
schedule = "round-robin"
[[entrant]]
name = "first"
player = "random"
[[entrant]]
name = "second"
player = "random"
[[entrant]]
name = "third"
player = "random"
"#;

pub(crate) fn a_ladder_and_a_league_have_a_line_for_each_engine() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    for (job, section) in [("ladder", "[ladder]\npairs = 12\n"), ("league", "[league]\nprecision = 150\n")] {
        let text = THREE.replace("[match]\npairs = 1000000\nschedule = \"round-robin\"\n", section);
        let file = configured(folder.path(), job, &text);
        assert!(spar(folder.path()).arg(job).arg(file).status().expect("spar").success());
    }
    let (_server, port) = serve(folder.path(), 0);
    browser.resize(1440);
    for run in ["ladder-three-1", "ladder-league-three-1"] {
        browser.open(&format!("http://127.0.0.1:{port}/runs/{run}"));
        browser.wait_until("document.querySelectorAll('#plots .curve').length === 3");
        let legend = "document.querySelector('#plots .legend').textContent";
        for name in ["first", "second", "third"] {
            browser.wait_until(&format!("{legend}.includes('{name}: ')"));
        }
        fits(&mut browser, run);
    }
    assert_eq!(browser.problems, Vec::<String>::new());
}

pub(crate) fn ratings_of_more_than_two_are_drawn_as_games_come_in() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, port) = serve(folder.path(), 0);
    let file = configured(folder.path(), "three", THREE);
    let run = Process(spar(folder.path()).args(["match", "--concurrency", "1"]).arg(file).spawn().expect("spar match"));
    browser.resize(1440);
    browser.open(&format!("http://127.0.0.1:{port}/"));
    browser.wait_until("document.querySelectorAll('#runs li').length === 1");
    browser.open(&format!("http://127.0.0.1:{port}/runs/match-three-1"));
    browser.wait_until("document.querySelectorAll('#plots .curve').length === 3");
    browser.wait_until("document.querySelectorAll('#plots .band').length >= 1");
    // Each line's label has the player, its rating and the number of pairs; it moves while games arrive.
    let legend = "document.querySelector('#plots .legend').textContent";
    for name in ["first", "second", "third"] {
        browser.wait_until(&format!("{legend}.includes('{name}: ')"));
    }
    let before = browser.value(legend);
    browser.wait_until(&format!("{legend} !== {before}"));
    // The players whose games are counted.
    let tiles = browser.value("document.getElementById('tiles').textContent");
    let tiles = tiles.as_str().expect("tiles");
    assert!(tiles.contains("first: +") && tiles.contains("against 2 others"), "{tiles}");
    assert!(tiles.contains("of first over 2 others") && tiles.contains("Pairs by the points of first"), "{tiles}");
    fits(&mut browser, "ratings that move");
    browser.picture_from("ratings", "#plots");
    drop(run);
    assert_eq!(browser.problems, Vec::<String>::new());
}
