//! The `lint` section of `PROJECT` and of `rustop.yaml`.

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::did_you_mean;
use crate::diagnostic::lints::conventions::{CONVENTIONS, Convention};

/// Changes to the default set of rules.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Config {
    /// Rules to disable: see `rustop lint --list`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disable: Vec<String>,
    /// Rules to enable: see `rustop lint --list`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub enable: Vec<String>,
    /// Forbidden field names, for the rule `naming-conventions`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden_names: Vec<ForbiddenName>,
}

/// A pattern of forbidden field names.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ForbiddenName {
    /// A regular expression, matched anywhere in the field's JSON name: `Ip$`, `^(?i)master`.
    pub pattern: String,
    /// The suggested replacement: `IP`.
    pub instead: String,
}

/// The resolved configuration of the linter.
#[derive(Debug)]
pub struct LintRules {
    /// The enabled rules.
    pub rules: Vec<&'static Convention>,
    /// The patterns of forbidden names, with the suggested replacements.
    pub names: Vec<(Regex, String)>,
}

impl Config {
    /// Reports whether the configuration changes nothing.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Resolves the enabled rules and compiles the patterns. Leaves out invalid ones, which
    /// [`Self::check`] reports.
    pub fn resolve(&self) -> LintRules {
        let names = self.forbidden_names.iter();
        let name = |name: &ForbiddenName| {
            let pattern = Regex::new(&name.pattern).ok()?;
            Some((pattern, name.instead.clone()))
        };
        LintRules {
            rules: self.rules(),
            names: names.filter_map(name).collect(),
        }
    }

    /// Checks that every rule name is known and every pattern is a regular expression.
    ///
    /// # Errors
    /// Returns an error with the first invalid name or pattern, and with a suggestion for a
    /// misspelled rule.
    pub fn check(&self) -> Result<(), String> {
        let known: Vec<_> = CONVENTIONS.iter().map(|rule| rule.lint.id).collect();
        let mut named = self.enable.iter().chain(&self.disable);
        if let Some(name) = named.find(|name| !known.contains(&name.as_str())) {
            let help = did_you_mean(name, &known).map_or_else(
                || "run `rustop lint --list`".to_owned(),
                |meant| format!("did you mean `{meant}`?"),
            );
            return Err(format!("unknown rule `{name}`; {help}"));
        }
        for ForbiddenName { pattern, .. } in &self.forbidden_names {
            Regex::new(pattern).map_err(|error| {
                let error = error.to_string();
                let reason = error.lines().last().unwrap_or_default();
                format!("`{pattern}` is not a valid regular expression: {reason}")
            })?;
        }
        Ok(())
    }

    /// Returns the enabled rules.
    fn rules(&self) -> Vec<&'static Convention> {
        let named =
            |names: &[String], rule: &Convention| names.iter().any(|name| name == rule.lint.id);
        let is_on = |rule: &&Convention| {
            (rule.on || named(&self.enable, rule)) && !named(&self.disable, rule)
        };
        CONVENTIONS.iter().filter(is_on).collect()
    }
}
