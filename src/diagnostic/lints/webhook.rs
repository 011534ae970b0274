//! Rules about webhooks.

use crate::diagnostic::lint::Lint;

/// All rules of this module.
pub const LINTS: &[&Lint] = &[&LOCKOUT, &NOT_DEPLOYED];

pub static LOCKOUT: Lint = Lint {
    id: "webhook-lockout",
    finds: "a webhook that the operator's own objects have to pass",
    why: "While no operator runs, the API server refuses what its webhooks would be asked about, and so the Pod \
          of the operator itself: it never comes back. Leave out the namespace that `config/default` names.",
};

pub static NOT_DEPLOYED: Lint = Lint {
    id: "webhook-not-deployed",
    finds: "a webhook whose configuration config/default does not deploy",
    why: "config/webhook/kustomization.yaml follows PROJECT: it has configurations of validating webhooks, and \
          puts the operator's certificate into them, if a kind has `--validation`, and likewise for mutating ones \
          and `--defaulting`. A marker alone writes config/webhook/manifests.yaml, which nothing deploys then.",
};
