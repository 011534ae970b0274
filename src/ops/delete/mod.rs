//! The operations that remove something from a project. They remove files that are unchanged since
//! rustop wrote them, including user files. They list files that the user has changed, and do not
//! remove them.

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
