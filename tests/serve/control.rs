//! Runs that are started and controlled in a browser.

use crate::browser::Browser;
use crate::{MATCH, Process, configured, fits, serve_with, spar};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

const TOKEN: &str = "a-token-of-many-characters";

/// A server that starts runs, and its address.
pub(crate) fn controlled(runs: &Path) -> (Process, String) {
    controlled_with(runs, &[])
}

/// Like [`controlled`], with more options.
pub(crate) fn controlled_with(runs: &Path, more: &[&str]) -> (Process, String) {
    let token = private(runs, "token", TOKEN);
    let options = [&["--control", "--concurrency", "2", "--token-file", &token], more].concat();
    let (server, port) = serve_with(runs, 0, &options);
    (server, format!("http://127.0.0.1:{port}"))
}

/// Opens a page that asks for the token, and enters it.
pub(crate) fn enter(browser: &mut Browser, address: &str) {
    enter_as(browser, address, TOKEN);
}

/// Like [`enter`], with the token of a person.
fn enter_as(browser: &mut Browser, address: &str, token: &str) {
    browser.open(address);
    browser.wait_until("document.querySelector('dialog.token input')");
    browser.value("document.getElementById('token').focus()");
    browser.type_in(token);
    browser.press("Enter");
    browser.wait_until("!document.querySelector('dialog.token')");
}

pub(crate) fn what_a_right_does_not_allow_is_not_offered() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    let tokens = runs.join("tokens").display().to_string();
    let token = |person: &str| {
        let mut added = spar(runs);
        added.args(["serve", "--token-file", &tokens, "--new-token", person]).stdout(Stdio::piped());
        let added = added.output().expect("spar starts");
        String::from_utf8(added.stdout).expect("a token").trim().to_owned()
    };
    let [lee, ann, sam] = ["lee:look", "ann:start", "sam:steer"].map(token);
    let (_server, port) = serve_with(runs, 0, &["--control", "--concurrency", "1", "--token-file", &tokens]);
    let site = format!("http://127.0.0.1:{port}");
    let long = configured(runs, "long", &MATCH.replace("12", "1000000").replace("done", "long"));
    let mine = private(runs, "ann", &ann);
    // One run plays, and one waits.
    for _ in 0..2 {
        let mut start = spar(runs);
        start.arg("start").arg(&long).args(["--server", &site, "--token-file", &mine]);
        assert!(start.status().expect("spar starts").success());
    }
    // The controls: starting, holding, withdrawing, priorities; and those on the run's own page.
    for (name, token, offered) in [
        ("look", &lee, json!([false, false, 0, 0, 0])),
        ("start", &ann, json!([true, false, 1, 0, 0])),
        ("steer", &sam, json!([true, true, 4, 1, 4])),
    ] {
        let mut browser = Browser::start();
        enter_as(&mut browser, &format!("{site}/"), token);
        browser.wait_until("document.querySelector('#waiting li') && !document.getElementById('control').hidden");
        fits(&mut browser, name);
        browser.resize(390);
        browser.picture(&format!("rights-{name}"));
        let front = browser.value(
            "[!document.querySelector('#control [href=\"/new\"]').hidden, !document.getElementById('hold').hidden, \
             document.querySelectorAll('#waiting button').length, document.querySelectorAll('#waiting input').length]",
        );
        browser.open(&format!("{site}/runs/match-long-1"));
        browser.wait_until("document.getElementById('control-says')?.textContent.startsWith('played')");
        let orders = browser.value("document.querySelectorAll('#orders button').length");
        let mut all = front.as_array().expect("a list").clone();
        all.push(orders);
        assert_eq!(json!(all), offered, "{name}");
    }
}

/// A file that only its owner can read.
fn private(runs: &Path, name: &str, text: &str) -> String {
    let path = runs.join(name);
    std::fs::write(&path, text).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("its owner");
    path.display().to_string()
}

pub(crate) fn a_wrong_token_is_called_wrong() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, site) = controlled(folder.path());
    browser.open(&format!("{site}/"));
    browser.wait_until("document.querySelector('dialog.token input')");
    assert_eq!(browser.value("document.getElementById('token-wrong')"), json!(null), "none was given");
    browser.value("document.getElementById('token').focus()");
    browser.type_in("not-the-token-of-this-server");
    browser.press("Enter");
    browser.wait_until("document.getElementById('token-wrong')?.textContent.startsWith('Wrong token')");
    browser.value("document.getElementById('token').focus()");
    browser.type_in(TOKEN);
    browser.press("Enter");
    browser.wait_until("!document.querySelector('dialog.token') && !document.getElementById('control').hidden");
}

