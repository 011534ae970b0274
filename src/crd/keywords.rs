//! Keywords of Kubernetes' own in a schema, and how what stands behind them is told.

/// The keyword of the CEL rules.
pub const VALIDATIONS: &str = "x-kubernetes-validations";
/// The keyword of the keys of a list that is merged as a map.
pub const LIST_KEYS: &str = "x-kubernetes-list-map-keys";

/// The formats of strings that apiextensions-apiserver checks or knows.
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

/// A rule as part of a message.
pub fn one_line(rule: &str) -> String {
    rule.split_whitespace().collect::<Vec<_>>().join(" ")
}
