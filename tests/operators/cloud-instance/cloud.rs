//! A cloud: it bills every machine, is slow, fails when it likes and forgets to answer.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{sleep, spawn};
use std::time::Duration;

use serde_json::{Value, json};

/// Longer than an operator waits for an answer.
const FORGOTTEN: Duration = Duration::from_millis(2500);

/// The behaviour of the cloud.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Mood {
    Good,
    /// Slow, and now and then it fails, before or after it did what it was asked for, or says nothing.
    Bad,
    /// Executes requests and does not respond.
    Silent,
    /// Says nothing, and does what it was asked for when everybody has given up.
    Late,
    /// No money is left.
    Broke,
}

#[derive(Default)]
struct Books {
    /// By token: the machine's id and size.
    machines: BTreeMap<String, (String, String)>,
    released: BTreeSet<String>,
    /// The billed names, which the operator chose.
    bill: Vec<String>,
    asked: usize,
}

/// The cloud; it ends with the test process.
#[derive(Clone)]
pub struct Cloud {
    pub url: String,
    mood: Arc<Mutex<Mood>>,
    books: Arc<Mutex<Books>>,
    working: Arc<AtomicUsize>,
    random: Arc<Mutex<u64>>,
}

impl Cloud {
    pub fn open(seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let cloud = Self {
            url: format!("http://{}", listener.local_addr().unwrap()),
            mood: Arc::new(Mutex::new(Mood::Good)),
            books: Arc::default(),
            working: Arc::default(),
            random: Arc::new(Mutex::new(seed | 1)),
        };
        let door = cloud.clone();
        spawn(move || {
            for caller in listener.incoming().flatten() {
                let cloud = door.clone();
                spawn(move || cloud.serve(&caller));
            }
        });
        cloud
    }

    pub fn is(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// Returns the number of times that each name was billed.
    pub fn bill(&self) -> BTreeMap<String, usize> {
        let mut bill = BTreeMap::new();
        for name in &self.books().bill {
            *bill.entry(name.clone()).or_default() += 1;
        }
        bill
    }

    /// Returns the sizes of the existing machines, by their ids.
    pub fn machines(&self) -> BTreeMap<String, String> {
        self.books().machines.values().cloned().collect()
    }

    /// Returns the number of requests.
    pub fn asked(&self) -> usize {
        self.books().asked
    }

    /// Returns the number of requests in progress, including those whose client no longer waits for
    /// the response.
    pub fn working(&self) -> usize {
        self.working.load(Ordering::SeqCst)
    }

    /// Changes the size of a machine, as a user of the cloud does.
    pub fn meddle(&self, id: &str, size: &str) {
        let mut books = self.books();
        let mut machines = books.machines.values_mut();
        let machine = machines.find(|machine| machine.0 == id).unwrap();
        size.clone_into(&mut machine.1);
    }

    /// A number below `limit`, of a sequence that the seed determines.
    pub fn random(&self, limit: u64) -> u64 {
        let mut state = self.random.lock().unwrap();
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state % limit
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One connection: request after request until the caller hangs up.
    fn serve(&self, caller: &TcpStream) {
        let mut reader = BufReader::new(caller);
        while let Some((verb, path, body)) = request(&mut reader) {
            self.working.fetch_add(1, Ordering::SeqCst);
            self.books().asked += 1;
            let answer = self.answer(&verb, &path, &body);
            self.working.fetch_sub(1, Ordering::SeqCst);
            let Some((status, body)) = answer else {
                sleep(FORGOTTEN);
                return;
            };
            let length = body.len();
            let text = format!("HTTP/1.1 {status} x\r\nContent-Length: {length}\r\n\r\n{body}");
            if (&mut &*caller).write_all(text.as_bytes()).is_err() {
                return;
            }
        }
    }

    /// Status and body; nothing where the answer is forgotten.
    fn answer(&self, verb: &str, path: &str, body: &Value) -> Option<(u16, String)> {
        let mood = *self.mood.lock().unwrap();
        match mood {
            Mood::Good => {}
            Mood::Broke => return Some((402, "your quota is used up".to_owned())),
            Mood::Silent => {
                self.work(verb, path, body);
                return None;
            }
            Mood::Late => {
                sleep(FORGOTTEN);
                self.work(verb, path, body);
                return None;
            }
            Mood::Bad => {
                sleep(Duration::from_millis(self.random(150)));
                match self.random(8) {
                    0 | 1 => return Some((503, "we are having a bad day".to_owned())),
                    2 => {
                        self.work(verb, path, body);
                        return Some((500, "something went wrong at the very end".to_owned()));
                    }
                    3 => {
                        self.work(verb, path, body);
                        return None;
                    }
                    _ => {}
                }
            }
        }
        Some(self.work(verb, path, body))
    }

    /// Executes a request, and returns the response.
    fn work(&self, verb: &str, path: &str, body: &Value) -> (u16, String) {
        let mut books = self.books();
        let word = |field: &str| body[field].as_str().unwrap_or_default().to_owned();
        match (verb, path.rsplit_once('/').unwrap_or_default()) {
            ("POST", ("", "machines")) => {
                let token = word("token");
                if books.released.contains(&token) {
                    return (410, "this token was released".to_owned());
                }
                if !books.machines.contains_key(&token) {
                    books.bill.push(word("name"));
                    let id = format!("machine-{}", books.bill.len());
                    books.machines.insert(token.clone(), (id, word("size")));
                }
                let (id, size) = &books.machines[&token];
                (200, json!({"id": id, "size": size}).to_string())
            }
            ("PATCH", ("/machines", id)) => {
                let mut machines = books.machines.values_mut();
                match machines.find(|machine| machine.0 == id) {
                    Some(machine) => {
                        machine.1 = word("size");
                        (200, String::new())
                    }
                    None => (404, "no such machine".to_owned()),
                }
            }
            ("DELETE", ("/tokens", token)) => {
                books.machines.remove(token);
                books.released.insert(token.to_owned());
                (204, String::new())
            }
            _ => (404, format!("{verb} {path}?")),
        }
    }
}

/// Method, path and body of the next request; nothing when the caller has hung up.
fn request(reader: &mut BufReader<&TcpStream>) -> Option<(String, String, Value)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (verb, path) = (words.next()?, words.next()?);
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let header = header.trim().to_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((
        verb,
        path,
        serde_json::from_slice(&body).unwrap_or_default(),
    ))
}
