//! The effects of a CRD change on stored objects and on existing clients.

use std::fmt;

use crate::diagnostic::lint::Lint;

/// The damage that a change does, in increasing order.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Harm {
    /// No damage by itself, but someone may have to react.
    Care,
    /// Clients that read or write the API in its previous form.
    Clients,
    /// Stored objects: they lose data, can no longer be changed, or prevent the API server from
    /// accepting the CRD.
    Stored,
}

/// Formats the harm as the predicate of a sentence about a change.
impl fmt::Display for Harm {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Care => "needs care",
            Self::Clients => "breaks clients",
            Self::Stored => "breaks stored objects",
        })
    }
}

/// Rows are `name: harm, id, finds, why`, as in [`Lint`].
macro_rules! table {
    ($($name:ident: $harm:ident, $id:literal, $finds:literal, $why:literal;)*) => {
        $(pub static $name: Lint = Lint { id: $id, finds: $finds, why: $why };)*
        /// All rules of this module.
        pub const LINTS: &[&Lint] = &[$(&$name),*];
        const HARMS: &[(&str, Harm)] = &[$(($id, Harm::$harm)),*];
    };
}

table! {
    BRANCHES_CHANGED: Clients, "branches-changed",
        "an `allOf`, `anyOf`, `oneOf` or `not` that is new or changed",
        "rustop cannot compare which values two such schemas accept. The API server may reject values that clients write today. A stored object keeps its value, and its other fields can still be changed.";
    BRANCHES_OF_OBJECT: Stored, "branches-of-object",
        "a new or changed `allOf`, `anyOf`, `oneOf` or `not` on an object, a list or a map",
        "rustop cannot compare which values two such schemas accept. If a stored object does not match the new schema, the API server rejects every change at or below this field until the whole field matches.";
    COLUMN_CHANGED: Care, "column-changed",
        "a column of `kubectl get` that is removed or shows another value",
        "Scripts that parse the output of `kubectl get` read a different value.";
    CONVERSION_GONE: Stored, "conversion-gone",
        "a CRD with several versions whose conversion webhook is removed",
        "Without the webhook the API server changes only the `apiVersion`, and drops fields that the requested version does not have. A client that writes such an object back loses their values.";
    CRD_GONE: Care, "crd-gone",
        "a kind that is removed from the project",
        "Its CRD and its objects stay in each cluster until the CRD is deleted there, which also deletes the objects.";
    DEFAULT_CHANGED: Care, "default-changed",
        "a new or changed default",
        "Stored objects keep the value that they got from the old default. The same manifest applied in another cluster results in a different object. A stored object without the field is read with the new default, and the controller acts on it.";
    DEFAULT_GONE: Clients, "default-gone",
        "a default that is removed",
        "Clients that relied on the default now create objects without the field, or are rejected if the field is required.";
    EMBEDDED_RESOURCE: Stored, "embedded-resource",
        "an object that must now be a complete Kubernetes resource",
        "Stored objects without an `apiVersion` and a `kind` in this field can no longer be updated.";
    ENUM_NARROWED: Stored, "enum-narrowed",
        "a new enum, or an enum value that is removed",
        "A stored object keeps the removed value, and an operator whose type lacks that variant cannot read it. Clients that write the value are rejected. Keep the variant, mark it as deprecated in its comment, and remove it once no stored object uses it.";
    ENUM_WIDENED: Care, "enum-widened",
        "an enum that gains a value, or is removed",
        "A client with a closed list of values, such as an enum in Rust or Go, cannot read the new value. Update all clients before the first object uses it.";
    FIELD_GONE: Stored, "field-gone",
        "a field that is removed or renamed",
        "The API server silently drops the field from every stored object that it reads, and from etcd with the next write.";
    FIELD_REQUIRED: Stored, "field-required",
        "a field that becomes required, without a default",
        "If a stored object lacks the field, the API server rejects every change within the object that should contain it, and an operator whose type has the field cannot read it. Clients that create objects without the field are rejected.";
    FORMAT_CHANGED: Clients, "format-changed",
        "a new or changed format",
        "If the API server knows the format, it rejects values that do not match. Clients read the field as another type.";
    FORMAT_NARROWED: Stored, "format-narrowed",
        "a number format with a smaller range",
        "The API server checks the range of a number only when it is written. A stored object keeps a larger number, and an operator whose type is `i32` cannot read it.";
    KIND_CHANGED: Stored, "kind-changed",
        "a kind that is renamed while its plural stays the same",
        "The API server rejects the CRD. To rename a kind, create the new kind with its own plural, let the controller create a new object for each old one, and delete the old kind when no objects are left.";
    LIMIT_TIGHTENED: Clients, "limit-tightened",
        "a new or tighter limit",
        "Clients that write a value beyond the limit are rejected. A stored object keeps its value, and its other fields can still be changed. In a list that is not merged by keys, changing one item validates all items.";
    LIST_KEYS_CHANGED: Clients, "list-keys-changed",
        "a list that becomes a set, or is merged by other keys",
        "Server-side apply fails for a list with two equal items, and so does every change to a stored object that has such a list.";
    MERGE_CHANGED: Care, "merge-changed",
        "a list or an object whose merge strategy changes",
        "Server-side apply changes the owners of the items: a field manager that applied one item may become the owner of all of them, and remove items of others.";
    NAME_GONE: Care, "name-gone",
        "a short name, category, singular or list kind that is removed",
        "Scripts may use the old name.";
    NULL_REFUSED: Clients, "null-refused",
        "a field that may no longer be null",
        "Clients that apply null are rejected. A stored null is read as a missing field.";
    PATTERN_CHANGED: Clients, "pattern-changed",
        "a new or changed pattern",
        "Clients that write a string that does not match are rejected. A stored object keeps its string, and its other fields can still be changed.";
    RULE_ADDED: Clients, "rule-added",
        "a new or changed CEL rule",
        "Clients that write a value that violates the rule are rejected. A stored object keeps its value, and its other fields can still be changed.";
    RULE_OF_OBJECT: Stored, "rule-of-object",
        "a new or changed CEL rule on an object, a list or a map",
        "If a stored object violates the rule, the API server rejects every change at or below this field until the rule holds. For a rule on the whole object, this includes labels, finalizers and the status. Put the rule on the innermost field that it needs.";
    SCOPE_CHANGED: Stored, "scope-changed",
        "a changed scope",
        "The API server rejects the CRD. To change the scope, create a new kind and keep the old one until its objects are migrated.";
    SELECTOR_GONE: Clients, "selector-gone",
        "a selectable field that is removed",
        "Clients that list or watch with a `fieldSelector` on the field are rejected.";
    STATUS_FIELD_GONE: Clients, "status-field-gone",
        "a field of the status that is removed or renamed",
        "The API server drops the field from every object that it reads. The controller can write the status again, but clients that read the old name find no value.";
    STORAGE_MOVED: Care, "storage-moved",
        "a changed storage version",
        "Stored objects stay in the old version until they are written again. An older operator reads the new ones through conversion.";
    STORED_VERSION_GONE: Stored, "stored-version-gone",
        "a version that is removed while objects are stored in it",
        "The API server rejects the CRD as long as `status.storedVersions` lists the version.";
    SUBRESOURCE_CHANGED: Clients, "subresource-changed",
        "a subresource that is added, removed or changed",
        "Clients that write the status through the previous endpoint are ignored or get a 404, and autoscalers rely on the scale subresource.";
    TYPE_CHANGED: Stored, "type-changed",
        "a changed type",
        "If a stored object has a value of the old type, server-side apply to it always fails, and an operator with the new type cannot read it.";
    TYPE_WIDENED: Clients, "type-widened",
        "a type that accepts more values",
        "Stored objects stay valid. A client that was built for the old type cannot read the new values.";
    UNKNOWN_FIELDS_GONE: Stored, "unknown-fields-gone",
        "an object or a map that no longer preserves unknown fields",
        "The API server silently drops fields that the schema does not name from every stored object that it reads, and from etcd with the next write.";
    VALUES_WIDENED: Care, "values-widened",
        "a removed pattern, an allowed null, or a format that accepts more values",
        "Stored objects stay valid. A client that was built for the old values cannot read the new ones, or does not expect them. Update all clients before the first object uses one.";
    VERSION_GONE: Clients, "version-gone",
        "a version that is no longer served",
        "Requests for it get a 404, from manifests, clients and caches alike. Deprecate the version first (`deprecated = \"..\"`), and find the clients that still use it.";
}

/// Returns the harm of a change that a rule reports. A rule of another module has [`Harm::Care`].
pub fn harm(rule: &Lint) -> Harm {
    let row = HARMS.iter().find(|(id, _)| *id == rule.id);
    row.map_or(Harm::Care, |(_, harm)| *harm)
}
