//! A scripted HTTP/1.1 server on loopback: what a model's server may answer, and every way in which it may fail to.
//!
//! [`Server::start`] takes a function from request to [`Reply`], which may delay its answer, cut it, drip it, break
//! the connection, or never come. The server runs in a thread of its own, so that it serves programs, runtimes of
//! any kind and tests without one alike; it ends when it is dropped. [`shapes`] makes replies as providers write
//! them, [`judge`] makes replies that judge.
//!
//! Included where it is needed: `#[path = "server/mod.rs"] mod server;`, with
//! `#[expect(dead_code, reason = "no test needs every fault")]` where not all of it is used.

mod answer;
pub(crate) mod judge;
mod reply;
pub(crate) mod shapes;

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;

pub(crate) use reply::Reply;

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    /// 0, 1, 2 … in the order of arrival.
    pub(crate) number: usize,
    /// Since the server began.
    pub(crate) at: Duration,
    /// Which connection it came on: 0, 1, 2 …
    pub(crate) connection: usize,
    pub(crate) method: String,
    /// With its query.
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null when it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

type Answer = dyn Fn(&Seen) -> Reply + Send + Sync;

/// What the connections share.
struct Shared {
    began: Instant,
    answer: Box<Answer>,
    keeps: bool,
    seen: Mutex<Vec<Seen>>,
    count: AtomicUsize,
    at_once: AtomicUsize,
    most_at_once: AtomicUsize,
}

/// Listens until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Answers each request as `answer` says, and keeps all requests. `answer` must not block.
    pub(crate) fn start(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::open(Box::new(answer), true)
    }

    /// The same, but requests are only counted: for so many that to keep them would cost memory.
    pub(crate) fn forgetful(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::open(Box::new(answer), false)
    }

    /// Answers in the order of arrival; what comes after the last reply gets status 599.
    pub(crate) fn scripted(replies: impl IntoIterator<Item = Reply>) -> Self {
        let script: Mutex<VecDeque<Reply>> = Mutex::new(replies.into_iter().collect());
        Self::start(move |_| {
            let next = script.lock().expect("no panic inside").pop_front();
            next.unwrap_or_else(|| Reply::new(599, "the script is over"))
        })
    }

    fn open(answer: Box<Answer>, keeps: bool) -> Self {
        let shared = Arc::new(Shared {
            began: now(),
            answer,
            keeps,
            seen: Mutex::default(),
            count: AtomicUsize::new(0),
            at_once: AtomicUsize::new(0),
            most_at_once: AtomicUsize::new(0),
        });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        listener.set_nonblocking(true).expect("a listener that does not block");
        let address = listener.local_addr().expect("its address");
        let (stop, stopped) = watch::channel(false);
        let served = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("scripted server".into())
            .spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.expect("a runtime").block_on(accept(listener, &served, stopped)).expect("it listens");
            })
            .expect("a thread");
        Self { address, shared, stop, thread: Some(thread) }
    }

    /// `http://127.0.0.1:PORT`, without a slash at the end.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far, in the order of arrival; none from a forgetful server.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.log().clone()
    }

    /// How many requests have come.
    pub(crate) fn count(&self) -> usize {
        self.shared.count.load(Ordering::SeqCst)
    }

    /// The most requests that waited for their reply at the same time.
    pub(crate) fn most_at_once(&self) -> usize {
        self.shared.most_at_once.load(Ordering::SeqCst)
    }

    /// Waits until `count` requests have come; `false` when they do not within `limit`.
    pub(crate) fn wait_for(&self, count: usize, limit: Duration) -> bool {
        let began = now();
        while self.count() < count {
            if began.elapsed() > limit {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }

    fn log(&self) -> MutexGuard<'_, Vec<Seen>> {
        self.shared.log()
    }
}

impl Shared {
    fn log(&self) -> MutexGuard<'_, Vec<Seen>> {
        self.seen.lock().expect("no panic inside")
    }

    /// Numbers a request, keeps it and asks for its reply.
    fn reply_to(&self, mut seen: Seen) -> Reply {
        let waiting = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(waiting, Ordering::SeqCst);
        {
            // Under one lock, so that the log stands in the order of the numbers.
            let mut log = self.log();
            seen.number = self.count.fetch_add(1, Ordering::SeqCst);
            seen.at = self.began.elapsed();
            if self.keeps {
                log.push(seen.clone());
            }
        }
        (self.answer)(&seen)
    }

    fn replied(&self) {
        self.at_once.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        let joined = self.thread.take().map(JoinHandle::join);
        // A test that is failing already says more than this would.
        if !std::thread::panicking() {
            assert!(!matches!(joined, Some(Err(_))), "the server's thread broke");
        }
    }
}

/// Takes connections until it is told to stop; those that are open then end with the runtime.
async fn accept(
    listener: std::net::TcpListener,
    shared: &Arc<Shared>,
    mut stopped: watch::Receiver<bool>,
) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let mut connections = 0;
    loop {
        let stream = tokio::select! {
            _ = stopped.changed() => return Ok(()),
            accepted = listener.accept() => accepted?.0,
        };
        stream.set_nodelay(true)?;
        tokio::spawn(answer::connection(stream, connections, Arc::clone(shared)));
        connections += 1;
    }
}

#[expect(clippy::disallowed_methods, reason = "the server measures when requests come")]
fn now() -> Instant {
    Instant::now()
}
