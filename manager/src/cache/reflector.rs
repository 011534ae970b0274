//! One watch at work: lists what there is, then hears of every change, and keeps a cache like that.
//!
//! The API server is asked to end each watch after a while. It usually sends a bookmark before, but need not:
//! that it ends the watch is the one thing that can be relied on where nothing happens. So whatever stays open
//! for longer and says nothing is dead. It is then begun again where it was, and kept short until the first
//! sign of life.
//!
//! What was interrupted is gone on with only where the API server still knows what was known: a database that
//! was restored from a backup has older versions, and says nothing before they have caught up.
//!
//! Who is to lead has to know what the leader before it wrote last (`leader/standing.rs`). What fits into one page is
//! listed anew. Of what does not, the API server is asked for the newest version, and the watch has to get there: by an
//! event, or by the bookmark that comes 2 s before a watch ends, which is then kept that short.

#[cfg(feature = "shards")]
use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use kube::{
    Api, Resource,
    api::{ListParams, WatchEvent},
    core::{ObjectList, ObjectMeta},
};
use tokio::time::{sleep, timeout};

use crate::backoff::{Backoff, random};
use crate::cache::change::{Change, Scope};
use crate::cache::interruption::Interruption;
use crate::cache::listing::Listing;
use crate::cache::undecoded::{Malformed, Undecoded};
use crate::cache::watch_health::{Trouble, Watch};
use crate::cache::{Cache, Origin};
use crate::leader::standing::Standing;
use crate::object::{self, AnyObject};

/// For the whole of a page.
const PAGE_TIME: Duration = Duration::from_secs(300);
/// After an interruption.
const BACKOFF: Backoff = Backoff {
    first: Duration::from_millis(200),
    longest: Duration::from_secs(30),
};

/// Between two looks at whether a kind is served by now that nobody requires.
const UNSERVED: Duration = Duration::from_secs(3);

/// How long a watch may take.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    /// After this the API server ends it, in whole seconds. Up to half as much again is added, so that not all
    /// watches of an operator end at the same time.
    pub lasts: u32,
    /// The same after a silence.
    pub proof: u32,
    /// The same where it has to get to a version. It is listed anew if it does not.
    pub catches_up: u32,
    /// That much later it is dead.
    pub margin: Duration,
}

const PATIENCE: Patience = Patience {
    lasts: 60,
    proof: 5,
    catches_up: 3,
    margin: Duration::from_secs(10),
};

pub(crate) struct Reflector<K: AnyObject> {
    api: Api<Undecoded<K>>,
    page: u32,
    scope: Scope,
    cache: Arc<Cache<K>>,
    trouble: Trouble,
    standing: Standing,
    patience: Patience,
    /// Up to which version everything is in the cache. `None` when there has to be a list.
    version: Option<String>,
    /// There was an interruption, and nobody has looked yet whether the API server knows that version.
    doubtful: bool,
    /// It did not, and nothing was listed since.
    restored: bool,
    /// There was a silence, and no sign of life since.
    silent: bool,
    /// Interruptions in a row.
    failures: u32,
    /// Before the last question for everything that there is.
    asked: Option<Instant>,
    /// It has to get there.
    goal: Option<Goal>,
    /// The shards that are in the cache.
    #[cfg(feature = "shards")]
    kept: BTreeSet<u32>,
    /// What was demanded when it last was spared the rest of a wait.
    hurried: Option<Instant>,
}

/// The newest version that there was, and the moment before it was asked for.
struct Goal {
    version: u64,
    asked: Instant,
}

impl<K: AnyObject> Reflector<K> {
    pub fn new(watch: Watch<K>, cache: Arc<Cache<K>>, standing: Standing) -> Self {
        Self {
            scope: watch.scope,
            api: watch.api,
            page: watch.page,
            cache,
            trouble: watch.trouble,
            standing,
            patience: PATIENCE,
            version: None,
            doubtful: false,
            restored: false,
            silent: false,
            failures: 0,
            asked: None,
            goal: None,
            #[cfg(feature = "shards")]
            kept: BTreeSet::new(),
            hurried: None,
        }
    }

    /// Never ends.
    pub async fn run(mut self) {
        loop {
            let begun = Instant::now();
            if let Err(interruption) = self.go_on().await {
                self.interrupted(&interruption, begun).await;
            }
        }
    }

