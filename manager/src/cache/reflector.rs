//! A reflector: lists objects, then watches them, and keeps a cache up to date.
//!
//! The reflector asks the API server to end each watch after a timeout. The API server usually
//! sends a bookmark before, but this is not guaranteed. In a cluster without changes, the end of
//! the watch is the only reliable sign of life. So a watch that stays open longer without an event
//! is considered dead. The reflector restarts it from its last version, with a short timeout until
//! the first sign of life.
//!
//! After an interruption the reflector resumes only if the API server still has the last known
//! version. A database that was restored from a backup has older versions, and a watch on it sends
//! no events until they have caught up.
//!
//! If the cache contains only named objects (`cache/named.rs`), a list of one object takes the
//! place of each complete list: it only has the resource version from which the watch starts.
//!
//! A new leader must have seen the last writes of its predecessor (`leader/replica_state.rs`). If
//! the objects fit into one page, the reflector lists them again. If not, it requests the newest
//! resource version and waits until the watch reaches it, by an event or by the bookmark that the
//! API server sends 2 s before a watch ends. The timeout of that watch is short for this reason.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, future};
use kube::{
    Api, Client, Resource,
    api::{ListParams, WatchEvent},
    core::{ObjectList, ObjectMeta},
};
use tokio::time::Instant;
use tokio::time::{sleep, timeout};

use crate::backoff::Backoff;
use crate::cache::change::{Change, WatchScope};
use crate::cache::interruption::Interruption;
use crate::cache::listing::Listing;
use crate::cache::undecoded::{Malformed, Undecoded};
use crate::cache::watch_health::{WatchProblem, WatchToOpen};
use crate::cache::{Cache, ListOrWatch};
use crate::client::of_metadata;
use crate::leader::replica_state::ReplicaState;
use crate::object::{self, AnyObject, KindOf};
use crate::planted::{Bug, is_planted};
use crate::random;

/// Timeout of the request for one page.
const PAGE_TIME: Duration = Duration::from_secs(300);
/// Delay after an interruption.
const BACKOFF: Backoff = Backoff {
    first: Duration::from_millis(200),
    longest: Duration::from_secs(30),
};

/// Interval between attempts to list an optional kind that the API server does not serve.
const UNSERVED: Duration = Duration::from_secs(3);

/// The timeouts of a watch.
#[derive(Clone, Copy)]
pub(crate) struct WatchTimeouts {
    /// Timeout of a watch in seconds, enforced by the API server. A random part of up to half of it
    /// is added, so that the watches of an operator do not all end at the same time.
    pub lasts: u32,
    /// Timeout in seconds of the first watch after a silence.
    pub proof: u32,
    /// Timeout in seconds of a watch that must reach a goal. If it does not, everything is listed
    /// again.
    pub catches_up: u32,
    /// Additional time after which a watch that has not ended is considered dead.
    pub margin: Duration,
}

const WATCH_TIMEOUTS: WatchTimeouts = WatchTimeouts {
    lasts: 60,
    proof: 5,
    catches_up: 3,
    margin: Duration::from_secs(10),
};

/// The reflector of one watch: it fills the part of a cache that is in the scope of the watch.
pub(crate) struct Reflector<K: AnyObject> {
    /// Lists and watches.
    api: Api<Undecoded<K>>,
    /// Reads single objects.
    client: Client,
    /// Maximum number of objects per page of a list.
    page: u32,
    /// The namespace; `None` for the whole cluster.
    scope: WatchScope,
    cache: Arc<Cache<K>>,
    problem: WatchProblem,
    /// Demands that the cache contains all writes up to a moment, before this replica leads.
    replica_state: ReplicaState,
    timeouts: WatchTimeouts,
    /// The version up to which the cache contains everything. `None` if a list is needed.
    version: Option<String>,
    /// True after an interruption, until a request has shown that the API server still has
    /// `version`.
    doubtful: bool,
    /// True after the versions of the API server went back, until the next complete list.
    restored: bool,
    /// True after a silence, until the next sign of life.
    silent: bool,
    /// Number of consecutive interruptions.
    failures: u32,
    /// The start of the last list, or of the last request for the newest version.
    requested_at: Option<Instant>,
    /// The version that the watch must reach.
    goal: Option<Goal>,
    /// The shards whose objects the cache contains; empty without sharding.
    kept: BTreeSet<u32>,
    /// The moment for which `replica_state` has last cut a backoff delay short. Only a demand for a
    /// later moment cuts the next delay short.
    hurried_for: Option<Instant>,
}

/// The newest resource version of the API server, and the moment before it was requested.
struct Goal {
    version: u64,
    requested_at: Instant,
}

