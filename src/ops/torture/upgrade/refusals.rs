//! Refusals: what the API server rejects of a version when its manifests are installed, and of the
//! objects that the other version has stored.

use std::slice;

use super::super::control_plane::{CRD, ControlPlane};
use crate::client;
use crate::dev;
use crate::error::causes;
use crate::ops::{Error, Result};
use crate::torture::upgrade::OldState;
use crate::torture::upgrade::change::{Effect, ObjectDifference};
use crate::torture::upgrade::conversion::unconverted;
use crate::torture::{self, Resource};

/// Returns the changes that explain why a version cannot be installed: the API server rejects a
/// manifest, in practice a CRD, since the control plane collects the others; or a conversion
/// webhook refuses an object of the states.
///
/// # Errors
/// Returns the error itself if it has another reason.
pub async fn of_installation(
    error: Error,
    control_plane: &ControlPlane<'_>,
    states: &[OldState],
) -> Result<Vec<ObjectDifference>> {
    let resources = match &error {
        Error::Torture(torture::Error::NotConverted { resource, .. }) => slice::from_ref(resource),
        // The API server may answer nothing while it cannot fill its watch cache.
        Error::Torture(torture::Error::NotListed { resources }) => resources,
        _ => &[],
    };
    let mut changes = Vec::new();
    for resource in resources {
        let admin = control_plane.admin().await?;
        changes.extend(unconverted(states, &admin, resource).await?);
    }
    if !changes.is_empty() {
        return Ok(changes);
    }
    let change = match &error {
        Error::Torture(torture::Error::NotConverted { resource, message }) => {
            Some(unlisted(resource, message))
        }
        Error::Client(error) | Error::Dev(dev::Error::Client(error)) => rejected_manifest(error),
        _ => None,
    };
    Ok(vec![change.ok_or(error)?])
}

/// Returns the change if the webhook refuses an object that is in no state.
fn unlisted(resource: &Resource, message: &str) -> ObjectDifference {
    let reason = format!(
        "the API server cannot list {resource} in {}: {message}",
        resource.version
    );
    ObjectDifference::new(Effect::Unreadable, format!("{CRD}{resource}"), "").because(reason)
}

/// Returns the change if the API server rejects a manifest of one version on top of those of the
/// other.
pub fn rejected_manifest(error: &client::Error) -> Option<ObjectDifference> {
    let object = error.rejected()?;
    let effect = if object.starts_with(CRD) {
        Effect::Unreadable
    } else {
        Effect::Refused
    };
    let reason = causes(error).join(": ");
    Some(
        ObjectDifference::new(effect, object, "")
            .because(format!("the API server rejects the manifest: {reason}")),
    )
}
