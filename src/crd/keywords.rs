//! Kubernetes' keywords in a schema, and the formatting of rules in messages.

/// The keyword for CEL rules.
pub const VALIDATIONS: &str = "x-kubernetes-validations";
/// The keyword for the keys of a list that is merged as a map.
pub const LIST_KEYS: &str = "x-kubernetes-list-map-keys";

/// String formats that apiextensions-apiserver validates or recognizes.
pub const STRING_FORMATS: [&str; 27] = [
    "bsonobjectid",
    "byte",
    "cidr",
    "creditcard",
    "date",
    "date-time",
    "datetime",
    "duration",
    "email",
    "hexcolor",
    "hostname",
    "ipv4",
    "ipv6",
    "isbn",
    "isbn10",
    "isbn13",
    "k8s-long-name",
    "k8s-short-name",
    "mac",
    "password",
    "rgbcolor",
    "ssn",
    "uri",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
];

/// Formats a CEL rule on one line for a message.
pub fn one_line(rule: &str) -> String {
    rule.split_whitespace().collect::<Vec<_>>().join(" ")
}
