//! What the operator asks of the API server, by the audit log of a cluster on this machine.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::PathBuf;

use k8s_openapi::jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request and its answer.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Call {
    /// `patch`.
    pub verb: String,
    /// Its API group; empty for the core group.
    pub group: String,
    /// `deployments`, `pods/log`.
    pub resource: String,
    /// Where the object is.
    pub namespace: String,
    /// Its name; empty for many.
    pub name: String,
    /// The status of the answer.
    pub code: u16,
    /// How long it took, in microseconds.
    pub took: u64,
    /// Why it was refused.
    pub message: String,
}

impl Call {
    /// A request of `user` in a line of the audit log, and when it came; watches, which never end, are none.
    fn read(line: &str, user: &str) -> Option<(u64, Self)> {
        let event: Value = serde_json::from_str(line).ok()?;
        let word = |path: &str| {
            let value = event.pointer(path).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        let micros = |path: &str| {
            let at: Timestamp = word(path).parse().ok()?;
            u64::try_from(at.as_microsecond()).ok()
        };
        if word("/user/username") != user || event["stage"] != "ResponseComplete" {
            return None;
        }
        let (verb, code) = (word("/verb"), event.pointer("/responseStatus/code"));
        let code = code.and_then(Value::as_u64).unwrap_or_default();
        if verb == "watch" && code < 400 {
            return None;
        }
        let mut resource = word("/objectRef/resource");
        let subresource = word("/objectRef/subresource");
        if !subresource.is_empty() {
            resource = format!("{resource}/{subresource}");
        }
        let at = micros("/requestReceivedTimestamp")?;
        let call = Self {
            verb,
            group: word("/objectRef/apiGroup"),
            resource,
            namespace: word("/objectRef/namespace"),
            name: word("/objectRef/name"),
            code: u16::try_from(code).unwrap_or_default(),
            took: micros("/stageTimestamp")?.saturating_sub(at),
            message: word("/responseStatus/message"),
        };
        Some((at, call))
    }

    /// Whether it changes something.
    pub fn writes(&self) -> bool {
        !matches!(self.verb.as_str(), "get" | "list" | "watch")
    }
}

/// The end of an audit log, as it grows.
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    user: String,
    from: u64,
}

impl Tail {
    /// What `user` asks from now on.
    pub fn new(path: PathBuf, user: String) -> Self {
        let from = path.metadata().map_or(0, |metadata| metadata.len());
        Self { path, user, from }
    }

    /// What came since the last look. There is nothing in a log that cannot be read.
    pub fn look(&mut self) -> Vec<(u64, Call)> {
        let length = self.path.metadata().map_or(0, |metadata| metadata.len());
        if length <= self.from {
            return Vec::new();
        }
        let Ok(mut file) = File::open(&self.path) else {
            return Vec::new();
        };
        if file.seek(SeekFrom::Start(self.from)).is_err() {
            return Vec::new();
        }
        let (mut reader, mut calls, mut line) = (BufReader::new(file), Vec::new(), Vec::new());
        // The last line may be half written: it is read the next time.
        while reader.read_until(b'\n', &mut line).is_ok() && line.last() == Some(&b'\n') {
            self.from += line.len() as u64;
            calls.extend(Call::read(&String::from_utf8_lossy(&line), &self.user));
            line.clear();
        }
        calls
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn event(user: &str, verb: &str, code: u16) -> String {
        format!(
            r#"{{"stage":"ResponseComplete","verb":"{verb}","user":{{"username":"{user}"}},"objectRef":{{"apiGroup":"apps","resource":"deployments","namespace":"ns","name":"a","subresource":"status"}},"responseStatus":{{"code":{code},"message":"m"}},"requestReceivedTimestamp":"2026-01-02T03:04:05.000006Z","stageTimestamp":"2026-01-02T03:04:05.100006Z"}}"#
        )
    }

    #[test]
    fn a_log_is_followed_line_by_line_and_others_are_left_out() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "{}", event("me", "patch", 200)).unwrap();
        let mut tail = Tail::new(file.path().to_owned(), "me".into());
        assert_eq!(tail.look(), [], "that was before");
        let half = event("me", "patch", 403);
        write!(
            file,
            "{}\n{}\n{}",
            event("you", "patch", 200),
            event("me", "watch", 200),
            &half[..40]
        )
        .unwrap();
        assert_eq!(tail.look(), []);
        writeln!(file, "{}", &half[40..]).unwrap();
        let found = tail.look();
        let [(at, call)] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!((*at, call.took), (1_767_323_045_000_006, 100_000));
        assert_eq!(
            (call.resource.as_str(), call.code),
            ("deployments/status", 403)
        );
        assert!(call.writes());
    }
}
