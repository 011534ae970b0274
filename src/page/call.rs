//! The operator's requests to the API server, read from the audit log of a local cluster.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::PathBuf;

use k8s_openapi::jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request to the API server and its response.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Call {
    /// For example `patch`.
    pub verb: String,
    /// The API group; empty for the core group, and for paths outside of the API.
    pub group: String,
    /// The resource with its subresource: `deployments`, `pods/log`.
    pub resource: String,
    /// The namespace of the request; empty for cluster-scoped objects and requests for all
    /// namespaces.
    pub namespace: String,
    /// The object's name; empty if the request is for a collection.
    pub name: String,
    /// The HTTP status code of the response; 0 if the log has none.
    pub code: u16,
    /// Duration in microseconds.
    pub took: u64,
    /// The message in the response status, for example why the request was refused.
    pub message: String,
}

impl Call {
    /// Parses a line of the audit log. Returns the time of the request, in microseconds since 1970,
    /// and the request. Returns `None` for requests of other users, and for successful watches,
    /// which last until the client leaves.
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

    /// Returns the plural of the resource, without a subresource.
    pub fn plural(&self) -> &str {
        self.resource.split('/').next().unwrap_or_default()
    }

    /// Returns true unless the request only reads.
    pub fn writes(&self) -> bool {
        !matches!(self.verb.as_str(), "get" | "list" | "watch")
    }

    /// Returns true for a write that the API server accepted, so that its object existed.
    pub fn has_written(&self) -> bool {
        self.writes() && self.code < 400
    }
}

/// A reader that follows a growing audit log.
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    user: String,
    from: u64,
}

impl Tail {
    /// Follows the requests of `user`, starting at the current end of the log.
    pub fn new(path: PathBuf, user: String) -> Self {
        let from = path.metadata().map_or(0, |metadata| metadata.len());
        Self { path, user, from }
    }

    /// Returns the requests logged since the last call, each with its time in microseconds since
    /// 1970; empty if the log cannot be read.
    pub fn poll(&mut self) -> Vec<(u64, Call)> {
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
        // The last line may be incomplete: it stays in the file for the next call.
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
        assert_eq!(tail.poll(), [], "that was before");
        let half = event("me", "patch", 403);
        write!(
            file,
            "{}\n{}\n{}",
            event("you", "patch", 200),
            event("me", "watch", 200),
            &half[..40]
        )
        .unwrap();
        assert_eq!(tail.poll(), []);
        writeln!(file, "{}", &half[40..]).unwrap();
        let found = tail.poll();
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
