//! The games of a run in a browser: the board with scores and clocks, the filter, addresses and keys; and the
//! comparison of runs.

use crate::browser::Browser;
use crate::{MATCH, configured, fits, serve, spar};
use serde_json::{Value, json};
use std::path::Path;

/// A match whose engines report their analysis, on clocks that a busy machine cannot exhaust.
const SCORED: &str = r#"
name = "scored"
track = true
[match]
pairs = 1
[each]
limit = "1s+20ms"
clock = "1000000 nodes/s"
table = "64 KiB"
[[entrant]]
name = "dev"
[[entrant]]
name = "base"
"#;

/// Plays a match, and returns the address of its page.
fn played(runs: &Path, name: &str, text: &str) -> String {
    let file = configured(runs, name, text);
    assert!(spar(runs).arg("match").arg(file).status().expect("spar match").success());
    format!("/runs/match-{name}-1")
}

fn number(browser: &mut Browser, expression: &str) -> u64 {
    browser.value(expression).as_u64().unwrap_or_else(|| panic!("{expression} is not a number"))
}

pub(crate) fn a_game_has_its_scores_its_clocks_and_its_moves_in_two_columns() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let page = played(folder.path(), "scored", SCORED);
    let (_server, port) = serve(folder.path(), 0);
    let site = format!("http://127.0.0.1:{port}");
    browser.resize(1440);
    browser.open(&format!("{site}{page}#games/1.1/24"));
    browser.wait_until("document.body.dataset.ply === '24'");
    // A row for each number: the setups, and eleven moves of each side.
    let rows = "[...document.querySelectorAll('#moves li')]";
    assert_eq!(
        browser.value(&format!("{rows}.slice(0, 12).map((row) => row.querySelectorAll('button').length)")),
        json!(vec![2; 12])
    );
    let plies = number(&mut browser, "Number(document.getElementById('slider').max)");
    assert_eq!(number(&mut browser, &format!("{rows}.length")), plies.div_ceil(2));
    let current = "document.querySelector('#moves [aria-current]')";
    assert_eq!(
        browser.value(&format!("{rows}.indexOf({current}.closest('li')) * 2 + 2 - ({current}.nextSibling ? 1 : 0)")),
        json!(24)
    );
    let in_view = "(() => { const box = document.getElementById('moves').getBoundingClientRect(), here = \
        document.querySelector('#moves [aria-current]').getBoundingClientRect(); \
        return here.top >= box.top - 1 && here.bottom <= box.bottom + 1; })()";
    assert_eq!(browser.value(in_view), json!(true));
    // The arrow of the last move, both clocks, and the bar: its share is the ply's score in the graph.
    browser.wait_until("document.querySelector('#board .arrow.last')");
    let clocks = "[...document.querySelectorAll('.seat b')].map((clock) => Number(clock.textContent))";
    let there = browser.value(clocks);
    assert!(there.as_array().is_some_and(|two| two.iter().all(|one| one.as_f64().is_some_and(|s| s < 1.3))), "{there}");
    let share = "(() => { const [all, own] = document.querySelectorAll('#board .gauge'); \
        return own.getAttribute('height') / all.getAttribute('height'); })()";
    let mut shares = Vec::new();
    for ply in [plies, 24, 0] {
        browser.value(&format!(
            "document.getElementById('slider').value = {ply}; \
                document.getElementById('slider').dispatchEvent(new Event('input'))"
        ));
        assert!(ply == 0 || browser.value(in_view) == true, "ply {ply}");
        shares.push(browser.value(share).as_f64().expect("a share"));
    }
    assert!(
        shares.iter().all(|share| (0.0..=1.0).contains(share)) && (shares[0] - shares[1]).abs() > 1e-6,
        "{shares:?}"
    );
    assert!((shares[2] - 0.5).abs() < 1e-9, "no player has said anything yet: {shares:?}");
    assert_eq!(browser.value(clocks), json!([1, 1]), "as they were set");
    fits(&mut browser, "a game with scores");
    browser.value("document.getElementById('end').click()");
    for width in [1280, 390] {
        browser.resize(width);
        browser.picture_from(&format!("game-{width}"), "#viewer");
    }

    // The pieces are those of the board for playing.
    let letter = "(box) => [...box.querySelectorAll('g')].map((piece) => piece.innerHTML).find((html) => \
        /rect.*>N</.test(html))";
    browser.value(
        "document.getElementById('begin').click(); document.getElementById('next').click(); \
        document.getElementById('next').click()",
    );
    let here = browser.value(&format!("({letter})(document.querySelector('#board'))"));
    browser.value("document.getElementById('on-board').click()");
    browser.arrive("/board");
    browser.wait_until("document.body.dataset.shown === '2' && document.querySelector('#squares .piece')");
    assert_eq!(browser.value(&format!("({letter})(document.querySelector('#squares'))")), here);
    assert!(here.as_str().is_some_and(|html| html.len() > 100), "{here}");
    assert_eq!(browser.problems, Vec::<String>::new());
}

