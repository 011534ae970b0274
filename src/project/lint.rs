//! The `lint` section of `PROJECT`.

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::did_you_mean;
use crate::diagnostic::lints::conventions::{CONVENTIONS, Convention};

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
    /// What fields may not be called, for the rule `naming-conventions`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden_names: Vec<ForbiddenName>,
}

/// What fields may not be called.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ForbiddenName {
    /// A regular expression, looked for anywhere in the name in JSON: `Ip$`, `^(?i)master`.
    pub pattern: String,
    /// What to write instead: `IP`.
    pub instead: String,
}

/// What the linter is to look at.
#[derive(Debug)]
pub struct Looking {
    /// The rules that look.
    pub rules: Vec<&'static Convention>,
    /// What fields may not be called, and what to write instead.
    pub names: Vec<(Regex, String)>,
}

impl Config {
    /// Whether nothing is changed.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The rules that look, and what they look for.
    pub fn looking(&self) -> Looking {
        let names = self.forbidden_names.iter();
        let name = |name: &ForbiddenName| {
            let pattern = Regex::new(&name.pattern).ok()?;
            Some((pattern, name.instead.clone()))
        };
        Looking {
            rules: self.rules(),
            names: names.filter_map(name).collect(),
        }
    }

    /// Whether every rule that is named is one, and every pattern a regular expression.
    ///
    /// # Errors
    /// When one is not: what is wrong with it, and what it may have been meant to be.
    pub fn check(&self) -> Result<(), String> {
        let known: Vec<_> = CONVENTIONS.iter().map(|rule| rule.lint.id).collect();
        let mut named = self.enable.iter().chain(&self.disable);
        if let Some(name) = named.find(|name| !known.contains(&name.as_str())) {
            let help = did_you_mean(name, &known).map_or_else(
                || "run `rustop lint --list`".to_owned(),
                |meant| format!("did you mean `{meant}`?"),
            );
            return Err(format!(
                "has a wrong `lint`: there is no rule `{name}`; {help}"
            ));
        }
        for ForbiddenName { pattern, .. } in &self.forbidden_names {
            Regex::new(pattern).map_err(|error| {
                let error = error.to_string();
                let reason = error.lines().last().unwrap_or_default();
                format!("has a wrong `lint`: `{pattern}` is no regular expression: {reason}")
            })?;
        }
        Ok(())
    }

    /// The rules that look.
    fn rules(&self) -> Vec<&'static Convention> {
        let named =
            |names: &[String], rule: &Convention| names.iter().any(|name| name == rule.lint.id);
        let is_on = |rule: &&Convention| {
            (rule.on || named(&self.enable, rule)) && !named(&self.disable, rule)
        };
        CONVENTIONS.iter().filter(is_on).collect()
    }
}
