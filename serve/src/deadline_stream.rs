//! A connection whose peer must read something within a deadline. A peer that reads nothing is disconnected, so that it
//! does not occupy memory and a place among the connections. A slow but steady reader is left alone.

use socket2::SockRef;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// The maximum number of unsent bytes in the system's buffer. By default the system buffers some megabytes, and reports
/// room only when a third of them is sent. With a small buffer, slow reading is visible.
const UNSENT: u32 = 16 << 10;

/// A connection with a deadline for writes.
pub(crate) struct DeadlineStream {
    stream: TcpStream,
    patience: Duration,
    /// Runs while the peer reads nothing.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl DeadlineStream {
    pub(crate) fn new(stream: TcpStream, patience: Duration) -> Self {
        let _less_is_seen_without = SockRef::from(&stream).set_tcp_notsent_lowat(UNSENT);
        Self { stream, patience, deadline: None }
    }

    /// Returns the outcome of an attempt to write: no progress for too long is an error.
    fn judge<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.deadline = None;
            return written;
        }
        let until = Instant::now() + self.patience;
        let deadline = self.deadline.get_or_insert_with(|| {
            let mut deadline = Box::pin(sleep(Duration::ZERO));
            deadline.as_mut().reset(until);
            deadline
        });
        ready!(deadline.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the other end takes nothing")))
    }
}

impl AsyncRead for DeadlineStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for DeadlineStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.judge(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.judge(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.judge(cx, shut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::time::timeout;

    const PATIENCE: Duration = Duration::from_millis(50);

    /// Without the limit on unsent bytes, the system would report room again only after more than eight seconds.
    #[tokio::test]
    async fn who_reads_slowly_and_steadily_is_not_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).expect("a socket");
        socket.set_recv_buffer_size(1 << 12).expect("a small buffer");
        socket.connect(&listener.local_addr().expect("bound").into()).expect("a connection");
        socket.set_nonblocking(true).expect("for tokio");
        let mut other = TcpStream::from_std(socket.into()).expect("a connection");
        let mut deadline_stream = DeadlineStream::new(listener.accept().await.expect("it").0, Duration::from_secs(5));
        let send = async move {
            loop {
                if let Err(error) = deadline_stream.write_all(&[0; 1 << 13]).await {
                    break error.kind();
                }
            }
        };
        let read = async move {
            let (mut piece, mut tick) = ([0; 1 << 12], tokio::time::interval(Duration::from_millis(400)));
            for _ in 0..30 {
                tick.tick().await;
                let _length = other.read(&mut piece).await;
            }
        };
        let both = timeout(Duration::from_mins(1), async { tokio::join!(send, read) }).await;
        // The reader has closed.
        assert_ne!(both.expect("within a minute").0, io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn who_takes_nothing_is_given_up_and_who_takes_something_is_not() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let mut other = TcpStream::connect(listener.local_addr().expect("bound")).await.expect("a connection");
        let mut deadline_stream = DeadlineStream::new(listener.accept().await.expect("it").0, PATIENCE);
        let send = async |deadline_stream: &mut DeadlineStream| loop {
            // Writes until the buffers between the two are full, and then until the deadline.
            if let Err(error) = deadline_stream.write_all(&[0; 1 << 13]).await {
                break error;
            }
        };
        let gave_up = timeout(Duration::from_mins(1), send(&mut deadline_stream)).await.expect("within a minute");
        assert_eq!(gave_up.kind(), io::ErrorKind::TimedOut);
        let mut taken = vec![0; 1 << 20];
        while let Ok(Ok(1..)) = timeout(PATIENCE, other.read(&mut taken)).await {}
        deadline_stream.write_all(b"more").await.expect("there is room again");
    }
}