/// A field of the form: its path, its index among those for the same key, and its value.
type Filled = (&'static str, usize, &'static str);

/// Fills in a field of the form, the `nth` of those for the same key.
fn fill(browser: &mut Browser, path: &str, nth: usize, value: &str) {
    let found = browser.value(&format!(
        "(() => {{ const input = document.querySelectorAll('[data-path=\"{path}\"]')[{nth}]; if (!input) return false; \
         for (let node = input; node; node = node.parentElement) if (node.localName === 'details') node.open = true; \
         input.focus(); if (input.localName === 'select') {{ input.value = {value}; \
         input.dispatchEvent(new Event('input', {{ bubbles: true }})); }} else input.select(); \
         return input.localName; }})()",
        value = json!(value)
    ));
    assert!(found.is_string(), "there is no field {path}");
    if found != "select" {
        browser.type_in(value);
    }
}

fn problem_of(browser: &mut Browser, path: &str) -> String {
    let expression =
        format!("document.querySelector('[data-path=\"{path}\"]').parentElement.querySelector('.problem').textContent");
    browser.value(&expression).as_str().expect("a text").to_owned()
}

pub(crate) fn a_run_started_from_the_form_is_the_one_that_its_text_makes() {
    let mut browser = Browser::start();
    let [here, there] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let (_server, site) = controlled(here.path());
    browser.resize(1440);
    enter(&mut browser, &format!("{site}/new"));
    browser.wait_until("document.querySelector('[data-path=\"sprt.elo0\"]')");
    fits(&mut browser, "the form of a test");
    browser.value(
        "{ const job = document.getElementById('job'); job.value = 'match'; job.dispatchEvent(new Event('input', { \
            bubbles: true })); }",
    );
    browser.wait_until("document.querySelector('[data-path=\"match.pairs\"]')");
    fill(&mut browser, "name", 0, "for\"med\"");
    fill(&mut browser, "match.pairs", 0, "many");
    for nth in 0..2 {
        fill(&mut browser, "entrant.player", nth, "random");
        fill(&mut browser, "entrant.name", nth, ["anna", "bob"][nth]);
    }
    // An error is shown at its field, and disables the start.
    browser.wait_until("document.querySelector('[data-path=\"match.pairs\"]').getAttribute('aria-invalid') === 'true'");
    assert!(problem_of(&mut browser, "match.pairs").contains("expected a whole number"));
    assert_eq!(browser.value("document.getElementById('start').disabled"), json!(true));
    browser.picture("form-wrong");
    fill(&mut browser, "match.pairs", 0, "7");
    browser.wait_until("document.querySelector('[data-path=\"name\"]').getAttribute('aria-invalid') === 'true'");
    fill(&mut browser, "name", 0, "formed");
    fill(&mut browser, "openings.plies", 0, "2");
    browser.wait_until("!document.getElementById('start').disabled");
    assert_eq!(problem_of(&mut browser, "match.pairs"), "");
    let toml = browser.value("document.getElementById('toml').value");
    fits(&mut browser, "the form of a match");
    browser.resize(1440);
    browser.picture("form");
    browser.resize(390);
    browser.picture("form-phone");
    browser.resize(1440);
    browser.value("document.getElementById('start').click()");
    browser.arrive("/");
    browser.wait_until("document.querySelector('#runs li.finished a.open')?.textContent === 'match-formed-1'");

    let file = configured(there.path(), "formed", toml.as_str().expect("a text"));
    assert!(spar(there.path()).arg("match").arg(file).status().expect("spar match").success());
    let exported = |runs: &Path| {
        let output =
            spar(runs).args(["export", "--jsonl", "match-formed-1"]).stdout(std::process::Stdio::piped()).output();
        output.expect("spar export").stdout
    };
    assert!(!exported(here.path()).is_empty());
    assert_eq!(exported(here.path()), exported(there.path()));
    let text = |runs: &Path| std::fs::read(runs.join("match-formed-1/config.toml")).expect("a configuration");
    assert_eq!(text(here.path()), text(there.path()));
    browser.problems.retain(|problem| !problem.contains("401") && !problem.contains("400"));
    assert_eq!(browser.problems, Vec::<String>::new());
}

