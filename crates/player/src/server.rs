//! The connections: a thread for each, a few at a time.

use crate::http::{self, Request};
use crate::message::Message;
use crate::player::Player;
use std::io::{self, Read};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Connections that are answered at the same time. A game server needs one or two.
const MOST_CONNECTIONS: usize = 64;

/// A player at an address.
pub struct Server {
    listener: TcpListener,
    player: Arc<Player>,
    stop: Arc<AtomicBool>,
}

/// Ends a server from another thread.
#[derive(Clone)]
pub struct Stopper {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
}

impl Stopper {
    /// No further connections are taken.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        // Whoever waits for a connection gets one.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }
}

impl Server {
    /// Takes the address; port 0 takes any that is free.
    pub fn bind(address: SocketAddr, player: Player) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        Ok(Server { listener, player: Arc::new(player), stop: Arc::default() })
    }

    /// Where it is.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Something to end it with.
    pub fn stopper(&self) -> io::Result<Stopper> {
        Ok(Stopper { address: self.address()?, stop: self.stop.clone() })
    }

    /// Answers until it is stopped.
    pub fn run(&self) {
        let open = Arc::new(AtomicUsize::new(0));
        for stream in self.listener.incoming() {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let Ok(mut stream) = stream else {
                // Such as too many open files: that passes.
                std::thread::sleep(Duration::from_millis(20));
                continue;
            };
            if open.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                open.fetch_sub(1, Ordering::Relaxed);
                // Who does not read it does not get it.
                let _ = http::answer(&mut stream, "503 Service Unavailable", "too many connections");
                continue;
            }
            let (player, still_open) = (self.player.clone(), open.clone());
            let handled = std::thread::Builder::new().spawn(move || {
                let _ = catch_unwind(AssertUnwindSafe(|| handle(&mut stream, &player)));
                still_open.fetch_sub(1, Ordering::Relaxed);
            });
            if handled.is_err() {
                open.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }
}

/// One connection: a message, an answer.
fn handle(stream: &mut TcpStream, player: &Player) {
    let received = Instant::now();
    let (status, text) = match http::read(stream) {
        Ok(Request::Options) => ("200 OK", String::new()),
        Ok(Request::Message(text)) => match Message::read(&text) {
            Ok(message) => ("200 OK", player.answer_at(message, received)),
            Err(error) => ("400 Bad Request", error.to_string()),
        },
        Err(refused) => (refused.status, refused.why),
    };
    if http::answer(stream, status, &text).is_ok() {
        // What was sent and not read would take the answer away from the client.
        let _ = stream.shutdown(Shutdown::Write);
        let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
        let mut rest = [0; 4096];
        for _ in 0..16 {
            match stream.read(&mut rest) {
                Ok(count) if count > 0 => {}
                _ => break,
            }
        }
    }
}
