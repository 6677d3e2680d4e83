//! `spar serve` as users see it: runs that are started in a terminal, shown in a real browser.

mod axe;
mod board;
mod browser;
mod control;
mod games;
mod jobs;
mod looks;
mod machines;
mod tabs;
#[path = "../tools/mod.rs"]
mod tools;
#[path = "../tools/trials.rs"]
mod trials;

use browser::{Browser, PATIENCE};
use play::child::ReservedPort;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Instant;
use trials::{Test, When, run, tests, trials};

/// All tests.
const TESTS: &[Test] = tests![
    a_run_started_in_a_terminal_appears_and_ends_and_a_server_started_again_is_gone_on_with,
    games_are_watched_as_they_are_played,
    a_page_that_is_left_open_takes_no_more_memory,
    runs_are_found_opened_compared_and_stepped_through_by_keys_alone,
    board::a_whole_game_is_played_by_drag_and_drop,
    board::pieces_are_placed_and_moved_by_keys_alone,
    control::a_run_started_from_the_form_is_the_one_that_its_text_makes,
    control::each_job_is_made_by_the_form,
    control::a_run_is_started_from_text_paused_slowed_down_and_stopped_by_buttons,
    control::a_position_of_a_game_is_analysed_by_an_engine_of_its_run,
    control::a_run_is_started_paused_and_stopped_by_keys_alone,
    control::a_tuning_session_is_given_more_pairs,
    control::a_wrong_token_is_called_wrong,
    control::what_a_right_does_not_allow_is_not_offered,
    jobs::a_campaign_has_its_table_while_it_runs,
    looks::text_stands_out_in_light_and_dark,
    looks::two_tests_fit_beside_each_other,
    looks::runs_are_sorted_by_elo_and_found_by_the_day_of_the_reader,
    games::a_game_has_its_scores_its_clocks_and_its_moves_in_two_columns,
    games::games_are_filtered_and_the_next_page_has_the_next_ones,
    games::each_ply_has_an_address_and_keys_lead_from_game_to_game,
    games::differing_settings_are_a_table_that_fits_on_a_phone,
    axe::pages_are_walked_through_by_the_tab_key_alone,
    looks::doubtful_and_paused_runs_stand_out_in_the_list,
    looks::text_of_figures_can_be_read,
    control::a_run_is_started_again_with_a_change,
    control::a_configuration_file_is_taken_in,
    control::finished_runs_lead_to_what_follows_them,
    tabs::a_run_is_read_in_tabs_by_keys_alone,
    tabs::a_ladder_and_a_league_have_a_line_for_each_engine,
    tabs::ratings_of_more_than_two_are_drawn_as_games_come_in,
    machines::the_queue_is_put_in_order_by_dragging_and_by_keys,
];

/// Tests that also need axe-core.
const AXE_TESTS: &[Test] = tests![axe::no_page_breaks_a_rule_of_axe, axe::the_page_of_a_job_breaks_no_rule_of_axe];

/// Each test is ignored without a browser, and some without axe-core or a NATS server.
fn main() -> ExitCode {
    let when = |is_there: bool| if Browser::is_installed() && is_there { When::SecondTier } else { When::Never };
    let fleet = trials(machines::FLEET, when(machines::has_server()));
    run(trials(TESTS, when(true)).chain(trials(AXE_TESTS, when(axe::script().is_some()))).chain(fleet))
}

/// A test that H1 wins soon, but not at once.
const TEST: &str = r#"
name = "live"
[sprt]
elo0 = 0
elo1 = 60
[[entrant]]
name = "dev"
limit = "4000 nodes"
table = "64 KiB"
[[entrant]]
name = "base"
limit = "150 nodes"
table = "64 KiB"
"#;

const MATCH: &str = r#"
name = "done"
[match]
pairs = 12
[[entrant]]
name = "a"
player = "random"
[[entrant]]
name = "b"
player = "random"
"#;