pub(crate) fn each_job_is_made_by_the_form() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, site) = controlled(folder.path());
    browser.resize(1440);
    enter(&mut browser, &format!("{site}/new"));
    let jobs: [(&str, &[Filled], &str); 3] = [
        (
            "tune",
            &[
                ("tune.pairs", 0, "20"),
                ("tune.parameter.name", 0, "optimism"),
                ("tune.parameter.step", 0, "0.1"),
                ("each.limit", 0, "50 nodes"),
            ],
            "game = \"0.1\"\n\n[tune]\npairs = 20\n\n[[tune.parameter]]\nname = \"optimism\"\nstep = \
                0.1\n\n[each]\nlimit = \"50 nodes\"\n\n[[entrant]]\nname = \"engine\"\n",
        ),
        (
            "selfplay",
            &[("selfplay.games", 0, "4"), ("entrant.limit", 0, "50 nodes")],
            "game = \"0.1\"\n\n[selfplay]\ngames = 4\n\n[[entrant]]\nname = \"engine\"\nlimit = \"50 nodes\"\n",
        ),
        (
            "sprt",
            &[
                ("sprt.preset", 0, "gain"),
                ("each.limit", 0, "50 nodes"),
                ("entrant.name", 0, "dev"),
                ("entrant.name", 1, "base"),
            ],
            "game = \"0.1\"\n\n[sprt]\npreset = \"gain\"\n\n[each]\nlimit = \"50 nodes\"\n\n[[entrant]]\nname = \
                \"dev\"\n\n[[entrant]]\nname = \"base\"\n",
        ),
    ];
    for (job, fields, toml) in jobs {
        browser.wait_until("!document.getElementById('new').hidden");
        browser.value(&format!(
            "{{ const job = document.getElementById('job'); job.value = '{job}'; job.dispatchEvent(new Event('input', \
                {{ bubbles: true }})); }}"
        ));
        browser.wait_until(&format!("document.querySelector('[data-section=\"{job}\"]')"));
        for (path, nth, value) in fields {
            fill(&mut browser, path, *nth, value);
        }
        assert_eq!(browser.value("document.getElementById('toml').value"), json!(toml), "{job}");
        browser.wait_until("!document.getElementById('start').disabled");
    }
}

pub(crate) fn a_run_is_started_from_text_paused_slowed_down_and_stopped_by_buttons() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, site) = controlled(folder.path());
    browser.resize(1440);
    enter(&mut browser, &format!("{site}/new"));
    browser.wait_until("!document.getElementById('new').hidden");
    browser.value("document.getElementById('edit').click(); document.getElementById('toml').select()");
    // A run that is longer than the test.
    browser.type_in(&MATCH.replace("\"done\"", "\"long\"").replace("12", "1000000"));
    browser.wait_until("!document.getElementById('start').disabled");
    browser.value("document.getElementById('start').click()");
    browser.arrive("/");
    browser.wait_until("document.querySelector('#playing a')?.textContent === 'match-long-1'");
    browser.wait_until("document.querySelector('#runs li.running')");
    browser.picture("list");
    fits(&mut browser, "the list with its queue");
    browser.resize(1440);

    browser.open(&format!("{site}/runs/match-long-1"));
    let press = |browser: &mut Browser, text: &str| {
        let button = format!(
            "[...document.querySelectorAll('#orders button')].find((button) => button.textContent === '{text}')"
        );
        browser.wait_until(&button);
        browser.value(&format!("{button}.click()"));
    };
    press(&mut browser, "Pause");
    browser.wait_until("document.getElementById('control-says').textContent === 'paused'");
    browser.picture("paused");
    browser.value("document.getElementById('concurrency').value = '1'");
    press(&mut browser, "Set");
    browser.wait_until("document.getElementById('concurrency').value === '1'");
    press(&mut browser, "Continue");
    browser.wait_until("document.getElementById('control-says').textContent === 'played by this server'");
    let units = browser.value("Number(document.body.dataset.units)");
    browser.wait_until(&format!("Number(document.body.dataset.units) > {units}"));
    fits(&mut browser, "the page of a run with its buttons");
    press(&mut browser, "Stop");
    browser.wait_until("document.body.dataset.state === 'interrupted'");
    press(&mut browser, "Resume");
    browser.wait_until("document.getElementById('control-says').textContent === 'played by this server'");
    press(&mut browser, "Stop");
    browser.wait_until(
        "document.body.dataset.state === 'interrupted' && [...document.querySelectorAll('#orders \
        button')].some((button) => button.textContent === 'Resume')",
    );
    browser.open(&format!("{site}/"));
    browser.wait_until("!document.getElementById('control').hidden");
    browser.value("document.getElementById('log').open = true");
    browser.wait_until("document.querySelectorAll('#done li').length >= 6");
    browser.picture("log");
    browser.problems.retain(|problem| !problem.contains("401") && !problem.contains("400"));
    assert_eq!(browser.problems, Vec::<String>::new());
}

