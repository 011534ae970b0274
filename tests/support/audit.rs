//! The requests in the audit log of an API server.

#![allow(dead_code, reason = "no test binary uses all of it")]

use serde_json::Value;

/// A request, or the start of a long-running one.
#[derive(Clone, Debug)]
pub struct Entry {
    /// `system:serviceaccount:NAMESPACE:NAME`, for example.
    pub user: String,
    pub stage: String,
    pub verb: String,
    /// With the subresource, as in `lolcows/status`.
    pub resource: String,
    pub namespace: String,
    pub name: String,
    /// 0 where there was no answer.
    pub code: u64,
    /// RFC 3339, in microseconds: later is greater.
    pub received: String,
}

/// Those entries of a log whose user begins like that, in the order in which they came in.
pub fn entries(log: &str, user: &str) -> Vec<Entry> {
    let lines = log.lines().filter(|line| line.contains(user));
    // The last line may be half written.
    let events = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut entries: Vec<Entry> = events
        .map(|event| Entry::of(&event))
        .filter(|entry| entry.user.starts_with(user))
        .collect();
    entries.sort_by(|a, b| a.received.cmp(&b.received));
    entries
}

impl Entry {
    fn of(event: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let about = &event["objectRef"];
        let mut resource = text(&about["resource"]);
        if let Some(subresource) = about["subresource"].as_str() {
            resource = format!("{resource}/{subresource}");
        }
        Self {
            user: text(&event["user"]["username"]),
            stage: text(&event["stage"]),
            verb: text(&event["verb"]),
            resource,
            namespace: text(&about["namespace"]),
            name: text(&about["name"]),
            code: event["responseStatus"]["code"].as_u64().unwrap_or_default(),
            received: text(&event["requestReceivedTimestamp"]),
        }
    }

    /// The name of the ServiceAccount.
    pub fn who(&self) -> &str {
        self.user.rsplit(':').next().unwrap_or_default()
    }
}
