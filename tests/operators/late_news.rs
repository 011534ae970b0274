//! A wire between an operator and the API server on which news comes late: requests are answered at once,
//! but what a watch reports is held back for a while, as it is on a busy day.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// What the API server sends this long after the last request on a connection is no answer to it.
const UNASKED: Duration = Duration::from_millis(100);

/// Starts such a wire to the server at `host:port`; its own address. It ends with the test process.
pub fn wire(server: &str, late: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = server.to_owned();
    spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(&server) else {
                continue;
            };
            let asked = Arc::new(Mutex::new(Instant::now()));
            let (upstream, downstream) = (
                (client.try_clone().unwrap(), server.try_clone().unwrap()),
                (server, client),
            );
            let last = asked.clone();
            spawn(move || pass(upstream, || *last.lock().unwrap() = Instant::now()));
            spawn(move || {
                pass(downstream, || {
                    if asked.lock().unwrap().elapsed() > UNASKED {
                        sleep(late);
                    }
                });
            });
        }
    });
    address
}

/// Passes on what comes, each time after `before`, until one end is closed.
fn pass((mut from, mut to): (TcpStream, TcpStream), before: impl Fn()) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        before();
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}
