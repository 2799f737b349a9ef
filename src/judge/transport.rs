//! Sends one request and brings back what came: status, headers and the whole body, or why there is none.
//!
//! Must not know protocols, retries, or what the bytes mean. A key goes into its header and nowhere else; an error
//! names neither address nor key.

use std::error::Error as _;
use std::net::IpAddr;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, redirect};
use serde_json::Value;
use tokio::time::timeout;

use super::keys::Keys;
use super::settings::{AccountKey, Endpoint, Secret};
use super::wire::Request;
use super::wire::batch::{Call, Method};

/// A reply is cut here and called broken. No judgement is this long, reasoning beside it included, and as many replies
/// as there are requests may come at once.
const LONGEST_REPLY: usize = 4 << 20;
/// A server that is there answers the door within this time.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// What is kept of a reply that broke off.
pub(super) const LONGEST_REMNANT: usize = 64 << 10;

/// A judge cannot be reached with these settings, whatever the server does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// The address is none.
    #[error("`base_url` is no address that can be asked: {0}")]
    Address(String),
    /// The address is stored and shown, and holds a key. It is not repeated.
    #[error("`base_url` holds the key of the judge: take it out of the address")]
    KeyInAddress,
    /// A header or a key holds what no header can.
    #[error("`{0}` cannot be sent as a header: it holds a control character or a line end")]
    Header(String),
    /// The client could not be made.
    #[error("no connections can be made from this computer: {0}")]
    Client(String),
}

/// A whole reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// What is no UTF-8 is replaced.
    pub body: String,
}

/// Why there is no whole reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// There was no connection at all: nobody listens, no such name, no trust in its certificate.
    Unreachable,
    /// The connection broke, or the reply was cut or without end.
    Broken,
    /// Not within the time allowed.
    TimedOut,
}

/// What there is when no whole reply came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    pub loss: Loss,
    /// In a sentence, for people.
    pub message: String,
    pub status: Option<u16>,
    pub headers: Vec<(String, String)>,
    /// The beginning of the body, as far as it came: twice as much of it as is kept, so that a key at the cut is
    /// whole here.
    pub remnant: String,
}

/// A key, and how it is sent.
#[derive(Debug, Clone, Copy)]
pub struct Credential<'a> {
    /// Lower case.
    pub header: &'a str,
    pub prefix: &'a str,
    pub secret: &'a Secret,
}

/// Connections to one endpoint.
#[derive(Debug, Clone)]
pub struct Transport {
    client: Client,
    secret_headers: HeaderMap,
}

impl Transport {
    /// Redirects are not followed: they would carry the key elsewhere. A loopback address is asked directly, any
    /// other through the proxy that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`).
    /// Certificates are checked against the system's, `SSL_CERT_FILE` included.
    pub fn new(endpoint: &Endpoint, keys: &[AccountKey]) -> Result<Self, TransportError> {
        let secrets = Keys::new(keys, &endpoint.secret_headers);
        if secrets.blotted(endpoint.base_url.clone()) != endpoint.base_url {
            return Err(TransportError::KeyInAddress);
        }
        let url = reqwest::Url::parse(&endpoint.base_url)
            .map_err(|error| TransportError::Address(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(TransportError::Address(format!(
                "it begins with `{}:`, not with http or https",
                url.scheme()
            )));
        }
        let Some(host) = url.host_str() else {
            return Err(TransportError::Address("it names no host".to_owned()));
        };
        for key in keys {
            header(&endpoint.key_header, &format!("{}{}", endpoint.key_prefix, key.secret.reveal()))?;
        }
        for (name, value) in &endpoint.headers {
            header(name, value)?;
        }
        let mut secret_headers = HeaderMap::new();
        for (name, secret) in &endpoint.secret_headers {
            let (name, mut value) = header(name, secret.reveal())?;
            value.set_sensitive(true);
            secret_headers.insert(name, value);
        }
        // Whoever came first has made the same choice: there is one provider in this program.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("juror/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(CONNECT_WITHIN)
            .pool_idle_timeout(Duration::from_secs(30));
        if is_loopback(host) {
            builder = builder.no_proxy();
        }
        if url.scheme() == "http" {
            // A computer without any certificates can still ask a server of its own.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|error| TransportError::Client(plain(error)))?;
        Ok(Self { client, secret_headers })
    }

    /// Sends the request; its reply must be whole within `within`, body included.
    pub async fn send(
        &self,
        request: &Request,
        body: String,
        credential: Option<Credential<'_>>,
        within: Duration,
    ) -> Result<Delivered, Lost> {
        let headers = self.headers_of(&request.headers, credential).map_err(|error| unsent(&error))?;
        let sent = self.client.post(&request.url).headers(headers).body(body).send();
        whole(sent, within, LONGEST_REPLY).await
    }

    fn headers_of(
        &self,
        given: &[(String, String)],
        credential: Option<Credential<'_>>,
    ) -> Result<HeaderMap, TransportError> {
        let mut headers = headers_of(given, credential)?;
        headers.extend(self.secret_headers.clone());
        Ok(headers)
    }

    /// Makes the call; its reply must be whole within `within`, and no longer than `longest` bytes.
    pub async fn call(
        &self,
        call: Call,
        credential: Option<Credential<'_>>,
        within: Duration,
        longest: usize,
    ) -> Result<Delivered, Lost> {
        let headers = self.headers_of(&call.headers, credential).map_err(|error| unsent(&error))?;
        let request = match call.method {
            Method::Get => self.client.get(&call.url),
            Method::Post => self.client.post(&call.url).body(call.body),
        };
        whole(request.headers(headers).send(), within, longest).await
    }
}

fn unsent(error: &TransportError) -> Lost {
    Lost {
        loss: Loss::Unreachable,
        message: error.to_string(),
        status: None,
        headers: Vec::new(),
        remnant: String::new(),
    }
}

/// The whole reply to what is sent.
async fn whole(
    sent: impl Future<Output = Result<Response, reqwest::Error>>,
    within: Duration,
    longest: usize,
) -> Result<Delivered, Lost> {
    let mut progress = Progress::default();
    match timeout(within, deliver(sent, &mut progress, longest)).await {
        Ok(Ok(())) => Ok(Delivered {
            status: progress.status.unwrap_or_default(),
            headers: progress.headers,
            body: into_text(progress.body),
        }),
        Ok(Err((loss, message))) => Err(progress.lost(loss, message)),
        Err(_) => Err(progress.lost(Loss::TimedOut, format!("no whole reply within {} s", seconds(within)))),
    }
}

/// What has come so far, kept outside of what may be given up at any moment.
#[derive(Default)]
struct Progress {
    status: Option<u16>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Progress {
    fn lost(mut self, loss: Loss, message: String) -> Lost {
        self.body.truncate(2 * LONGEST_REMNANT);
        Lost { loss, message, status: self.status, headers: self.headers, remnant: into_text(self.body) }
    }
}

async fn deliver(
    sent: impl Future<Output = Result<Response, reqwest::Error>>,
    progress: &mut Progress,
    longest: usize,
) -> Result<(), (Loss, String)> {
    let mut response = sent.await.map_err(|error| {
        let loss = if error.is_connect() { Loss::Unreachable } else { Loss::Broken };
        (loss, plain(error))
    })?;
    progress.status = Some(response.status().as_u16());
    progress.headers = readable(response.headers());
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                if progress.body.len() + chunk.len() > longest {
                    let megabytes = longest >> 20;
                    return Err((Loss::Broken, format!("the reply is longer than {megabytes} MB")));
                }
                progress.body.extend_from_slice(&chunk);
            }
            Ok(None) => return Ok(()),
            Err(error) => return Err((Loss::Broken, format!("the reply broke off: {}", plain(error)))),
        }
    }
}

