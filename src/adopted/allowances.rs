//! The entries of `allow` in `rustop.yaml`, as suppressions like those of comments in Rust sources.

use std::path::Path;
use std::sync::Arc;

use super::{Config, FILE};
use crate::diagnostic::SourceLine;
use crate::disk::regular;
use crate::sources::allow::{Allow, Scope};
use crate::sources::marker::Text;

/// Returns the suppressions of a project, each with the line that names its rule.
pub fn of(dir: &Path, config: &Config) -> Vec<Allow> {
    let text = regular::text_in(dir, FILE).unwrap_or_default();
    in_text(config, &text)
}

fn in_text(config: &Config, text: &str) -> Vec<Allow> {
    let lines = text.lines();
    let mut at: usize = lines
        .take_while(|line| !line.starts_with("allow:"))
        .map(|line| line.len() + 1)
        .sum();
    // The number of the line at `counted`, from which lines are counted on.
    let (mut number, mut counted) = (1, 0);
    let allow = config.allow.iter().map(|allowance| {
        at = position(text, at, &allowance.rule);
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        number += text[counted..start].matches('\n').count();
        counted = start;
        let line = SourceLine {
            path: FILE.into(),
            number,
            text: text[start..].lines().next().unwrap_or_default().to_owned(),
        };
        let span = at - start..(at - start + allowance.rule.len()).min(line.text.len());
        Allow {
            line: Arc::new(line),
            holds: Scope::Subject(allowance.at.clone()),
            rules: vec![Text {
                text: allowance.rule.clone(),
                span,
            }],
        }
    });
    allow.collect()
}

/// Returns the byte, after the byte `from`, at which the value `rule` of the next key `rule`
/// begins. The end of the text if the value is not written literally.
fn position(text: &str, from: usize, rule: &str) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let key = rest.find("rule:").map(|key| from + key + "rule:".len());
    let value = key.and_then(|key| Some(key + text[key..].find(rule)?));
    value.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_has_the_line_of_its_rule() {
        let text = "layout: [rustop.dev/adopted-v1]\nprojectName: rule\nallow:\n- {rule: field-gone, at: A, reason: field-gone}\n\
            - at: B\n  rule: 'field-gone'\n  reason: b\n- {at: C, reason: c, rule: \"x\\u0079z\"}\n";
        let config = Config::parse(text).unwrap();
        let found = in_text(&config, text);
        let places: Vec<_> = found
            .iter()
            .map(|it| (it.line.number, &it.line.text[it.rules[0].span.clone()]))
            .collect();
        assert_eq!(places[..2], [(4, "field-gone"), (6, "field-gone")]);
        // A rule with escape sequences is not found in the text.
        assert_eq!(places[2].1, "");
    }
}
