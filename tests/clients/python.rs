//! Clients in Python: one that is generated from the description of the interface, a tester that tries the inputs that
//! the description allows and forbids, and the guide's check of a webhook's signature.

use crate::{MATCH, Served, played, private, spar, token, webhook};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The packages that `.ci/run` installs.
const PACKAGES: [&str; 2] = ["schemathesis", "openapi_python_client"];

/// The Python with packages: that of the environment `SPAR_PYTHON`, the one that `.ci/run` makes, or the system's.
fn python() -> PathBuf {
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/python/bin/python");
    match std::env::var_os("SPAR_PYTHON") {
        Some(python) => python.into(),
        None if made.exists() => made,
        None => "python3".into(),
    }
}

/// Whether Python runs this program successfully.
fn runs(program: &str) -> bool {
    let output = Command::new(python()).args(["-c", program]).output();
    output.is_ok_and(|output| output.status.success())
}

pub(crate) fn has_python() -> bool {
    runs("")
}

pub(crate) fn has_packages() -> bool {
    runs(&format!("import {}", PACKAGES.join(", ")))
}

/// Runs Python and checks that it succeeds.
fn must(command: &mut Command) -> String {
    let output = command.output().expect("Python starts");
    let [out, error] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let tail = |text: &str| text.chars().skip(text.chars().count().saturating_sub(6000)).collect::<String>();
    assert!(output.status.success(), "{}\n{}", tail(&out), tail(&error));
    out
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python").join(name)
}

pub(crate) fn a_generated_client_reads_checks_starts_and_stops_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    played(runs);
    let token = token(runs, "sam:steer");
    let tokens = runs.join("tokens").display().to_string();
    let server = Served::of(runs, &["--control", "--concurrency", "2", "--token-file", &tokens]);
    let described = Path::new(env!("CARGO_MANIFEST_DIR")).join("serve/assets/openapi.json");
    let client = runs.join("client");
    let mut generate = Command::new(python());
    generate.args(["-m", "openapi_python_client", "generate", "--meta", "none", "--fail-on-warning"]);
    generate.arg("--config").arg(script("client.yaml")).arg("--path");
    must(generate.arg(described).arg("--output-path").arg(client.join("spar_client")).current_dir(runs));
    let long = private(runs, "long.toml", &MATCH.replace("12", "1000000").replace("done", "long"));
    let mut uses = Command::new(python());
    uses.arg(script("use_client.py")).arg(&server.address).arg(token).arg(long).env("PYTHONPATH", client);
    assert_eq!(must(&mut uses).trim(), "match-done-1 match-long-1");
}

/// Tests the interface of `server`. Schemathesis writes a cache into its working directory.
fn try_api(server: &Served, token: Option<&OsStr>) {
    let cache = tempfile::tempdir().expect("a folder");
    must(Command::new(python()).current_dir(cache.path()).arg(script("try_api.py")).arg(&server.address).args(token));
}

pub(crate) fn a_server_that_shows_gives_only_described_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    played(folder.path());
    let server = Served::of(folder.path(), &[]);
    try_api(&server, None);
}

pub(crate) fn a_server_that_starts_runs_gives_only_described_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    played(runs);
    let token = token(runs, "ada:admin");
    let tokens = runs.join("tokens").display().to_string();
    let server = Served::of(runs, &["--control", "--concurrency", "1", "--token-file", &tokens]);
    try_api(&server, Some(token.as_ref()));
}

/// A server behind TLS with two empty lists; it prints its port.
const BEHIND_TLS: &str = r#"
import http.server, ssl, sys

class Lists(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'{"id": "1-1", "runs": [], "jobs": []}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = http.server.HTTPServer(("127.0.0.1", 0), Lists)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("certificate.pem", "key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
"#;

/// Whether certificates can be made.
pub(crate) fn has_openssl() -> bool {
    Command::new("openssl").arg("version").output().is_ok_and(|output| output.status.success())
}

pub(crate) fn a_server_behind_tls_is_asked_if_its_certificate_is_trusted() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    let words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout key.pem -out certificate.pem \
        -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE";
    let made = Command::new("openssl").args(words.split_whitespace()).current_dir(runs).output().expect("openssl");
    assert!(made.status.success(), "{made:?}");
    let mut command = Command::new(python());
    command.args(["-c", BEHIND_TLS]).current_dir(runs).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("Python starts");
    let mut port = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut port).expect("a port");
    let server = Served { child, address: format!("https://localhost:{}", port.trim()) };
    let asked = |trusted: &str| {
        let mut command = spar(runs, &["runs", "--server", &server.address]);
        let output = command.env("SSL_CERT_FILE", runs.join(trusted)).env_remove("SSL_CERT_DIR").output();
        let output = output.expect("spar starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = asked("certificate.pem");
    assert!(code == Some(0) && said.contains("There are no runs at https://localhost"), "{said}");
    let other = words.replace("certificate.pem", "other.pem").replace("key.pem", "other-key.pem");
    let made = Command::new("openssl").args(other.split_whitespace()).current_dir(runs).output().expect("openssl");
    assert!(made.status.success(), "{made:?}");
    let (code, said) = asked("other.pem");
    assert!(code == Some(3) && said.contains("does not answer") && said.contains("certificate"), "{said}");
}

/// The block of Python in a guide, without its indentation.
fn shown_in(page: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = std::fs::read_to_string(path).expect("a page");
    let block = text.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let indent = block.len() - block.trim_start().len();
    block.lines().map(|line| line.get(indent..).unwrap_or_default().to_owned() + "\n").collect()
}

pub(crate) fn a_webhook_is_verified_as_the_guide_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path();
    let secret = webhook::secret(runs);
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let hook = format!("http://{}/hook", listener.local_addr().expect("an address"));
    let _server = Served::of(runs, &["--webhook", &hook, "--webhook-secret", &secret]);
    played(runs);
    let (head, body) = webhook::received(&listener);
    std::fs::write(runs.join("head"), head.replace("\r\n", "\n")).expect("a file");
    std::fs::write(runs.join("body"), body).expect("a file");
    let program = shown_in("docs/how-to/post-results-to-a-webhook.md")
        + r#"
import json, time
secret, body = open("secret").read(), open("body", "rb").read()
lines = [line.split(": ", 1) for line in open("head").read().splitlines() if ": " in line]
headers = {name.lower(): value for name, value in lines}
now = time.time()
assert is_genuine(secret, headers, body, now)
assert not is_genuine(secret, headers, body + b" ", now)
assert not is_genuine(secret, headers, body, now + 400)
assert not is_genuine("whsec_" + "A" * 32, headers, body, now)
assert not is_genuine(secret, headers | {"webhook-id": "msg_other"}, body, now)
message = json.loads(body)
assert message["type"] == "run.ended" and message["data"]["name"] == "match-done-1", message
"#;
    std::fs::write(runs.join("verify.py"), program).expect("a file");
    must(Command::new(python()).arg("verify.py").current_dir(runs));
}
