//! The baseline of `rustop lint`: findings that exist already, so that only new ones are reported.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Result;
use crate::diagnostic::Diagnostic;
use crate::disk;
use crate::project;

/// The name of the file, next to `PROJECT` or `rustop.yaml`.
pub const FILE: &str = "rustop-lint.yaml";

const HEADER: &str = "\
# Findings that `rustop lint` does not report. `rustop lint --baseline` writes this file again.
";

/// Known findings. Lines of the sources are not part of them, since they change with every edit.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The rule and the message of each finding, sorted.
    findings: Vec<String>,
}

impl Baseline {
    /// Reads the baseline of a project; an empty one if there is no file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or parsed.
    pub fn read(root: &Path) -> Result<Self> {
        let path = root.join(FILE);
        let Some(text) = disk::read(&path)? else {
            return Ok(Self::default());
        };
        serde_yaml::from_str(&text).map_err(|error| {
            let error = error.without_snippet().to_string();
            let reason = format!("is invalid: {}", error.lines().next().unwrap_or_default());
            project::Error::File { path, reason }.into()
        })
    }

    /// Creates a baseline of warnings.
    pub fn of(warnings: &[Diagnostic]) -> Self {
        let mut findings: Vec<_> = warnings.iter().filter_map(key).collect();
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

    /// Removes known warnings. Errors always stay.
    pub fn remove_from(&self, found: &mut Vec<Diagnostic>) {
        found.retain(|diagnostic| key(diagnostic).is_none_or(|key| !self.findings.contains(&key)));
    }
}

/// Returns the entry of a warning; `None` for an error.
fn key(diagnostic: &Diagnostic) -> Option<String> {
    let rule = diagnostic.rule?;
    Some(format!("{}: {}", rule.id, diagnostic.message))
}