/// Two engine processes over UCI.
const ENGINES: &str = r#"
name = "movers"
game = "chess"
[match]
pairs = 2
[[entrant]]
name = "dev"
cmd = "MOVER"
limit = "10 nodes"
[[entrant]]
name = "base"
cmd = "MOVER"
limit = "10 nodes"
"#;

pub(crate) fn a_position_of_a_game_is_analysed_by_an_engine_of_its_run() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let mover = crate::tools::example("random_mover");
    // Another engine for the analysis.
    let mover = std::env::var_os("SPAR_ANALYST").map_or(mover, Into::into);
    let file = configured(folder.path(), "movers", &ENGINES.replace("MOVER", &mover.display().to_string()));
    let played = spar(folder.path()).arg("match").arg(file).status().expect("spar match");
    assert!(played.success());
    let (_server, site) = controlled(folder.path());
    browser.resize(1440);
    enter(&mut browser, &format!("{site}/runs/match-movers-1#games"));
    browser.wait_until("!document.getElementById('analysis').hidden");
    assert_eq!(
        browser.value("[...document.querySelectorAll('#analyst option')].map((one) => one.value)"),
        json!(["dev", "base"])
    );
    // By keyboard alone.
    browser.value("document.getElementById('seconds').value = '2'; document.getElementById('analyse').focus()");
    browser.press("Enter");
    browser.wait_until("/ · best /.test(document.getElementById('opinion').textContent)");
    browser.wait_until("document.querySelector('#board .hint') && document.querySelector('#variation button')");
    let board = browser.value("document.getElementById('board').innerHTML");
    fits(&mut browser, "an analysis");
    browser.resize(1440);
    browser.picture_from("analysis", "#board");
    // The board after the first move of its line.
    browser.value("document.querySelector('#variation button').focus()");
    browser.press("Enter");
    assert_ne!(browser.value("document.getElementById('board').innerHTML"), board);
    assert_eq!(browser.value("!document.querySelector('#board .hint')"), json!(true));
    // The analysis follows the game. The text is empty until the engine answers, which can be before the next check.
    browser.value(
        "{ const opinion = document.getElementById('opinion'); window.wiped = false; new MutationObserver(() => { \
            window.wiped ||= opinion.textContent === ''; }).observe(opinion, { childList: true, characterData: true, \
            subtree: true }); }",
    );
    browser.value("document.getElementById('replay').focus()");
    browser.press("ArrowRight");
    browser.wait_until("window.wiped");
    browser.wait_until("/ · best /.test(document.getElementById('opinion').textContent)");
    // If the game is over, there is nothing to analyse.
    browser.press("End");
    browser.wait_until("document.getElementById('opinion').textContent === 'the game is over there'");
    browser.value("document.getElementById('analyse').click()");
    assert_eq!(browser.value("document.getElementById('opinion').textContent"), json!(""));
    browser.problems.retain(|problem| !problem.contains("401"));
    assert_eq!(browser.problems, Vec::<String>::new());
}

/// Presses Tab until an element has the focus.
fn tab_to(browser: &mut Browser, selector: &str) {
    for _ in 0..400 {
        browser.press("Tab");
        if browser.value(&format!("document.activeElement?.matches({})", json!(selector))) == json!(true) {
            return;
        }
    }
    panic!("{selector} is not to be reached by Tab");
}

