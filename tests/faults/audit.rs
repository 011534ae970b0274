//! The sequence of leaders, according to the audit log.

use std::fs;
use std::path::Path;

pub use crate::support::audit::Entry;
use crate::support::audit::entries;

pub fn is_write(entry: &Entry) -> bool {
    let asks = entry.resource.ends_with("reviews");
    !asks && ["create", "update", "patch", "delete"].contains(&entry.verb.as_str())
}

pub fn succeeded(entry: &Entry) -> bool {
    (200..300).contains(&entry.code)
}

/// The requests of service accounts in `namespace`, in the order in which they came in.
pub fn read(log: &Path, namespace: &str) -> Vec<Entry> {
    let text = fs::read_to_string(log).unwrap_or_default();
    let mut entries = entries(&text, &format!("system:serviceaccount:{namespace}:"));
    entries.retain(|entry| entry.stage == "ResponseComplete");
    entries
}

/// Asserts that each write comes from the replica that last wrote the Lease.
pub fn assert_one_leader_at_a_time(entries: &[Entry]) {
    let mut holder = None;
    let mut writes = 0;
    for entry in entries.iter().filter(|entry| is_write(entry)) {
        if entry.resource == "leases" {
            if succeeded(entry) {
                holder = Some(entry.who());
            }
        } else {
            writes += 1;
            assert_eq!(Some(entry.who()), holder, "{entry:?} in {entries:#?}");
        }
    }
    assert!(writes > 0, "nobody wrote anything");
}

/// Now, as the API server would write it down.
pub fn now() -> String {
    format!("{:.6}", k8s_openapi::jiff::Timestamp::now())
}
