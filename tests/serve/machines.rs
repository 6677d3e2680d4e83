//! The workers of a fleet and the order of the queue, in a browser.

use crate::board::drag;
use crate::browser::Browser;
use crate::control::{controlled, enter};
use crate::fits;
use serde_json::json;

/// The page of workers, which needs a fleet.
#[cfg(feature = "fleet")]
pub(crate) use fleet_page::{FLEET, has_server};

/// A build without fleets has no such page to test.
#[cfg(not(feature = "fleet"))]
pub(crate) const FLEET: &[crate::Test] = &[];

/// A build without fleets has no server for it.
#[cfg(not(feature = "fleet"))]
pub(crate) fn has_server() -> bool {
    false
}

/// The waiting runs in order: names and priorities.
const WAITING: &str = "[...document.querySelectorAll('#waiting li')].map((row) => \
    `${row.querySelector('.grow').textContent} ${row.querySelector('input').value}`).join()";

pub(crate) fn the_queue_is_put_in_order_by_dragging_and_by_keys() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, site) = controlled(folder.path());
    browser.resize(1440);
    enter(&mut browser, &format!("{site}/"));
    browser.wait_until("!document.getElementById('control').hidden");
    browser.value("document.getElementById('hold').click()");
    browser.wait_until("document.getElementById('hold').getAttribute('aria-pressed') === 'true'");
    for (name, priority) in [("a", 5), ("b", 0), ("c", 0)] {
        let toml = crate::MATCH.replace("\"done\"", &json!(name).to_string());
        let body = json!({ "toml": toml, "priority": priority });
        browser.value(&format!("import('/assets/live.js').then((live) => live.send('/api/control/start', {body}))"));
    }
    let is = |order: &str| format!("{WAITING} === '{order}'");
    browser.wait_until(&is("start a 5,start b 0,start c 0"));
    fits(&mut browser, "the list with what waits");
    browser.resize(1440);
    browser.picture("waiting");
    // By dragging: the run takes the priority of its new place.
    let grip = |row: u32| format!("#waiting li:nth-child({row}) .grip");
    drag(&mut browser, &grip(3), &grip(1));
    browser.wait_until(&is("start c 5,start a 5,start b 0"));
    drag(&mut browser, &grip(1), &grip(3));
    browser.wait_until(&is("start a 5,start b 0,start c 0"));
    // By keys: the row keeps the focus.
    browser.value(&format!("document.querySelector('{}').focus()", grip(2)));
    browser.press("ArrowDown");
    browser.wait_until(&is("start a 5,start c 0,start b 0"));
    browser.wait_until("document.activeElement.closest('li')?.querySelector('.grow').textContent === 'start b'");
    browser.wait_until(
        "[...document.querySelectorAll('[role=status]')].some((one) => /^start b: place 3 of 3/.test(one.textContent))",
    );
    browser.press("ArrowUp");
    browser.wait_until(&is("start a 5,start b 0,start c 0"));
    // By buttons, to the end of the list and back.
    browser.value("document.querySelector('#waiting li:nth-child(2) [data-part=up]').focus()");
    browser.press("Enter");
    browser.wait_until(&is("start b 5,start a 5,start c 0"));
    browser.wait_until("document.activeElement.matches('#waiting li:first-child .grip')");
    // The next page has the same order.
    browser.open(&format!("{site}/?again"));
    browser.wait_until(&is("start b 5,start a 5,start c 0"));
    browser.resize(390);
    browser.picture("waiting-phone");
    browser.problems.retain(|problem| !problem.contains("401"));
    assert_eq!(browser.problems, Vec::<String>::new());
}

#[cfg(feature = "fleet")]
mod fleet_page {
    use super::{Browser, enter, fits, json};
    use crate::control::controlled_with;
    use crate::looks::CONTRAST;
    use crate::trials::{Test, tests};
    use crate::{MATCH, Process, configured, spar};
    use fleet::Server;
    use play::child::{ReservedPort, Spawner};
    use std::path::Path;
    use std::process::Stdio;

    pub(crate) const FLEET: &[Test] = tests![workers_are_watched_paused_set_aside_and_taken_back];

    pub(crate) fn has_server() -> bool {
        fleet::server_program().is_ok()
    }

