//! The rules on webhooks.

use crate::diagnostic::lint::Lint;

/// All of them.
pub const LINTS: &[&Lint] = &[&LOCKOUT];

pub static LOCKOUT: Lint = Lint {
    id: "webhook-lockout",
    finds: "a webhook that the operator's own objects have to pass",
    why: "While no operator runs, the API server refuses what its webhooks would be asked about, and so the Pod \
          of the operator itself: it never comes back. Leave out the namespace that `config/default` names.",
};