impl<K: AnyObject> Reflector<K> {
    /// Creates a reflector that has not listed. `replica_state` is the leadership state of this
    /// replica.
    pub fn new(watch: WatchToOpen, cache: Arc<Cache<K>>, replica_state: ReplicaState) -> Self {
        let client = if cache.watch.by_name {
            of_metadata(&watch.client)
        } else {
            watch.client.clone()
        };
        Self {
            api: cache.kind.api(client, watch.scope.as_deref()),
            client: watch.client,
            scope: watch.scope,
            page: watch.page,
            cache,
            problem: watch.problem,
            replica_state,
            timeouts: WATCH_TIMEOUTS,
            version: None,
            doubtful: false,
            restored: false,
            silent: false,
            failures: 0,
            requested_at: None,
            goal: None,
            kept: BTreeSet::new(),
            hurried_for: None,
        }
    }

    /// Runs the reflector. Never returns.
    pub async fn run(mut self) {
        loop {
            let begun = Instant::now();
            if let Err(interruption) = self.list_and_watch().await {
                self.interrupted(&interruption, begun).await;
            }
        }
    }

    /// Removes the objects in the scope of the watch from the cache, because the API server does
    /// not serve the kind. This is an error only for controllers that require the kind.
    fn unserved(&mut self, requested_at: Instant) {
        self.version = None;
        self.record_request(requested_at);
        self.notify(self.cache.unserved(&self.scope, requested_at));
        if self.cache.availability.record(false) {
            let kind = K::kind(&self.cache.kind);
            tracing::info!(%kind, "the API server does not serve this kind yet; its cache stays empty");
        }
    }

    /// Reports an interruption, remembers what it makes doubtful, and waits for the backoff delay,
    /// or less if a fresher cache is demanded. `requested_at` is the time before the failed
    /// request.
    async fn interrupted(&mut self, interruption: &Interruption, requested_at: Instant) {
        if let Interruption::Unserved(_) = interruption {
            self.unserved(requested_at);
            if !self.cache.availability.is_required() {
                self.record_sign_of_life();
                return sleep(UNSERVED).await;
            }
        }
        self.problem.begin(interruption);
        match interruption {
            Interruption::Expired => self.version = None,
            Interruption::Silent(_) => self.silent = true,
            _ => {}
        }
        self.doubtful = true;
        self.failures = self.failures.saturating_add(1);
        tokio::select! {
            biased;
            () = self.replica_state.wait_for_later_moment(self.hurried_for) => self.hurried_for = self.replica_state.required_moment(),
            () = sleep(BACKOFF.delay(self.failures)) => {}
        }
    }

    /// Makes sure that the last version is still valid, lists if it is not, and then watches until
    /// the watch ends.
    async fn list_and_watch(&mut self) -> Result<(), Interruption> {
        self.adopt_shards();
        let fits = |count| u32::try_from(count).is_ok_and(|count| count <= self.page);
        if self.is_behind() && fits(self.cache.count(&self.scope)) {
            self.version = None;
        }
        let must_ask = self.doubtful || self.is_behind();
        if let Some(known) = self.version.clone().filter(|_| must_ask) {
            self.check_last_version(&known).await?;
        }
        let version = match self.version.clone() {
            Some(version) => version,
            None => self.list().await?,
        };
        self.watch(&version).await
    }

    /// Returns true if the leadership state demands a fresher cache than the last request proves.
    fn is_behind(&self) -> bool {
        self.replica_state.required_moment() > self.requested_at
    }