    /// A NATS server without authentication, and its address.
    fn nats(folder: &Path) -> (Server, String) {
        let (port, store) = (ReservedPort::new().expect("a port"), folder.join("jetstream").display().to_string());
        let (number, configuration) = (port.number(), folder.join("nats.conf"));
        let text = format!("port: {number}\njetstream {{ store_dir: {store:?} }}\n");
        std::fs::write(&configuration, text).expect("a file");
        let spawner = Spawner::start(None).expect("a thread");
        let server = Server::start(&spawner, &configuration, port, &folder.join("nats.log")).expect("nats-server");
        (server, format!("nats://127.0.0.1:{number}"))
    }

    fn worker(folder: &Path, url: &str, name: &str) -> Process {
        let mut command = spar(folder);
        command.args(["worker", "--nats", url, "--name", name, "--cores", "1", "--cache"]).arg(folder.join("cache"));
        Process(command.spawn().expect("spar worker"))
    }

    /// Presses a button of a worker's card.
    fn press(browser: &mut Browser, worker: &str, order: &str) {
        let button = format!("document.querySelector('[data-worker=\"{worker}\"] [data-do=\"{order}\"]')");
        browser.wait_until(&button);
        browser.value(&format!("{button}.click()"));
    }

    /// Waits for the state of a worker.
    fn is(browser: &mut Browser, worker: &str, state: &str) {
        let badge = format!("document.querySelector('[data-worker=\"{worker}\"] .badge')");
        browser.wait_until(&format!("{badge}?.textContent === {}", json!(state)));
    }

    fn workers_are_watched_paused_set_aside_and_taken_back() {
        let mut browser = Browser::start();
        let folder = tempfile::tempdir().expect("a folder");
        let runs = folder.path();
        let (_nats, url) = nats(runs);
        let (_server, site) = controlled_with(runs, &["--fleet", &url]);
        let (east, _west) = (worker(runs, &url, "east"), worker(runs, &url, "west"));
        let file = configured(runs, "m", &MATCH.replace("12", "1000000"));
        let run = spar(runs).args(["match", "--fleet", &url]).arg(file).spawn().expect("spar match");
        let _run = Process(run);
        browser.resize(1440);
        enter(&mut browser, &format!("{site}/machines"));
        is(&mut browser, "east", "plays");
        browser.wait_until("document.querySelectorAll('[data-worker] .spark').length === 2");
        browser.wait_until("/standard|p = |too few/.test(document.querySelector('[data-worker=east] dl').textContent)");
        fits(&mut browser, "the workers");
        for scheme in ["dark", "light"] {
            let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
            browser.call("Emulation.setEmulatedMedia", &json!({ "features": [feature] }));
            assert_eq!(browser.value(CONTRAST), json!([]), "{scheme}");
            for width in [390, 1280] {
                browser.resize(width);
                browser.picture(&format!("machines-{scheme}-{width}"));
            }
        }

        press(&mut browser, "east", "pause");
        is(&mut browser, "east", "paused");
        // The fleet stores the order, not this page.
        let output = spar(runs).args(["fleet", "status", "--json", "--nats", &url]).stdout(Stdio::piped()).output();
        let status: serde_json::Value =
            serde_json::from_slice(&output.expect("spar fleet status").stdout).expect("JSON");
        assert_eq!(status["orders"]["east"]["order"], json!({ "do": "pause" }));
        drop(east);
        is(&mut browser, "east", "paused, away");
        let _again = worker(runs, &url, "east");
        is(&mut browser, "east", "paused");
        press(&mut browser, "east", "continue");
        is(&mut browser, "east", "plays");

        press(&mut browser, "east", "set-aside");
        browser.wait_until("document.getElementById('reason').open");
        browser.value("document.getElementById('why').focus()");
        browser.type_in("its fan is broken");
        browser.picture("machines-why");
        browser.press("Enter");
        is(&mut browser, "east", "set aside");
        // The reason is shown once.
        let card = "document.querySelector('[data-worker=east]').textContent";
        browser.wait_until(&format!("{card}.split('its fan is broken').length === 2"));
        browser.wait_until(&format!("{card}.includes('0 of 1 core busy')"));
        browser.picture("machines-aside");
        press(&mut browser, "east", "take-back");
        is(&mut browser, "east", "plays");
        browser.open(&format!("{site}/"));
        browser.wait_until("!document.getElementById('control').hidden");
        browser.value("document.getElementById('log').open = true");
        browser
            .wait_until("/set worker east aside: its fan is broken/.test(document.getElementById('done').textContent)");
        browser.problems.retain(|problem| !problem.contains("401"));
        assert_eq!(browser.problems, Vec::<String>::new());
    }
}
