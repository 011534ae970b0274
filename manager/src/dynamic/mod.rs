//! Kinds that are known only at run time: they come from a configuration, or are found by
//! discovery.
//!
//! kube's `DynamicObject` does not suffice: it does not know whether its kind is namespaced, its
//! status is not separate from the other fields, and each cache key would contain five strings.

mod conditions;
pub(crate) mod context;
mod controller;
pub(crate) mod kind;
pub(crate) mod object;
#[cfg(all(test, feature = "testing"))]
mod references_tests;
