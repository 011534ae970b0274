//! The `lint` section of `PROJECT`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rules::{RULES, Rule};
use crate::manifests::diagnostic::did_you_mean;

/// Which rules look: those that are on from the start, with these changes.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Config {
    /// Rules to leave out: see `rustop lint --list`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disable: Vec<String>,
    /// Rules to add: see `rustop lint --list`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub enable: Vec<String>,
}

impl Config {
    /// Whether nothing is changed.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The rules that look.
    pub fn rules(&self) -> Vec<&'static Rule> {
        let named = |names: &[String], rule: &Rule| names.iter().any(|name| name == rule.lint.id);
        let is_on =
            |rule: &&Rule| (rule.on || named(&self.enable, rule)) && !named(&self.disable, rule);
        RULES.iter().filter(is_on).collect()
    }

    /// The first name that is no rule's, and what to write for it.
    pub fn unknown(&self) -> Option<(&str, String)> {
        let known: Vec<_> = RULES.iter().map(|rule| rule.lint.id).collect();
        let name = self
            .enable
            .iter()
            .chain(&self.disable)
            .find(|name| !known.contains(&name.as_str()))?;
        let help = did_you_mean(name, &known).map_or_else(
            || "run `rustop lint --list`".to_owned(),
            |meant| format!("did you mean `{meant}`?"),
        );
        Some((name, help))
    }
}
