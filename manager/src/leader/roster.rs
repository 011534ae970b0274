//! The replicas that share the objects: all of them renew one Lease, and each signs in on it.
//!
//! They hold that Lease together, in the name of what they have to agree on. So one that divides the objects in another
//! way, or not at all, stands by until the last of them is gone, as it would for a leader.
//!
//! Who has not signed for as long as a Lease holds is dead: it renews this Lease with each signature and writes
//! nothing without it, so it has stopped writing before.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// The annotation with the signatures.
const REPLICAS: &str = "rustop.dev/replicas";

/// Who lives, each with the shards that it holds.
pub(crate) type Replicas = BTreeMap<String, BTreeSet<u32>>;

pub(crate) struct Roster {
    /// Who signs.
    me: String,
    /// Whoever is silent for longer is dead.
    term: Duration,
    state: Mutex<State>,
    replicas: watch::Sender<Replicas>,
}

#[derive(Default)]
struct State {
    /// Before the Lease was read last.
    asked: Option<Instant>,
    holds: BTreeSet<u32>,
    /// The last signature of each, and when it was seen first.
    seen: HashMap<String, (u64, Instant)>,
}

#[derive(Default, Deserialize, Serialize)]
struct Signature {
    /// Another one with each signature.
    beat: u64,
    holds: BTreeSet<u32>,
}

type Signatures = BTreeMap<String, Signature>;

impl Roster {
    pub fn new(me: &str, term: Duration) -> Self {
        Self {
            me: me.to_owned(),
            term,
            state: Mutex::default(),
            replicas: watch::Sender::default(),
        }
    }

    /// What it signs for from now on.
    pub fn holds(&self, shards: BTreeSet<u32>) {
        self.state.lock().holds = shards;
    }

    /// Signs in, and strikes out who is dead. The Lease was asked for at `asked`, and read by `now`.
    pub fn sign(&self, meta: &mut ObjectMeta, asked: Instant, now: Instant) {
        let mut signatures = signatures(meta);
        let mut state = self.state.lock();
        state.asked = Some(asked);
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
        self.tell(signatures.into_iter().map(holds).collect());
    }

    /// Strikes itself out. False when nobody is left.
    pub fn leave(&self, meta: &mut ObjectMeta) -> bool {
        let mut signatures = signatures(meta);
        signatures.remove(&self.me);
        write(meta, &signatures);
        !signatures.is_empty()
    }

    /// Whether somebody who had signed before a moment was struck out since.
    pub fn lacks(&self, who: &str, since: Instant) -> bool {
        self.state.lock().asked > Some(since) && !self.replicas.borrow().contains_key(who)
    }

    /// Who lives, as of the last signature, and after each change.
    pub fn replicas(&self) -> watch::Receiver<Replicas> {
        self.replicas.subscribe()
    }

    fn tell(&self, replicas: Replicas) {
        self.replicas.send_if_modified(|known| {
            let differs = *known != replicas;
            *known = replicas;
            differs
        });
    }
}

/// What cannot be read was not written by a replica, and those that live sign again.
fn signatures(meta: &ObjectMeta) -> Signatures {
    let annotations = meta.annotations.as_ref();
    let text = annotations.and_then(|all| all.get(REPLICAS));
    let read = text.and_then(|text| serde_json::from_str(text).ok());
    read.unwrap_or_default()
}

fn write(meta: &mut ObjectMeta, signatures: &Signatures) {
    // names and numbers can be written
    let text = serde_json::to_string(signatures).unwrap_or_default();
    let annotations = meta.annotations.get_or_insert_default();
    annotations.insert(REPLICAS.to_owned(), text);
}
