//! The replicas that share the objects. All of them renew one Lease, and each signs it in an
//! annotation.
//!
//! They hold that Lease together, under the flags that they must agree on. A replica with other
//! flags, or without sharding, is a standby until the last of them is gone, as next to a leader.
//!
//! A replica that has not signed for the lease duration is dead: it renews this Lease with each
//! signature and cannot write without it, so it has stopped writing before.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::hash::HashMap;

/// The annotation that contains the signatures.
const REPLICAS: &str = "rustop.dev/replicas";

/// The live replicas, by holder identity, each with the shards that it holds.
pub(crate) type Replicas = BTreeMap<String, BTreeSet<u32>>;

/// The live replicas, as this replica has read them from the Lease.
pub(crate) struct Roster {
    /// The identity of this replica.
    me: String,
    /// A replica that has not signed for longer is dead.
    term: Duration,
    state: Mutex<RosterState>,
    /// The live replicas as of this replica's last signature.
    replicas: watch::Sender<Replicas>,
}

#[derive(Default)]
struct RosterState {
    /// The time before the last request for the Lease.
    requested_at: Option<Instant>,
    /// The shards that this replica holds.
    holds: BTreeSet<u32>,
    /// The last signature of each replica, and the time when it was first seen.
    seen: HashMap<String, (u64, Instant)>,
}

#[derive(Default, Deserialize, Serialize)]
struct Signature {
    /// A counter, increased with each signature.
    beat: u64,
    /// The shards that the replica holds.
    holds: BTreeSet<u32>,
}

type Signatures = BTreeMap<String, Signature>;

impl Roster {
    /// Creates an empty roster. `me` is the identity of this replica, and `term` the lease
    /// duration.
    pub fn new(me: &str, term: Duration) -> Self {
        Self {
            me: me.to_owned(),
            term,
            state: Mutex::default(),
            replicas: watch::Sender::default(),
        }
    }

    /// Sets the shards of this replica's next signatures.
    pub fn holds(&self, shards: BTreeSet<u32>) {
        self.state.lock().holds = shards;
    }

    /// Writes this replica's signature into the annotation of the Lease's metadata, and removes
    /// those of dead replicas. The Lease was requested at `requested_at`, and the response arrived
    /// at `now`.
    pub fn sign(&self, meta: &mut ObjectMeta, requested_at: Instant, now: Instant) {
        let mut signatures = signatures(meta);
        let mut state = self.state.lock();
        state.requested_at = Some(requested_at);
        state.seen.retain(|who, _| signatures.contains_key(who));
        for (who, signature) in &signatures {
            let seen = state.seen.entry(who.clone()).or_insert((0, now));
            if seen.0 != signature.beat {
                *seen = (signature.beat, now);
            }
        }
        let is_dead = |who: &String| {
            let seen = state.seen.get(who);
            seen.is_some_and(|(_, since)| now.saturating_duration_since(*since) > self.term)
        };
        signatures.retain(|who, _| *who == self.me || !is_dead(who));
        let mine = signatures.entry(self.me.clone()).or_default();
        mine.beat += 1;
        mine.holds.clone_from(&state.holds);
        write(meta, &signatures);
        let holds = |(who, signature): (String, Signature)| (who, signature.holds);
        self.set_replicas(signatures.into_iter().map(holds).collect());
    }

    /// Removes this replica's signature from the annotation. Returns false if no other signature
    /// remains.
    pub fn leave(&self, meta: &mut ObjectMeta) -> bool {
        let mut signatures = signatures(meta);
        signatures.remove(&self.me);
        write(meta, &signatures);
        !signatures.is_empty()
    }

    /// Returns true if `who`, which had signed before `since`, is no longer on the roster,
    /// according to a Lease that was requested after `since`.
    pub fn lacks(&self, who: &str, since: Instant) -> bool {
        self.state.lock().requested_at > Some(since) && !self.replicas.borrow().contains_key(who)
    }

    /// Returns the live replicas as of the last signature, and notifies about changes.
    pub fn replicas(&self) -> watch::Receiver<Replicas> {
        self.replicas.subscribe()
    }

    /// Sets the live replicas, and notifies the receivers if they differ.
    fn set_replicas(&self, replicas: Replicas) {
        self.replicas.send_if_modified(|known| {
            let differs = *known != replicas;
            *known = replicas;
            differs
        });
    }
}

/// Returns the signatures of a Lease; empty if they cannot be parsed. Then the annotation was not
/// written by a replica, and the live ones sign again.
fn signatures(meta: &ObjectMeta) -> Signatures {
    let annotations = meta.annotations.as_ref();
    let text = annotations.and_then(|all| all.get(REPLICAS));
    let read = text.and_then(|text| serde_json::from_str(text).ok());
    read.unwrap_or_default()
}

fn write(meta: &mut ObjectMeta, signatures: &Signatures) {
    // Names and numbers can always be serialized.
    let text = serde_json::to_string(signatures).unwrap_or_default();
    let annotations = meta.annotations.get_or_insert_default();
    annotations.insert(REPLICAS.to_owned(), text);
}
