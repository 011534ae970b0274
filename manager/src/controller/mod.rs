//! Controllers: the watches, the queue, and the calls of the user's functions.

pub(crate) mod action;
pub(crate) mod builder;
pub(crate) mod conditions;
pub(crate) mod failures;
pub(crate) mod feed;
pub(crate) mod finalizer;
pub(crate) mod first_lists;
pub(crate) mod kind_watch;
pub(crate) mod loops;
pub(crate) mod metrics;
pub(crate) mod object_name;
pub(crate) mod owned_shards;
pub(crate) mod panics;
pub(crate) mod pause;
pub(crate) mod preflight;
pub(crate) mod queue;
pub(crate) mod reconcile;
pub(crate) mod references;
pub(crate) mod run;
pub(crate) mod runnable;
pub(crate) mod running_reconciles;
pub(crate) mod source;
pub(crate) mod state;
pub(crate) mod watching;
pub(crate) mod workqueue;

pub use builder::Controller;
