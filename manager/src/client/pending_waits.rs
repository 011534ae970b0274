//! Records what reconciles wait for, to report it for one that does not return.

use std::{collections::BTreeMap, sync::Arc};

use http::{Method, Uri};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::client::requests::OnResponse;

/// The operations that a reconcile waits for: description and start, by number, in the order in
/// which they began. Clones share the same list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waits(Arc<Mutex<BTreeMap<u64, (String, Instant)>>>);

tokio::task_local! {
    /// The operations of the current reconcile. Set for the task of a reconcile.
    pub(crate) static WAITS: Waits;
}

impl Waits {
    /// Records that the reconcile waits for `what`, for example `GET /api/v1/pods`, until the
    /// returned value is dropped.
    pub fn begin(&self, what: String) -> Wait {
        let mut waits = self.0.lock();
        let number = waits.last_key_value().map_or(0, |(last, _)| last + 1);
        waits.insert(number, (what, Instant::now()));
        Wait(self.clone(), number)
    }

    /// Returns all operations as a suffix for a log message, each with the time waited so far, for
    /// example `; waiting for GET /api/v1/pods for 12 s`. Empty if there are none.
    pub fn describe(&self, now: Instant) -> String {
        let waits = self.0.lock();
        let descriptions = waits.values().map(|(what, since)| {
            let seconds = now.saturating_duration_since(*since).as_secs();
            format!("; waiting for {what} for {seconds} s")
        });
        descriptions.collect()
    }
}

/// An operation that is waited for until this is dropped.
pub(crate) struct Wait(Waits, u64);

impl Drop for Wait {
    fn drop(&mut self) {
        self.0.0.lock().remove(&self.1);
    }
}

/// Records a request of the current reconcile, if there is one, until the returned hook is called
/// or dropped.
pub(crate) fn begin_request(method: &Method, uri: &Uri) -> OnResponse {
    let begin = |waits: &Waits| waits.begin(format!("{method} {}", uri.path()));
    let wait = WAITS.try_with(begin).ok();
    Box::new(move |_| drop(wait))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn running_waits_are_named() {
        let (waits, start) = (Waits::default(), Instant::now());
        let first = waits.begin("GET /a".to_owned());
        let second = waits.begin("the registrar".to_owned());
        drop(first);
        let text = waits.describe(start + Duration::from_secs(31));
        assert_eq!(text, "; waiting for the registrar for 30 s");
        drop(second);
        assert_eq!(waits.describe(start), "");
    }
}
