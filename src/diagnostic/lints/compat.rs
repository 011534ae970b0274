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
    /// Stored objects: they lose data, can no longer be changed, or prevent the API server from accepting the CRD.
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
        "an `allOf`, `anyOf`, `oneOf` or `not` that is new or another one",
        "Which values fit cannot be told from the two texts. Who writes one that does not is refused; a stored object keeps it, and can be changed elsewhere.";
    BRANCHES_OF_OBJECT: Stored, "branches-of-object",
        "an `allOf`, `anyOf`, `oneOf` or `not` on an object, a list or a map that is new or another one",
        "Which values fit cannot be told from the two texts. In a stored object that does not fit, nothing at or below that place can be changed any more until all of it fits.";
    COLUMN_CHANGED: Care, "column-changed",
        "a column of `kubectl get` that is gone or shows something else",
        "Scripts that cut columns out of `kubectl get` read something else.";
    CONVERSION_GONE: Stored, "conversion-gone",
        "a CRD of several versions whose conversion webhook is gone",
        "The API server then changes nothing but the `apiVersion`, and drops the fields that the version asked for does not have; whoever writes such an object back loses them.";
    CRD_GONE: Care, "crd-gone",
        "a kind that the project no longer has",
        "Its CRD and its objects stay in the clusters until somebody deletes the CRD, and the objects with it.";
    DEFAULT_CHANGED: Care, "default-changed",
        "a default that is new or another one",
        "What is stored keeps the value that it was given. Whoever applies the same file elsewhere gets another object, and a stored object without the field reads with the new default, so that the controller acts.";
    DEFAULT_GONE: Clients, "default-gone",
        "a default that is gone",
        "Whoever relied on it writes objects without the field now, or is refused where it is required.";
    EMBEDDED_RESOURCE: Stored, "embedded-resource",
        "an object that must be a whole resource from now on",
        "One that is stored without an `apiVersion` and a `kind` cannot be changed any more.";
    ENUM_NARROWED: Stored, "enum-narrowed",
        "an enum that is new or has lost a value",
        "A stored object keeps the value, which an operator whose type has no such variant cannot read; and who writes it is refused. Keep the variant, say in its comment that it is deprecated, and rewrite what has it first.";
    ENUM_WIDENED: Care, "enum-widened",
        "an enum that has a new value, or is gone",
        "A client with a closed list, like an enum in Rust or Go, cannot read the new value. Let clients follow before anybody writes it.";
    FIELD_GONE: Stored, "field-gone",
        "a field that is gone or has another name",
        "The API server drops it from every stored object that it reads, without a word, and from etcd with the next write.";
    FIELD_REQUIRED: Stored, "field-required",
        "a field that is required from now on, without a default",
        "In a stored object without it nothing beside that place can be changed any more, an operator whose type has the field cannot read it, and whoever creates one as before is refused.";
    FORMAT_CHANGED: Clients, "format-changed",
        "a format that is new or another one",
        "Who writes what does not fit is refused, as far as the API server knows the format, and clients read it as another type.";
    FORMAT_NARROWED: Stored, "format-narrowed",
        "a format that holds fewer numbers",
        "The API server refuses numbers that do not fit only where they are written. A stored object keeps a larger one, which an operator whose type is an `i32` cannot read.";
    KIND_CHANGED: Stored, "kind-changed",
        "another kind under the same plural",
        "The API server refuses the CRD. A kind is renamed by a new one beside it: create it under its own plural, let the controller make the new objects from the old ones, and delete the old kind when none is left.";
    LIMIT_TIGHTENED: Clients, "limit-tightened",
        "a limit that is new or closer",
        "Who writes such a value is refused. A stored object keeps its value, and can be changed elsewhere; in a list that is not merged by keys all items are looked at as soon as one changes.";
    LIST_KEYS_CHANGED: Clients, "list-keys-changed",
        "a list that becomes a set, or is merged by other keys",
        "Server-side apply of a list with two equal items fails, and so does every change of such a list that is stored.";
    MERGE_CHANGED: Care, "merge-changed",
        "a list or an object that is merged another way",
        "Server-side apply gives its items to other owners: who applied one item may now own all of them, and remove the others'.";
    NAME_GONE: Care, "name-gone",
        "a short name, a category, a singular or a kind of lists that is gone",
        "Scripts call the kind by it.";
    NULL_REFUSED: Clients, "null-refused",
        "a field that may no longer be null",
        "Who applies a null is refused; a stored one is read as if the field were not there.";
    PATTERN_CHANGED: Clients, "pattern-changed",
        "a pattern that is new or another one",
        "Who writes a text that does not match is refused. A stored object keeps its text, and can be changed elsewhere.";
    RULE_ADDED: Clients, "rule-added",
        "a CEL rule that is new or another one",
        "Who writes what breaks it is refused. A stored object keeps it, and can be changed elsewhere.";
    RULE_OF_OBJECT: Stored, "rule-of-object",
        "a CEL rule on an object, a list or a map that is new or another one",
        "In a stored object that breaks it, nothing at or below that place can be changed any more until the rule holds; where it stands on the whole object that is all of it, labels, finalizers and status too. Put the rule as deep as it goes.";
    SCOPE_CHANGED: Stored, "scope-changed",
        "another scope",
        "The API server refuses the CRD. A new kind beside the old one can have another scope.";
    SELECTOR_GONE: Clients, "selector-gone",
        "a field that objects can no longer be selected by",
        "Who lists or watches with a `fieldSelector` on it is refused.";
    STATUS_FIELD_GONE: Clients, "status-field-gone",
        "a field of the status that is gone or has another name",
        "The API server drops it from every object that it reads. The controller can write what it knows; who reads the old name finds nothing.";
    STORAGE_MOVED: Care, "storage-moved",
        "another version that objects are stored in",
        "What is stored already stays in the old version until it is written again, and an older operator reads the new ones through the conversion.";
    STORED_VERSION_GONE: Stored, "stored-version-gone",
        "a version that is gone while objects are stored in it",
        "The API server refuses the CRD as long as `status.storedVersions` has the version.";
    SUBRESOURCE_CHANGED: Clients, "subresource-changed",
        "a subresource that comes, goes or looks elsewhere",
        "Who writes the status where it was written before is ignored or gets a 404, and autoscalers look for the scale.";
    TYPE_CHANGED: Stored, "type-changed",
        "another type",
        "Server-side apply fails on a stored object with a value of the old type, whatever is applied, and an operator with the new type cannot read it.";
    TYPE_WIDENED: Clients, "type-widened",
        "a type that holds more",
        "What is stored fits. A client that was built for the old type cannot read the new values.";
    UNKNOWN_FIELDS_GONE: Stored, "unknown-fields-gone",
        "an object or a map that no longer keeps what no schema names",
        "The API server drops it from every stored object that it reads, without a word, and from etcd with the next write.";
    VALUES_WIDENED: Care, "values-widened",
        "a pattern that is gone, a null that is allowed, or a format that holds more",
        "What is stored fits. A client that was built for the old values cannot read the new ones, or does not expect them. Let clients follow before anybody writes them.";
    VERSION_GONE: Clients, "version-gone",
        "a version that is no longer served",
        "Who asks for it gets a 404, in manifests, clients and caches alike. Deprecate it first (`deprecated = \"..\"`), and see who still asks for it.";
}

/// Returns the harm of a change that a rule reports.
pub fn harm(rule: &Lint) -> Harm {
    let row = HARMS.iter().find(|(id, _)| *id == rule.id);
    row.map_or(Harm::Care, |(_, harm)| *harm)
}
