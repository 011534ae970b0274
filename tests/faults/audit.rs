//! What the API server wrote down about who asked for what.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// One request of a ServiceAccount.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name of the ServiceAccount: that of the operator.
    pub who: String,
    pub verb: String,
    /// With the subresource, as in `lolcows/status`.
    pub resource: String,
    pub namespace: String,
    pub name: String,
    pub code: u64,
    /// RFC 3339, in microseconds: later is greater.
    pub received: String,
}

impl Entry {
    pub fn is_write(&self) -> bool {
        let asks = self.resource.ends_with("reviews");
        !asks && ["create", "update", "patch", "delete"].contains(&self.verb.as_str())
    }

    pub fn succeeded(&self) -> bool {
        (200..300).contains(&self.code)
    }
}

/// Those of service accounts in `namespace`, in the order in which they came in.
pub fn read(log: &Path, namespace: &str) -> Vec<Entry> {
    let prefix = format!("system:serviceaccount:{namespace}:");
    let text = fs::read_to_string(log).unwrap_or_default();
    // The last line may be half written.
    let lines = text.lines().filter(|line| line.contains(&prefix));
    let events = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut entries: Vec<Entry> = events
        .filter(|event| event["stage"] == "ResponseComplete")
        .filter_map(|event| entry(&event, &prefix))
        .collect();
    entries.sort_by(|a, b| a.received.cmp(&b.received));
    entries
}

fn entry(event: &Value, prefix: &str) -> Option<Entry> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let about = &event["objectRef"];
    let mut resource = text(&about["resource"]);
    if let Some(subresource) = about["subresource"].as_str() {
        resource = format!("{resource}/{subresource}");
    }
    Some(Entry {
        who: event["user"]["username"]
            .as_str()?
            .strip_prefix(prefix)?
            .to_owned(),
        verb: text(&event["verb"]),
        resource,
        namespace: text(&about["namespace"]),
        name: text(&about["name"]),
        code: event["responseStatus"]["code"].as_u64().unwrap_or_default(),
        received: text(&event["requestReceivedTimestamp"]),
    })
}

/// Between two leaders nothing overlaps: whoever writes is the one that last wrote the Lease.
pub fn assert_one_leader_at_a_time(entries: &[Entry]) {
    let mut holder = None;
    let mut writes = 0;
    for entry in entries.iter().filter(|entry| entry.is_write()) {
        if entry.resource == "leases" {
            if entry.succeeded() {
                holder = Some(&entry.who);
            }
        } else {
            writes += 1;
            assert_eq!(Some(&entry.who), holder, "{entry:?} in {entries:#?}");
        }
    }
    assert!(writes > 0, "nobody wrote anything");
}

/// Now, as the API server would write it down.
pub fn now() -> String {
    format!("{:.6}", k8s_openapi::jiff::Timestamp::now())
}
