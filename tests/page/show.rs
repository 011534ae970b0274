//! `rustop show` of a recording that grows.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::browser::{LONG, Tab};
use crate::support::{Sandbox, kill, until};

pub struct Show {
    pub address: String,
    sandbox: Sandbox,
    child: Child,
}

impl Show {
    /// Shows a recording with these updates.
    pub fn begin(updates: &[Value]) -> Self {
        let sandbox = Sandbox::new();
        append(&sandbox, updates);
        let (child, address) = start(&sandbox);
        Self {
            address,
            sandbox,
            child,
        }
    }

    /// Appends updates to the recording.
    pub fn send(&self, updates: &[Value]) {
        append(&self.sandbox, updates);
    }

    /// Opens a tab with the whole page.
    pub fn tab(&self) -> Tab {
        let tab = Tab::open(&self.address);
        tab.says("#connection", &["connected"]);
        tab
    }

    pub fn end(&mut self) {
        kill(self.child.id(), Signal::KILL);
        self.child.wait().unwrap();
    }

    /// Starts the server again with the same recording.
    pub fn again(&mut self) {
        (self.child, self.address) = start(&self.sandbox);
    }

    /// Returns the process id of the server.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Show {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn recording(sandbox: &Sandbox) -> PathBuf {
    sandbox.path().join("run.jsonl")
}

fn append(sandbox: &Sandbox, updates: &[Value]) {
    let file = File::options()
        .append(true)
        .create(true)
        .open(recording(sandbox));
    let mut lines = Vec::new();
    for one in updates {
        writeln!(lines, "{one}").unwrap();
    }
    file.unwrap().write_all(&lines).unwrap();
}

fn start(sandbox: &Sandbox) -> (Child, String) {
    let log = sandbox.path().join("log");
    let mut command = sandbox.rustop("show run.jsonl");
    let child = command
        .stdout(Stdio::null())
        .stderr(File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let said = || fs::read_to_string(&log).unwrap();
    until("it is shown", LONG, || said().contains("Ctrl-C stops"));
    let said = said();
    let (_, rest) = said.split_once("Page ").unwrap();
    (child, rest.lines().next().unwrap().trim().to_owned())
}
