//! Prints the nodes once. This program is not an operator.

use k8s_openapi::api::core::v1::Node;
use kube::api::{Api, ListParams};
use kube::{Client, ResourceExt as _};

#[tokio::main]
async fn main() {
    let client = Client::try_default().await.unwrap();
    let nodes = Api::<Node>::all(client);
    for node in nodes.list(&ListParams::default()).await.unwrap() {
        println!("{}", node.name_any());
    }
}
