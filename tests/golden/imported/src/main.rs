//! Starts the operator. Its flags are those of `Options`; see `--help`.

use std::process::ExitCode;

use mimalloc::MiMalloc;
use rustop_manager::prelude::*;

use herd_operator::{controllers, webhooks};

/// An allocator that needs less CPU time than that of the C library. To do without it, delete these lines and `mimalloc` in Cargo.toml.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

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
