//! Rules about webhooks.

use crate::diagnostic::lint::Lint;

/// All rules of this module.
pub const LINTS: &[&Lint] = &[&LOCKOUT, &NOT_DEPLOYED];

pub static LOCKOUT: Lint = Lint {
    id: "webhook-lockout",
    finds: "a webhook that applies to the operator's own objects",
    why: "While the operator is down, the API server rejects every request that its webhooks match. If they match the \
          operator's own Pod, it can never start again. Exclude the namespace that `config/default` names.",
};

pub static NOT_DEPLOYED: Lint = Lint {
    id: "webhook-not-deployed",
    finds: "a webhook whose configuration config/default does not deploy",
    why: "config/webhook/kustomization.yaml follows PROJECT: it deploys configurations of validating webhooks, with the \
          operator's certificate, if a kind has `--validation`, and of mutating webhooks if a kind has `--defaulting`. \
          A marker alone only adds the webhook to config/webhook/manifests.yaml, which is then not deployed.",
};
