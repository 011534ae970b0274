//! The operations behind the subcommands. An operation is a struct whose fields are the arguments
//! of the command line, with their help, or a function if it has few arguments. It runs in a
//! [`Session`], also without a command line, as in tests. A private module that is not named after
//! a subcommand is a part of one or more operations.
//!
//! [`Session`]: crate::session::Session

mod adopt;
mod adopted;
mod against;
mod baseline;
mod bundle;
mod chart;
pub mod cluster;
mod code_permissions;
mod command_line;
mod create;
mod delete;
mod dev;
mod docs;
mod edit;
mod error;
mod explain;
mod import;
pub mod imported;
mod init;
mod leftovers;
pub mod lint;
mod manifests;
mod migrate;
pub mod output;
mod page;
mod rbac;
mod refusal;
mod requested_webhooks;
mod run;
mod show;
mod simulate;
mod subject;
mod suggestion;
mod torture;
mod transition;
mod types;
mod upgrade;
mod user_file_merge;
mod values;
mod vendored;
mod verdict;
mod webhooks;

pub use adopt::Adopt;
pub use create::{
    CreateApi, CreateApiFromCrd, CreateBundle, CreateChart, CreatePart, CreateSimulation,
    CreateWebhook,
};
pub use delete::{DeleteApi, DeleteBundle, DeleteChart, DeletePart, DeleteVersion, DeleteWebhook};
pub use dev::Dev;
pub use docs::Docs;
pub use edit::Edit;
pub use error::{Error, Result};
pub use explain::explain;
pub use import::Import;
pub use init::Init;
pub use manifests::Manifests;
pub use migrate::Migrate;
pub use output::Output;
pub use rbac::RbacReport;
use refusal::Refusal;
pub use run::Run;
pub use show::show;
pub use simulate::Simulate;
pub use torture::{Shadow, Torture, hold_network};
use transition::Transition;
pub use upgrade::Upgrade;

use tokio::runtime::{Builder, Runtime};

use crate::error::Io;
use crate::project;
use crate::session::Session;

/// Prints the JSON schema of PROJECT.
///
/// # Errors
/// Returns an error if stdout cannot be written.
pub fn schema(session: &Session) -> Result<()> {
    Ok(session.terminal.data(&project::json_schema())?)
}

/// Prints the JSON schema of `rustop.yaml`.
///
/// # Errors
/// Returns an error if stdout cannot be written.
pub fn adopted_schema(session: &Session) -> Result<()> {
    let schema = crate::adopted::config::json_schema();
    Ok(session.terminal.data(&schema)?)
}

/// Prints the error of a part of an operation, without which the operation continues, as a warning,
/// and returns `None`.
///
/// # Errors
/// Returns the error if a signal ended that part.
fn unless_interrupted<T>(session: &Session, result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_interruption() || session.interrupt().is_pending() => Err(error),
        Err(error) => {
            session.terminal.warning_of(&error);
            Ok(None)
        }
    }
}

/// Creates a runtime for requests to an API server.
fn runtime() -> Result<Runtime> {
    let mut builder = Builder::new_current_thread();
    let runtime = builder.enable_all().build();
    Ok(runtime.map_err(Io::on("start", "tokio"))?)
}

#[cfg(test)]
mod growth;
#[cfg(test)]
#[path = "../../tests/support/random.rs"]
mod random;
#[cfg(test)]
#[path = "../../tests/support/scratch.rs"]
mod scratch;
#[cfg(test)]
mod tests;
