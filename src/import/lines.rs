//! YAML whose quoted texts go on at any column, as kubectl and older generators write and read it.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::quoted;

/// What the parser says of a line of a quoted text that is not indented far enough.
const TOO_FAR_LEFT: &str = "multiline quoted scalar";

/// What the parser says of a text with more in it than it reads.
const TOO_MUCH: [&str; 2] = ["budget breached", "alias replay limit"];

/// The greatest number of mappings and lists inside each other. Each level of objects in a schema takes two.
const DEEPEST: usize = 256;

/// The greatest number of documents in a text. Its size and its nodes are limited as well.
const DOCUMENTS: usize = 100_000;

/// The stack of the thread that parses, in bytes; memory is taken as far as it is used.
const STACK: usize = 64 << 20;

/// A value of YAML as kubectl reads it: a key that is written as a boolean or a number becomes the text of that value, so
/// that an unquoted `n` or `off` is `false`.
struct Node(Value);

/// A key of a mapping.
struct Key(String);

struct NodeVisitor;

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor).map(Self)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_any(NodeVisitor)? {
            Value::String(text) => Ok(Self(text)),
            Value::Array(_) | Value::Object(_) => Err(D::Error::custom("a key is no scalar")),
            scalar => Ok(Self(scalar.to_string())),
        }
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
        while let Some(Node(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((Key(key), Node(value))) = entries.next_entry()? {
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

/// All documents of a text, in which there may be a `List` of all CRDs of a cluster. Aliases stand for much less:
/// those who write a CRD have none.
fn parse(text: &str) -> Result<Vec<Value>, serde_yaml::Error> {
    // The parser calls itself for each level, which takes more than the stack of a thread usually has.
    std::thread::scope(|scope| {
        let parse = || {
            let options = serde_yaml::options! {
                budget: serde_yaml::budget! { max_documents: DOCUMENTS, max_nodes: 2_000_000, max_events: 4_000_000, max_depth: DEEPEST },
                alias_limits: serde_yaml::alias_limits! { max_total_replayed_events: 100_000 },
            };
            serde_yaml::from_multiple_with_options::<Node>(text, options)
        };
        let thread = std::thread::Builder::new().stack_size(STACK);
        let parsed = match thread.spawn_scoped(scope, parse) {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(serde_yaml::Error::custom(error)),
        };
        parsed.map(|nodes| nodes.into_iter().map(|Node(value)| value).collect())
    })
}

/// All documents of a text.
///
/// # Errors
/// With the first line of what the parser says.
pub fn documents(input: &str) -> Result<Vec<Value>, String> {
    match parse(input) {
        Err(error) if error.to_string().contains(TOO_FAR_LEFT) => {
            parse(&quoted::indented(input)).map_err(|error| first_line(&error))
        }
        parsed => parsed.map_err(|error| first_line(&error)),
    }
}

fn first_line(error: &serde_yaml::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    let line = line.trim_start_matches("error: ");
    let deep = match line.split_once("budget breached") {
        Some((place, _)) if text.contains("Depth") => Some(place),
        _ => line.split_once("recursion limit").map(|(place, _)| place),
    };
    if let Some(place) = deep {
        return format!("{place}more than {DEEPEST} mappings and lists are inside each other");
    }
    let mut cut = TOO_MUCH.iter().filter_map(|words| line.split_once(words));
    match cut.next() {
        Some((place, _)) => {
            format!("{place}with what its aliases stand for it is too much to read")
        }
        None => line.to_owned(),
    }
}
