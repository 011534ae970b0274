//! A webhook as its markers say it.

use k8s_openapi::api::admissionregistration::v1::{MutatingWebhook, RuleWithOperations};

use super::read::arguments::span_of;
use crate::diagnostic::Diagnostic;
use crate::project::naming::{NAMESPACE, SERVICE};
use crate::sources::comments::Marker;
use crate::sources::marker::Problem;

/// What markers of one name say.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// The first of the markers.
    pub marker: Marker,
    /// Whether it changes objects; else it only accepts or refuses them.
    pub mutating: bool,
    /// What the API server is told; a validating webhook has no `reinvocationPolicy`.
    pub spec: MutatingWebhook,
    /// Each of the markers, and what it makes the API server ask about.
    pub rules: Vec<(Marker, Vec<RuleWithOperations>)>,
}

impl Webhook {
    /// A diagnostic about an argument.
    pub fn at(&self, argument: &str, message: String, help: impl Into<String>) -> Diagnostic {
        let span = span_of(&self.marker, argument);
        self.marker
            .diagnostic(Problem::new(span, message).help(help))
    }

    /// The path of the operator's own server, if it is called there and nowhere else.
    pub fn own_path(&self) -> Option<&str> {
        let service = self.spec.client_config.service.as_ref()?;
        let is_own = service.name == SERVICE && service.namespace == NAMESPACE;
        service.path.as_deref().filter(|_| is_own)
    }
}
