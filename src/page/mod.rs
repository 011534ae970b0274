//! The page of `rustop dev`: what an operator does, and why an object is not Ready.
//!
//! Everything that is seen becomes a [`News`]: an object that changed, a line of the operator's log, a request in the
//! audit log. The model takes news in and says what they changed; it is all that a page shows, and it is bounded.
//! The server tells it to browsers as server-sent events, and never changes anything. A recording is the news, one a
//! line, so that the same model and the same page show it later, without a cluster.

mod call;
mod error;
mod figures;
mod handle;
mod hub;
mod line;
mod model;
mod news;
mod record;
mod redact;
mod server;
mod watch;
mod web;

pub use call::Tail;
pub use error::Error;
pub use figures::read as figures;
pub use handle::Page;
pub use line::Line;
pub use news::{About, Forbidden, Kind, News, Permissions, Process, What};
pub use record::{Recorder, Replay};
pub use watch::watch;
pub use web::TIMELINE;
