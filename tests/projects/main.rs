//! Whole projects: the output of `rustop` for a story is compared with a golden tree, then built,
//! tested and applied as a project. A story is a file of plain `rustop` lines,
//! `tests/golden/<name>.txt`; its golden is the directory next to it. `RUSTOP_OVERWRITE=1 cargo
//! test --test projects golden::` writes the goldens again.
//!
//! All projects share one target directory below rustop's own.

#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test fails where something is missing"
)]

#[path = "../support/mod.rs"]
mod support;

mod against;
#[path = "../support/browser/mod.rs"]
mod browser;
mod build;
mod bundle;
mod chart;
mod cluster;
mod crds;
mod dashboard;
mod database;
mod deployed;
mod dev;
mod e2e;
mod foreign;
mod golden;
mod image;
mod import;
mod install;
mod lockfile;
mod lossless;
mod manifests;
mod page;
mod place;
mod quick_start;
mod recording;
mod registry;
mod roles;
mod simulate;
mod started;
mod steps;
#[path = "../support/story.rs"]
mod story;
mod tool;
mod tutorial;
mod types;
mod upgraded;
mod versions;
mod webhooks;
mod workflows;
