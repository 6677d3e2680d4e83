//! Ports for servers that are about to start.

use rustix::net::sockopt::set_socket_reuseaddr;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, getsockname, socket_with};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;

/// A port of this machine that the system gives to no other program, so that a server can start on it, and again.
///
/// The port is bound, but nothing listens. Linux lets one more program bind such a port if both set `SO_REUSEADDR`, as
/// servers do, and neither listens yet. Connections from this machine do not use it as their own end either.
#[derive(Debug)]
pub struct ReservedPort {
    _socket: OwnedFd,
    number: u16,
}

impl ReservedPort {
    /// Reserves a port that the system chooses.
    ///
    /// # Errors
    /// If the system has no free port.
    pub fn new() -> io::Result<Self> {
        let socket = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        set_socket_reuseaddr(&socket, true)?;
        bind(&socket, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let address = SocketAddr::try_from(getsockname(&socket)?)?;
        Ok(Self { _socket: socket, number: address.port() })
    }

    /// The number of the port.
    pub fn number(&self) -> u16 {
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::ReservedPort;
    use rustix::net::{AddressFamily, SocketType, bind, socket};
    use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};

    #[test]
    fn a_reserved_port_is_for_servers_alone_again_and_again() {
        let port = ReservedPort::new().expect("a port");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port.number()));
        let other = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
        assert!(bind(&other, &address).is_err(), "another program takes the port");
        for _ in 0..2 {
            assert!(TcpStream::connect(address).is_err(), "something listens already");
            // The standard library's listeners set `SO_REUSEADDR`, as other servers do.
            let server = TcpListener::bind(address).expect("the server can listen");
            let client = TcpStream::connect(address).expect("it listens");
            assert_eq!(server.accept().expect("a client").1, client.local_addr().expect("an address"));
        }
    }
}