fn spar(runs: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spar"));
    command.arg("--runs").arg(runs).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// A process that is ended with its owner.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _already_gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

/// Starts a server of a folder at this port, 0 for any, and returns its port.
fn serve(runs: &Path, port: u16) -> (Process, u16) {
    serve_with(runs, port, &[])
}

/// Like [`serve`], with more options.
fn serve_with(runs: &Path, port: u16, more: &[&str]) -> (Process, u16) {
    let mut command = spar(runs);
    command.args(["serve", "--listen"]).arg(format!("127.0.0.1:{port}")).args(more).stderr(Stdio::piped());
    let mut child = command.spawn().expect("spar serve");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let address =
        line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_else(|| panic!("{line}"));
    let port = address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    (Process(child), port)
}

fn configured(runs: &Path, name: &str, text: &str) -> std::path::PathBuf {
    let file = runs.join(format!("{name}.toml"));
    std::fs::write(&file, text).expect("a file");
    file
}

/// The widths of the window in which pages are tested.
const WIDTHS: [u32; 2] = [390, 1440];

/// Checks that nothing of the page extends beyond its right edge.
fn fits(browser: &mut Browser, what: &str) {
    for width in WIDTHS {
        browser.resize(width);
        let found = browser.value(
            "(() => { const edge = document.documentElement.clientWidth; const wide = \
                [...document.querySelectorAll('body *')]\
             .filter((node) => node.getBoundingClientRect().right > edge + 1 && !node.closest('.skip, \
             .visually-hidden, svg'))\
             .map((node) => `${node.localName}#${node.id}.${node.className}`).slice(0, 5);\
             return { edge, width: document.documentElement.scrollWidth, wide }; })()",
        );
        assert!(found["width"].as_u64() <= found["edge"].as_u64().map(|edge| edge + 1), "{what} at {width}: {found}");
        assert_eq!(found["wide"], json!([]), "{what} at {width}");
    }
}

fn a_run_started_in_a_terminal_appears_and_ends_and_a_server_started_again_is_gone_on_with() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    let reserved = ReservedPort::new().expect("a port");
    let (server, port) = serve(runs, reserved.number());
    let site = format!("http://127.0.0.1:{port}");
    browser.resize(1440);
    browser.open(&format!("{site}/"));
    browser.wait_until("document.getElementById('link').textContent === 'live'");
    browser.value("window.sameDocument = true");

    let started = Instant::now();
    let file = configured(runs, "live", TEST);
    let mut run = Process(spar(runs).args(["sprt", "--concurrency", "1"]).arg(file).spawn().expect("spar sprt"));
    // From the creation of its folder, which on a busy machine is later than the start of the process.
    let journal = runs.join("sprt-live-1/journal.sqlite");
    while !journal.exists() {
        assert!(started.elapsed() < PATIENCE, "the run never began");
        std::thread::yield_now();
    }
    browser.wait_until("document.querySelector('#runs a.open')?.textContent === 'sprt-live-1'");

    // The page of a run keeps updating itself, also after the server was away.
    browser.open(&format!("{site}/runs/sprt-live-1"));
    browser.wait_until("Number(document.body.dataset.units) > 0");
    browser.value("window.sameDocument = true");
    drop(server);
    browser.wait_until("document.getElementById('link').classList.contains('bad')");
    let (server, _) = serve(runs, port);
    browser.wait_until("document.getElementById('link').textContent === 'live'");
    let status = run.0.wait().expect("it ends");
    browser.wait_until("document.body.dataset.verdict !== ''");
    let expected = match status.code() {
        Some(0) => "accepted-h1",
        Some(1) => "accepted-h0",
        code => panic!("the run ended with {code:?}"),
    };
    assert_eq!(browser.value("document.body.dataset.verdict"), json!(expected));
    assert!(
        browser
            .value("document.getElementById('says').textContent")
            .as_str()
            .is_some_and(|says| says.contains("H1 accepted"))
    );
    assert_eq!(browser.value("window.sameDocument"), json!(true), "the page was not loaded again");
    fits(&mut browser, "the page of a run");
    browser.value("document.getElementById('tab-report').click()");
    browser
        .wait_until("document.querySelector('#report-numbers table') && document.querySelector('#report-figures svg')");
    fits(&mut browser, "the report of a run");
    // The browser itself logs unreachable addresses; nothing else may be logged.
    browser.problems.retain(|problem| !problem.contains("net::ERR"));
    assert_eq!(browser.problems, Vec::<String>::new());
    drop(server);
}