/// Selects a value of a field.
fn choose(browser: &mut Browser, field: &str, value: &str) {
    browser.value(&format!(
        "(() => {{ const field = document.getElementById('{field}'); field.value = {}; \
            field.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()",
        json!(value)
    ));
}

const LISTED: &str = "document.querySelectorAll('#list button')";

pub(crate) fn games_are_filtered_and_the_next_page_has_the_next_ones() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let page = played(folder.path(), "many", &MATCH.replace("\"done\"", "\"many\"").replace("12", "80"));
    let (_server, port) = serve(folder.path(), 0);
    let site = format!("http://127.0.0.1:{port}");
    browser.resize(1440);
    browser.open(&format!("{site}{page}#games"));
    browser.wait_until(&format!("{LISTED}.length === 50 && document.getElementById('of-ending').options.length > 3"));
    let count = |browser: &mut Browser, query: &str| {
        browser.value(&format!(
            "fetch('/api{page}/games?count=200&{query}').then((answer) => answer.json()).then(({{ games }}) => \
                games.length)"
        ))
    };
    let [won, lost] = ["win", "loss"].map(|result| count(&mut browser, &format!("result={result}&entrant=b")));
    assert!(won.as_u64().is_some_and(|won| won > 0) && won != json!(160), "{won}");
    choose(&mut browser, "of-entrant", "b");
    choose(&mut browser, "of-result", "win");
    browser.wait_until("/found in pairs/.test(document.getElementById('which').textContent)");
    assert_eq!(browser.value("document.getElementById('of-result').selectedOptions[0].textContent"), "won by b");
    let is_won = format!(
        "[...{LISTED}].every((button) => {{ const [first, second] = \
            button.querySelectorAll('span')[1].textContent.split(' – '); \
            return button.querySelector('b').textContent === (first === 'b' ? '1-0' : '0-1') && first !== second; }})"
    );
    assert_eq!(browser.value(&is_won), json!(true));
    // All pages together have every game once.
    let mut seen = 0;
    loop {
        seen += number(&mut browser, &format!("{LISTED}.length"));
        if browser.value("document.getElementById('older').disabled") == true {
            break;
        }
        browser.value(&format!("window.before = {LISTED}[0].dataset.game; document.getElementById('older').click()"));
        browser.wait_until(&format!("{LISTED}[0]?.dataset.game !== window.before"));
    }
    assert_eq!(json!(seen), won);
    assert_eq!(lost, count(&mut browser, "result=win&entrant=a"));
    // Text that is not a number is reported.
    choose(&mut browser, "of-opening", "e4");
    browser.wait_until("/opening=`e4`: expected a whole number/.test(document.getElementById('which').textContent)");
    choose(&mut browser, "of-opening", "");
    choose(&mut browser, "of-plies_max", "1");
    browser
        .wait_until(&format!("{LISTED}.length === 0 && /^none in/.test(document.getElementById('which').textContent)"));
    fits(&mut browser, "the filter of games");
    browser.resize(1440);
    browser.picture_from("filter", "#games-played");
    // The filter is in the address.
    choose(&mut browser, "of-plies_max", "");
    browser.wait_until("location.search === '?result=win&entrant=b'");
    browser.value("window.isOld = true");
    browser.call("Page.reload", &json!({}));
    browser.wait_until(&format!(
        "!window.isOld && /found in pairs/.test(document.getElementById('which').textContent) && {is_won}"
    ));
    browser.value("document.getElementById('anyhow').click()");
    browser.wait_until(&format!("{LISTED}.length === 50 && document.getElementById('anyhow').hidden"));
    // The browser itself logs each request that is refused.
    browser.problems.retain(|problem| !problem.contains("400 (Bad Request)"));
    assert_eq!(browser.problems, Vec::<String>::new());
}

