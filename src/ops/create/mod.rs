//! What is added to a project.

mod api;
mod bundle;
mod chart;
mod dashboard;
mod import;
mod kind;
mod next;
mod webhook;

pub use api::CreateApi;
pub use bundle::CreateBundle;
pub use chart::CreateChart;
pub use dashboard::CreateDashboard;
pub use import::ImportApi;
pub use kind::KindName;
pub use webhook::{CreateWebhook, admit};
