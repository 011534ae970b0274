//! The image that the objects of a kind run, where the kind began with one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::Image;

/// What a kind began with: the example of a Deployment and a Service. The user goes on from there, so it says nothing
/// of what the kind is today.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Workload {
    /// The command that takes the place of the image's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub container_command: Vec<String>,
    /// The port that it listens on.
    pub container_port: u16,
    /// The image that an object runs that names no other one.
    pub image: Image,
    /// The user that it runs as; that of the image, where none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_as_user: Option<u32>,
}
