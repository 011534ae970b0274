//! A watch: initial events, later events, and its end.

use std::{collections::VecDeque, convert::Infallible, sync::Arc, time::Duration};

use futures::{Stream, stream};
use hyper::body::{Bytes, Frame};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::{
    kinds::Kind, read::Scope, refusal::Refusal, route::Query, selector::Selected, server::Server,
    state::State,
};

/// Default timeout of a watch, in seconds.
const LASTS: u64 = 1800;

pub(super) struct Watching {
    kind: Arc<Kind>,
    namespace: Option<String>,
    selected: Selected,
    partial: bool,
    /// Every change up to this revision is in `waiting` or was sent.
    seen: u64,
    waiting: VecDeque<Value>,
    bookmarks: bool,
    end: Instant,
    is_over: bool,
}

impl Watching {
    pub fn begin(
        state: &State,
        kind: Arc<Kind>,
        namespace: Option<String>,
        selected: Selected,
        partial: bool,
        query: &Query,
    ) -> Result<Self, Refusal> {
        let known = query.number("resourceVersion").unwrap_or_default();
        if known > state.revision {
            return Err(Refusal::from_the_future(known, state.revision));
        }
        let seconds = query.number("timeoutSeconds").unwrap_or(LASTS);
        let bookmarks = query.is_set("allowWatchBookmarks");
        let is_list = query.is_set("sendInitialEvents");
        let mut watching = Self {
            kind,
            namespace,
            selected,
            partial,
            seen: known,
            waiting: VecDeque::new(),
            bookmarks,
            end: Instant::now() + Duration::from_secs(seconds),
            is_over: false,
        };
        if known == 0 || is_list {
            let scope = watching.scope();
            let added = |object| json!({"type": "ADDED", "object": object});
            let mut first: VecDeque<_> = scope.all(state).into_iter().map(added).collect();
            if is_list && bookmarks {
                first.push_back(scope.bookmark(state.revision, true));
            }
            watching.waiting = first;
            watching.seen = state.revision;
        }
        Ok(watching)
    }

    fn scope(&self) -> Scope<'_> {
        Scope {
            kind: &self.kind,
            namespace: self.namespace.as_deref(),
            selected: &self.selected,
            partial: self.partial,
        }
    }

    /// Returns the events as a stream of JSON lines.
    pub fn events(
        self,
        server: Arc<Server>,
    ) -> impl Stream<Item = Result<Frame<Bytes>, Infallible>> + Send + 'static {
        stream::unfold((self, server), |(mut watching, server)| async move {
            let event = watching.next(&server).await?;
            // the type first, as in a real API server: clients parse the object by type
            let line = format!(
                "{{\"type\":{},\"object\":{}}}\n",
                event["type"], event["object"]
            );
            Some((Ok(Frame::data(Bytes::from(line))), (watching, server)))
        })
    }

    async fn next(&mut self, server: &Server) -> Option<Value> {
        let mut news = server.listen();
        while !self.is_over {
            if self.waiting.is_empty() {
                self.look(&server.state());
            }
            if let Some(event) = self.waiting.pop_front() {
                server.pause().await;
                return Some(event);
            }
            if timeout_at(self.end, news.changed()).await.is_err() {
                self.is_over = true;
                return self
                    .bookmarks
                    .then(|| self.scope().bookmark(self.seen, false));
            }
        }
        None
    }

    /// Adds the events of all changes since the last call.
    fn look(&mut self, state: &State) {
        if self.seen < state.forgotten {
            let message = format!(
                "too old resource version: {} ({})",
                self.seen, state.forgotten
            );
            let status = Refusal::expired(&message).status();
            self.waiting
                .push_back(json!({"type": "ERROR", "object": status}));
            self.seen = state.revision;
            return;
        }
        let new = state
            .log
            .iter()
            .filter(|change| change.revision > self.seen);
        let events: Vec<_> = new
            .filter_map(|change| self.scope().event(change))
            .collect();
        self.waiting.extend(events);
        self.seen = state.revision;
    }
}
