//! The lint baseline: the warnings that existed when `rustop lint --baseline` ran. `rustop lint`
//! and `rustop manifests` do not report them again.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Result;
use crate::diagnostic::Diagnostic;
use crate::disk;
use crate::project;
use crate::yaml::Problem;

/// The baseline file, in the directory of `PROJECT` or `rustop.yaml`.
pub const FILE: &str = "rustop-lint.yaml";

const HEADER: &str = "\
# Warnings that `rustop lint` and `rustop manifests` do not report. `rustop lint --baseline` updates this file.
";

/// Known warnings, identified by rule and message. A message names the kind, version and field.
/// File and line are not compared, since every edit moves them.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// One `rule: message` entry per warning, sorted and without duplicates.
    findings: Vec<String>,
}

impl Baseline {
    /// Reads the baseline of a project; an empty one if there is no file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or parsed.
    pub fn read(root: &Path) -> Result<Self> {
        let path = root.join(FILE);
        let Some(text) = disk::read_in(root, FILE)? else {
            return Ok(Self::default());
        };
        serde_yaml::from_str(&text).map_err(|error| {
            let problem = Problem::from(&error).prefixed("is invalid: ");
            let place = problem.place(&path);
            let reason = problem.reason;
            project::Error::File { place, reason }.into()
        })
    }

    /// Creates a baseline of the warnings among `diagnostics`. Errors are left out: a baseline
    /// never hides them.
    pub fn of(diagnostics: &[Diagnostic]) -> Self {
        let mut findings: Vec<_> = diagnostics.iter().filter_map(key).collect();
        findings.sort();
        findings.dedup();
        Self { findings }
    }

    /// Returns the text of the file.
    pub fn to_text(&self) -> String {
        let yaml = serde_yaml::to_string(self).expect("a list of strings");
        format!("{HEADER}{yaml}")
    }

    /// Returns the number of findings.
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// Removes the warnings of the baseline from `found`. Errors always stay.
    pub fn remove_from(&self, found: &mut Vec<Diagnostic>) {
        found.retain(|diagnostic| key(diagnostic).is_none_or(|key| !self.findings.contains(&key)));
    }
}

/// Returns the baseline entry of a diagnostic; `None` for an error, which has no rule.
fn key(diagnostic: &Diagnostic) -> Option<String> {
    let rule = diagnostic.rule?;
    Some(format!("{}: {}", rule.id, diagnostic.message))
}
