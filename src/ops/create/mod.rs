//! The operations that add something to a project.

mod api;
mod bundle;
mod chart;
mod import;
mod kind;
mod next_steps;
mod part;
mod simulation;
mod webhook;

pub use api::CreateApi;
pub use bundle::CreateBundle;
pub use chart::CreateChart;
pub use import::CreateApiFromCrd;
pub use kind::{of_kubernetes, position};
pub use part::CreatePart;
pub use simulation::CreateSimulation;
pub use webhook::{CreateWebhook, add_webhooks};
