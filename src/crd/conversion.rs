//! Who converts objects between the versions of a kind.

use serde_json::{Value, json};

use crate::project::naming::{Naming, SERVICE};

/// The stanza of a kind with a conversion webhook. The Service has the name and the namespace that it gets in
/// `config/default`, since `config/crd` is applied alone, too, and must say the same.
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
