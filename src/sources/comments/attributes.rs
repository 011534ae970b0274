//! The markers of controller-gen for types and fields, and the Rust attributes to use instead.

/// Markers that begin with `+kubebuilder:`.
const OF_KUBEBUILDER: &[(&str, &str)] = &[
    ("ac", NOTHING),
    ("default", DEFAULT),
    (
        "deprecatedversion",
        "`#[kube(deprecated = \"..\")]` on the spec",
    ),
    ("example", "`#[schemars(example = ..)]` on the field"),
    ("externalDocs", "a link in the doc comment"),
    (
        "metadata",
        "`#[kube(annotation(\"..\", \"..\"), label(\"..\", \"..\"))]` on the spec",
    ),
    ("object", NOTHING),
    (
        "printcolumn",
        "`#[kube(printcolumn(name = \"..\", type_ = \"..\", json_path = \"..\"))]` on the spec",
    ),
    ("pruning", "`#[schemars(schema_with = ..)]` on the field"),
    (
        "resource",
        "`#[kube(plural = \"..\", shortname = \"..\", category = \"..\")]` on the spec",
    ),
    (
        "selectablefield",
        "`#[kube(selectable = \"..\")]` on the spec",
    ),
    (
        "skipversion",
        "`rustop create api --version ..` for each existing version",
    ),
    (
        "storageversion",
        "`#[kube(storage = false)]` on the specs of all other versions",
    ),
    (
        "subresource",
        "`#[kube(status = \"..\", scale(..))]` on the spec",
    ),
    ("title", "`#[schemars(title = \"..\")]`"),
    ("unservedversion", "`#[kube(served = false)]` on the spec"),
    ("validation", VALIDATION),
];

/// Kubernetes' own markers, with `=` if they have a value. They count as markers only if nothing
/// else is on the line.
const OF_KUBERNETES: &[(&str, &str)] = &[
    ("default=", DEFAULT),
    ("groupName=", "`#[kube(group = \"..\")]` on the spec"),
    ("k8s:", VALIDATION),
    ("listMapKey=", MERGED),
    ("listType=", MERGED),
    ("mapType=", MERGED),
    ("nullable", OPTIONAL),
    ("optional", OPTIONAL),
    ("required", "a type that is no `Option`"),
    ("structType=", MERGED),
    ("versionName=", "`#[kube(version = \"..\")]` on the spec"),
];

const DEFAULT: &str = "`#[serde(default = \"..\")]`, with the name of a function, on the field";
const MERGED: &str = "`#[x_kube(merge_strategy = ..)]` on the field";
const NOTHING: &str = "nothing: Rust needs no such marker";
const OPTIONAL: &str = "`Option<..>`";
const VALIDATION: &str = "`#[schemars(length(..), range(..), regex(pattern = ..))]` or \
    `#[x_kube(validation = Rule::new(\"..\"))]` on the field";

/// Returns what to write instead of `+kubebuilder:NAME`; `None` if this is not a marker of types
/// and fields.
pub fn instead_of(name: &str) -> Option<&'static str> {
    let known = OF_KUBEBUILDER.iter().find(|(known, _)| *known == name);
    known.map(|(_, instead)| *instead)
}

/// Returns the name of a marker without `+kubebuilder:`, such as `listType`, and what to write
/// instead. `text` is the text after `+`. `None` if it is not such a marker.
pub fn of_kubernetes(text: &str) -> Option<(&'static str, &'static str)> {
    let is = |name: &str| {
        let rest = text.strip_prefix(name);
        rest.is_some_and(|rest| {
            if name.ends_with(['=', ':']) {
                !rest.contains(char::is_whitespace)
            } else {
                rest.is_empty()
            }
        })
    };
    let known = OF_KUBERNETES.iter().find(|(name, _)| is(name));
    known.map(|(name, instead)| (name.trim_end_matches(['=', ':']), *instead))
}