    /// The API server does not serve the kind. That is a trouble only to a controller that requires it.
    fn unserved(&mut self, asked: Instant) {
        self.version = None;
        self.has_asked(asked);
        self.tell(self.cache.unserved(&self.scope, asked));
        if self.cache.served.found(false) {
            let kind = K::kind(&self.cache.kind);
            tracing::info!(%kind, "the API server does not serve this kind: there are no such objects until it does");
        }
    }

    async fn interrupted(&mut self, interruption: &Interruption, asked: Instant) {
        if let Interruption::Unserved(_) = interruption {
            self.unserved(asked);
            if !self.cache.served.is_required() {
                self.lives();
                return sleep(UNSERVED).await;
            }
        }
        self.trouble.begins(interruption);
        match interruption {
            Interruption::Expired => self.version = None,
            Interruption::Silent(_) => self.silent = true,
            _ => {}
        }
        self.doubtful = true;
        self.failures = self.failures.saturating_add(1);
        tokio::select! {
            () = sleep(BACKOFF.delay(self.failures)) => {}
            () = self.standing.demands_more(self.hurried) => self.hurried = self.standing.demands(),
        }
    }

    async fn go_on(&mut self) -> Result<(), Interruption> {
        #[cfg(feature = "shards")]
        self.adopt_share();
        let fits = |count| u32::try_from(count).is_ok_and(|count| count <= self.page);
        if self.is_behind() && fits(self.cache.count(&self.scope)) {
            self.version = None;
        }
        let must_ask = self.doubtful || self.is_behind();
        if let Some(known) = self.version.clone().filter(|_| must_ask) {
            self.look_back(&known).await?;
        }
        let version = match self.version.clone() {
            Some(version) => version,
            None => self.list().await?,
        };
        self.watch(&version).await
    }

    /// Whether more is demanded than it has asked for.
    fn is_behind(&self) -> bool {
        self.standing.demands() > self.asked
    }

    /// Waits until more is demanded than it has asked for, or another share.
    async fn is_called(&self) {
        #[cfg(feature = "shards")]
        if let Some(share) = &self.cache.watch.share {
            tokio::select! {
                () = share.differs_from(&self.kept) => {}
                () = self.standing.demands_more(self.asked) => {}
            }
            return;
        }
        self.standing.demands_more(self.asked).await;
    }

    /// Forgets what went to another replica, and lists where something came from one.
    #[cfg(feature = "shards")]
    fn adopt_share(&mut self) {
        let Some(share) = self.cache.watch.share.clone() else {
            return;
        };
        let kept = share.kept();
        if !kept.is_subset(&self.kept) {
            self.version = None;
        }
        if kept != self.kept {
            self.tell(self.cache.forget_others(&share));
            self.kept = kept;
        }
    }

    /// It has asked for everything that there is. What it wanted to know before does not matter any more.
    fn has_asked(&mut self, asked: Instant) {
        self.asked = self.asked.max(Some(asked));
        self.goal = None;
    }

    /// Asks for the newest version there is. What was known already cannot be newer than that, and if more is
    /// demanded, that is to be known next.
    async fn look_back(&mut self, known: &str) -> Result<(), Interruption> {
        let (asked, is_behind) = (Instant::now(), self.is_behind());
        let page = self.page(&ListParams::default().limit(1)).await?;
        self.doubtful = false;
        let newest = page.metadata.resource_version.unwrap_or_default();
        if object::number(&newest) < object::number(known) {
            tracing::warn!(
                kind = %K::kind(&self.cache.kind), known, newest,
                "the API server was restored from a backup, it seems: its versions went back, so everything is listed anew"
            );
            self.version = None;
            self.restored = true;
        } else if is_behind && object::number(&newest) == 0 {
            // one whose versions are no numbers
            self.version = None;
        } else if is_behind {
            self.has_asked(asked);
            let version = object::number(&newest);
            self.goal = Some(Goal { version, asked });
            self.heard_up_to(known);
        }
        Ok(())
    }

    /// Everything up to a version is in the cache, unless the share has grown since.
    fn heard_up_to(&mut self, version: &str) {
        #[cfg(feature = "shards")]
        if let Some(share) = &self.cache.watch.share
            && share.kept() != self.kept
        {
            return;
        }
        if let Some(goal) = self
            .goal
            .take_if(|goal| goal.version <= object::number(version))
        {
            self.cache.freshness.knows(&self.scope, goal.asked);
        }
    }

