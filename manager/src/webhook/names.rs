//! The names of the Kubernetes objects that belong to the webhooks. `config/webhook` sets them as
//! environment variables, so that they follow a kustomize `namePrefix`. Without these variables,
//! the default names are used.

use std::env;

/// The names for one operator.
pub(super) struct Names {
    operator: String,
    /// The name of the Service through which the API server calls the webhooks.
    pub service: String,
    /// The name of the Secret with the certificate.
    pub secret: String,
}

impl Names {
    /// Returns the names of the operator called `operator`, from the environment or by default.
    pub fn of(operator: &str) -> Self {
        Self {
            operator: operator.to_owned(),
            service: name("WEBHOOK_SERVICE", operator, "webhook-service"),
            secret: name("WEBHOOK_SECRET", operator, "webhook-certificate"),
        }
    }

    /// Returns the name of the webhook configuration of this kind, which is
    /// `MutatingWebhookConfiguration` or `ValidatingWebhookConfiguration`.
    pub fn configuration(&self, kind: &str) -> String {
        let role = kind.trim_end_matches("WebhookConfiguration");
        name(
            &format!("WEBHOOK_{}", role.to_uppercase()),
            &self.operator,
            &format!("{}-webhook-configuration", role.to_lowercase()),
        )
    }
}

/// Returns the value of an environment variable, or the default name: `operator-usual`.
fn name(variable: &str, operator: &str, usual: &str) -> String {
    let configured = env::var(variable).ok().filter(|name| !name.is_empty());
    configured.unwrap_or_else(|| format!("{operator}-{usual}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_names_are_those_of_config() {
        let names = Names::of("op");
        assert_eq!(names.service, "op-webhook-service");
        assert_eq!(
            names.configuration("MutatingWebhookConfiguration"),
            "op-mutating-webhook-configuration"
        );
    }
}
