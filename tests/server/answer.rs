//! One connection: requests in, replies out, faults as told.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

use super::reply::Way;
use super::{Reply, Seen, Shared};

/// No request of a test has a longer head.
const MOST_HEAD: usize = 64 * 1024;

pub(super) async fn connection(mut stream: TcpStream, number: usize, shared: Arc<Shared>) {
    let mut buffer = Vec::new();
    while let Some(mut seen) = request(&mut stream, &mut buffer).await {
        seen.connection = number;
        let reply = shared.reply_to(seen);
        let goes_on = tokio::select! {
            sent = send(&stream, reply) => sent.unwrap_or(false),
            () = left(&stream) => false,
        };
        shared.replied();
        if !goes_on {
            return;
        }
    }
}

/// The next request; `None` when the connection ends or what comes is no HTTP.
async fn request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Seen> {
    let head = loop {
        if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if buffer.len() > MOST_HEAD || stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8_lossy(&buffer[..head]).into_owned();
    let mut lines = text.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(Some(0), |(_, value)| value.parse().ok())?;
    let end = head + 4 + length;
    while buffer.len() < end {
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8_lossy(&buffer[head + 4..end]).into_owned();
    buffer.drain(..end);
    Some(Seen { number: 0, at: Duration::ZERO, connection: 0, method, path, headers, body })
}

/// Sends a reply; whether the connection is good for another request.
async fn send(stream: &TcpStream, reply: Reply) -> io::Result<bool> {
    tokio::time::sleep(reply.delay).await;
    let headers: String =
        reply.headers.iter().flat_map(|(name, value)| [name, ": ", value, "\r\n"]).collect();
    let (status, length) = (reply.status, reply.body.len());
    let mut bytes =
        format!("HTTP/1.1 {status} {}\r\n{headers}content-length: {length}\r\n\r\n", reason(status))
            .into_bytes();
    let body_from = bytes.len();
    bytes.extend_from_slice(&reply.body);
    let upto = |body: usize| (body_from + body).min(bytes.len());
    match reply.way {
        Way::Whole => write(stream, &bytes).await.map(|()| true),
        Way::Cut(body) => write(stream, &bytes[..upto(body)]).await.map(|()| false),
        Way::Reset(body) => {
            write(stream, &bytes[..upto(body)]).await?;
            // What was sent must arrive before the reset throws the rest away.
            tokio::time::sleep(Duration::from_millis(5)).await;
            stream.set_zero_linger()?;
            Ok(false)
        }
        Way::Drip(size, every) => {
            write(stream, &bytes[..body_from]).await?;
            for piece in bytes[body_from..].chunks(size) {
                write(stream, piece).await?;
                tokio::time::sleep(every).await;
            }
            Ok(true)
        }
        Way::Hang => std::future::pending().await,
        Way::Stall(body) => {
            write(stream, &bytes[..upto(body)]).await?;
            std::future::pending().await
        }
        Way::Close => Ok(false),
        Way::Raw => write(stream, &reply.body).await.map(|()| false),
    }
}

async fn write(stream: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.writable().await?;
        match stream.try_write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Returns when the other side has gone.
async fn left(stream: &TcpStream) {
    match stream.peek(&mut [0]).await {
        Ok(0) | Err(_) => {}
        // The next request is here already: the reply decides.
        Ok(_) => std::future::pending().await,
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
