//! Five operators as users would write them: a story of plain `rustop` lines, then the files that a user
//! edits laid over what came out. Each lives its whole life on the real control plane, as its own
//! ServiceAccount. What is asserted is what others see: objects, events, the audit log, figures.

#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test fails where something is missing"
)]

mod adopted;
mod late_news;
mod operator;
mod project;
#[path = "../faults/proxy.rs"]
#[allow(dead_code, reason = "it can do more than is needed here")]
mod proxy;
mod readme;
mod stage;
#[path = "../support/story.rs"]
mod story;
#[path = "../support/mod.rs"]
mod support;

#[path = "cloud-instance/cloud.rs"]
mod cloud;
#[path = "cloud-instance/life.rs"]
mod cloud_instance;
#[path = "lolcow/life.rs"]
mod lolcow;
#[path = "multi-secret/life.rs"]
mod multi_secret;
#[path = "pod-set/life.rs"]
mod pod_set;
#[path = "pulsar-consumer/life.rs"]
mod pulsar_consumer;
