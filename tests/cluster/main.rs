//! `rustop cluster` as its users have it: the built binary on the real control plane. One module
//! per thing that is proved; a test that starts a cluster does so in a [`support::Sandbox`] of its
//! own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod against;
#[path = "../faults/api.rs"]
#[allow(dead_code, reason = "the cases of the other binary use all of it")]
mod api;
mod chaos;
mod exec;
mod install;
mod lifecycle;
mod memory;
mod migrate;
mod schemas;
#[path = "../memory/script.rs"]
mod script;
mod server;
#[path = "../support/mod.rs"]
mod support;
