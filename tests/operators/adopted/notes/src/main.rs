//! Writes each note into a ConfigMap, with a prefix from a mounted file, and serves its health on a fixed port.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, Patch, PatchParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::watcher;
use kube::{Client, Resource as _, ResourceExt as _};
use notes::{Note, NoteStatus};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

const PORT: u16 = 18633;

struct Context {
    client: Client,
    prefix: String,
}

#[tokio::main]
async fn main() {
    let listener = TcpListener::bind(("0.0.0.0", PORT)).await.unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
                .await;
        }
    });
    let file = std::env::var("PREFIX_FILE").expect("PREFIX_FILE is set");
    let prefix = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let client = Client::try_default().await.unwrap();
    let context = Arc::new(Context {
        client: client.clone(),
        prefix,
    });
    Controller::new(Api::<Note>::all(client.clone()), watcher::Config::default())
        .owns(Api::<ConfigMap>::all(client), watcher::Config::default())
        .shutdown_on_signal()
        .run(reconcile, |_, error, _| retry(error), context)
        .for_each(|_| std::future::ready(()))
        .await;
}

fn retry(error: &kube::Error) -> Action {
    eprintln!("error: {error}");
    Action::requeue(Duration::from_secs(1))
}

async fn reconcile(note: Arc<Note>, context: Arc<Context>) -> Result<Action, kube::Error> {
    if note.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let namespace = note.namespace().unwrap_or_default();
    let name = note.name_any();
    let text = format!("{}{}", context.prefix, note.spec.text);
    let mut child = ConfigMap {
        data: Some(BTreeMap::from([("text".to_owned(), text.clone())])),
        ..ConfigMap::default()
    };
    child.metadata.name = Some(name.clone());
    child.metadata.owner_references = note.controller_owner_ref(&()).map(|owner| vec![owner]);
    let params = PatchParams::apply("notes").force();
    let children = Api::<ConfigMap>::namespaced(context.client.clone(), &namespace);
    children
        .patch(&name, &params, &Patch::Apply(&child))
        .await?;
    let status = NoteStatus { written: text };
    if note.status.as_ref() != Some(&status) {
        let notes = Api::<Note>::namespaced(context.client.clone(), &namespace);
        let patch = json!({ "status": status });
        notes
            .patch_status(&name, &PatchParams::default(), &Patch::Merge(&patch))
            .await?;
    }
    Ok(Action::await_change())
}
