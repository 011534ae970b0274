//! Rules about RBAC markers.

use crate::diagnostic::lint::Lint;

/// All rules of this module.
pub const LINTS: &[&Lint] = &[
    &UNKNOWN_RESOURCE,
    &UNKNOWN_VERB,
    &NAMED_CREATE,
    &WILDCARD,
    &CLUSTER_SECRETS,
    &ESCALATION,
    &IMPLIED,
    &NOT_GRANTED,
    &NAMESPACE_MOVED,
];

pub static UNKNOWN_RESOURCE: Lint = Lint {
    id: "rbac-unknown-resource",
    finds: "a resource that its API group does not have",
    why: "Such a rule grants nothing, and the intended requests are forbidden. rustop checks the groups of Kubernetes and \
          those of PROJECT; it skips all other groups.",
};

pub static UNKNOWN_VERB: Lint = Lint {
    id: "rbac-unknown-verb",
    finds: "a verb that the resource does not support",
    why: "Such a verb grants nothing. `use`, `bind`, `escalate`, `impersonate`, `approve`, `sign` and \
          `attest` are verbs of a few resources only; server-side apply is `patch`.",
};

pub static NAMED_CREATE: Lint = Lint {
    id: "rbac-named-create",
    finds: "`create` or `deletecollection` restricted to resource names",
    why: "The API server does not know the name when it authorizes such a request, so a rule with \
          `resourceNames` never allows it. Grant the verb in a separate marker, without names.",
};

pub static WILDCARD: Lint = Lint {
    id: "rbac-wildcard",
    finds: "`*` where the needed permissions can be listed",
    why: "It also grants access to resources of later API versions. List groups, resources and verbs.",
};

pub static CLUSTER_SECRETS: Lint = Lint {
    id: "rbac-cluster-secrets",
    finds: "access to the Secrets of the whole cluster",
    why: "An attacker who takes over the operator can read every password and token in the cluster. Grant access in one \
          namespace (`namespace=…`) or by name (`resourceNames=…`), or suppress the warning with a reason.",
};

pub static ESCALATION: Lint = Lint {
    id: "rbac-escalation",
    finds: "`escalate`, `bind` or `impersonate` in the whole cluster",
    why: "With these verbs the operator can grant itself any other permission. Grant them in one namespace or by \
          name (`resourceNames=…`), or suppress the warning with a reason.",
};

pub static IMPLIED: Lint = Lint {
    id: "rbac-implied",
    finds: "a marker whose permissions another marker in the same file already grants",
    why: "It is redundant, and hides that removing a permission from the other marker has no effect. Two controllers \
          in two files may need the same permission, so rustop compares only markers of one file.",
};

pub static NOT_GRANTED: Lint = Lint {
    id: "rbac-not-granted",
    finds: "a kind that the sources watch or have an `Api` for, but no marker grants",
    why: "A watched kind (`.owns::<T>()`, `.watches::<T>(…)`, `Controller<T>`) needs `get`, `list` and `watch`. For an \
          `Api<T>` rustop accepts any verb, since it cannot see which requests the code makes.",
};

pub static NAMESPACE_MOVED: Lint = Lint {
    id: "rbac-namespace-moved",
    finds: "a namespaced marker whose Role config/default moves to the operator's namespace",
    why: "The line `namespace:` in config/default/kustomization.yaml applies to every object. \
          The `transformers:` that a new project has there restore the namespaces of markers. Without them the Role \
          grants nothing in the intended namespace, and rustop does not bind it.",
};