pub(crate) fn each_ply_has_an_address_and_keys_lead_from_game_to_game() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let page = played(folder.path(), "done", MATCH);
    let (_server, port) = serve(folder.path(), 0);
    let site = format!("http://127.0.0.1:{port}");
    let shows = |game: &str, ply: u64| {
        format!(
            "document.querySelector('#list [aria-pressed=\"true\"]')?.dataset.game === '{game}' && \
                document.body.dataset.ply === '{ply}'"
        )
    };
    browser.resize(1440);
    browser.open(&format!("{site}{page}#games/3.2/5"));
    browser.wait_until(&shows("3.2", 5));
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    browser.press("ArrowLeft");
    browser.wait_until(&shows("3.2", 6));
    browser.wait_until("location.hash === '#games/3.2/6'");
    // A reload shows the same.
    browser.value("window.isOld = true");
    browser.call("Page.reload", &json!({}));
    browser.wait_until(&format!("!window.isOld && {}", shows("3.2", 6)));
    // The next and the previous game; the browser's back button returns.
    browser.press("n");
    browser.wait_until("location.hash.startsWith('#games/4.1/')");
    browser.press("p");
    browser.wait_until("location.hash.startsWith('#games/3.2/')");
    browser.press("p");
    browser.wait_until("location.hash.startsWith('#games/3.1/')");
    browser.value("history.go(-3)");
    browser.wait_until(&shows("3.2", 6));
    // There is no game after the last one.
    browser.open(&format!("{site}{page}#games/12.2/1"));
    browser.wait_until(&shows("12.2", 1));
    browser.press("n");
    browser.wait_until("document.getElementById('which').textContent === 'there is no later game'");
    // The keys are listed, and disabled meanwhile.
    browser.press("?");
    browser.wait_until("document.querySelector('dialog.keys').open");
    browser.picture("keys");
    browser.press("ArrowRight");
    browser.press("Enter");
    browser.wait_until("!document.querySelector('dialog.keys').open");
    assert_eq!(browser.value("document.body.dataset.ply"), json!("1"));
    // The address to copy, and the game as PGN.
    let permission = json!({ "origin": site, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    browser.call("Browser.grantPermissions", &permission);
    browser.value("document.getElementById('copy').click()");
    browser.wait_until("document.getElementById('copied').textContent === 'copied'");
    assert_eq!(browser.value("navigator.clipboard.readText()"), json!(format!("{site}{page}#games/12.2/1")));
    let pgn = browser.value("fetch(document.getElementById('pgn').href).then((answer) => answer.text())");
    let is_it = |text: &Value| text.as_str().is_some_and(|text| text.contains("[Round \"12.2\"]"));
    assert!(is_it(&pgn), "{pgn}");
    assert_eq!(browser.problems, Vec::<String>::new());
}

pub(crate) fn differing_settings_are_a_table_that_fits_on_a_phone() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    let one = SCORED.replace("1s+20ms", "100 nodes");
    let other = SCORED.replace("1s+20ms", "300 nodes").replace("\"scored\"", "\"other_with_a_name_that_has_no_break\"");
    played(runs, "scored", &one);
    played(runs, "other_with_a_name_that_has_no_break", &other);
    let (_server, port) = serve(runs, 0);
    browser.resize(390);
    browser.open(&format!(
        "http://127.0.0.1:{port}/compare?runs=match-scored-1,match-other_with_a_name_that_has_no_break-1"
    ));
    browser.wait_until("document.querySelectorAll('#differences tbody tr').length >= 3");
    let rows = browser.value(
        "[...document.querySelectorAll('#differences tbody tr')].map((row) => [...row.children].map((cell) => \
            cell.textContent).join(' | '))",
    );
    let rows: Vec<_> = rows.as_array().expect("rows").iter().filter_map(Value::as_str).collect();
    assert!(rows.contains(&"entrant.dev.limit | 100 nodes | 300 nodes"), "{rows:?}");
    assert!(rows.iter().all(|row| !row.contains(['{', '[', '"'])), "{rows:?}");
    assert_eq!(browser.value("document.querySelectorAll('#plots svg.live-plot').length"), json!(1), "of Elo");
    fits(&mut browser, "differing settings");
    for width in [1280, 390] {
        browser.resize(width);
        browser.picture_from(&format!("compare-{width}"), "#differences");
    }
    assert_eq!(browser.problems, Vec::<String>::new());
}
