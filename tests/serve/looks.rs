//! The appearance of pages: the contrast of text, whether all of it fits on a phone, and the order of listed runs.

use crate::browser::Browser;
use crate::control::{controlled, enter};
use crate::{MATCH, TEST, configured, fits, serve, spar};
use serde_json::json;

/// Finds text with too little contrast.
pub(crate) const CONTRAST: &str = include_str!("contrast.js");

/// Another test, with a name that is too long to fit, and a parameter whose path is long.
fn other_test() -> String {
    let name = "a_rather_long_name_of_a_run_that_has_no_place_to_break_at_all";
    TEST.replace("\"live\"", &format!("\"{name}\"")).replacen(
        "table =",
        "params = { null_move_margin = 0.2 }\ntable =",
        1,
    )
}

pub(crate) fn text_stands_out_in_light_and_dark() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    for name in ["one", "two"] {
        let file = configured(runs, name, &MATCH.replace("\"done\"", &format!("\"{name}\"")));
        assert!(spar(runs).arg("match").arg(file).status().expect("spar match").success());
    }
    let (_server, site) = controlled(runs);
    browser.resize(1440);
    enter(&mut browser, &format!("{site}/"));
    for (path, is_there) in [
        ("/", "document.querySelectorAll('#runs li.finished').length === 2"),
        ("/runs/match-one-1", "document.querySelector('#tiles div') && document.querySelector('#orders a')"),
        ("/runs/match-one-1#games", "document.querySelector('#list [aria-pressed=\"true\"]')"),
        ("/runs/match-one-1#report", "document.querySelector('#report-numbers table')"),
        ("/runs/match-one-1#conditions", "document.querySelector('#report-conditions time')"),
        ("/runs/match-one-1#log", "document.querySelectorAll('#log-entries li').length >= 2"),
        ("/compare?runs=match-one-1,match-two-1", "document.querySelectorAll('#heads .block').length === 2"),
        ("/new", "document.querySelector('[data-path=\"sprt.elo0\"]')"),
        ("/board", "document.body.dataset.phase === 'setup'"),
    ] {
        for scheme in ["light", "dark"] {
            let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
            browser.call("Emulation.setEmulatedMedia", &json!({ "features": [feature] }));
            browser.open(&format!("{site}{path}"));
            browser.wait_until(is_there);
            assert_eq!(browser.value(CONTRAST), json!([]), "{path}, {scheme}");
        }
    }
}

pub(crate) fn two_tests_fit_beside_each_other() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    for (name, text) in [("one", TEST.to_owned()), ("two", other_test())] {
        let file = configured(runs, name, &text);
        let _either_verdict = spar(runs).arg("sprt").arg(file).status().expect("spar sprt");
    }
    let (_server, port) = serve(runs, 0);
    browser.open(&format!("http://127.0.0.1:{port}/"));
    browser.wait_until("document.querySelectorAll('#runs li.finished').length === 2");
    fits(&mut browser, "the list");
    let names = browser.value("[...document.querySelectorAll('#runs a.open')].map((link) => link.textContent).join()");
    browser.open(&format!("http://127.0.0.1:{port}/compare?runs={}", names.as_str().expect("names")));
    browser.wait_until(
        "document.querySelectorAll('#differences tbody tr').length >= 2 && document.querySelector('#plots svg')",
    );
    // The first elements of each run's page, followed by the plot and everything else.
    for (what, expected) in [
        (
            "[...document.querySelectorAll('#heads .badge')].every((badge) => /^H[01] \
                accepted$/.test(badge.textContent))",
            json!(true),
        ),
        (
            "[...document.querySelectorAll('#heads .block')].filter((block) => /^LLR: .*\\nTotal: \
                .*\\nPtnml/.test(block.textContent)).length",
            json!(2),
        ),
        (
            "document.getElementById('plots').getBoundingClientRect().top < \
                document.getElementById('beside').getBoundingClientRect().top || \
                !document.getElementById('numbers').open",
            json!(true),
        ),
    ] {
        assert_eq!(browser.value(what), expected, "{what}");
    }
    fits(&mut browser, "two tests beside each other");
    browser.value("document.getElementById('numbers').open = true");
    fits(&mut browser, "two tests with all their numbers");
}

/// A run that is paused, and one whose result the host has spoilt.
const DOUBTFUL: &str = r#"
  const of = (name, more) => ({ name, began: "2026-01-01T23:30:00Z", kind: "match", unit: "pair", units: 5, of: 9,
    entrants: ["a", "b"], speed: null, left: null, paused: false, reported: null, ...more });
  const runs = [of("going", { state: "running", speed: 2, left: "3 min" }),
    of("held", { state: "running", paused: true, speed: null, left: "3 min" }),
    of("over", { state: "finished", verdict: "complete", warning: "The result is not trustworthy: starved." })];
  const real = window.fetch;
  window.fetch = async (address, options) =>
    (address === "/api/runs" ? new Response(JSON.stringify({ id: "1-1", runs })) : real(address, options));
"#;

