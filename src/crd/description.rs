//! Descriptions of limited length: with the full descriptions of Kubernetes' types, a CRD may be
//! too large for the API server.

use std::borrow::Cow;

use serde_json::Value;

/// Shortens each description of a schema to at most `max` characters, and removes it if nothing is
/// left.
pub fn shorten(schema: &mut Value, max: usize) {
    let Value::Object(node) = schema else { return };
    let description = node.get("description").and_then(Value::as_str);
    match description.map(|text| shortened(text, max).into_owned()) {
        Some(text) if text.is_empty() => {
            node.remove("description");
        }
        Some(text) => {
            node.insert("description".to_owned(), text.into());
        }
        None => {}
    }
    for (keyword, inner) in node {
        match (keyword.as_str(), inner) {
            ("properties", Value::Object(schemas)) => {
                for schema in schemas.values_mut() {
                    shorten(schema, max);
                }
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                for schema in schemas {
                    shorten(schema, max);
                }
            }
            ("items" | "additionalProperties" | "not", schema) => shorten(schema, max),
            _ => {}
        }
    }
}

/// Truncates a text at the end of a sentence or, if there is none, at the end of a word followed by
/// three dots.
fn shortened(text: &str, max: usize) -> Cow<'_, str> {
    const DOTS: &str = "...";
    let Some((end, _)) = text.char_indices().nth(max) else {
        return text.into();
    };
    let ends_sentence = |at: usize| {
        let before = text[..at].ends_with(['.', '!', '?']);
        before && text[at..].starts_with(char::is_whitespace)
    };
    let mut ends = text.char_indices().map(|(at, _)| at);
    let ends = ends.by_ref().take_while(|&at| at <= end);
    if let Some(at) = ends.filter(|&at| ends_sentence(at)).last() {
        return text[..at].into();
    }
    let Some(room) = max.checked_sub(DOTS.len()) else {
        return "".into();
    };
    // Include the next character: if it is whitespace, the last word is complete.
    let next = text.char_indices().nth(room + 1);
    let end = next.map_or(text.len(), |(at, _)| at);
    let words = text[..end].rsplit_once(char::is_whitespace);
    let words = words.map_or("", |(words, _)| words.trim_end());
    match words {
        "" => "".into(),
        words => format!("{words}{DOTS}").into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_end_with_a_sentence_or_a_word() {
        let text = "The breed. Größe e.g. of a cow";
        for (max, expected) in [
            (0, ""),
            (3, ""),
            (9, "The..."),
            (10, "The breed."),
            (25, "The breed. Größe e.g."),
            (29, "The breed. Größe e.g."),
            (30, text),
            (usize::MAX, text),
        ] {
            assert_eq!(shortened(text, max), expected, "{max}");
        }
        assert_eq!(shortened("moo of the cow", 10), "moo of...");
        assert_eq!(shortened("ééééééé", 5), "");
        assert_eq!(shortened("éé éééé", 6), "éé...");
    }

    #[test]
    fn only_descriptions_are_shortened() {
        let mut schema = json!({
            "description": "long text", "default": {"description": "long text"},
            "properties": {
                "description": {"type": "string", "description": "long text"},
                "list": {"items": {"description": "long text", "enum": ["long text"]}},
                "map": {"additionalProperties": {"anyOf": [{"description": "long text"}]}},
            },
        });
        shorten(&mut schema, 0);
        let expected = json!({
            "default": {"description": "long text"},
            "properties": {
                "description": {"type": "string"},
                "list": {"items": {"enum": ["long text"]}},
                "map": {"additionalProperties": {"anyOf": [{}]}},
            },
        });
        assert_eq!(schema, expected);
    }
}
