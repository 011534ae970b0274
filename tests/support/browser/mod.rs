//! A browser without a window: Chromium, spoken to over a pipe in the words of Chrome's `DevTools`
//! protocol. It ends when the pipe does, however the test ends.

#![allow(dead_code, reason = "no test binary uses all of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

mod tab;

pub use tab::Tab;

/// Upper bound for whatever is waited for.
pub const LONG: Duration = Duration::from_secs(120);
const INSTALL: &str = "apt-get update && apt-get install --yes --no-install-recommends chromium";
/// The names of Chromium's program.
const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];
const ARGUMENTS: [&str; 11] = [
    "--remote-debugging-pipe",
    "--headless=new",
    // Tests run as root in CI, and what they open is rustop's own.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
];

/// The browser that tests which run at the same time share. It ends with the last of them.
pub struct Browser {
    child: Child,
    pipe: Mutex<Pipe>,
    _profile: TempDir,
}

struct Pipe {
    to: ChildStdin,
    from: Receiver<Value>,
    last: u64,
    /// The events of each tab.
    events: BTreeMap<String, Vec<Value>>,
}

impl Browser {
    pub fn shared() -> Arc<Self> {
        static ONE: Mutex<Weak<Browser>> = Mutex::new(Weak::new());
        let mut one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        one.upgrade().unwrap_or_else(|| {
            let browser = Arc::new(Self::start());
            *one = Arc::downgrade(&browser);
            browser
        })
    }

    fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        // It reads from its third descriptor, and writes to its fourth.
        let script = "exec \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null";
        let mut child = Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(program())
            .args(ARGUMENTS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .env("TZ", "UTC")
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (to, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, from) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(answers).split(0) {
                let Ok(message) = message else { return };
                let value = serde_json::from_slice(&message).expect("the browser speaks JSON");
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        let pipe = Pipe {
            to,
            from,
            last: 0,
            events: BTreeMap::new(),
        };
        Self {
            child,
            pipe: Mutex::new(pipe),
            _profile: profile,
        }
    }

    fn pipe(&self) -> MutexGuard<'_, Pipe> {
        self.pipe.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks it for something, in a tab or as a whole.
    pub fn call(&self, tab: Option<&str>, method: &str, parameters: &Value) -> Value {
        self.pipe().call(tab, method, parameters)
    }

    /// Returns the events of a tab since it was opened.
    pub fn events(&self, tab: &str) -> Vec<Value> {
        let mut pipe = self.pipe();
        while let Ok(event) = pipe.from.try_recv() {
            pipe.keep(event);
        }
        pipe.events.get(tab).cloned().unwrap_or_default()
    }
}

impl Pipe {
    fn call(&mut self, tab: Option<&str>, method: &str, parameters: &Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(tab) = tab {
            message["sessionId"] = tab.into();
        }
        let sent = self.to.write_all(format!("{message}\0").as_bytes());
        sent.expect("the browser is there");
        let deadline = Instant::now() + LONG;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let answer = self.from.recv_timeout(left);
            let answer = answer.unwrap_or_else(|error| panic!("{method}: {error}"));
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.keep(answer);
        }
    }

    fn keep(&mut self, event: Value) {
        if let Some(tab) = event["sessionId"].as_str() {
            self.events.entry(tab.to_owned()).or_default().push(event);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // All processes end with the pipe, before the profile is removed.
        self.call(None, "Browser.close", &json!({}));
        let _ = self.child.wait();
    }
}

/// Returns the browser's program. Installs it if it is missing; panics with the command if that
/// fails.
fn program() -> PathBuf {
    let find = || {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut all = NAMES.iter().flat_map(|name| {
            let dirs = std::env::split_paths(&path).collect::<Vec<_>>();
            dirs.into_iter().map(move |dir| dir.join(name))
        });
        all.find(|program| program.is_file())
    };
    find().unwrap_or_else(|| {
        // Two test binaries may install it at the same time, so they take a lock.
        let lock = fs::File::create(std::env::temp_dir().join("rustop-chromium.lock")).unwrap();
        lock.lock().unwrap();
        if find().is_none() {
            crate::support::progress("installs Chromium");
            let mut shell = Command::new("sh");
            let _ = shell
                .args(["-c", INSTALL])
                .env("DEBIAN_FRONTEND", "noninteractive")
                .output();
        }
        find().unwrap_or_else(|| panic!("these tests need a browser: `{INSTALL}`"))
    })
}
