//! The container image that a kind was created from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::Image;

/// The parameters with which a kind was created from an image. rustop scaffolds an example from
/// them, which manages a Deployment and a Service. The user may have changed the code since, so the
/// values need not match the kind's current behavior.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Workload {
    /// The command, which replaces the image's entrypoint; empty for that of the image.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub container_command: Vec<String>,
    /// The port that the container listens on.
    pub container_port: u16,
    /// The default image of an object.
    pub image: Image,
    /// The user ID that the container runs as; absent for the image's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_as_user: Option<u32>,
}
