//! The types of prometheus-client with which an operator defines its own metrics; see
//! [`Manager::metrics`](crate::Manager::metrics).
//!
//! ```
//! use rustop_manager::metric::Counter;
//! use rustop_manager::prelude::*;
//!
//! let moos = Counter::<u64>::default();
//! let counted = moos.clone(); // the same figure
//! let manager = Manager::new("farm", "0.1.0", Options::default())
//!     .metrics(|registry| registry.register("cow_moos", "Number of moos", counted));
//! moos.inc();
//! # drop(manager);
//! ```
//!
//! For anything else, add prometheus-client to the operator's dependencies, in the version that
//! this crate uses.

pub use prometheus_client::metrics::counter::Counter;
pub use prometheus_client::metrics::family::Family;
pub use prometheus_client::metrics::gauge::Gauge;
pub use prometheus_client::metrics::histogram::Histogram;
pub use prometheus_client::metrics::info::Info;
pub use prometheus_client::registry::{Registry, Unit};
