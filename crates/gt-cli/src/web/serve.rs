//! HTTP: connections come in, answers go out. How many connections there are, how long each may
//! last and how much each may say is bounded.

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::HeaderValue;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{sleep, timeout};

use super::answer::{Answer, answer};
use super::board::Shared;

/// So many connections are served at a time; more wait until one is done.
const MOST_CONNECTIONS: usize = 32;
/// How long a request may take to come …
const READ: Duration = Duration::from_secs(5);
/// … and all of a connection.
const WHOLE: Duration = Duration::from_secs(10);
/// The most headers of a request …
const MOST_HEADERS: usize = 64;
/// … and bytes before its end.
const MOST_BYTES: usize = 16 << 10;
/// How long to wait where no connection can be taken.
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
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let permit = room.clone().acquire_owned().await.map_err(io::Error::other)?;
        let Ok((stream, _)) = listener.accept().await else {
            sleep(BREATH).await;
            continue;
        };
        let shared = shared.clone();
        tokio::spawn(async move {
            // Whoever is too slow, or says what is no request, sees the connection close.
            let _ = timeout(WHOLE, connection(stream, &shared)).await;
            drop(permit);
        });
    }
}

/// One connection is one request, so that nobody keeps one.
async fn connection(stream: TcpStream, shared: &Shared) -> hyper::Result<()> {
    let respond = service_fn(async |request: Request<Incoming>| {
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
