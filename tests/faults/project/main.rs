//! The operator. `TASK` adds a task that holds a ConfigMap of that name for as long as it runs,
//! `COPIER` a second controller for Lolcows, `RIGHT` one for Herds; with `KEEPER`, `HERDER` or
//! `ORDERLY` there is one for Lolcows alone, and with `KINDS` one for each of those. At the address
//! `INSPECT` it shows what its caches hold; it works on `THREADS`.

mod dynamic;

use std::io::Write as _;
use std::net::TcpListener;
use std::process::ExitCode;

use faults_operator::controllers;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, PostParams};

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE, // the log has the error
    }
}

async fn run() -> rustop_manager::Result<()> {
    let manager = rustop_manager::Manager::from_args(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let threads = std::env::var("THREADS").ok().and_then(|threads| threads.parse().ok());
    let manager = manager.worker_threads(threads.unwrap_or(1));
    if let Ok(address) = std::env::var("INSPECT") {
        show(manager.inspector(), TcpListener::bind(address).expect("a free address"));
    }
    if let Ok(watched) = std::env::var("KEEPER") {
        let keeper = controllers::lolcow::keeper(&watched);
        return manager.controller(keeper).run().await;
    }
    if let Ok(kinds) = std::env::var("KINDS") {
        return dynamic::register(manager, &kinds).await?.run().await;
    }
    if std::env::var_os("HERDER").is_some() {
        return manager.controller(controllers::lolcow::herder()).run().await;
    }
    if std::env::var_os("ORDERLY").is_some() {
        return manager.controller(controllers::lolcow::orderly()).run().await;
    }
    if std::env::var_os("RIGHT").is_some() {
        let manager = manager.controller(controllers::herd::right());
        return controllers::register(manager).run().await;
    }
    if std::env::var_os("COPIER").is_some() {
        let manager = manager.controller(controllers::lolcow::copier());
        return controllers::register(manager).run().await;
    }
    let Ok(name) = std::env::var("TASK") else {
        return controllers::register(manager).run().await;
    };
    let task = manager.runnable("beat", |client, stop| async move {
        let namespace = std::env::var("POD_NAMESPACE").unwrap_or_default();
        let maps = Api::<ConfigMap>::namespaced(client, &namespace);
        let mut map = ConfigMap::default();
        map.metadata.name = Some(name.clone());
        maps.create(&PostParams::default(), &map).await.expect("a ConfigMap");
        stop.cancelled().await;
        maps.delete(&name, &DeleteParams::default()).await.expect("no ConfigMap");
    });
    controllers::register(task).run().await
}

/// Whoever connects gets what the caches hold.
fn show(inspector: rustop_manager::Inspector, listener: TcpListener) {
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.write_all(inspector.dump().to_string().as_bytes());
        }
    });
}
