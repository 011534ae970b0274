//! The web page of `rustop dev`: shows what an operator does and why an object is not Ready.
//!
//! Every observation is an update ([`Update`]): a changed object, a line of the operator's log, or
//! a request from the audit log. The model applies the updates, reports what they changed, and
//! holds everything that a page shows; its memory use is bounded. The server streams the changes to
//! browsers as server-sent events and is read-only. A recording is a file with one update per line,
//! so that the same model and page can replay it later without a cluster.

mod call;
mod error;
mod handle;
mod hub;
mod line;
mod metrics;
mod model;
mod record;
mod redact;
mod server;
mod update;
mod watch;
mod web;

pub use call::Tail;
pub use error::Error;
pub use handle::Page;
pub use line::LogLine;
pub use metrics::read as metrics;
pub use record::{Recorder, Replay};
pub use redact::{HIDDEN, is_secret, redact};
pub use update::{About, Forbidden, Permissions, Process, ProjectKind, Update, UpdateContent};
pub use watch::watch;
pub use web::TIMELINE;
