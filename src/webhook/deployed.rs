//! Webhooks that `config/default` does not deploy.

use super::marked::Webhook;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::lints::webhook::NOT_DEPLOYED;
use crate::project::Project;
use crate::resource::Admission;

/// Returns a warning for each mutating or validating webhook if no kind in `PROJECT` has one of
/// that sort, because `config/webhook` is generated from `PROJECT`.
pub fn check(webhooks: &[Webhook], project: &Project) -> Vec<Diagnostic> {
    let found = webhooks.iter().filter_map(|webhook| {
        let (admission, sort, flag) = if webhook.mutating {
            (Admission::Defaulting, "mutating", "--defaulting")
        } else {
            (Admission::Validation, "validating", "--validation")
        };
        if webhook.own_path().is_none() || project.admits(admission) {
            return None;
        }
        let message = format!(
            "config/default does not deploy this webhook, since no kind in PROJECT has a {sort} webhook"
        );
        let help =
            format!("run `rustop create webhook --kind KIND {flag}`, which adds such a marker");
        Some(webhook.at("path", message, help).warning(&NOT_DEPLOYED))
    });
    found.collect()
}
