//! Tests that slow, idle or malicious clients do not affect other clients.

use std::{io::ErrorKind, net::SocketAddr, time::Instant};

use super::*;

const LIMITS: Limits = Limits {
    connections: 4,
    first: Duration::from_millis(200),
    silence: Duration::from_millis(400),
};
/// Limits that no test waits for. A test fails if a client has to wait for one of them, also on a
/// busy machine.
const PATIENT: Limits = Limits {
    connections: 4,
    first: Duration::from_secs(30),
    silence: Duration::from_secs(30),
};
const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const SLOW: &[u8] = b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n";

/// Starts a server that responds to `/slow` after 300 ms and to other requests at once.
async fn server(limits: Limits) -> (SocketAddr, CancellationToken, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
    let answer = |request: Request<Incoming>| async move {
        if request.uri().path() == "/slow" {
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        text(http::StatusCode::OK, "moo".to_owned())
    };
    let in_the_clear = |connection| async { Some::<TcpStream>(connection) };
    let serving = serve(listener, limits, stop.clone(), in_the_clear, answer);
    (address, stop, tokio::spawn(serving))
}

async fn connect(address: SocketAddr, first: &[u8]) -> TcpStream {
    let stream = TcpStream::connect(address).await.unwrap();
    stream.writable().await.unwrap();
    if !first.is_empty() {
        assert_eq!(stream.try_write(first).unwrap(), first.len());
    }
    stream
}

/// Returns the next bytes. Empty after the server has closed the connection.
async fn next(stream: &TcpStream) -> Vec<u8> {
    let mut bytes = vec![0; 1024];
    loop {
        stream.readable().await.unwrap();
        match stream.try_read(&mut bytes) {
            Ok(length) => return bytes[..length].to_vec(),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => return Vec::new(),
        }
    }
}

/// Returns all bytes until the server closes the connection.
async fn rest(stream: TcpStream) -> String {
    let mut all = Vec::new();
    loop {
        match next(&stream).await {
            end if end.is_empty() => return String::from_utf8_lossy(&all).into_owned(),
            bytes => all.extend(bytes),
        }
    }
}

#[tokio::test]
async fn silent_and_incomplete_connections_are_closed() {
    let (address, ..) = server(LIMITS).await;
    let start = Instant::now();
    for half in [&b""[..], b"GET / HT", b"POST / HTTP/1.1\r\nHost: x\r\nX: "] {
        assert_eq!(rest(connect(address, half).await).await, "");
    }
    assert!(start.elapsed() >= LIMITS.first, "{:?}", start.elapsed());
    let asked = connect(address, GET).await;
    assert!(rest(asked).await.contains("moo"), "and then cut off, too");
}

#[tokio::test]
async fn slow_clients_do_not_block_others() {
    let (address, ..) = server(PATIENT).await;
    let mut crowd = Vec::new();
    for _ in 0..2 * PATIENT.connections {
        crowd.push(connect(address, b"GET / HTTP/1.1\r\nHost:").await);
    }
    let start = Instant::now();
    assert!(!next(&connect(address, GET).await).await.is_empty());
    assert!(start.elapsed() < PATIENT.first, "{:?}", start.elapsed());
}

#[tokio::test]
async fn idle_connections_are_closed_for_new_ones() {
    let (address, ..) = server(PATIENT).await;
    let mut crowd = Vec::new();
    for _ in 0..3 * PATIENT.connections {
        let start = Instant::now();
        let asked = connect(address, GET).await;
        assert!(!next(&asked).await.is_empty());
        assert!(start.elapsed() < PATIENT.silence, "it had to wait");
        crowd.push(asked);
    }
    assert!(next(&crowd[0]).await.is_empty(), "the first had to go");
    let last = crowd.pop().unwrap();
    assert_eq!(last.try_write(GET).unwrap(), GET.len());
    assert!(!next(&last).await.is_empty(), "and the last may stay");
}

#[tokio::test]
async fn connections_that_sent_requests_are_closed_last() {
    let (address, ..) = server(PATIENT).await;
    let good = connect(address, GET).await;
    assert!(!next(&good).await.is_empty());
    let mut crowd = Vec::new();
    for half in [
        &b""[..],
        b"GET / HT",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n",
    ] {
        for _ in 0..PATIENT.connections {
            crowd.push(connect(address, half).await);
        }
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(good.try_write(GET).unwrap(), GET.len());
    assert!(!next(&good).await.is_empty());
}

#[tokio::test]
async fn busy_connections_are_not_closed() {
    let (address, ..) = server(LIMITS).await;
    let mut busy = Vec::new();
    for _ in 0..LIMITS.connections {
        busy.push(connect(address, SLOW).await);
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    let more = connect(address, GET).await;
    for busy in busy {
        assert!(!next(&busy).await.is_empty());
    }
    assert!(!next(&more).await.is_empty());
}

#[tokio::test]
async fn endless_headers_are_rejected() {
    let (address, ..) = server(LIMITS).await;
    let stream = connect(address, b"GET / HTTP/1.1\r\nHost: x\r\n").await;
    let header = [b"X: ", &[b'x'; 1000][..], b"\r\n"].concat();
    let mut sent = 0;
    while sent < 64 * LONGEST_HEAD {
        tokio::task::yield_now().await;
        match stream.try_write(&header) {
            Ok(length) => sent += length,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
    panic!("{sent} bytes were taken");
}

#[tokio::test]
async fn http_2_is_rejected() {
    let (address, ..) = server(LIMITS).await;
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    let answer = rest(connect(address, preface).await).await;
    assert!(!answer.contains("200 OK"), "{answer}");
}

#[tokio::test]
async fn a_stop_finishes_responses_and_accepts_no_connections() {
    let (address, stop, serving) = server(LIMITS).await;
    let idle = connect(address, GET).await;
    assert!(!next(&idle).await.is_empty());
    let slow = tokio::spawn(rest(connect(address, SLOW).await));
    tokio::time::sleep(Duration::from_millis(50)).await;
    stop.cancel();
    assert!(slow.await.unwrap().contains("moo"));
    serving.await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}
