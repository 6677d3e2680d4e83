//! Engines over TCP: a relay process of spar's own program connects pipes to a socket, so that callers talk to every
//! engine through pipes.
//!
//! `spar __connect HOST:PORT MILLISECONDS` connects, or prints why it cannot, and passes lines both ways. It exits with
//! status 1 when the peer closes, which looks like a crash. When its own input ends, it closes that direction and
//! continues to pass on the peer's output.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The hidden subcommand's name.
pub const CONNECT: &str = "__connect";

/// The prefix of the command of an engine that is reached over TCP.
const SCHEME: &str = "tcp://";

/// The `HOST:PORT` of a command `tcp://HOST:PORT`; `None` if the command names a program.
pub fn address(command: &str) -> Option<&str> {
    command.strip_prefix(SCHEME)
}

/// Whether an address has a host and a port above 0.
pub fn is_address(address: &str) -> bool {
    let Some((host, port)) = address.rsplit_once(':') else { return false };
    let is_host = !host.is_empty() && !host.contains(['/', '@', ' ']) && !host.chars().any(char::is_control);
    is_host && port.parse::<u16>().is_ok_and(|port| port > 0)
}

/// The arguments that make the program connect to `address` within `timeouts`.
pub(crate) fn arguments(address: &str, timeouts: Duration) -> Vec<String> {
    vec![CONNECT.to_owned(), address.to_owned(), timeouts.as_millis().to_string()]
}

/// Relays lines between standard input and output and the peer that the arguments after `__connect` name.
pub fn connect(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let mut word = || words.next().and_then(|word| word.into_string().ok());
    let (Some(address), Some(timeouts)) = (word(), word().and_then(|word| word.parse().ok())) else {
        return failed("spar __connect: not meant to be called by hand");
    };
    let stream = match reach(&address, Duration::from_millis(timeouts)) {
        Ok(stream) => stream,
        Err(error) => return failed(&format!("cannot connect to {address}: {error}")),
    };
    match relay(&stream, io::stdin(), io::stdout()) {
        Ok(End::Ours) => ExitCode::SUCCESS,
        Ok(End::Theirs) => failed(&format!("{address} closed the connection")),
        Err(error) => failed(&format!("the connection to {address} broke: {error}")),
    }
}

fn failed(message: &str) -> ExitCode {
    let _nobody_listens = writeln!(io::stderr(), "{message}");
    ExitCode::FAILURE
}

/// Connects to the first of the host's addresses that answers in time.
fn reach(address: &str, timeouts: Duration) -> io::Result<TcpStream> {
    let deadline = Instant::now() + timeouts;
    let mut why = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in address.to_socket_addrs()? {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match TcpStream::connect_timeout(&address, left) {
            Ok(stream) => {
                // Lines are short, and the other side waits for them.
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => why = error,
        }
    }
    Err(why)
}

/// The end that closed a conversation first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Standard input ended.
    Ours,
    /// The peer closed.
    Theirs,
}

/// Passes bytes both ways until the peer has closed.
fn relay(stream: &TcpStream, mut input: impl Read + Send + 'static, mut output: impl Write) -> io::Result<End> {
    let to_peer = stream.try_clone()?;
    let (sender, ended) = crossbeam_channel::bounded(1);
    // Do not join this thread: it may be blocked in a read until the process ends.
    std::thread::Builder::new().name("to the peer".to_owned()).spawn(move || {
        if pass(&mut input, &mut &to_peer).is_ok() {
            let _nobody_asks = sender.send(());
            let _peer_is_gone = to_peer.shutdown(Shutdown::Write);
        }
    })?;
    pass(&mut &*stream, &mut output)?;
    Ok(if ended.try_recv().is_ok() { End::Ours } else { End::Theirs })
}

/// Passes bytes on until the input ends.
fn pass(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut portion = vec![0_u8; 64 * 1024];
    loop {
        match from.read(&mut portion) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                to.write_all(&portion[..count])?;
                to.flush()?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;
    use std::os::unix::net::UnixStream;

    const PATIENCE: Duration = Duration::from_secs(20);

    /// Connects a relay to a peer that behaves as `play` does.
    fn relayed(peer: impl FnOnce(TcpStream) + Send + 'static) -> (UnixStream, std::thread::JoinHandle<End>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound").to_string();
        std::thread::spawn(move || peer(listener.accept().expect("a connection").0));
        let (ours, its) = UnixStream::pair().expect("a pair");
        let output = its.try_clone().expect("a clone");
        let relay = std::thread::spawn(move || {
            let stream = reach(&address, PATIENCE).expect("a connection");
            relay(&stream, its, output).expect("a conversation")
        });
        (ours, relay)
    }

    fn line(stream: &UnixStream) -> String {
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).expect("a line");
        line
    }

    #[test]
    fn lines_pass_both_ways_until_our_input_ends() {
        let (mut ours, relay) = relayed(|mut peer| {
            let mut lines = BufReader::new(peer.try_clone().expect("a clone")).lines();
            while let Some(Ok(line)) = lines.next() {
                writeln!(peer, "got {line}").expect("sent");
            }
            writeln!(peer, "farewell").expect("sent");
        });
        writeln!(ours, "uci").expect("sent");
        assert_eq!(line(&ours), "got uci\n");
        ours.shutdown(Shutdown::Write).expect("shut");
        assert_eq!(line(&ours), "farewell\n");
        assert_eq!(relay.join().expect("ended"), End::Ours);
    }

    #[test]
    fn a_peer_that_vanishes_ends_the_relay() {
        let (ours, relay) = relayed(|mut peer| writeln!(peer, "id name x").expect("sent"));
        assert_eq!(line(&ours), "id name x\n");
        assert_eq!(relay.join().expect("ended"), End::Theirs);
    }

    #[test]
    fn without_a_listener_the_reason_is_known() {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
        let error = reach(&port.to_string(), PATIENCE).map(drop).expect_err("no server listens");
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
        assert_eq!(reach(&port.to_string(), Duration::ZERO).map_err(|e| e.kind()).err(), Some(io::ErrorKind::TimedOut));
    }

    #[test]
    fn addresses_have_a_host_and_a_port() {
        assert_eq!((address("tcp://a:1"), address("./tcp"), address("tcp:/a:1")), (Some("a:1"), None, None));
        for good in ["localhost:1", "10.0.0.1:65535", "[::1]:9000", "host.example:22"] {
            assert!(is_address(good), "{good}");
        }
        for bad in ["", "localhost", ":1", "localhost:", "localhost:0", "localhost:65536", "a b:1", "a/b:1", "host:x"] {
            assert!(!is_address(bad), "{bad}");
        }
    }
}
