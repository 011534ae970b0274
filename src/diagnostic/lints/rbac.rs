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
    why: "Such a rule grants nothing, and what was meant is forbidden. The groups of Kubernetes and those \
          of PROJECT are known; the groups of others are not looked at.",
};

pub static UNKNOWN_VERB: Lint = Lint {
    id: "rbac-unknown-verb",
    finds: "a verb that no request for the resource has",
    why: "Such a verb grants nothing. `use`, `bind`, `escalate`, `impersonate`, `approve`, `sign` and \
          `attest` are verbs of a few resources only; server-side apply is `patch`.",
};

pub static NAMED_CREATE: Lint = Lint {
    id: "rbac-named-create",
    finds: "`create` or `deletecollection` for objects of certain names",
    why: "The API server does not know the name when it decides on such a request, so a rule with \
          `resourceNames` never allows it. Write a marker of its own, without names.",
};

pub static WILDCARD: Lint = Lint {
    id: "rbac-wildcard",
    finds: "`*` where what is needed can be listed",
    why: "It also grants what a later version of the API brings. Name groups, resources and verbs.",
};

pub static CLUSTER_SECRETS: Lint = Lint {
    id: "rbac-cluster-secrets",
    finds: "the Secrets of the whole cluster",
    why: "Whoever takes over the operator has every password and token of the cluster. Grant them in one \
          namespace (`namespace=…`) or by name (`resourceNames=…`), or say why it cannot be less.",
};

pub static ESCALATION: Lint = Lint {
    id: "rbac-escalation",
    finds: "`escalate`, `bind` or `impersonate` in the whole cluster",
    why: "With these the operator can give itself every other right. Grant them in one namespace or by \
          name (`resourceNames=…`), or say why it cannot be less.",
};

pub static IMPLIED: Lint = Lint {
    id: "rbac-implied",
    finds: "a marker that grants nothing which another one of the same file does not",
    why: "It can go, and somebody who takes rights away from the other one will be surprised. Two \
          controllers in two files may well ask for the same.",
};

pub static NOT_GRANTED: Lint = Lint {
    id: "rbac-not-granted",
    finds: "a kind that the sources watch or have an `Api` for, and no marker grants",
    why: "What is watched (`.owns::<T>()`, `.watches::<T>(…)`, `Controller<T>`) needs `get`, `list` and \
          `watch`; for an `Api<T>` one verb is enough, as what it is used for cannot be seen.",
};

pub static NAMESPACE_MOVED: Lint = Lint {
    id: "rbac-namespace-moved",
    finds: "a marker with a namespace whose Role config/default moves to the operator's namespace",
    why: "The line `namespace:` in config/default/kustomization.yaml applies to every object. \
          The `transformers:` that a new project has there restore the namespaces of markers. Without them the Role \
          grants nothing where it is meant to, and rustop does not bind it.",
};
