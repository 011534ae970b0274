//! What the objects around the webhooks are called. `config/webhook` tells it in the environment, where
//! kustomize lets it follow a `namePrefix`; elsewhere they have the usual names.

use std::env;

pub(super) struct Names {
    operator: String,
    pub service: String,
    /// Of the Secret with the certificate.
    pub secret: String,
}

impl Names {
    pub fn of(operator: &str) -> Self {
        Self {
            operator: operator.to_owned(),
            service: name("WEBHOOK_SERVICE", operator, "webhook-service"),
            secret: name("WEBHOOK_SECRET", operator, "webhook-certificate"),
        }
    }

    /// The name of the one configuration of this kind.
    pub fn configuration(&self, kind: &str) -> String {
        let role = kind.trim_end_matches("WebhookConfiguration");
        name(
            &format!("WEBHOOK_{}", role.to_uppercase()),
            &self.operator,
            &format!("{}-webhook-configuration", role.to_lowercase()),
        )
    }
}

fn name(variable: &str, operator: &str, usual: &str) -> String {
    let said = env::var(variable).ok().filter(|name| !name.is_empty());
    said.unwrap_or_else(|| format!("{operator}-{usual}"))
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
