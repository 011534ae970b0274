//! The PulsarConsumer API: which topic to consume, where it is, and with how many consumers.

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// The desired state. No field has a default and none is an `Option`: all are required.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "consumer.pulsarconsumer.krvarma.com",
    version = "v1",
    kind = "PulsarConsumer",
    plural = "pulsarconsumers",
    namespaced,
    status = "PulsarConsumerStatus",
    doc = "Consumers of a topic of Apache Pulsar.",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    ),
    printcolumn(name = "Topic", type_ = "string", json_path = ".spec.topic"),
    printcolumn(name = "Wanted", type_ = "integer", json_path = ".spec.replicas"),
    printcolumn(
        name = "Available",
        type_ = "integer",
        json_path = ".status.availableReplicas"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct PulsarConsumerSpec {
    /// Where Pulsar is, such as `pulsar://broker.example.com:6650`.
    #[x_kube(validation = Rule::new("self.matches('^pulsar([+]ssl)?://.+')").message("must be the address of a Pulsar server, such as pulsar://broker.example.com:6650"))]
    pub server_address: String,

    /// The topic to consume, such as `persistent://public/default/orders`, or short `orders`.
    #[x_kube(validation = Rule::new("self.trim() != ''").message("must name a topic"))]
    pub topic: String,

    /// Consumers with the same subscription share the messages of the topic.
    #[x_kube(validation = Rule::new("self.trim() != ''").message("must name a subscription"))]
    pub subscription_name: String,

    /// How many consumers there should be.
    #[schemars(range(min = 0, max = 100))]
    pub replicas: i32,
}

/// The observed state, written by the operator alone.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct PulsarConsumerStatus {
    /// How many consumers there are, of whatever version: what `kubectl scale` reads.
    #[serde(default)]
    pub replicas: i32,

    /// How many of them consume.
    #[serde(default)]
    pub available_replicas: i32,

    /// The labels of the consumers' Pods, as text: what an autoscaler reads.
    #[serde(default)]
    pub selector: String,

    /// `Ready` tells whether all consumers consume.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<meta::Condition>,
}
