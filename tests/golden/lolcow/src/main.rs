//! Starts the operator. Its flags are those of `manager::Options`; see `--help`.

use lolcow_operator::controllers;

#[tokio::main]
async fn main() -> manager::Result<()> {
    let manager = manager::Manager::from_args(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    controllers::register(manager).run().await
}
