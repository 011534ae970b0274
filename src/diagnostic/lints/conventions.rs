//! Rules about the types of an API, and about the code of controllers and webhooks.
//!
//! Most are those of kube-api-linter, under its names with dashes. The rules about lost data are
//! rustop's own. Two sorts of its rules are missing here. `nonpointerstructs` and `requiredfields`
//! apply only to Go. The others check markers of fields, which are attributes in Rust: the derive
//! macros reject unknown, contradictory and repeated ones (`conflictingmarkers`, `dependenttags`,
//! `duplicatemarkers`, `forbiddenmarkers`, `preferredmarkers`, `uniquemarkers`), and the type of a
//! field determines whether it is optional (`optionalorrequired`, `defaults`).

use crate::diagnostic::lint::Lint;

/// A rule of `rustop lint`.
#[derive(Debug)]
pub struct Convention {
    /// The rule's name and texts.
    pub lint: &'static Lint,
    /// True if the rule is enabled by default.
    pub on: bool,
    /// True if `rustop manifests` checks the rule, too.
    pub in_manifests: bool,
    /// The suggested fix; empty if it depends on the finding.
    pub help: &'static str,
}

/// Expressions that may exceed the cost limit, by an estimate.
pub static CEL_COST: Lint = Lint {
    id: "cel-cost",
    finds: "a validation rule that may be too expensive for the API server",
    why: "The API server estimates the worst-case cost of each rule, and rejects a CRD whose rules exceed its limit. \
          rustop can only guess the cost of a function that this rule calls. Limit the length of the lists, maps and \
          strings that the rule uses, or try the CRD on a cluster of `rustop cluster start`.",
};

/// CRDs that are too large for some ways of installing them.
pub static CRD_SIZE: Lint = Lint {
    id: "crd-size",
    finds: "a CRD of more than 256 KiB",
    why: "Without `--server-side`, `kubectl apply` stores the whole CRD in an annotation, and fails if it exceeds \
          256 KiB. Each version adds its schema, and etcd rejects requests over 1.5 MiB. Most of the size is descriptions, \
          above all those of Kubernetes' own types. Instead: write `crd: {maxDescriptionLength: 0}` into PROJECT, or \
          into the entry of the kind; a larger number keeps the first sentences.",
};

/// Paths to fields that do not exist.
pub static LOST_PATH: Lint = Lint {
    id: "lost-path",
    finds: "a column or a scale path that refers to no field",
    why: "The API server accepts any path. If the path is wrong, the column stays empty, or scaling has no effect. \
          A path uses the names of fields in JSON. Instead: write the path of a field of the spec or status.",
};

/// Attributes that give a field different names in Rust and in the schema.
pub static LOST_FIELD: Lint = Lint {
    id: "lost-field",
    finds: "a field name that serde reads or writes, but the schema lacks",
    why: "The schema contains the name that serde reads, and the API server silently drops every other name: a value that \
          a user writes under an `alias`, and a value that the operator writes under another name than it reads. \
          Instead: use one name for a field, for reading and writing; add a separate `Option` field for a second name \
          that users know.",
};

/// Calls that read the machine's clock.
pub static SYSTEM_CLOCK: Lint = Lint {
    id: "system-clock",
    finds: "a controller or webhook that reads the machine's clock",
    why: "A test cannot set that clock: the test of a schedule depends on the time of day, and a simulation cannot \
          repeat a history. The manager's clock is the machine's in production, and virtual in tests. Instead: write \
          `ctx.now()` in a controller and `request.now()` in a webhook, and measure time with \
          `tokio::time::Instant::now()`.",
};

