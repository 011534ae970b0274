//! Webhooks as declared by markers.

use k8s_openapi::api::admissionregistration::v1::{MutatingWebhook, RuleWithOperations};

use super::read::arguments::span_of;
use crate::diagnostic::Diagnostic;
use crate::project::naming::{NAMESPACE, SERVICE};
use crate::sources::comments::Marker;
use crate::sources::marker::Problem;

/// A webhook, declared by one or more markers with the same name.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// The first of the markers.
    pub marker: Marker,
    /// True if it mutates objects, false if it validates them.
    pub mutating: bool,
    /// The webhook in the API, with the rules of all markers. A validating webhook has no
    /// `reinvocationPolicy`.
    pub spec: MutatingWebhook,
    /// The markers, each with its own rules.
    pub rules: Vec<(Marker, Vec<RuleWithOperations>)>,
}

impl Webhook {
    /// Creates a diagnostic about an argument of the first marker.
    pub fn at(&self, argument: &str, message: String, help: impl Into<String>) -> Diagnostic {
        let span = span_of(&self.marker, argument);
        self.marker
            .diagnostic(Problem::new(span, message).help(help))
    }

    /// Returns the path if the webhook calls the operator's own server; `None` for other servers.
    pub fn own_path(&self) -> Option<&str> {
        let service = self.spec.client_config.service.as_ref()?;
        let is_own = service.name == SERVICE && service.namespace == NAMESPACE;
        service.path.as_deref().filter(|_| is_own)
    }
}
