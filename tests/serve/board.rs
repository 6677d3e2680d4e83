//! A game of 0.1 in a browser, by mouse and by keys.

use crate::browser::Browser;
use crate::{fits, serve};
use serde_json::json;

/// The middle of an element.
fn middle(browser: &mut Browser, selector: &str) -> (f64, f64) {
    let found = browser.value(&format!(
        "(() => {{ const node = document.querySelector({}); node.scrollIntoView({{ block: 'nearest' }}); const box = \
            node.getBoundingClientRect(); \
         return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
        json!(selector)
    ));
    (found[0].as_f64().expect("a place"), found[1].as_f64().expect("a place"))
}

fn mouse(browser: &mut Browser, kind: &str, (x, y): (f64, f64), is_down: bool) {
    let buttons = u8::from(is_down);
    browser.call(
        "Input.dispatchMouseEvent",
        &json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1 }),
    );
}

/// Drags from one place to another.
pub(crate) fn drag(browser: &mut Browser, from: &str, to: &str) {
    let from = middle(browser, from);
    let to = middle(browser, to);
    mouse(browser, "mousePressed", from, true);
    mouse(browser, "mouseMoved", (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1)), true);
    mouse(browser, "mouseMoved", to, true);
    mouse(browser, "mouseReleased", to, false);
}

fn square(name: &str) -> String {
    format!("[data-square=\"{name}\"]")
}

/// Begins a new game against an engine that hardly thinks.
fn begin(browser: &mut Browser, who: &str) {
    browser.value(&format!(
        "document.getElementById('who').value = '{who}'; document.getElementById('amount').value = '30'; \
         document.getElementById('evaluation').value = 'material'; document.getElementById('new-game').requestSubmit()"
    ));
}

const SETUP: &str = "AADDAAFWNFDDAAAA";

/// Places red's pieces one by one.
fn place(browser: &mut Browser) {
    for (index, letter) in SETUP.chars().enumerate() {
        let name = format!("{}{}", if index < 8 { 'a' } else { 'b' }, index % 8 + 1);
        drag(browser, &format!("[data-drop=\"{letter}\"]"), &square(&name));
    }
    browser.wait_until("!document.getElementById('place').disabled");
}

/// The first legal move of the side to move: where it begins and where it ends.
const LEGAL: &str = "(async () => { const text = document.getElementById('position').textContent; \
     const answer = await fetch('/api/board', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: \
     JSON.stringify({ position: text }) }); \
     const { moves } = await answer.json(); const name = (n) => 'abcdefgh'[n >> 3] + ((n & 7) + 1); \
     const move = moves[PLY % moves.length]; \
     return [move.drop ? `#near-hand [data-drop=\"${move.drop}\"]` : `[data-square=\"${name(move.from)}\"]`, \
     `[data-square=\"${name(move.to)}\"]`]; })()";

