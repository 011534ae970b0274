//! What is taken out of a project. Files that are as rustop made them go, also the user's; what the user has
//! changed stays, and is named.

mod api;
mod bundle;
mod chart;
mod part;
mod webhook;

pub use api::DeleteApi;
pub use bundle::DeleteBundle;
pub use chart::DeleteChart;
pub use part::DeletePart;
pub use webhook::DeleteWebhook;
