//! YAML parsing that accepts continuation lines of quoted scalars at any column, as kubectl and
//! older generators do.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::quoted;
use crate::yaml;

/// The parser's message about a continuation line of a quoted scalar that is not indented far
/// enough.
const TOO_FAR_LEFT: &str = "multiline quoted scalar";

/// The maximum nesting depth of mappings and lists: that of a `List` with the deepest CRD that can
/// be imported.
const DEEPEST: usize = crate::crd::DEEPEST + 2;

/// The maximum number of documents in a text. The size of the text and the number of nodes are
/// limited, too.
const DOCUMENTS: usize = 100_000;

/// A YAML value as kubectl reads it, by YAML 1.1: `0644` is 420, and a key that is a boolean or a
/// number becomes the text of that value. An unquoted `n` or `off`, for example, becomes `false`.
struct YamlNode(Value);

/// A key of a mapping.
struct Key(String);

struct NodeVisitor;

impl<'de> Deserialize<'de> for YamlNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor).map(Self)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_any(NodeVisitor)? {
            Value::String(text) => Ok(Self(text)),
            Value::Array(_) | Value::Object(_) => Err(D::Error::custom("a key is not a scalar")),
            Value::Null => Err(D::Error::custom("a key is null: write quotes around it")),
            Value::Number(number) if number.is_f64() => {
                Ok(Self(float_key(number.as_f64().unwrap_or_default())))
            }
            scalar => Ok(Self(scalar.to_string())),
        }
    }
}

/// Returns the text of a float as a key: in single precision, with an exponent below 0.0001 and
/// from 1,000,000 on, as sigs.k8s.io/yaml prints it.
fn float_key(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "sigs.k8s.io/yaml does so")]
    let value = value as f32;
    let size = value.abs();
    if value == 0.0 || (0.0001..1_000_000.0).contains(&size) {
        return value.to_string();
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = match exponent.strip_prefix('-') {
                Some(exponent) => ('-', exponent),
                None => ('+', exponent),
            };
            format!("{digits}e{sign}{exponent:0>2}")
        }
        None => text,
    }
}

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of YAML")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(YamlNode(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((Key(key), YamlNode(value))) = entries.next_entry()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!(
                    "two keys of a mapping are read as `{key}`: write quotes around the keys that are texts, such as \
                     `n`, `off` or `1`"
                )));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

/// Parses all documents of a text. The limits allow a `List` with all CRDs of a cluster. The limit
/// for aliases is much lower, because CRDs usually have none.
fn parse(text: &str) -> Result<Vec<Value>, serde_yaml::Error> {
    let nodes = yaml::with_stack(|| {
        let options = serde_yaml::options! {
            budget: serde_yaml::budget! { max_documents: DOCUMENTS, max_nodes: 2_000_000, max_events: 4_000_000, max_depth: DEEPEST },
            alias_limits: serde_yaml::alias_limits! { max_total_replayed_events: 100_000 },
            legacy_octal_numbers: true,
        };
        serde_yaml::from_multiple_with_options::<YamlNode>(text, options)
    });
    Ok(nodes?.into_iter().map(|YamlNode(value)| value).collect())
}

/// A text that cannot be parsed.
pub struct Unparsable {
    /// The first line of the parser's message.
    pub reason: String,
    /// True if the text is valid, and nested too deeply.
    pub is_too_deep: bool,
}

/// Returns all documents of a text.
///
/// # Errors
/// Returns an error if the text is not valid YAML, or exceeds a limit.
pub fn documents(input: &str) -> Result<Vec<Value>, Unparsable> {
    match parse(input) {
        Err(error) if error.to_string().contains(TOO_FAR_LEFT) => {
            parse(&quoted::indented(input)).map_err(|error| unparsable(&error))
        }
        parsed => parsed.map_err(|error| unparsable(&error)),
    }
}

fn unparsable(error: &serde_yaml::Error) -> Unparsable {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    let line = line.trim_start_matches("error: ");
    let deep = match line.split_once("budget breached") {
        Some((place, _)) if yaml::is_too_deep(error) => Some(place),
        _ => line.split_once("recursion limit").map(|(place, _)| place),
    };
    let reason = match deep {
        Some(place) => {
            format!("{place}more than {DEEPEST} mappings and lists are inside each other")
        }
        None => yaml::too_much(error).unwrap_or_else(|| line.to_owned()),
    };
    Unparsable {
        reason,
        is_too_deep: deep.is_some(),
    }
}
