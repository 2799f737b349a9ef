//! What the server sends back, and how.

use std::time::Duration;

use serde_json::Value;

/// A reply. It begins at once and is whole unless told otherwise.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    pub(super) delay: Duration,
    pub(super) way: Way,
}

/// How a reply goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Whole,
    /// The whole length is announced, so many bytes of the body are sent, and the connection is closed.
    Cut(usize),
    /// The same, but the connection is reset.
    Reset(usize),
    /// In pieces of so many bytes, with a pause after each.
    Drip(usize, Duration),
    /// Nothing, and the connection stays open.
    Hang,
    /// Head and so many bytes of the body, then nothing, and the connection stays open.
    Stall(usize),
    /// Nothing, and the connection is closed.
    Close,
    /// The body alone, without a head, and the connection is closed.
    Raw,
}

impl Reply {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), delay: Duration::ZERO, way: Way::Whole }
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::new(status, body.to_string()).header("content-type", "application/json")
    }

    /// The request is read and never answered; the connection stays open.
    pub(crate) fn hang() -> Self {
        Self::new(200, "").by(Way::Hang)
    }

    /// The request is read and the connection closed.
    pub(crate) fn close() -> Self {
        Self::new(200, "").by(Way::Close)
    }

    /// These bytes instead of HTTP.
    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(200, bytes).by(Way::Raw)
    }

    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    pub(crate) fn with_body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Begins only then.
    pub(crate) fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Ends after so many bytes of the body, although more were announced.
    pub(crate) fn cut(self, bytes: usize) -> Self {
        self.by(Way::Cut(bytes))
    }

    /// The same, with a reset instead of an end.
    pub(crate) fn reset(self, bytes: usize) -> Self {
        self.by(Way::Reset(bytes))
    }

    /// Falls silent after so many bytes of the body; the connection stays open.
    pub(crate) fn stall(self, bytes: usize) -> Self {
        self.by(Way::Stall(bytes))
    }

    /// Comes in pieces of so many bytes, with a pause after each.
    pub(crate) fn drip(self, bytes: usize, every: Duration) -> Self {
        self.by(Way::Drip(bytes.max(1), every))
    }

    fn by(mut self, way: Way) -> Self {
        self.way = way;
        self
    }
}
