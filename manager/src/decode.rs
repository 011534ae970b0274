//! Decoding of JSON into a type, with the path of the value that does not fit.

use std::fmt::{self, Display};

use serde::de::DeserializeOwned;
use serde_json::Value;

/// The reason why a value does not fit a type.
#[derive(Debug)]
pub(crate) struct Misfit {
    /// The path of the value, such as `spec.users[1].role`; empty for the whole value.
    pub path: String,
    /// The message of the decoder.
    why: String,
}

impl Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, why } = self;
        match path.as_str() {
            "" => f.write_str(why),
            path => write!(f, "{path}: {why}"),
        }
    }
}

/// Decodes a JSON value into a type.
pub(crate) fn decode<T: DeserializeOwned>(value: &Value) -> Result<T, Misfit> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        Misfit {
            path: if path == "." { String::new() } else { path },
            why: error.inner().to_string(),
        }
    })
}
