//! Rules about the types of an API.
//!
//! Most are those of kube-api-linter, under its names with dashes. The rules about lost data are rustop's own. Two
//! sorts of its rules are missing here. `nonpointerstructs` and `requiredfields` apply only to Go. The others check
//! markers of fields, which are attributes in Rust: the derive macros reject unknown, contradictory and repeated ones
//! (`conflictingmarkers`, `dependenttags`, `duplicatemarkers`, `forbiddenmarkers`, `preferredmarkers`,
//! `uniquemarkers`), and the type of a field determines whether it is optional (`optionalorrequired`, `defaults`).

use crate::diagnostic::lint::Lint;

/// A rule of `rustop lint`.
#[derive(Debug)]
pub struct Convention {
    /// The rule's name and texts.
    pub lint: &'static Lint,
    /// True if the rule is enabled by default.
    pub on: bool,
    /// True if `rustop manifests` checks the rule, too, since a violation loses the user's data.
    pub in_manifests: bool,
    /// The suggested fix; empty if it depends on the finding.
    pub help: &'static str,
}

/// Expressions that may exceed the cost limit, by an estimate.
pub static CEL_COST: Lint = Lint {
    id: "cel-cost",
    finds: "a validation rule that may be too expensive for the API server",
    why: "The API server adds up the worst case of a rule before it takes a CRD, and refuses what is above its \
          limit. This rule uses something whose cost is a guess here. Bound the lists, maps and strings that it \
          runs over, or try the CRD on `rustop cluster start`.",
};

/// CRDs that are too large for some ways of installing them.
pub static CRD_SIZE: Lint = Lint {
    id: "crd-size",
    finds: "a CRD of more than 256 KiB",
    why: "`kubectl apply` keeps the whole CRD in an annotation, and annotations may have 256 KiB: without \
          `--server-side` it fails. Each version adds its schema, and etcd takes no more than 1.5 MiB. Descriptions are most \
          of it, above all those of Kubernetes' own types. Instead: write `crd: {maxDescriptionLength: 0}` into PROJECT, or \
          into the entry of the kind; a larger number keeps the first sentences.",
};

/// Paths to fields that do not exist.
pub static LOST_PATH: Lint = Lint {
    id: "lost-path",
    finds: "a column or a scale whose path leads to no field",
    why: "The API server takes any path, and shows an empty column, or scales nothing. The names in a path are those \
          in JSON. Instead: write the path of a field of the spec or status.",
};

/// Attributes that give a field different names in Rust and in the schema.
pub static LOST_FIELD: Lint = Lint {
    id: "lost-field",
    finds: "a name that serde reads or writes and the schema does not have",
    why: "The API server keeps the names of the schema, which are those that are read, and drops all else without a \
          word: what a user writes under an `alias`, and what the operator writes under another name than it reads. \
          Instead: one name for a field, in the schema, read and written; another one that users know is an `Option` \
          of its own.",
};

/// Rows are `name: enabled by default, checked by manifests, id, finds, why, help`.
macro_rules! table {
    ($($name:ident: $on:literal, $manifests:literal, $id:literal, $finds:literal, $why:literal, $help:literal;)*) => {
        $(pub static $name: Lint = Lint { id: $id, finds: $finds, why: concat!($why, " Instead: ", $help, ".") };)*
        /// All rules, sorted by name, followed by those that a schema alone does not reveal.
        pub const CONVENTIONS: &[Convention] = &[
            $(Convention { lint: &$name, on: $on, in_manifests: $manifests, help: $help },)*
            Convention { lint: &CEL_COST, on: true, in_manifests: true, help: "" },
            Convention { lint: &CRD_SIZE, on: true, in_manifests: true, help: "" },
            Convention { lint: &LOST_PATH, on: true, in_manifests: true, help: "" },
            Convention { lint: &LOST_FIELD, on: true, in_manifests: true, help: "" },
        ];
        /// All rules as [`Lint`]s, which comments can suppress.
        pub const LINTS: &[&Lint] = &[$(&$name,)* &CEL_COST, &CRD_SIZE, &LOST_PATH, &LOST_FIELD];
    };
}

