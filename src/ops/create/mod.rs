//! What is added to a project.

mod api;
mod chart;
mod import;
mod kind;
mod next;
mod webhook;

pub use api::CreateApi;
pub use chart::CreateChart;
pub use import::ImportApi;
pub use kind::KindName;
pub use webhook::{CreateWebhook, admit};