    /// Waits until a fresher cache is demanded, or the shards of this replica change: then the
    /// watch must be interrupted.
    async fn wait_for_demand(&self) {
        let resharded = async {
            match &self.cache.watch.sharding {
                Some(sharding) => sharding.differs_from(&self.kept).await,
                None => future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = resharded => {}
            () = self.replica_state.wait_for_later_moment(self.requested_at) => {}
        }
    }

    /// Removes the objects of shards that moved to another replica. Requires a list if this replica
    /// got new shards.
    fn adopt_shards(&mut self) {
        let Some(sharding) = self.cache.watch.sharding.clone() else {
            return;
        };
        let kept = sharding.kept();
        if !kept.is_subset(&self.kept) {
            self.version = None;
        }
        if kept != self.kept {
            self.notify(self.cache.forget_others(&sharding));
            self.kept = kept;
        }
    }

    /// Records the start of a request that has brought the cache up to date, or has set a new goal.
    /// It makes an earlier goal obsolete.
    fn record_request(&mut self, requested_at: Instant) {
        self.requested_at = self.requested_at.max(Some(requested_at));
        self.goal = None;
    }

    /// Requests the newest resource version. If it is older than `known`, the API server was
    /// restored from a backup and a list is needed. If a fresher cache is demanded, the newest
    /// version becomes the goal of the next watch.
    async fn check_last_version(&mut self, known: &str) -> Result<(), Interruption> {
        let (requested_at, is_behind) = (Instant::now(), self.is_behind());
        let page = self.page(&self.cache.watch.newest()).await?;
        self.doubtful = false;
        let newest = page.metadata.resource_version.unwrap_or_default();
        if object::number(&newest) < object::number(known) {
            tracing::warn!(
                kind = %K::kind(&self.cache.kind), known, newest,
                "resource versions have decreased, probably because the API server was restored from a backup; \
                 listing all objects again"
            );
            self.version = None;
            self.restored = true;
        } else if is_behind && object::number(&newest) == 0 {
            // an API server whose versions are not numbers
            self.version = None;
        } else if is_behind {
            self.record_request(requested_at);
            let version = object::number(&newest);
            self.goal = Some(Goal {
                version,
                requested_at,
            });
            self.check_goal(known);
        }
        Ok(())
    }

    /// Records that the cache contains everything up to a version: if that reaches the goal, the
    /// cache is as fresh as demanded. Does nothing if this replica got new shards since.
    fn check_goal(&mut self, version: &str) {
        if let Some(sharding) = &self.cache.watch.sharding
            && sharding.kept() != self.kept
        {
            return;
        }
        if let Some(goal) = self
            .goal
            .take_if(|goal| goal.version <= object::number(version))
        {
            self.cache.freshness.advance(&self.scope, goal.requested_at);
        }
    }

    /// Brings the cache up to date without a watch, and returns the resource version from which to
    /// watch.
    async fn list(&mut self) -> Result<String, Interruption> {
        let version = if self.cache.watch.by_name {
            self.list_named().await?
        } else {
            self.list_all().await?
        };
        if self.cache.availability.record(true) {
            let kind = K::kind(&self.cache.kind);
            tracing::info!(%kind, "the API server now serves this kind");
        }
        self.version = Some(version.clone());
        (self.doubtful, self.restored) = (false, false);
        self.failures = 0;
        Ok(version)
    }

    /// Reads the named objects into the cache, and returns the resource version before that.
    async fn list_named(&mut self) -> Result<String, Interruption> {
        let begun = Instant::now();
        let page = self.page(&self.cache.watch.newest()).await?;
        let version = page.metadata.resource_version.filter(|it| !it.is_empty());
        let version = version.ok_or(Interruption::NoVersion)?;
        let (client, scope) = (&self.client, &self.scope);
        let changes = self.cache.read_all(client, scope, self.restored).await?;
        self.notify(changes);
        self.cache
            .watches_from(&self.scope, object::number(&version), begun);
        self.record_request(begun);
        Ok(version)
    }

    /// Lists all objects into the cache, and returns the resource version of the list.
    async fn list_all(&mut self) -> Result<String, Interruption> {
        let mut listing = Listing::begin(self.scope.clone());
        listing.snapshot.restored = self.restored;
        let mut params = self.cache.watch.list().limit(self.page);
        let mut version = None;
        loop {
            let page = self.page(&params).await?;
            let of_page = page.metadata.resource_version.filter(|it| !it.is_empty());
            let version = version.get_or_insert(of_page.ok_or(Interruption::NoVersion)?);
            listing.snapshot.version = object::number(version);
            for undecoded in page.items {
                listing.name(self.cache.key_of(undecoded.meta()));
                self.take_in(undecoded, ListOrWatch::List(listing.snapshot));
            }
            params.continue_token = page.metadata.continue_.filter(|it| !it.is_empty());
            if params.continue_token.is_none() {
                break;
            }
        }
        self.record_request(listing.snapshot.begun());
        self.notify(self.cache.listed(listing));
        if is_planted(Bug::EventAfterListDropped) {
            let page = self.page(&self.cache.watch.newest()).await?;
            version = page.metadata.resource_version;
        }
        version.ok_or(Interruption::NoVersion)
    }

    /// Requests one page of a list.
    async fn page(&self, params: &ListParams) -> Result<ObjectList<Undecoded<K>>, Interruption> {
        let page = timeout(PAGE_TIME, self.api.list(params)).await;
        Ok(page.map_err(|_| Interruption::Silent(PAGE_TIME))??)
    }

    /// Watches from `version`. Returns without an error when the watch has run until its timeout,
    /// or when a new list or request is needed.
    async fn watch(&mut self, version: &str) -> Result<(), Interruption> {
        let WatchTimeouts {
            lasts,
            proof,
            catches_up,
            margin,
        } = self.timeouts;
        let seconds = match self.goal {
            Some(_) => catches_up,
            None if self.silent => proof,
            None => spread(lasts),
        };
        let time = Duration::from_secs(seconds.into());
        let begun = Instant::now();
        let params = self.cache.watch.watch().timeout(seconds);
        let events = self.api.watch(&params, version).await?;
        if !self.silent {
            self.problem.end();
        }
        let mut events = pin!(events);
        loop {
            let event = tokio::select! {
                // Checked first, because events may come without a pause.
                biased;
                () = self.wait_for_demand() => return Ok(()),
                event = timeout(time + margin, events.next()) => event,
            };
            let Some(event) = event.map_err(|_| Interruption::Silent(time + margin))? else {
                break;
            };
            self.process_event(event?).await?;
        }
        // the clocks of the API server and the operator may differ
        if begun.elapsed() < time.mul_f64(0.9) {
            return Err(Interruption::Cut);
        }
        self.record_sign_of_life();
        // If there was no bookmark, the goal was not reached and a list is needed.
        self.version = self.version.take().filter(|_| self.goal.is_none());
        Ok(())
    }

    /// Processes a watch event, and records its version. Every event is a sign of life.
    async fn process_event(&mut self, event: WatchEvent<Undecoded<K>>) -> Result<(), Interruption> {
        let version = match event {
            WatchEvent::Added(undecoded) | WatchEvent::Modified(undecoded) => {
                let version = undecoded.meta().resource_version.clone();
                if self.cache.watch.by_name {
                    self.take_in_named(undecoded.meta()).await?;
                } else {
                    self.take_in(undecoded, ListOrWatch::Watch(&self.scope));
                }
                version
            }
            WatchEvent::Deleted(undecoded) => {
                let meta = undecoded.meta();
                self.cache.record_named_event(&self.cache.key_of(meta));
                self.notify(self.cache.remove(meta, ListOrWatch::Watch(&self.scope)));
                meta.resource_version.clone()
            }
            WatchEvent::Bookmark(bookmark) => Some(bookmark.metadata.resource_version),
            WatchEvent::Error(status) => return Err(kube::Error::Api(status.boxed()).into()),
        };
        self.version = version.filter(|it| !it.is_empty());
        if let Some(version) = self.version.clone().filter(|_| self.goal.is_some()) {
            self.check_goal(&version);
        }
        self.record_sign_of_life();
        Ok(())
    }

    /// Records a sign of life, which ends a problem and resets the backoff.
    fn record_sign_of_life(&mut self) {
        self.failures = 0;
        self.silent = false;
        self.problem.end();
    }

    /// Stores a reported object. Logs a malformed object and removes it from the cache: acting on
    /// its last valid state would be a guess.
    fn take_in(&self, undecoded: Undecoded<K>, origin: ListOrWatch<'_>) {
        if self.cache.advance_and_check(undecoded.meta(), origin) {
            return;
        }
        if !self.cache.watch.is_in_cached_shard(undecoded.meta()) {
            return;
        }
        match undecoded.decode(&self.cache.kind) {
            Ok(received) => self.notify(self.cache.offer(received, origin)),
            Err(malformed) => {
                let Malformed { meta, error } = *malformed;
                log_malformed(&K::kind(&self.cache.kind), &meta, &error);
                self.cache.remove(&meta, origin);
            }
        }
    }

    /// Reads an object whose metadata the watch has reported, if it is named. The events of other
    /// objects are dropped.
    async fn take_in_named(&self, meta: &ObjectMeta) -> Result<(), Interruption> {
        let key = self.cache.key_of(meta);
        if !self
            .cache
            .advance_and_check(meta, ListOrWatch::Watch(&self.scope))
            && self.cache.record_named_event(&key)
        {
            self.notify(self.cache.read(&self.client, &key).await?);
        }
        Ok(())
    }

    /// Sends changes to the listeners of the cache.
    fn notify(&self, changes: impl IntoIterator<Item = Change<K>>) {
        for change in changes {
            self.cache.notify(&change);
        }
    }
}

/// Logs an object that does not fit its type.
pub(super) fn log_malformed(kind: &str, meta: &ObjectMeta, error: &serde_json::Error) {
    tracing::error!(
        kind,
        object = %object::label(meta),
        %error,
        "cannot decode an object into its Rust type; it is ignored until it is corrected"
    );
}

/// Adds a random part of up to half the value.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small non-negative numbers of seconds"
)]
fn spread(seconds: u32) -> u32 {
    seconds + (f64::from(seconds) / 2.0 * random::fraction()) as u32
}

#[cfg(test)]
#[path = "reflector_tests.rs"]
mod tests;
