//! A browser driven over Chrome's `DevTools` protocol, through pipes: no port is opened, and nothing is left behind.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than any step takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(10);

/// Chromium reads commands from descriptor 3 and answers on 4; the shell connects those to its own input and output.
const START: &str = r#"exec 3<&0 4>&1; exec "$@" </dev/null >/dev/null 2>&1"#;

/// The program of the browser, if there is one: that of `CHROMIUM`, or Debian's. The headless shell has no windows and
/// menus to start, and takes half the processor time.
fn program() -> Option<&'static str> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    let known = || match std::env::var("CHROMIUM") {
        Ok(named) => vec![named],
        Err(_) => ["chromium-headless-shell", "chromium"].map(str::to_owned).to_vec(),
    };
    FOUND.get_or_init(|| known().into_iter().find(|program| is_browser(program))).as_deref()
}

fn is_browser(program: &str) -> bool {
    let version = Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    version.is_ok_and(|version| version.status.success() && String::from_utf8_lossy(&version.stdout).contains("Chrom"))
}

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    commands: ChildStdin,
    answers: Receiver<Value>,
    page: String,
    next: u64,
    /// Logged errors and warnings, and thrown exceptions.
    pub(crate) problems: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    /// Whether a browser is installed.
    pub(crate) fn is_installed() -> bool {
        program().is_some()
    }

    /// Starts the browser.
    pub(crate) fn start() -> Self {
        let program = program().expect("the test is ignored without it");
        let profile = tempfile::tempdir().expect("a folder");
        let mut child = Command::new("sh")
            .args([
                "-c",
                START,
                "sh",
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-pipe",
            ])
            .args([
                "--no-first-run",
                "--disable-extensions",
                "--disable-background-networking",
                "--disable-dev-shm-usage",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let commands = child.stdin.take().expect("a pipe");
        let mut answered = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while answered.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                message.pop();
                let parsed = serde_json::from_slice(&message).unwrap_or_default();
                if sender.send(parsed).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let (page, problems) = (String::new(), Vec::new());
        let mut browser = Self { child, commands, answers, page, next: 0, problems, _profile: profile };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", &json!({ "targetId": target, "flatten": true }));
        attached["sessionId"].as_str().expect("a session").clone_into(&mut browser.page);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            browser.call(domain, &json!({}));
        }
        browser
    }

    /// Calls a method, and returns its result.
    pub(crate) fn call(&mut self, method: &str, parameters: &Value) -> Value {
        let message = self.ask(method, parameters);
        assert!(message.get("error").is_none(), "{method}: {}", message["error"]);
        message["result"].clone()
    }

    /// Calls a method, and returns the answer, which may be an error.
    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if !self.page.is_empty() {
            message["sessionId"] = json!(self.page);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.commands.write_all(&bytes).expect("the browser is there");
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let message = self.answers.recv_timeout(left).unwrap_or_else(|error| panic!("{method}: {error}"));
            if message["id"] == json!(id) {
                return message;
            }
            self.take_event(&message);
        }
    }

    /// Waits until the browser has navigated to another page by itself.
    pub(crate) fn arrive(&mut self, path: &str) {
        let deadline = Instant::now() + PATIENCE;
        let there = format!("location.pathname === {} && document.readyState === 'complete'", json!(path));
        loop {
            // A request to a page that is being left has no answer.
            let answered = self.ask("Runtime.evaluate", &json!({ "expression": there, "returnByValue": true }));
            if answered["result"]["result"]["value"] == json!(true) {
                return;
            }
            assert!(Instant::now() < deadline, "the page never went to {path}");
        }
    }

    fn take_event(&mut self, message: &Value) {
        let parameters = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.problems.push(parameters["exceptionDetails"].to_string()),
            Some("Runtime.consoleAPICalled") if parameters["type"] != "log" => {
                self.problems.push(parameters.to_string());
            }
            Some("Log.entryAdded") => self.problems.push(parameters["entry"].to_string()),
            _ => {}
        }
    }

    /// The value of an expression in the page, awaited if it is a promise.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", &parameters);
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub(crate) fn wait_until(&mut self, expression: &str) {
        // The page waits, not this process: it checks the condition before each frame.
        let parameters = format!(
            "new Promise((resolve, reject) => {{ const end = Date.now() + {}; const look = () => {{ \
               let is = false; try {{ is = Boolean({expression}); }} catch {{ }} \
               if (is) resolve(true); else if (Date.now() > end) reject(new Error(document.body.innerText.slice(0, \
               2000))); \
               else setTimeout(look, 20); }}; look(); }})",
            PATIENCE.as_millis() / 2
        );
        self.value(&parameters);
    }

    /// Goes to an address.
    pub(crate) fn open(&mut self, address: &str) {
        self.call("Page.navigate", &json!({ "url": address }));
        self.wait_until(&format!("location.href === {} && document.readyState === 'complete'", json!(address)));
    }

    /// Sets the width of the window.
    pub(crate) fn resize(&mut self, width: u32) {
        let metrics = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Writes a picture of the page's head into the folder `SPAR_PICTURES`, for inspection.
    pub(crate) fn picture(&mut self, name: &str) {
        self.picture_from(name, "body");
    }

    /// Like [`picture`](Self::picture), from an element on.
    pub(crate) fn picture_from(&mut self, name: &str, selector: &str) {
        let Some(folder) = std::env::var_os("SPAR_PICTURES") else { return };
        self.value(&format!("document.querySelector('{selector}').scrollIntoView({{ behavior: 'instant' }})"));
        let taken = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        let base64 = taken["data"].as_str().expect("a picture");
        std::fs::write(std::path::Path::new(&folder).join(format!("{name}.png.base64")), base64).expect("a file");
    }

    /// Types a text into the focused element.
    pub(crate) fn type_in(&mut self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Presses and releases a key.
    pub(crate) fn press(&mut self, key: &str) {
        let text = match key {
            "Enter" => Some("\r"),
            _ if key.chars().count() == 1 => Some(key),
            _ => None,
        };
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            _ => 0,
        };
        let mut down = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        if let Some(text) = text {
            down["text"] = json!(text);
        }
        self.call("Input.dispatchKeyEvent", &down);
        self.call("Input.dispatchKeyEvent", &json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code }));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser's processes end with the child: the shell has replaced itself by the browser.
        let _already_gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}
