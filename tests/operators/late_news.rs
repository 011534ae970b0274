//! A proxy of an API server that delays watch events: requests are answered at once, but the events
//! of a watch arrive late, as on a busy machine.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// Starts such a wire to the server at `host:port`, which speaks plain HTTP and answers one request on each
/// connection; its own address. It ends with the test process.
pub fn wire(server: &str, late: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = server.to_owned();
    spawn(move || {
        for client in listener.incoming().flatten() {
            if let Ok(server) = TcpStream::connect(&server) {
                spawn(move || carry(client, server, late));
            }
        }
    });
    address
}

/// Forwards one request and its response. Delays each piece of a watch by `late`, independently of
/// the pieces before it.
fn carry(mut client: TcpStream, mut server: TcpStream, late: Duration) {
    let mut buffer = vec![0; 1 << 16];
    let Ok(length @ 1..) = client.read(&mut buffer) else {
        return;
    };
    let first = String::from_utf8_lossy(&buffer[..length]);
    let line = first.lines().next().unwrap_or_default();
    let late = line.contains("watch=true").then_some(late);
    if server.write_all(&buffer[..length]).is_err() {
        return;
    }
    let (from_client, to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    spawn(move || pass(from_client, to_server, Duration::ZERO));
    pass(server, client, late.unwrap_or_default());
}

/// Passes on what comes, each piece that much later, until one end is closed.
fn pass(mut from: TcpStream, to: TcpStream, late: Duration) {
    let (pieces, arrived) = channel();
    let writer = spawn(move || write(to, &arrived));
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let due = Instant::now() + late;
        if pieces.send((due, buffer[..length].to_vec())).is_err() {
            break;
        }
    }
    drop(pieces);
    let _ = writer.join();
    let _ = from.shutdown(Shutdown::Both);
}

fn write(mut to: TcpStream, arrived: &Receiver<(Instant, Vec<u8>)>) {
    for (due, piece) in arrived {
        sleep(due.saturating_duration_since(Instant::now()));
        if to.write_all(&piece).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
