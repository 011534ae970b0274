//! The nodes of a cluster: Node objects whose leases KWOK renews.

use k8s_openapi::List;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Node;
use k8s_openapi::jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::assets::platform;
use super::client::Client;
use super::error::Result;

const NODES: &str = "/api/v1/nodes";
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

/// Creates the nodes `node-1` to `node-{count}`. Deletes the surplus nodes of an earlier start, and
/// the leases that the KWOK of that start held. `version` is the kubelet's, such as `v1.37.2`.
pub fn ensure(client: &Client, count: u32, version: &str) -> Result<()> {
    let wanted: Vec<String> = (1..=count).map(|n| format!("node-{n}")).collect();
    let present: Vec<String> = list(client)?
        .into_iter()
        .filter_map(|node| node.metadata.name)
        .collect();
    for name in wanted.iter().filter(|name| !present.contains(name)) {
        client.create(NODES, &node(name, version))?;
    }
    for name in present
        .iter()
        .filter(|name| !wanted.contains(name) && is_numbered(name))
    {
        client.delete(&format!("{NODES}/{name}"))?;
    }
    for name in &present {
        let lease = format!("{LEASES}/{name}");
        if client.get(&lease)?.is_some() {
            client.delete(&lease)?;
        }
    }
    Ok(())
}

/// Returns the number of nodes that accept Pods and whose lease KWOK has renewed after `since`.
pub fn ready(client: &Client, since: Timestamp) -> Result<u32> {
    let mut ready = 0;
    for node in list(client)?.iter().filter(|node| takes_pods(node)) {
        let name = node.metadata.name.as_deref().unwrap_or_default();
        let lease: Option<Lease> = client.get(&format!("{LEASES}/{name}"))?.and_then(parse);
        let renewed = lease.and_then(|lease| lease.spec?.renew_time);
        ready += u32::from(renewed.is_some_and(|time| time.0 >= since));
    }
    Ok(ready)
}

fn list(client: &Client) -> Result<Vec<Node>> {
    let nodes: Option<List<Node>> = client.get(NODES)?.and_then(parse);
    Ok(nodes.map(|list| list.items).unwrap_or_default())
}

fn takes_pods(node: &Node) -> bool {
    let conditions = node
        .status
        .as_ref()
        .and_then(|status| status.conditions.as_ref());
    let ready = conditions
        .into_iter()
        .flatten()
        .any(|condition| condition.type_ == "Ready" && condition.status == "True");
    let taints = node.spec.as_ref().and_then(|spec| spec.taints.as_ref());
    let tainted = taints
        .into_iter()
        .flatten()
        .any(|taint| taint.key.starts_with("node.kubernetes.io/"));
    ready && !tainted
}

fn is_numbered(name: &str) -> bool {
    name.strip_prefix("node-")
        .is_some_and(|number| number.parse::<u32>().is_ok())
}

fn node(name: &str, version: &str) -> Value {
    let platform = platform();
    // Its containers are never run, so any operating system would do; images are for Linux.
    let architecture = platform.split('-').next_back();
    let resources =
        json!({ "cpu": "32", "memory": "256Gi", "ephemeral-storage": "1Ti", "pods": "1000" });
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "annotations": { "kwok.x-k8s.io/node": "fake" },
            "labels": {
                "kubernetes.io/arch": architecture,
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "type": "kwok",
            },
        },
        "status": {
            "addresses": [{ "type": "Hostname", "address": name }],
            "allocatable": resources,
            "capacity": resources,
            "nodeInfo": {
                "architecture": architecture,
                "bootID": "",
                "containerRuntimeVersion": "kwok",
                "kernelVersion": "",
                "kubeProxyVersion": "",
                "kubeletVersion": version,
                "machineID": "",
                "operatingSystem": "linux",
                "osImage": "KWOK",
                "systemUUID": "",
            },
        },
    })
}

fn parse<T: DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}
