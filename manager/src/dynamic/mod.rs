//! Kinds that are known only at run time: named by a configuration, or found in the cluster.
//!
//! kube's `DynamicObject` would not do: it does not know whether its kind has namespaces, no status can be told from
//! the rest of it, and each key of a cache would hold five texts.

mod conditions;
mod context;
mod controller;
pub(crate) mod kind;
pub(crate) mod object;
