//! Label selectors in kubectl's syntax: `env=prod`, `env!=prod`, `env in (a, b)`, `env notin (a,
//! b)`, `env`, `!env`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

use crate::names::labels::{is_name, is_qualified_name};
use crate::sources::marker::{Problem, Text};

/// Parses a selector from several values, each of which contains one or more requirements,
/// separated by commas. Returns it without the invalid requirements, and a problem for each of
/// these.
pub fn selector(values: &[Text]) -> (LabelSelector, Vec<Problem>) {
    let mut selector = LabelSelector::default();
    let mut problems = Vec::new();
    for value in values {
        for text in requirements(&value.text) {
            if let Err((message, help)) = add(&mut selector, text.trim()) {
                problems.push(Problem::new(value.span.clone(), message).help(help));
            }
        }
    }
    (selector, problems)
}

/// Splits a text at the commas outside of parentheses.
fn requirements(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.split(move |c| {
        inside = (inside || c == '(') && c != ')';
        c == ',' && !inside
    })
}

/// The message and the help.
type Wrong = (String, String);

fn add(selector: &mut LabelSelector, text: &str) -> Result<(), Wrong> {
    let (key, operator, values) = requirement(text)?;
    is_key(key)?;
    values.iter().try_for_each(|value| is_value(value))?;
    if operator == "=" {
        let labels = selector.match_labels.get_or_insert_default();
        let before = labels.insert(key.to_owned(), values[0].to_owned());
        return match before.filter(|before| before != values[0]) {
            Some(before) => Err((
                format!(
                    "the label `{key}` cannot be both `{before}` and `{}`",
                    values[0]
                ),
                format!(
                    "write `\"{key} in ({before},{})\"` for either of them",
                    values[0]
                ),
            )),
            None => Ok(()),
        };
    }
    let values = values.into_iter().map(str::to_owned).collect::<Vec<_>>();
    selector
        .match_expressions
        .get_or_insert_default()
        .push(LabelSelectorRequirement {
            key: key.to_owned(),
            operator: operator.to_owned(),
            values: (!values.is_empty()).then_some(values),
        });
    Ok(())
}

/// Parses a requirement into key, operator and values. The operator is that of the API, or `=` for
/// a label in `matchLabels`.
fn requirement(text: &str) -> Result<(&str, &'static str, Vec<&str>), Wrong> {
    if let Some((before, list)) = text.split_once('(') {
        let operators = [(" notin", "NotIn"), (" in", "In")];
        let found = operators.iter().find_map(|(word, operator)| {
            Some((before.trim_end().strip_suffix(word)?.trim_end(), *operator))
        });
        let list = list.trim_end().strip_suffix(')');
        let (Some((key, operator)), Some(list)) = (found, list) else {
            return Err(no_requirement(text));
        };
        return Ok((key, operator, list.split(',').map(str::trim).collect()));
    }
    for (sign, operator) in [("!=", "NotIn"), ("==", "="), ("=", "=")] {
        if let Some((key, value)) = text.split_once(sign) {
            return Ok((key.trim_end(), operator, vec![value.trim_start()]));
        }
    }
    match text.strip_prefix('!') {
        Some(key) => Ok((key.trim_start(), "DoesNotExist", Vec::new())),
        None => Ok((text, "Exists", Vec::new())),
    }
}

fn no_requirement(text: &str) -> Wrong {
    (
        format!("`{text}` is not a label selector"),
        "write `key=value`, `key!=value`, `\"key in (a,b)\"`, `\"key notin (a,b)\"`, `key` or `!key`".to_owned(),
    )
}

fn is_key(key: &str) -> Result<(), Wrong> {
    if is_qualified_name(key) {
        Ok(())
    } else {
        Err(no_requirement(key))
    }
}

fn is_value(value: &str) -> Result<(), Wrong> {
    if value.is_empty() || is_name(value) {
        return Ok(());
    }
    Err((
        format!("`{value}` is not a valid label value"),
        "it consists of at most 63 letters, digits, `-`, `_` and `.`, a letter or digit at both ends".to_owned(),
    ))
}