/// Calls that return random numbers.
pub static UNSEEDED_RANDOM: Lint = Lint {
    id: "unseeded-random",
    finds: "a controller or webhook that reads random numbers without a seed",
    why: "A test gets other numbers in each run, and a simulation cannot repeat a history. The numbers of `ctx.random()` \
          follow from a seed in tests. Instead: write `ctx.random()` in a controller. For a secret, read the random source \
          of the operating system with the crate `getrandom`.",
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
            Convention { lint: &SYSTEM_CLOCK, on: true, in_manifests: false, help: "" },
            Convention { lint: &UNSEEDED_RANDOM, on: true, in_manifests: false, help: "" },
        ];
        /// All rules as [`Lint`]s, which comments can suppress.
        pub const LINTS: &[&Lint] = &[
            $(&$name,)* &CEL_COST, &CRD_SIZE, &LOST_PATH, &LOST_FIELD, &SYSTEM_CLOCK, &UNSEEDED_RANDOM,
        ];
    };
}

table! {
    ARRAY_OF_STRUCT: true, false, "array-of-struct",
        "a list of structs without a required field",
        "An empty item (`- {}`) would be valid, and is nearly always a mistake.",
        "make the field that identifies an item required, without `Option`";
    COMMENT_START: false, false, "comment-start",
        "a description that does not begin with the name of its field",
        "In Kubernetes' own APIs each description begins with the field's name in JSON, since `kubectl explain` shows many of them below each other.",
        "begin the doc comment with the name in JSON";
    CONDITIONS: true, false, "conditions",
        "`conditions` that is not a list of Kubernetes' `Condition`, merged by type",
        "`kubectl wait` and dashboards expect conditions of that form. Merging by type allows two controllers to write one condition each.",
        "write `Vec<meta::Condition>`";
    DEFAULT_OR_REQUIRED: true, false, "default-or-required",
        "a required field with a default",
        "The default is never used, since the field must be set.",
        "write `#[serde(default = ..)]`, or remove the default";
    DESCRIPTION: true, false, "description",
        "a field without a description",
        "`kubectl explain` shows no text for it.",
        "write a doc comment above the field";
    FORMATS: true, true, "formats",
        "a format that the API server does not know",
        "The API server supports the formats of OpenAPI and some of its own. It warns of other formats and does not validate them: `IpAddr` becomes `ip`, and `not-an-ip` is stored.",
        "write a rule, for an `IpAddr` `#[x_kube(validation = \"isIP(self)\")]`, or `#[schemars(regex(pattern = ..))]`";
    INTEGERS: true, true, "integers",
        "an integer that is neither `i32` nor `i64`",
        "Kubernetes supports only the formats int32 and int64. The API server warns of other formats and does not validate them.",
        "write `i32` or `i64` with `#[schemars(range(min = 0))]`";
    JSON_NAMES: true, false, "json-names",
        "a field whose name in JSON is not camelCase",
        "All fields of Kubernetes' own APIs are camelCase, and users expect it.",
        "write `#[serde(rename_all = \"camelCase\")]` above the type";
    LIST_TYPE: true, false, "list-type",
        "a list without a merge strategy",
        "Server-side apply replaces such a list as a whole, so that two field managers that add one item each remove each other's item. If you want that, write it explicitly.",
        "write `#[x_kube(merge_strategy = ListMerge::Set)]`, `ListMerge::Map(vec![\"name\".into()])` or `ListMerge::Atomic` on the field";
    LOST_VALIDATION: true, true, "lost-validation",
        "a validation that is missing in the schema",
        "schemars applies a `length` to strings and lists, a `range` to numbers, and a `regex` to strings. On other types it silently drops them, and the API server accepts every value.",
        "write `#[schemars(extend(\"maxProperties\" = ..))]` for a map, and a rule for an integer or a string, such as `#[x_kube(validation = \"size(string(self)) <= 20\")]`";
    LOST_VARIANT: true, true, "lost-variant",
        "an untagged enum that mixes structs and other values",
        "A CRD schema cannot describe a value that is either an object or something else, so the API server rejects every variant that is not a struct.",
        "write a struct with an `Option` for each variant";
    MAX_LENGTH: false, false, "max-length",
        "a string, list or map without a maximum length",
        "The API server assumes up to a million items in an unlimited list, and rejects CEL rules that would be too expensive for it. Users can also fill etcd.",
        "write `#[schemars(length(max = ..))]`, for a map `#[schemars(extend(\"maxProperties\" = ..))]`";
    MIN_LENGTH: false, false, "min-length",
        "a string, list or map without a minimum length",
        "An empty name (`\"\"`) or an empty list (`[]`) is rarely meant.",
        "write `#[schemars(length(min = ..))]`, for a map `#[schemars(extend(\"minProperties\" = ..))]`";
    NAMING_CONVENTIONS: true, false, "naming-conventions",
        "a field with a name that the project forbids",
        "Each concept should have one name in a project. PROJECT, or rustop.yaml in an adopted project, lists the names to avoid: `lint: { forbiddenNames: [{ pattern: \"Ip$\", instead: write IP }] }`. The list is empty by default.",
        "use the name that the warning suggests, or change `lint.forbiddenNames`";
    NO_BOOLS: false, false, "no-bools",
        "a boolean",
        "A boolean cannot be extended when a third case comes up.",
        "write an enum";
    NO_DURATIONS: true, false, "no-durations",
        "a duration",
        "Each language reads another format of durations; `std::time::Duration` becomes two fields, `secs` and `nanos`.",
        "write an integer with the unit in its name: `timeout_seconds: i32`";
    NO_FLOATS: true, true, "no-floats",
        "a floating point number",
        "A float can change in a round trip or in another language. The controller then sees a change that no user made.",
        "write an integer of a smaller unit (`percent`, `millis`), or Kubernetes' `Quantity`";
    NO_MAPS: true, false, "no-maps",
        "a map whose values are not strings",
        "The keys of a map cannot be described, validated or extended like the fields of a list item.",
        "write a list of structs with a `name`, merged by it";
    NO_NULLABLE: false, false, "no-nullable",
        "a field that may be null",
        "Few clients distinguish null, missing and empty. kube-rs marks every `Option` as `nullable`.",
        "give the field a default, or suppress the warning";
    NO_PHASE: true, false, "no-phase",
        "a field named `phase`",
        "A phase is one of a fixed list of values, and a new value breaks clients that know the old list. Conditions can be added without that.",
        "report conditions";
    NO_REFERENCES: true, false, "no-references",
        "a field whose name ends in `Reference`",
        "Kubernetes' own APIs use `Ref` and `Refs`.",
        "write `Ref` or `Refs`";
    NO_TIMESTAMP: true, false, "no-timestamp",
        "a field whose name ends in `Timestamp`",
        "Kubernetes' own APIs use `startTime`, not `startTimestamp`.",
        "write `Time`";
    NULL_IN_ENUM: true, true, "null-in-enum",
        "an `Option` of an enum that is serialized as `null` if it is empty",
        "The API server rejects null wherever the schema has an `enum`, even if the field is nullable. It rejects every object that the operator writes with such a null, and every default that contains one.",
        "write `#[serde(skip_serializing_if = \"Option::is_none\")]` on a field; in a list or a map remove the `Option`, or add a variant for the empty case to the enum";
    OPTIONAL_FIELDS: true, false, "optional-fields",
        "an `Option` that is serialized as `null` if it is empty",
        "The operator sends `null` and so becomes the owner of the field. Clients that read the object find a null instead of a missing field.",
        "write `#[serde(skip_serializing_if = \"Option::is_none\")]`";
    PRUNED: true, true, "pruned",
        "a field whose contents the API server drops",
        "The API server silently drops every field that the schema does not name. An object whose schema names no fields is stored empty.",
        "write `#[schemars(schema_with = ..)]` on the field, with `{\"type\": \"object\", \"x-kubernetes-preserve-unknown-fields\": true}`, and `#[serde(default)]` if it is optional";
    STATUS_OPTIONAL: false, false, "status-optional",
        "a required field of the status",
        "A status is written in several steps, and by more than one writer.",
        "write `Option<_>`";
    STATUS_SUBRESOURCE: true, false, "status-subresource",
        "a status that is not a subresource",
        "Users who may edit the spec could also write the status, and each write of the status would increase the generation.",
        "name the type in `#[kube(status = \"..\")]`";
}