    /// Fills the cache, and returns the version that it has then.
    async fn list(&mut self) -> Result<String, Interruption> {
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
                self.take_in(undecoded, Origin::List(listing.snapshot));
            }
            params.continue_token = page.metadata.continue_.filter(|it| !it.is_empty());
            if params.continue_token.is_none() {
                break;
            }
        }
        self.has_asked(listing.snapshot.begun());
        self.tell(self.cache.listed(listing));
        if self.cache.served.found(true) {
            let kind = K::kind(&self.cache.kind);
            tracing::info!(%kind, "the API server serves this kind now");
        }
        let version = version.ok_or(Interruption::NoVersion)?;
        self.version = Some(version.clone());
        (self.doubtful, self.restored) = (false, false);
        self.failures = 0;
        Ok(version)
    }

    async fn page(&self, params: &ListParams) -> Result<ObjectList<Undecoded<K>>, Interruption> {
        let page = timeout(PAGE_TIME, self.api.list(params)).await;
        Ok(page.map_err(|_| Interruption::Silent(PAGE_TIME))??)
    }

    /// Returns when the API server has ended the watch in time.
    async fn watch(&mut self, version: &str) -> Result<(), Interruption> {
        let Patience {
            lasts,
            proof,
            catches_up,
            margin,
        } = self.patience;
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
            self.trouble.is_over();
        }
        let mut events = pin!(events);
        loop {
            let event = tokio::select! {
                event = timeout(time + margin, events.next()) => event,
                () = self.is_called() => return Ok(()),
            };
            let Some(event) = event.map_err(|_| Interruption::Silent(time + margin))? else {
                break;
            };
            self.hear(event?)?;
        }
        // Clocks differ.
        if begun.elapsed() < time.mul_f64(0.9) {
            return Err(Interruption::Cut);
        }
        self.lives();
        // There was no bookmark.
        self.version = self.version.take().filter(|_| self.goal.is_none());
        Ok(())
    }

    fn hear(&mut self, event: WatchEvent<Undecoded<K>>) -> Result<(), Interruption> {
        let version = match event {
            WatchEvent::Added(undecoded) | WatchEvent::Modified(undecoded) => {
                let version = undecoded.meta().resource_version.clone();
                self.take_in(undecoded, Origin::Watch(&self.scope));
                version
            }
            WatchEvent::Deleted(undecoded) => {
                let meta = undecoded.meta();
                self.tell(self.cache.remove(meta, Origin::Watch(&self.scope)));
                meta.resource_version.clone()
            }
            WatchEvent::Bookmark(bookmark) => Some(bookmark.metadata.resource_version),
            WatchEvent::Error(status) => return Err(kube::Error::Api(status.boxed()).into()),
        };
        self.version = version.filter(|it| !it.is_empty());
        if let Some(version) = self.version.clone().filter(|_| self.goal.is_some()) {
            self.heard_up_to(&version);
        }
        self.lives();
        Ok(())
    }

    fn lives(&mut self) {
        self.failures = 0;
        self.silent = false;
        self.trouble.is_over();
    }

    /// A malformed object is named and dropped: acting on its last good state would be a guess.
    fn take_in(&self, undecoded: Undecoded<K>, origin: Origin<'_>) {
        if self.cache.knows(undecoded.meta(), origin) {
            return;
        }
        #[cfg(feature = "shards")]
        if !self.cache.watch.shares(undecoded.meta()) {
            return;
        }
        match undecoded.decode(&self.cache.kind) {
            Ok(received) => self.tell(self.cache.offer(received, origin)),
            Err(malformed) => {
                let Malformed { meta, error } = *malformed;
                complain(&K::kind(&self.cache.kind), &meta, &error);
                self.cache.remove(&meta, origin);
            }
        }
    }

    fn tell(&self, changes: impl IntoIterator<Item = Change<K>>) {
        for change in changes {
            self.cache.tell(&change);
        }
    }
}

fn complain(kind: &str, meta: &ObjectMeta, error: &serde_json::Error) {
    tracing::error!(
        kind,
        object = %object::label(meta),
        %error,
        "this object does not fit its type and is left alone until it does"
    );
}

/// Up to half as much again.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "seconds, and never below 0"
)]
fn spread(seconds: u32) -> u32 {
    seconds + (f64::from(seconds) / 2.0 * random()) as u32
}

#[cfg(test)]
#[path = "reflector_tests.rs"]
mod tests;