/// Games that last a while, with clocks that a busy machine cannot exhaust.
const SLOW: &str = r#"
name = "slow"
[match]
pairs = 500
[each]
limit = "20s+0.2s"
clock = "1000000 nodes/s"
table = "64 KiB"
[[entrant]]
name = "a"
[[entrant]]
name = "b"
"#;

/// Makes the server's answers describe another game, until the real `window.fetch` is restored.
const ANOTHER_GAME: &str = r#"
  window.realFetch = window.fetch;
  window.fetch = async (address, options) => {
    const answer = await realFetch(address, options);
    if (!String(address).includes("/live")) return answer;
    const body = await answer.json();
    body.number += 1000000;
    if (body.game) body.game.place = "0";
    return new Response(JSON.stringify(body), { headers: answer.headers });
  };
"#;

fn games_are_watched_as_they_are_played() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    let (_server, port) = serve(runs, 0);
    let file = configured(runs, "slow", SLOW);
    let run = Process(spar(runs).args(["match", "--concurrency", "2"]).arg(file).spawn().expect("spar match"));
    browser.resize(1440);
    browser.open(&format!("http://127.0.0.1:{port}/"));
    browser.wait_until("document.querySelectorAll('#runs li').length === 1");
    browser.open(&format!("http://127.0.0.1:{port}/runs/match-slow-1#games"));
    browser.wait_until("document.body.dataset.state === 'running' && !document.getElementById('watching').hidden");
    // By keyboard alone.
    browser.value("document.getElementById('watch').focus()");
    browser.press(" ");
    browser.wait_until("document.querySelectorAll('#moves button').length > 8");
    browser.wait_until(
        "document.querySelector('.seat.turn') && [...document.querySelectorAll('.seat b')].every((clock) => \
            /\\d/.test(clock.textContent))",
    );
    browser.wait_until("document.querySelectorAll('#table option').length === 2");
    let plies = browser.value("document.querySelectorAll('#moves button').length").as_u64().expect("a number");
    browser.wait_until(&format!("document.querySelectorAll('#moves button').length > {plies}"));
    assert_eq!(
        browser.value("document.body.dataset.ply === document.getElementById('slider').max"),
        json!(true),
        "the last ply is followed"
    );
    // A user who has stepped back stays there.
    browser.value("document.getElementById('begin').click()");
    let plies = browser.value("document.querySelectorAll('#moves button').length").as_u64().expect("a number");
    browser.wait_until(&format!("document.querySelectorAll('#moves button').length > {plies}"));
    assert_eq!(browser.value("document.body.dataset.ply"), json!("0"));
    // The game that the user steps back in ends: it stays until the user sees its last move.
    browser.value(ANOTHER_GAME);
    browser.wait_until("/^game .* has ended/.test(document.getElementById('watch-says').textContent)");
    assert_eq!(browser.value("document.body.dataset.ply"), json!("0"));
    browser.value("document.getElementById('end').click()");
    browser.wait_until("document.getElementById('watch-says').textContent === 'game 0'");
    browser.value("window.fetch = window.realFetch");
    browser.wait_until("document.querySelector('#graph .course')");
    fits(&mut browser, "a game that is being played");
    browser.resize(1440);
    browser.picture_from("watched", "#games-played");
    // The other table.
    browser.value(
        "(() => { const table = document.getElementById('table'); table.value = '1'; table.dispatchEvent(new \
        Event('change')); })()",
    );
    browser.wait_until(
        "/^game /.test(document.getElementById('watch-says').textContent) && \
        document.getElementById('players').textContent.includes('*')",
    );
    drop(run);
    browser.wait_until("document.body.dataset.state === 'stopped' || document.getElementById('watching').hidden");
    assert_eq!(browser.problems, Vec::<String>::new());
}

