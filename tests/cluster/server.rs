//! A server of releases that can be as broken as they come.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256, Sha512};
use tar::{EntryType, Header};

/// The way in which a file is served.
#[derive(Clone)]
pub enum File {
    Whole(Vec<u8>),
    /// The length of all of it, then half of it, then the end.
    Half(Vec<u8>),
    /// Half of it, then silence.
    Stalled(Vec<u8>),
}

/// Serves files on a port of its own until the test ends.
#[derive(Clone)]
pub struct Server {
    pub url: String,
    files: Arc<Mutex<BTreeMap<String, File>>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            url: format!("http://{}", listener.local_addr().unwrap()),
            files: Arc::default(),
            requests: Arc::default(),
        };
        let copy = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = copy.clone();
                thread::spawn(move || server.answer(stream));
            }
        });
        server
    }

    pub fn put(&self, path: &str, file: File) {
        self.files.lock().unwrap().insert(path.into(), file);
    }

    pub fn remove(&self, path: &str) {
        self.files.lock().unwrap().remove(path);
    }

    pub fn requests(&self, path: &str) -> usize {
        let requests = self.requests.lock().unwrap();
        requests.iter().filter(|request| *request == path).count()
    }

    /// An index with one release that has `archive` for `platform`.
    pub fn put_release(&self, version: &str, platform: &str, archive: &[u8]) {
        let name = format!("envtest-v{version}-{platform}.tar.gz");
        let hash = hex(&Sha512::digest(archive));
        let index = format!(
            "releases:\n  v{version}:\n    {name}:\n      hash: {hash}\n      selfLink: {}/{name}\n",
            self.url
        );
        self.put("/index.yaml", File::Whole(index.into_bytes()));
        self.put(&format!("/{name}"), File::Whole(archive.to_vec()));
    }

    /// A program of the release site with its checksum.
    pub fn put_program(&self, path: &str, text: &[u8]) {
        self.put(path, File::Whole(text.to_vec()));
        let sum = hex(&Sha256::digest(text));
        self.put(&format!("{path}.sha256"), File::Whole(sum.into_bytes()));
    }

    fn answer(&self, mut stream: TcpStream) {
        let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
        let first = lines.next().unwrap_or_default();
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        for line in lines {
            if line.is_empty() {
                break;
            }
        }
        self.requests.lock().unwrap().push(path.clone());
        let file = self.files.lock().unwrap().get(&path).cloned();
        let head = |status: &str, length: usize| {
            format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n")
        };
        // The client may be gone: that is its test.
        let _ = match file {
            None => stream.write_all(head("404 Not Found", 0).as_bytes()),
            Some(File::Whole(bytes)) => stream
                .write_all(head("200 OK", bytes.len()).as_bytes())
                .and_then(|()| stream.write_all(&bytes)),
            Some(File::Half(bytes)) => stream
                .write_all(head("200 OK", bytes.len()).as_bytes())
                .and_then(|()| stream.write_all(&bytes[..bytes.len() / 2])),
            Some(File::Stalled(bytes)) => {
                let _ = stream.write_all(head("200 OK", bytes.len()).as_bytes());
                let _ = stream.write_all(&bytes[..bytes.len() / 2]);
                thread::sleep(Duration::from_secs(60));
                Ok(())
            }
        };
    }
}

/// An entry of an archive.
pub enum Entry {
    File(&'static str, Vec<u8>),
    Link(&'static str, &'static str),
}

/// A gzipped tar archive of exactly these entries, however bad their paths are.
pub fn archive(entries: &[Entry]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for entry in entries {
        let mut header = Header::new_ustar();
        header.set_mode(0o755);
        let (path, bytes): (_, &[u8]) = match entry {
            Entry::File(path, bytes) => {
                header.set_entry_type(EntryType::Regular);
                (path, bytes)
            }
            Entry::Link(path, target) => {
                header.set_entry_type(EntryType::Symlink);
                header.set_link_name(target).unwrap();
                (path, &[])
            }
        };
        // `set_path` refuses what this is about.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        builder.append(&header, bytes).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

/// A program that says its name, and is too long for one packet.
pub fn program(name: &str) -> Vec<u8> {
    format!("#!/bin/sh\necho {name}\n#{}\n", "x".repeat(200_000)).into_bytes()
}

/// Returns the files of an envtest release.
pub fn envtest() -> Vec<Entry> {
    vec![
        Entry::File("controller-tools/envtest/etcd", program("etcd")),
        Entry::File(
            "controller-tools/envtest/kube-apiserver",
            program("kube-apiserver"),
        ),
        Entry::File("controller-tools/envtest/kubectl", program("kubectl")),
    ]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}
