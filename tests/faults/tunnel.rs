//! A proxy as there are in companies: it connects those who ask with whom they name, and sees no
//! more.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

#[derive(Clone)]
pub struct Tunnel {
    pub url: String,
    /// To whom it was asked to connect, and does: the names mean nothing here.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Tunnel {
    /// Starts a tunnel that forwards every request to `upstream`. It ends with the test.
    pub fn start(upstream: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let tunnel = Self {
            url: format!("http://{}", listener.local_addr().unwrap()),
            asked: Arc::default(),
        };
        let (copy, upstream) = (tunnel.clone(), upstream.to_owned());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (tunnel, upstream) = (copy.clone(), upstream.clone());
                thread::spawn(move || tunnel.serve(&stream, &upstream));
            }
        });
        tunnel
    }

    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn serve(&self, client: &TcpStream, upstream: &str) -> io::Result<()> {
        let mut head = BufReader::new(client).lines();
        let first = head.next().unwrap_or_else(|| Ok(String::new()))?;
        while head
            .next()
            .transpose()?
            .is_some_and(|line| !line.is_empty())
        {}
        self.asked.lock().unwrap().push(first);
        let server = TcpStream::connect(upstream)?;
        (&*client).write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
        let (mut up, mut back) = (server.try_clone()?, client.try_clone()?);
        let (mut from, mut server) = (client.try_clone()?, server);
        thread::spawn(move || io::copy(&mut from, &mut up));
        io::copy(&mut server, &mut back).map(drop)
    }
}