pub(crate) fn doubtful_and_paused_runs_stand_out_in_the_list() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, port) = serve(folder.path(), 0);
    browser.call("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": DOUBTFUL }));
    browser.call("Emulation.setTimezoneOverride", &json!({ "timezoneId": "Asia/Tokyo" }));
    browser.open(&format!("http://127.0.0.1:{port}/?sort=name"));
    browser.wait_until("document.querySelectorAll('#runs li').length === 3");
    assert_eq!(browser.value("document.getElementById('count').textContent"), json!("3 runs, 1 running, 1 paused"));
    let of = |name: &str, what: &str| {
        format!("[...document.querySelectorAll('#runs li')].find((row) => row.textContent.includes('{name}')).{what}")
    };
    let badges = "[...document.querySelectorAll('#runs .badge')].map((badge) => badge.textContent)";
    assert_eq!(browser.value(badges), json!(["running", "paused", "complete", "not trustworthy"]));
    for (name, is_told) in [("going", true), ("held", false)] {
        assert_eq!(browser.value(&of(name, "textContent.includes('3 min')")), json!(is_told), "{name}");
    }
    let doubt = browser.value(&of("over", "querySelector('.doubtful').title"));
    assert_eq!(doubt, json!("The result is not trustworthy: starved."));
    // It is half past eight in the morning there, on the next day.
    let title = browser.value(&of("held", "querySelector('time').title"));
    let title = title.as_str().expect("a title");
    assert!(title.contains("Jan 2") && title.contains("8:30") && title.contains("GMT+9"), "{title}");
    fits(&mut browser, "a list with warnings");
    browser.picture("doubtful");
    for (state, expected) in [("paused", json!(["held"])), ("running", json!(["going"]))] {
        browser.open(&format!("http://127.0.0.1:{port}/?state={state}"));
        browser.wait_until("document.querySelectorAll('#runs li').length === 1");
        let names = "[...document.querySelectorAll('#runs a.open')].map((link) => link.textContent)";
        assert_eq!(browser.value(names), expected, "{state}");
    }
}

/// The smallest displayed text of the report's figures, in pixels, and its content.
const SMALLEST: &str = "[...document.querySelectorAll('#report-figures svg text')].filter((text) => \
    text.checkVisibility()).map((text) => { const svg = text.ownerSVGElement, scale = \
    svg.getBoundingClientRect().width / svg.viewBox.baseVal.width; return \
    [parseFloat(getComputedStyle(text).fontSize) * scale, text.textContent]; }).sort((a, b) => a[0] - b[0])[0]";

pub(crate) fn text_of_figures_can_be_read() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = configured(folder.path(), "live", TEST);
    let _either_verdict = spar(folder.path()).arg("sprt").arg(file).status().expect("spar sprt");
    let (_server, port) = serve(folder.path(), 0);
    browser.open(&format!("http://127.0.0.1:{port}/runs/sprt-live-1#report"));
    browser.wait_until("document.querySelectorAll('#report-figures figure').length > 3");
    for width in [390, 700, 1000, 1440] {
        browser.resize(width);
        let found = browser.value(SMALLEST);
        assert!(found[0].as_f64().is_some_and(|pixels| pixels >= 12.0), "{width}: {found}");
    }
    fits(&mut browser, "a report with its figures");
    browser.picture_from("figures", "#report-figures");
}

/// Runs as the interface may send them. JSON has no infinite numbers.
const ROWS: &str = r#"
  const row = (name, began, elo, low, high, [wins, draws, losses]) => ({ name, began, state: "finished", kind: "match",
    unit: "pair", units: 2, wins, draws, losses,
    reported: elo === undefined ? null : { elo, elo_low: low, elo_high: high } });
  const runs = [row("lost", "2026-01-01T10:59:00Z", null, null, -200, [0, 0, 4]),
    row("none", "2026-01-01T11:01:00Z", undefined, 0, 0, [0, 0, 0]),
    row("won", "2026-01-02T01:00:00Z", null, 200, null, [4, 0, 0]),
    row("weak", "2025-12-31T23:00:00Z", -50, -60, -40, [1, 0, 3]),
    row("strong", "2026-01-02T12:00:00Z", 5, 1, 9, [3, 1, 2])];
  const real = window.fetch;
  window.fetch = async (address, options) =>
    (address === "/api/runs" ? new Response(JSON.stringify({ id: "1-1", runs })) : real(address, options));
"#;

pub(crate) fn runs_are_sorted_by_elo_and_found_by_the_day_of_the_reader() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, port) = serve(folder.path(), 0);
    browser.call("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": ROWS }));
    // There the second of January begins at 11:00 on the first by UTC.
    browser.call("Emulation.setTimezoneOverride", &json!({ "timezoneId": "Pacific/Auckland" }));
    browser.open(&format!("http://127.0.0.1:{port}/?sort=elo"));
    let names = "[...document.querySelectorAll('#runs a.open')].map((link) => link.textContent).join()";
    browser.wait_until(&format!("{names} === 'won,strong,weak,lost,none'"));
    browser.open(&format!("http://127.0.0.1:{port}/?sort=name&since=2026-01-02"));
    browser.wait_until(&format!("{names} === 'none,strong,won'"));
}