pub(crate) fn a_whole_game_is_played_by_drag_and_drop() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, port) = serve(folder.path(), 0);
    browser.resize(1440);
    browser.open(&format!("http://127.0.0.1:{port}/board"));
    browser.wait_until("document.body.dataset.phase === 'setup'");
    begin(&mut browser, "red");
    browser.wait_until("document.querySelectorAll('#near-hand button').length === 5");
    fits(&mut browser, "the board before a game");
    browser.resize(1440);
    place(&mut browser);
    // Two pieces are swapped, and swapped back.
    drag(&mut browser, &square("b1"), &square("b2"));
    drag(&mut browser, &square("b1"), &square("b2"));
    browser.picture("board-setup");
    browser.value("document.getElementById('place').click()");
    let mut ply = 2;
    loop {
        browser.wait_until(&format!(
            "document.body.dataset.phase === 'over' || (Number(document.body.dataset.plies) === {ply} && \
                document.body.dataset.side === 'red')"
        ));
        if browser.value("document.body.dataset.phase") == "over" {
            break;
        }
        if ply == 2 {
            assert_eq!(browser.value("document.querySelector('#moves button').textContent"), json!(SETUP));
        }
        if ply == 6 {
            let rows = "[...document.querySelectorAll('#moves li')].map((row) => row.children.length)";
            assert_eq!(browser.value(rows), json!([3, 3, 3]));
            browser.picture("board-game");
        }
        let found = browser.value(&LEGAL.replace("PLY", &(ply * 7).to_string()));
        let [from, to] = [0, 1].map(|end| found[end].as_str().expect("a place").to_owned());
        drag(&mut browser, &from, &to);
        browser.wait_until(&format!("Number(document.body.dataset.plies) > {ply}"));
        ply += 2;
    }
    assert!(ply > 6, "a game of {ply} plies ends before its rows are looked at");
    let result = browser.value("document.body.dataset.result");
    assert!(["1-0", "0-1", "1/2-1/2"].contains(&result.as_str().expect("a result")), "{result}");
    assert!(browser.value("document.getElementById('says').textContent").as_str().expect("words").contains('.'));
    fits(&mut browser, "the board after a game");
    browser.resize(1440);

    // Back to the first move, and on from its text.
    browser.value("document.getElementById('first').click()");
    browser.wait_until("document.body.dataset.shown === '0'");
    browser.press("]");
    browser.wait_until("document.body.dataset.shown === '1'");
    let text = browser.value("document.getElementById('game-text').value");
    browser.value("document.getElementById('load').click()");
    browser.wait_until(&format!("document.body.dataset.result === {result}"));
    assert_eq!(browser.value("document.getElementById('game-text').value"), text);
    // Analysis shows its results on the board.
    browser.value("document.getElementById('first').click()");
    browser.wait_until("document.body.dataset.shown === '0'");
    for shown in ["1", "2"] {
        browser.press("]");
        browser.wait_until(&format!("document.body.dataset.shown === '{shown}'"));
    }
    browser.value("document.getElementById('analyse').click()");
    browser.wait_until(
        "document.querySelector('#arrows .arrow') && document.getElementById('thought').textContent.includes('depth')",
    );
    let listed = "document.querySelectorAll('#shares li').length > 0";
    browser.wait_until(listed);
    browser.picture("board-analysis");
    // The tree search instead: its moves, by their share of the visits.
    browser.value(
        "document.getElementById('search').value = 'mcts'; document.getElementById('evaluation').value = 'network'; \
         document.getElementById('shares').replaceChildren(); \
         document.getElementById('search').dispatchEvent(new Event('change'))",
    );
    browser.wait_until(listed);
    let shares = "[...document.querySelectorAll('#shares .number')].map((share) => parseFloat(share.textContent))";
    let shares: Vec<f64> = serde_json::from_value(browser.value(shares)).expect("numbers");
    assert!(shares.is_sorted_by(|a, b| a >= b) && shares.iter().sum::<f64>() < 101.0, "{shares:?}");
    fits(&mut browser, "the board with the tree search");
    browser.resize(1440);
    browser.picture("board-tree-search");
    assert_eq!(browser.problems, Vec::<String>::new());
}

pub(crate) fn pieces_are_placed_and_moved_by_keys_alone() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, port) = serve(folder.path(), 0);
    browser.resize(390);
    browser.open(&format!("http://127.0.0.1:{port}/board"));
    browser.wait_until("document.body.dataset.phase === 'setup'");
    begin(&mut browser, "blue");
    browser.wait_until(
        "document.body.dataset.side === 'blue' && document.querySelectorAll('#near-hand button').length === 5",
    );
    browser.value("document.getElementById('random').focus()");
    browser.press("Enter");
    browser.wait_until("!document.getElementById('place').disabled");
    browser.value("document.getElementById('place').focus()");
    browser.press("Enter");
    browser.wait_until("document.body.dataset.phase === 'play' && document.body.dataset.side === 'blue'");
    browser.picture("board-phone");
    // To the square of a jump, Enter, to its target, Enter.
    let found = browser.value(&LEGAL.replace("PLY", "0"));
    for end in 0..2 {
        let to = found[end].as_str().expect("a place");
        browser.value("document.querySelector('[data-square=\"h1\"]').focus()");
        // Blue is below, so h1 is at the lower right, and a8 at the upper left.
        let name = to.split('"').nth(1).expect("a square");
        let (row, column) = (name.as_bytes()[0] - b'a', name.as_bytes()[1] - b'1');
        for _ in row..7 {
            browser.press("ArrowUp");
        }
        for _ in 0..column {
            browser.press("ArrowLeft");
        }
        assert_eq!(browser.value("document.activeElement.dataset.square"), json!(name));
        browser.press("Enter");
    }
    browser.wait_until("Number(document.body.dataset.plies) >= 5");
    assert_eq!(browser.problems, Vec::<String>::new());
}
