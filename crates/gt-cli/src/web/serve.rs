//! HTTP: connections come in, answers go out. How many connections there are, how long each may
//! last and how much each may say is bounded.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gt_transport::lock::Mutex;
use http_body_util::Full;
use hyper::header::HeaderValue;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::answer::{Answer, answer};
use super::board::Shared;
use super::places::{Admitted, Places};

/// How long a request may take to come …
const READ: Duration = Duration::from_secs(1);
/// … and all of a connection.
const WHOLE: Duration = Duration::from_secs(10);
/// The most headers of a request …
const MOST_HEADERS: usize = 64;
/// … and bytes before its end.
const MOST_BYTES: usize = 16 << 10;
/// How long to wait after a connection could not be accepted.
const BREATH: Duration = Duration::from_millis(100);

/// A server that is ready to run.
pub struct Server {
    listener: TcpListener,
    runtime: Runtime,
    shared: Arc<Shared>,
}

impl Server {
    /// A server at a socket that is bound.
    pub fn open(listener: TcpListener, shared: Arc<Shared>) -> io::Result<Server> {
        listener.set_nonblocking(true)?;
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        Ok(Server { listener, runtime, shared })
    }

    /// Serves until the other end of the channel is gone.
    pub fn run(self, is_over: oneshot::Receiver<()>) {
        let Server { listener, runtime, shared } = self;
        runtime.block_on(async {
            let accepting = tokio::spawn(accept(listener, shared));
            let _ = is_over.await;
            accepting.abort();
        });
        // What is being answered is answered no more.
        runtime.shutdown_background();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let connections = Arc::new(Mutex::new(Connections::default()));
    loop {
        let Ok((stream, from)) = listener.accept().await else {
            sleep(BREATH).await;
            continue;
        };
        Connections::serve(&connections, from.ip(), stream, shared.clone());
    }
}

/// The connections that are served, and what ends each of them.
#[derive(Default)]
struct Connections {
    places: Places,
    tasks: HashMap<u64, AbortHandle>,
}

impl Connections {
    /// Serves a connection if there is a place for it.
    fn serve(
        connections: &Arc<Mutex<Connections>>,
        from: IpAddr,
        stream: TcpStream,
        shared: Arc<Shared>,
    ) {
        // Held until the task is known: it cannot be over before that.
        let mut open = connections.lock();
        let Some(Admitted { number, displaced }) = open.places.admit(from) else { return };
        let displaced = displaced.and_then(|number| open.tasks.remove(&number));
        displaced.iter().for_each(AbortHandle::abort);
        let own = connections.clone();
        let task = tokio::spawn(async move {
            let begin = || own.lock().places.begin_answer(number);
            // A connection that is too slow, or whose bytes are not a request, is closed.
            let _ = timeout(WHOLE, connection(stream, &shared, &begin)).await;
            let mut open = own.lock();
            open.places.leave(number);
            open.tasks.remove(&number);
        });
        open.tasks.insert(number, task.abort_handle());
    }
}

/// One connection is one request, so that a connection does not keep its place.
async fn connection(
    stream: TcpStream,
    shared: &Shared,
    begin: &(impl Fn() + Sync),
) -> hyper::Result<()> {
    let respond = service_fn(async |request: Request<Incoming>| {
        begin();
        let answer = answer(shared, request.method(), request.uri(), request.headers());
        Ok::<_, Infallible>(response(answer))
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(READ).keep_alive(false);
    http.max_headers(MOST_HEADERS).max_buf_size(MOST_BYTES);
    http.serve_connection(TokioIo::new(stream), respond).await
}

fn response(answer: Answer) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(answer.body));
    *response.status_mut() = answer.status;
    for (name, value) in answer.headers {
        let value = HeaderValue::from_str(&value).expect("headers are words of ours");
        response.headers_mut().insert(name, value);
    }
    response
}
