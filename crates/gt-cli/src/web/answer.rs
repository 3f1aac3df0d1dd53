//! What each request is answered with. There is nothing to change here: everything is read.

use std::fmt::Write as _;

use bytes::Bytes;
use gt_tools::board::PAGE;
use gt_tools::metrics::CONTENT_TYPE;
use gt_transport::transfers::Key;
use hyper::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE as TYPE, COOKIE,
    HOST, HeaderMap, HeaderName, LOCATION, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Method, StatusCode, Uri};

use super::access::Shown;
use super::board::Shared;

/// Where the page has the word by which its own script and style are known from others.
const NONCE: &str = "NONCE";
const TEXT: &str = "text/plain; charset=utf-8";

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// Whether it is what was asked for.
    pub status: StatusCode,
    /// What is said beside it.
    pub headers: Vec<(HeaderName, String)>,
    /// What it is.
    pub body: Bytes,
}

impl Answer {
    fn new(status: StatusCode, kind: &str, body: impl Into<Bytes>) -> Answer {
        let headers = [
            (TYPE, kind),
            (CACHE_CONTROL, "no-store"),
            (REFERRER_POLICY, "no-referrer"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        let headers = headers.map(|(name, value)| (name, value.to_string())).into();
        Answer { status, headers, body: body.into() }
    }

    fn text(status: StatusCode, words: impl Into<String>) -> Answer {
        Answer::new(status, TEXT, words.into() + "\n")
    }

    fn with(mut self, name: HeaderName, value: impl Into<String>) -> Answer {
        self.headers.push((name, value.into()));
        self
    }
}

/// Answers a request.
pub fn answer(shared: &Shared, method: &Method, uri: &Uri, headers: &HeaderMap) -> Answer {
    if method != Method::GET {
        let words = "everything here is read with GET";
        return Answer::text(StatusCode::METHOD_NOT_ALLOWED, words).with(ALLOW, "GET");
    }
    let header = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    // Whoever asks as one asks a proxy has the host in the address.
    let host = uri.authority().map(|authority| authority.as_str()).or(header(HOST));
    if !host.is_some_and(|host| shared.access.is_own_name(host)) {
        let words = "this is not the host that was asked for";
        return Answer::text(StatusCode::MISDIRECTED_REQUEST, words);
    }
    match uri.path() {
        "/metrics" => {
            let totals = shared.board.lock().totals.clone();
            return Answer::new(StatusCode::OK, CONTENT_TYPE, totals.text());
        }
        "/healthz" => return health(shared),
        _ => {}
    }
    let (cookie, authorization) = (header(COOKIE), header(AUTHORIZATION));
    let shown = Shown { query: uri.query(), cookie, authorization };
    if shared.access.is_in_address(shown) {
        // The token stays neither in the address nor in the browser's history.
        let found = Answer::text(StatusCode::SEE_OTHER, "the page is at /");
        return found.with(LOCATION, "/").with(SET_COOKIE, shared.access.set_cookie());
    }
    if !shared.access.is_in_header(shown) {
        let words = "open this page with the whole address that was printed, with its token";
        return Answer::text(StatusCode::UNAUTHORIZED, words);
    }
    match uri.path() {
        "/" => page(),
        "/state.json" => {
            shared.look();
            let state = shared.board.lock().json();
            Answer::new(StatusCode::OK, "application/json", state.to_string())
        }
        _ => Answer::text(StatusCode::NOT_FOUND, "there is nothing here"),
    }
}

fn health(shared: &Shared) -> Answer {
    match shared.complaint() {
        None => Answer::text(StatusCode::OK, "ok"),
        Some(complaint) => Answer::text(StatusCode::SERVICE_UNAVAILABLE, complaint),
    }
}

/// The page may use its own script and style and ask this server, and nothing else.
fn page() -> Answer {
    let nonce = Key::random().0.iter().fold(String::new(), |mut text, byte| {
        // Writing to memory does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    });
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
         connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    );
    let page = Answer::new(StatusCode::OK, "text/html; charset=utf-8", PAGE.replace(NONCE, &nonce));
    page.with(CONTENT_SECURITY_POLICY, policy)
}