fn headers_of(
    given: &[(String, String)],
    credential: Option<Credential<'_>>,
) -> Result<HeaderMap, TransportError> {
    let mut headers = HeaderMap::new();
    headers.insert(reqwest::header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(reqwest::header::ACCEPT, HeaderValue::from_static("application/json"));
    for (name, value) in given {
        let (name, value) = header(name, value)?;
        headers.insert(name, value);
    }
    if let Some(Credential { header: name, prefix, secret }) = credential {
        let (name, mut value) = header(name, &format!("{prefix}{}", secret.reveal()))?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// The error names the header, never its value.
fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), TransportError> {
    let wrong = || TransportError::Header(name.to_owned());
    Ok((name.parse().map_err(|_| wrong())?, value.parse().map_err(|_| wrong())?))
}

fn readable(headers: &HeaderMap) -> Vec<(String, String)> {
    headers
        .iter()
        .map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect()
}

fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// What went wrong at the bottom of it, without the address.
fn plain(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut deepest = error.source();
    while let Some(further) = deepest.and_then(std::error::Error::source) {
        deepest = Some(further);
    }
    deepest.map_or_else(|| error.to_string(), ToString::to_string)
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.to_ascii_lowercase().ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A time as people write it: whole seconds where it is whole.
pub(super) fn seconds(time: Duration) -> String {
    let tenths = (time.as_secs_f64() * 10.0).round() / 10.0;
    format!("{tenths}")
}

/// Where a redirect would lead, without what may be secret in it; for the person who mends `base_url`.
pub fn redirect_target(headers: &[(String, String)]) -> Option<String> {
    let (_, location) = headers.iter().find(|(name, _)| name == "location")?;
    Some(bare_address(location))
}

/// An address without user, password and fragment, and with the values of its query left out, except for the
/// version of an API.
pub fn bare_address(address: &str) -> String {
    let Ok(mut url) = reqwest::Url::parse(address) else {
        return address.split(['?', '#', '@']).next().unwrap_or_default().to_owned();
    };
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    let kept: Vec<String> = url
        .query_pairs()
        .map(
            |(name, value)| {
                if name == "api-version" { format!("{name}={value}") } else { format!("{name}=…") }
            },
        )
        .collect();
    url.set_query(None);
    let mut bare = url.to_string();
    if !kept.is_empty() {
        bare.push('?');
        bare.push_str(&kept.join("&"));
    }
    bare
}

/// The body as it is sent. JSON as it is: no letter outside ASCII is escaped.
pub fn written(body: &Value) -> String {
    body.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_what_may_be_secret() {
        assert_eq!(
            bare_address(
                "https://me:sk-planted@host.example/v1/x?api-version=2024-10-21&key=sk-planted#sk-planted"
            ),
            "https://host.example/v1/x?api-version=2024-10-21&key=…"
        );
        assert_eq!(bare_address("/v1?key=sk-planted"), "/v1");
    }

    #[test]
    fn loopback_is_told_from_other_hosts() {
        for host in ["localhost", "LOCALHOST", "127.0.0.1", "127.8.8.8", "::1", "[::1]", "llm.localhost"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["localhost.example", "10.0.0.1", "1270.0.0.1", "example.org"] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn a_header_that_cannot_be_sent_is_named_without_its_value() {
        let secret = Secret::new("sk-planted\n");
        let credential = Credential { header: "authorization", prefix: "Bearer ", secret: &secret };
        let error = headers_of(&[], Some(credential)).unwrap_err();
        assert_eq!(error, TransportError::Header("authorization".to_owned()));
        assert!(!error.to_string().contains("planted"));
    }
}