table! {
    ARRAY_OF_STRUCT: true, false, "array-of-struct",
        "a list of structs without a required field",
        "An empty item would be valid, and `- {}` is hardly ever what is meant.",
        "make the field that tells the items apart no `Option`";
    COMMENT_START: false, false, "comment-start",
        "a description that does not begin with the name of its field",
        "`kubectl explain` shows descriptions of many fields below each other. Kubernetes begins each with the name in JSON.",
        "begin the doc comment with the name in JSON";
    CONDITIONS: true, false, "conditions",
        "`conditions` that is no list of Kubernetes' `Condition`, merged by type",
        "`kubectl wait` and every dashboard look for conditions of that form, and two controllers that write one each must not replace the other's.",
        "write `Vec<meta::Condition>`";
    DEFAULT_OR_REQUIRED: true, false, "default-or-required",
        "a required field with a default",
        "The default is never used, as the field must be given.",
        "write `#[serde(default = ..)]`, or take the default away";
    DESCRIPTION: true, false, "description",
        "a field without a description",
        "`kubectl explain` shows nothing for it.",
        "write a doc comment above the field";
    FORMATS: true, true, "formats",
        "a format that the API server does not know",
        "The API server knows the formats of OpenAPI and some of Kubernetes' own. It warns of every other and lets any text pass: `IpAddr` becomes `ip`, and `not-an-ip` is stored.",
        "say the same as a rule, for an `IpAddr` `#[x_kube(validation = \"isIP(self)\")]`, or as `#[schemars(regex(pattern = ..))]`";
    INTEGERS: true, true, "integers",
        "an integer that is neither `i32` nor `i64`",
        "Kubernetes has the formats int32 and int64 alone. It warns of every other and does not hold anyone to it.",
        "write `i32` or `i64` with `#[schemars(range(min = 0))]`";
    JSON_NAMES: true, false, "json-names",
        "a field whose name in JSON is no camelCase",
        "All of Kubernetes' fields are, and users expect it.",
        "write `#[serde(rename_all = \"camelCase\")]` above the type";
    LIST_TYPE: true, false, "list-type",
        "a list that does not say how it is merged",
        "Server-side apply replaces such a list whole, so that two who each add an item remove the other's. If that is meant, say so.",
        "write `#[x_kube(merge_strategy = ListMerge::Set)]`, `ListMerge::Map(vec![\"name\".into()])` or `ListMerge::Atomic` on the field";
    LOST_VALIDATION: true, true, "lost-validation",
        "a validation that the schema does not have",
        "schemars puts a `length` into the schema of a string or a list, a `range` into that of a number, a `regex` into that of a string, and drops it without a word elsewhere: the API server lets everything pass.",
        "write `#[schemars(extend(\"maxProperties\" = ..))]` for a map, and a rule for what is an integer or a string, such as `#[x_kube(validation = \"size(string(self)) <= 20\")]`";
    LOST_VARIANT: true, true, "lost-variant",
        "an enum without tags, of structs and of what is none",
        "Kubernetes knows no schema for an object or something else, so that the API server refuses all variants but the structs.",
        "write a struct with an `Option` for each variant";
    MAX_LENGTH: false, false, "max-length",
        "a string, list or map without a greatest length",
        "Validation rules are refused where the API server must expect a million items, and users may fill etcd.",
        "write `#[schemars(length(max = ..))]`, for a map `#[schemars(extend(\"maxProperties\" = ..))]`";
    MIN_LENGTH: false, false, "min-length",
        "a string, list or map that does not say whether it may be empty",
        "`\"\"` is seldom a name and `[]` seldom a choice.",
        "write `#[schemars(length(min = ..))]`, for a map `#[schemars(extend(\"minProperties\" = ..))]`";
    NAMING_CONVENTIONS: true, false, "naming-conventions",
        "a field with a name that PROJECT forbids",
        "A project has words of its own, and one thing should have one name. The names are in PROJECT: `lint: { forbiddenNames: [{ pattern: \"Ip$\", instead: write `IP` }] }`; there are none from the start.",
        "write what PROJECT says, or change `lint.forbiddenNames` there";
    NO_BOOLS: false, false, "no-bools",
        "a boolean",
        "A third case often comes up later, and a boolean has no place for it.",
        "write an enum";
    NO_DURATIONS: true, false, "no-durations",
        "a duration",
        "Each language reads durations in another form; `std::time::Duration` becomes two fields, `secs` and `nanos`.",
        "write an integer with the unit in its name: `timeout_seconds: i32`";
    NO_FLOATS: true, true, "no-floats",
        "a floating point number",
        "What is read may not be what was written, in another language or after a round trip, and the controller sees a change that nobody made.",
        "write an integer of a smaller unit (`percent`, `millis`), or Kubernetes' `Quantity`";
    NO_MAPS: true, false, "no-maps",
        "a map to something else than strings",
        "Keys that are data cannot be described, validated or extended as the fields of a list's items can.",
        "write a list of structs with a `name`, merged by it";
    NO_NULLABLE: false, false, "no-nullable",
        "a field that may be null",
        "Null, missing and empty are three things that few readers tell apart. kube says `nullable` of every `Option`.",
        "give the field a default, or allow it";
    NO_PHASE: true, false, "no-phase",
        "a field named `phase`",
        "A phase is one of a fixed list, and a reader that knows an older list breaks. Conditions can be added to.",
        "report conditions";
    NO_REFERENCES: true, false, "no-references",
        "a field whose name ends in `Reference`",
        "Kubernetes writes `Ref` and `Refs`.",
        "write `Ref` or `Refs`";
    NO_TIMESTAMP: true, false, "no-timestamp",
        "a field whose name ends in `Timestamp`",
        "Kubernetes writes `startTime`, not `startTimestamp`.",
        "write `Time`";
    NULL_IN_ENUM: true, true, "null-in-enum",
        "an `Option` of an enum that is written as `null` where it is empty",
        "The API server refuses null wherever the schema has an `enum`, even if the field is nullable: it refuses every object that the operator writes with such a null, and every default that contains one.",
        "write `#[serde(skip_serializing_if = \"Option::is_none\")]` on a field; in a list or a map leave the `Option` out, or give the enum a variant for the empty case";
    OPTIONAL_FIELDS: true, false, "optional-fields",
        "an `Option` that is written where it is empty",
        "The operator would send `null` for it and own the field by that, and what reads the object finds a null instead of nothing.",
        "write `#[serde(skip_serializing_if = \"Option::is_none\")]`";
    PRUNED: true, true, "pruned",
        "a field whose contents the API server drops",
        "The API server keeps what the schema names and drops all else without a word. An object of a schema that names nothing comes back empty.",
        "write `#[schemars(schema_with = ..)]` on the field, with `{\"type\": \"object\", \"x-kubernetes-preserve-unknown-fields\": true}`, and `#[serde(default)]` if it is optional";
    STATUS_OPTIONAL: false, false, "status-optional",
        "a required field of the status",
        "A status is written piece by piece, and by more than one writer.",
        "write `Option<_>`";
    STATUS_SUBRESOURCE: true, false, "status-subresource",
        "a status that is no subresource",
        "Whoever may edit the spec could write the status as well, and each write of the status would raise the generation.",
        "name the type in `#[kube(status = \"..\")]`";
}
