//! Starts the operator. Its flags are those of `Options`; see `--help`.

use std::process::ExitCode;

use rustop_manager::prelude::*;

use fleet_operator::{controllers, webhooks};

#[tokio::main]
async fn main() -> ExitCode {
    let manager = Manager::from_args(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let manager = controllers::register(manager);
    let manager = webhooks::register(manager);
    match manager.run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE, // the log has the error
    }
}