/// Replaces a run's events: `feed(n)` sends this many, as the server would over hours, of an endless test.
const FEED: &str = r#"
  const real = window.fetch;
  let left = 0, units = 0, row = null, more = null;
  window.fetch = async (address, options) => {
    if (!String(address).endsWith("/events")) return real(address, options);
    row ??= await (await real(String(address).replace(/\/events$/, ""))).json();
    const encoder = new TextEncoder();
    const next = () => {
      units += 3;
      const llr = 2 * Math.sin(units / 9000), elo = 10 * Math.cos(units / 7000);
      const next = { ...row, state: "running", verdict: null, units, wins: units, llr, elo, elo_low: elo - 3,
        elo_high: elo + 3 };
      return `id: 1-${units}\nevent: run\ndata: ${JSON.stringify(next)}\n\n`;
    };
    const pull = async (controller) => {
      while (left === 0) await new Promise((wake) => { more = wake; });
      const now = Math.min(left, 50);
      left -= now;
      controller.enqueue(encoder.encode(Array.from({ length: now }, next).join("")));
      await new Promise((soon) => setTimeout(soon, 0));
    };
    const headers = { "Content-Type": "text/event-stream" };
    return new Response(new ReadableStream({ pull }, { highWaterMark: 1 }), { headers });
  };
  window.feed = (events) => { left += events; more?.(); };
  window.fed = () => units / 3;
"#;

/// The memory of the page after garbage collection: bytes of its scripts, and elements.
fn held(browser: &mut Browser) -> [u64; 2] {
    browser.call("HeapProfiler.collectGarbage", &json!({}));
    let metrics = browser.call("Performance.getMetrics", &json!({}));
    ["JSHeapUsedSize", "Nodes"].map(|name| {
        let all = metrics["metrics"].as_array().expect("metrics");
        let found = all.iter().find(|metric| metric["name"] == name).and_then(|metric| metric["value"].as_f64());
        found.unwrap_or_else(|| panic!("{name}: {metrics}")) as u64
    })
}

fn a_page_that_is_left_open_takes_no_more_memory() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    let file = configured(runs, "live", TEST);
    let _ended = spar(runs).arg("sprt").arg(file).status().expect("spar sprt");
    let (_server, port) = serve(runs, 0);
    browser.call("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": FEED }));
    browser.call("Performance.enable", &json!({}));
    browser.resize(1440);
    browser.open(&format!("http://127.0.0.1:{port}/runs/sprt-live-1"));
    browser.wait_until("document.querySelectorAll('svg.live-plot').length === 2");
    // Two events a second: an hour, in which the courses reach their full length, and then more hours.
    let hours = std::env::var("SPAR_HOURS").ok().and_then(|hours| hours.parse().ok()).unwrap_or(2);
    let feed = |browser: &mut Browser, fed: u32| {
        for part in 1..=4 {
            browser.value(&format!("feed({})", 7200 / 4));
            let fed = 7200 * (fed - 1) + 7200 / 4 * part;
            browser.wait_until(&format!("fed() >= {fed} && Number(document.body.dataset.units) >= 3 * {fed}"));
        }
        held(browser)
    };
    let first = feed(&mut browser, 1);
    let mut most = first;
    for hour in 2..=hours {
        let now = feed(&mut browser, hour);
        most = [most[0].max(now[0]), most[1].max(now[1])];
    }
    // Courses are thinned by half at intervals, so their length varies.
    let [bytes, nodes] = [most[0].saturating_sub(first[0]), most[1].saturating_sub(first[1])];
    assert!(bytes < 2 << 20, "{bytes} bytes more than after the first hour: {first:?}, {most:?}");
    assert!(nodes < 500, "{nodes} elements more than after the first hour: {first:?}, {most:?}");
    eprintln!("{first:?} after an hour, {most:?} at most in {hours}");
    assert_eq!(browser.problems, Vec::<String>::new());
}

