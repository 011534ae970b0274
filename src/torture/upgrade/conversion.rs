//! Conversion: finds the stored objects that a conversion webhook refuses. While there is one, no
//! client can list its kind, so neither version can work.

use http::Method;
use kube::Client;
use serde_json::Value;

use crate::torture::api::call::Resource;
use crate::torture::env::namespace::handed_over::{RejectedObject, StoredObject};
use crate::torture::env::namespace::request::request;
use crate::torture::error::{Error, Result};
use crate::torture::upgrade::change::{Effect, ObjectDifference, merge};
use crate::torture::upgrade::state::OldState;

/// Returns a change for each custom resource of the states that the API server does not return in
/// the version of `resource`. `client` must authenticate as the administrator.
///
/// # Errors
/// Returns an error if a request fails for another reason.
pub async fn unconverted(
    states: &[OldState],
    client: &Client,
    resource: &Resource,
) -> Result<Vec<ObjectDifference>> {
    let mut changes = Vec::new();
    for state in states {
        let mut of_state = Vec::new();
        for object in objects(state, resource) {
            let path = object.path_in(&resource.version);
            let sent = client
                .request::<Value>(request(Method::GET, &path, &Value::Null))
                .await;
            match sent {
                Ok(_) => {}
                Err(kube::Error::Api(refusal)) => {
                    of_state.extend(object.object.0.keys().map(|id| {
                        let rejected = RejectedObject {
                            id: id.clone(),
                            version: resource.version.clone(),
                            message: refusal.message.clone(),
                            is_readable: false,
                        };
                        ObjectDifference::new(Effect::Unreadable, id.to_string(), "")
                            .because(rejected.reason())
                    }));
                }
                Err(error) => return Err(Error::api(format!("read {path}"))(error)),
            }
        }
        changes.push((state.name.clone(), of_state));
    }
    Ok(merge(changes))
}

/// Returns the stored objects of a resource, each in one version.
fn objects<'a>(state: &'a OldState, resource: &Resource) -> impl Iterator<Item = &'a StoredObject> {
    let (start, kind) = (
        format!("/apis/{}/", resource.group),
        format!("/{}/", resource.plural),
    );
    let mut last = "";
    let stored = state.left.stored.iter();
    stored.filter(move |it| {
        let is_other = std::mem::replace(&mut last, it.uid.as_str()) != it.uid;
        is_other && it.path.starts_with(&start) && it.path.contains(&kind)
    })
}
