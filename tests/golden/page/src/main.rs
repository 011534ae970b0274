//! Starts the operator. Its flags are those of `manager::Options`; see `--help`.

use page_operator::{controllers, webhooks};

#[tokio::main]
async fn main() -> manager::Result<()> {
    let manager = manager::Manager::from_args(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let manager = controllers::register(manager);
    webhooks::register(manager).run().await
}
