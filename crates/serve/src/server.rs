//! Connections: how many, how long they may keep us waiting, and how they end.

use crate::patient::Patient;
use crate::site::Site;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// What connections may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many at a time; those beyond are told to come later.
    pub connections: usize,
    /// How long a client may take to send the head of a request, and how long it may keep a connection without one.
    pub head: Duration,
    /// How long a client may take nothing of an answer that is ready.
    pub answer: Duration,
    /// How long requests may go on when the server is told to stop.
    pub farewell: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let [head, answer, farewell] = [15, 30, 3].map(Duration::from_secs);
        Limits { connections: 700, head, answer, farewell }
    }
}

/// Said to a client for whom there is no room.
const FULL: &str = "{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,\
    \"detail\":\"too many connections are open\"}";

/// Serves a site until told to stop; then lets requests under way come to their end.
pub async fn serve(
    listener: TcpListener,
    site: &Site,
    limits: Limits,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let (graceful, room) = (GracefulShutdown::new(), Arc::new(Semaphore::new(limits.connections)));
    let router = site.router();
    let mut stop = std::pin::pin!(stop);
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => {
                    // No more files may be open, or the client has gone: others may have better luck.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let Ok(held) = room.clone().try_acquire_owned() else {
            tokio::spawn(send_away(stream));
            continue;
        };
        let _ = stream.set_nodelay(true);
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(64 << 10);
        let service = TowerToHyperService::new(router.clone());
        let stream = TokioIo::new(Patient::new(stream, limits.answer));
        let connection = graceful.watch(builder.serve_connection(stream, service));
        tokio::spawn(async move {
            let _held = held;
            // Whatever goes wrong with a connection is the client's business.
            let _ = connection.await;
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(limits.farewell, graceful.shutdown()).await;
    Ok(())
}

/// Serves a site at an address until the user or the system asks the program to end. Says where, once clients can come:
/// port 0 is any that is free.
pub fn run(
    address: SocketAddr,
    site: &Site,
    limits: Limits,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let threads = site.parts().config.at_once;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        // Half of the cores read requests and write answers; looking up is done by others. Every thread keeps memory of
        // its own, which counts where there is little.
        .worker_threads((std::thread::available_parallelism().map_or(2, usize::from) / 2).clamp(1, 4))
        .max_blocking_threads(threads + 2)
        .enable_all()
        .build()?;
    let done = runtime.block_on(async {
        let listener = TcpListener::bind(address).await?;
        ready(listener.local_addr()?);
        serve(listener, site, limits, shutdown_signal()).await
    });
    // Work that nobody waits for any more is not waited for.
    runtime.shutdown_background();
    done
}

/// A server on a thread of its own.
pub struct Background {
    /// Where it serves.
    pub address: SocketAddr,
    stop: tokio::sync::oneshot::Sender<()>,
    thread: std::thread::JoinHandle<()>,
}

impl Background {
    /// Lets requests under way come to their end, and ends.
    pub fn stop(self) {
        let _ = self.stop.send(());
        let _ = self.thread.join();
    }
}

/// Serves a site beside other work.
pub fn background(address: SocketAddr, site: &Site, limits: Limits) -> io::Result<Background> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(site.parts().config.at_once + 2)
        .enable_all()
        .build()?;
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let site = site.clone();
    let thread = std::thread::spawn(move || {
        runtime.block_on(async {
            if let Ok(listener) = TcpListener::from_std(listener) {
                let _ = serve(listener, &site, limits, async { drop(stopped.await) }).await;
            }
        });
        runtime.shutdown_background();
    });
    Ok(Background { address, stop, thread })
}

async fn send_away(mut stream: TcpStream) {
    let told = async {
        let head =
            "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\nretry-after: 1";
        let text = format!("{head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{FULL}", FULL.len());
        stream.write_all(text.as_bytes()).await?;
        stream.shutdown().await
    };
    let _ = tokio::time::timeout(Duration::from_secs(1), told).await;
}

/// Waits until the user or the system asks the program to end.
pub async fn shutdown_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let terminate = async {
            match signal(SignalKind::terminate()) {
                Ok(mut terminate) => drop(terminate.recv().await),
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            () = terminate => {}
        }
    }
    #[cfg(not(unix))]
    let _ = tokio::signal::ctrl_c().await;
}
