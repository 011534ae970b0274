//! Who converts objects between the versions of a kind.

use serde_json::{Value, json};

/// The stanza of a kind with a conversion webhook. `config/default` puts the project's names before those
/// of the service and its namespace.
pub fn webhook() -> Value {
    json!({
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": {
                "service": { "name": "webhook-service", "namespace": "system", "path": "/convert" },
            },
            "conversionReviewVersions": ["v1"],
        },
    })
}
