//! The conversion between the versions of a kind.

use serde_json::{Value, json};

use crate::project::naming::{Naming, SERVICE};

/// Returns the `conversion` stanza for a kind with a conversion webhook. The Service has the name
/// and namespace that `config/default` gives it, because `config/crd` can also be applied
/// separately and must refer to the same Service.
pub fn webhook(naming: &Naming) -> Value {
    let service = json!({
        "name": format!("{}{SERVICE}", naming.prefix),
        "namespace": naming.namespace,
        "path": "/convert",
    });
    json!({
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": { "service": service },
            "conversionReviewVersions": ["v1"],
        },
    })
}
