//! Fuzzes requests with randomly changed inputs from `tests/corpus`: each is answered, or its connection is closed, and
//! nothing in the server panics.

use crate::support::{Answer, Served, runs};
use fuzz::{ReadOutcome, Target, panics_elsewhere};
use std::io::{BufReader, Write};
use std::net::Shutdown;

/// Lines and paths from which requests are made.
const WORDS: [&str; 26] = [
    "GET /api/runs HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "/api/runs/match-two-1/games?from=0&count=5",
    "/api/runs/match-two-1/games?result=win&entrant=a&ending=fault&opening=1&plies_min=2&plies_max=99&before=9",
    "/api/runs/match-two-1/games/3b",
    "/api/runs/match-two-1/games/3.2.pgn",
    "/api/runs/sprt-quick-1/export/games.pgn",
    "/api/runs/match-two-1/report/report.html",
    "/api/compare?runs=match-two-1,sprt-quick-1",
    "/../../etc/passwd",
    "%2e%2e%2f",
    "%00",
    "%ff",
    "Connection: close\r\n",
    "Connection: keep-alive\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: 18446744073709551615\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Content-Type: application/json\r\n",
    "Accept-Encoding: gzip\r\n",
    "Expect: 100-continue\r\n",
    "Host: example.org\r\n",
    "Origin: http://example.org\r\n",
    "Authorization: Bearer x\r\n",
    "If-None-Match: *\r\n",
    "Last-Event-ID: 99999999999999999999\r\n",
    "Range: bytes=0-\r\n",
];

#[test]
fn whatever_is_sent_is_answered_or_closed() {
    let server = Served::of(runs());
    server.all_read(2);
    Target::new("http", env!("CARGO_MANIFEST_DIR")).words(&WORDS).run(|input| {
        let before = panics_elsewhere();
        let mut stream = server.connect();
        // A server that refuses may close the connection before everything is sent.
        let _refused = stream.write_all(input).and_then(|()| stream.shutdown(Shutdown::Write));
        let answer = Answer::head(&mut BufReader::new(stream));
        assert_eq!(panics_elsewhere(), before, "something in the server panicked");
        let Some(answer) = answer else { return ReadOutcome::Read("closed".to_owned()) };
        assert!((100..600).contains(&answer.status) && answer.status != 500, "status {}", answer.status);
        let path = String::from_utf8_lossy(input).split(' ').nth(1).map(|path| path.split('/').take(5).count());
        ReadOutcome::Read(format!("{} {:?} {path:?}", answer.status, answer.headers.get("content-type")))
    });
    assert_eq!(server.get("/api/runs").status, 200, "it still serves");
}
