//! The operations that remove something from a project. They remove files that are unchanged since
//! rustop wrote them, including user files. They list files that the user has changed, and do not
//! remove them.

mod api;
mod bundle;
mod chart;
pub mod kind;
mod part;
mod webhook;

pub use api::{DeleteApi, DeleteVersion};
pub use bundle::DeleteBundle;
pub use chart::DeleteChart;
pub use part::DeletePart;
pub use webhook::DeleteWebhook;