pub(crate) fn a_run_is_started_paused_and_stopped_by_keys_alone() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, site) = controlled(folder.path());
    browser.resize(1440);
    enter(&mut browser, &format!("{site}/new"));
    browser.wait_until("!document.getElementById('new').hidden");
    tab_to(&mut browser, "#edit");
    browser.press("Enter");
    tab_to(&mut browser, "#toml");
    browser.value("document.activeElement.select()");
    browser.type_in(&MATCH.replace("\"done\"", "\"keys\"").replace("12", "1000000"));
    browser.wait_until("!document.getElementById('start').disabled");
    tab_to(&mut browser, "#start");
    browser.press("Enter");
    browser.arrive("/");
    browser.wait_until("document.querySelector('#playing a')?.textContent === 'match-keys-1'");
    tab_to(&mut browser, "#playing a");
    browser.press("Enter");
    browser.arrive("/runs/match-keys-1");
    browser.wait_until("document.querySelectorAll('#orders button').length >= 2");
    tab_to(&mut browser, "#orders button");
    assert_eq!(browser.value("document.activeElement.textContent"), json!("Pause"));
    browser.press("Enter");
    browser.wait_until("document.getElementById('control-says').textContent === 'paused'");
    for _ in 0..20 {
        tab_to(&mut browser, "#orders button");
        if browser.value("document.activeElement.textContent") == json!("Stop") {
            break;
        }
    }
    assert_eq!(browser.value("document.activeElement.textContent"), json!("Stop"));
    browser.press("Enter");
    browser.wait_until("document.body.dataset.state === 'interrupted'");
    browser.problems.retain(|problem| !problem.contains("401") && !problem.contains("400"));
    assert_eq!(browser.problems, Vec::<String>::new());
}

/// A session that ends quickly.
const TUNE: &str = r#"
name = "tuned"
[tune]
pairs = 6
[tune.verify]
enabled = false
[[tune.parameter]]
name = "optimism"
[[entrant]]
name = "engine"
limit = "20 nodes"
table = "64 KiB"
"#;

pub(crate) fn a_tuning_session_is_given_more_pairs() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = configured(folder.path(), "tuned", TUNE);
    assert!(spar(folder.path()).arg("tune").arg(file).status().expect("spar tune").success());
    let (_server, site) = controlled(folder.path());
    browser.resize(1440);
    enter(&mut browser, &format!("{site}/runs/tune-tuned-1"));
    browser.wait_until("document.body.dataset.units === '6' && document.getElementById('limit')");
    // The values are at the head of the page, to be copied.
    assert_eq!(browser.value("/optimism = /.test(document.getElementById('block').textContent)"), json!(true));
    browser.value("document.getElementById('limit').select()");
    browser.type_in("4");
    browser.press("Enter");
    browser.wait_until("/6 pairs were played already/.test(document.getElementById('control-problem').textContent)");
    browser.value("document.getElementById('limit').select()");
    browser.type_in("9");
    browser.press("Enter");
    browser.wait_until("document.body.dataset.units === '9' && document.body.dataset.state === 'finished'");
    fits(&mut browser, "a session that was given more pairs");
    browser.problems.retain(|problem| !problem.contains("401") && !problem.contains("400"));
    assert_eq!(browser.problems, Vec::<String>::new());
}

/// Clicks a link or button among the controls of a run, once it is there.
fn order(browser: &mut Browser, text: &str) {
    let node = format!(
        "[...document.querySelectorAll('#orders a, #orders button')].find((node) => node.textContent === {})",
        json!(text)
    );
    browser.wait_until(&node);
    browser.value(&format!("{node}.click()"));
}

