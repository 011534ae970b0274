//! The page in a real browser: each view, what is clicked and typed there, what it must withstand,
//! and the page of `rustop torture`. What is shown is a recording, to which a test may add. That
//! the real control plane and a real operator make the page say why something is not Ready is
//! tested in `tests/projects/page.rs`.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails where something is missing"
)]

#[path = "../support/mod.rs"]
mod support;

#[path = "../support/browser/mod.rs"]
mod browser;
mod detail;
mod hostile;
mod log;
mod looks;
mod notices;
mod objects;
mod server;
mod show;
mod story;
mod timeline;
mod views;