fn runs_are_found_opened_compared_and_stepped_through_by_keys_alone() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    let file = configured(runs, "done", MATCH);
    for _ in 0..2 {
        assert!(spar(runs).arg("match").arg(&file).status().expect("spar match").success());
    }
    let (_server, port) = serve(runs, 0);
    let site = format!("http://127.0.0.1:{port}");
    browser.resize(1440);
    browser.open(&format!("{site}/"));
    browser.wait_until("document.querySelectorAll('#runs li.finished').length === 2");
    fits(&mut browser, "the list");

    // Filter by text, leave the field downwards, mark both, and open one.
    browser.press("/");
    assert_eq!(browser.value("document.activeElement.id"), json!("text"));
    for letter in ["d", "o", "n", "e", "-", "2"] {
        browser.press(letter);
    }
    browser.wait_until("document.querySelectorAll('#runs li').length === 1");
    assert_eq!(browser.value("location.search"), json!("?text=done-2"));
    for _ in 0..6 {
        browser.press("Backspace");
    }
    browser.value(
        "document.getElementById('text').value = ''; document.getElementById('text').dispatchEvent(new Event('input'))",
    );
    browser.wait_until("document.querySelectorAll('#runs li').length === 2");
    let focused = "document.activeElement.textContent";
    browser.press("ArrowDown");
    assert_eq!(browser.value(focused), json!("match-done-2"), "the newest first");
    browser.press("x");
    browser.press("ArrowDown");
    assert_eq!(browser.value(focused), json!("match-done-1"));
    browser.press("x");
    browser.wait_until("!document.getElementById('compare').hidden");
    let compare = browser.value("document.getElementById('compare').href");
    browser.press("Enter");
    browser.arrive("/runs/match-done-1");
    browser.wait_until("document.body.dataset.state === 'finished'");

    browser.value("document.getElementById('tab-games').click()");

    // Every game of the page can be stepped through to its end and back.
    browser.wait_until(
        "document.querySelectorAll('#list button').length === 24 && !document.getElementById('viewer').hidden",
    );
    let games = browser.value(
        "(async () => { const problems = []; const by = (id) => document.getElementById(id);\
           for (const button of [...document.querySelectorAll('#list button')]) {\
             const game = button.dataset.game; button.click();\
             for (let wait = 0; button.getAttribute('aria-pressed') !== 'true' && wait < 500; wait += 1) await new \
             Promise((next) => setTimeout(next, 10));\
             const plies = Number(by('slider').max); by('begin').click();\
             for (let ply = 1; ply <= plies; ply += 1) { by('next').click(); if (Number(document.body.dataset.ply) !== \
             ply) problems.push(`${game}: ply ${ply}`); }\
             by('begin').click(); if (document.body.dataset.ply !== '0' || plies === 0) problems.push(`${game}: \
             ${plies}`); }\
           return problems; })()",
    );
    assert_eq!(games, json!([]));
    browser.value("document.getElementById('replay').focus()");
    browser.press("ArrowRight");
    assert_eq!(browser.value("document.body.dataset.ply"), json!("1"));
    fits(&mut browser, "the page of a match");
    // The same game on the board of 0.1, at the same ply.
    let plies = browser.value("document.getElementById('slider').max");
    browser.value("document.getElementById('on-board').click()");
    browser.arrive("/board");
    browser.wait_until(&format!(
        "document.querySelectorAll('#moves button').length === {} && document.body.dataset.shown === '1'",
        plies.as_str().expect("a number")
    ));

    browser.open(compare.as_str().expect("an address"));
    browser.wait_until("document.querySelectorAll('#beside tr').length > 5 && document.querySelector('#plots svg')");
    assert!(
        browser
            .value("document.getElementById('differences').textContent")
            .as_str()
            .is_some_and(|text| text.contains("Nothing"))
    );
    fits(&mut browser, "the comparison");
    assert_eq!(browser.problems, Vec::<String>::new());
}