pub(crate) fn a_run_is_started_again_with_a_change() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    // The file's own words are kept until the form is changed.
    let text = format!("# to compare\n{MATCH}");
    let file = configured(folder.path(), "done", &text);
    assert!(spar(folder.path()).arg("match").arg(&file).status().expect("spar match").success());
    let (_server, site) = controlled(folder.path());
    browser.resize(1440);
    enter(&mut browser, &format!("{site}/runs/match-done-1"));
    order(&mut browser, "Run again or edit");
    browser.arrive("/new");
    browser.wait_until("document.getElementById('taken').textContent === 'Taken from match-done-1.'");
    assert_eq!(browser.value("document.getElementById('toml').value"), json!(text));
    assert_eq!(browser.value("document.querySelector('[data-path=\"match.pairs\"]').value"), json!("12"));
    fits(&mut browser, "the form of a run that is there already");
    browser.resize(1440);
    browser.picture("again");
    fill(&mut browser, "match.pairs", 0, "7");
    browser.wait_until("!document.getElementById('start').disabled");
    browser.value("document.getElementById('start').click()");
    browser.arrive("/");
    let second = "[...document.querySelectorAll('#runs li.finished a.open')].some((link) => link.textContent === \
        'match-done-2')";
    browser.wait_until(second);
    browser.open(&format!("{site}/runs/match-done-2#log"));
    browser.wait_until("document.body.dataset.units === '7'");
    // The person who started it, and the target.
    let log = "[...document.querySelectorAll('#log-entries li')].map((entry) => entry.textContent).join('|')";
    browser.wait_until(&format!("/start done, priority 0 by admin/.test({log}) && /Began on /.test({log})"));
    fits(&mut browser, "the log of a run");
    browser.problems.retain(|problem| !problem.contains("401") && !problem.contains("400"));
    assert_eq!(browser.problems, Vec::<String>::new());
}

pub(crate) fn a_configuration_file_is_taken_in() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, site) = controlled(folder.path());
    browser.resize(1440);
    enter(&mut browser, &format!("{site}/new"));
    browser.wait_until("!document.getElementById('new').hidden");
    let root = browser.call("DOM.getDocument", &json!({}))["root"]["nodeId"].clone();
    let input = browser.call("DOM.querySelector", &json!({ "nodeId": root, "selector": "#file" }))["nodeId"].clone();
    let two_jobs = format!("{MATCH}[sprt]\nelo0 = 0\nelo1 = 5\n");
    for (name, text, is_text) in [("fine", MATCH, false), ("two", &two_jobs, true), ("wrong", "no TOML", true)] {
        let file = configured(folder.path(), name, text);
        browser.call("DOM.setFileInputFiles", &json!({ "nodeId": input, "files": [file] }));
        browser
            .wait_until(&format!("document.getElementById('taken').textContent.startsWith('Taken from {name}.toml')"));
        assert_eq!(browser.value("document.getElementById('form').hidden"), json!(is_text), "{name}");
        assert_eq!(browser.value("document.getElementById('toml').value"), json!(text), "{name}");
        let expected = if is_text { "!document.getElementById('problem').hidden" } else { "!start.disabled" };
        browser.wait_until(expected);
    }
}

pub(crate) fn finished_runs_lead_to_what_follows_them() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    for (job, name, text) in [("tune", "tuned", TUNE), ("match", "done", MATCH)] {
        let file = configured(folder.path(), name, text);
        assert!(spar(folder.path()).arg(job).arg(file).status().expect("spar").success());
    }
    let (_server, site) = controlled(folder.path());
    browser.resize(1440);
    enter(&mut browser, &format!("{site}/runs/tune-tuned-1"));
    order(&mut browser, "Test the tuned values");
    browser.arrive("/new");
    browser.wait_until("/the test of its tuned values/.test(document.getElementById('taken').textContent)");
    browser.wait_until("!document.getElementById('start').disabled");
    let names = "[...document.querySelectorAll('[data-path=\"entrant.name\"]')].map((input) => input.value)";
    assert_eq!(browser.value(names), json!(["tuned", "start"]));

    browser.open(&format!("{site}/runs/match-done-1"));
    browser.wait_until("document.getElementById('limit')?.value === '24'");
    browser.value("document.getElementById('limit').select()");
    browser.type_in("15");
    order(&mut browser, "Continue with more pairs");
    browser.wait_until("document.body.dataset.units === '15' && document.body.dataset.state === 'finished'");
    browser.value("document.getElementById('tab-log').click()");
    let log = "[...document.querySelectorAll('#log-entries li')].map((entry) => entry.textContent).join('|')";
    browser.wait_until(&format!("/resume match-done-1 with match.pairs=15/.test({log}) && /Resumed on /.test({log})"));
    browser.problems.retain(|problem| !problem.contains("401") && !problem.contains("400"));
    assert_eq!(browser.problems, Vec::<String>::new());
}
