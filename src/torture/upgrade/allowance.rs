//! Allowances: the changes of an upgrade that the user intends, in `tests/torture/upgrade.yaml`.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::disk::regular;
use crate::error::Io;
use crate::torture::error::{Error, Result};
use crate::torture::scenario::custom::UPGRADE_FILE;
use crate::torture::upgrade::change::{Effect, ObjectDifference};

/// An entry of the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Entry {
    allow: Effect,
    /// `deployment`, or `deployment/moo`.
    object: String,
    /// The field, with its subfields. Empty for every change of the object, also its creation or
    /// deletion, which no other value covers.
    #[serde(default)]
    field: String,
    reason: String,
}

impl Entry {
    fn covers(&self, change: &ObjectDifference) -> bool {
        let kind = change.object.split('/').next().unwrap_or_default();
        let is_object = [change.object.as_str(), kind]
            .iter()
            .any(|name| name.eq_ignore_ascii_case(&self.object));
        let rest = change.field.strip_prefix(self.field.as_str());
        // `spec.temp` is not a parent of `spec.template`.
        let is_field = self.field.is_empty()
            || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        change.effect == self.allow && is_object && is_field
    }
}

/// The allowances of a project.
#[derive(Clone, Debug, Default)]
pub struct Allowances {
    path: PathBuf,
    entries: Vec<Entry>,
}

impl Allowances {
    /// Reads the allowances in the directory of the scenarios, which may be relative to that of the
    /// project; none if the file does not exist.
    ///
    /// # Errors
    /// Returns an error if the file is invalid or a link out of the project, or if an entry has no
    /// reason.
    pub fn read(project: &Path, scenarios: &Path) -> Result<Self> {
        let dir = project.join(scenarios);
        let path = dir.join(UPGRADE_FILE);
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = regular::check_in(project, scenarios)
            .and_then(|()| regular::text_in(&dir, UPGRADE_FILE))
            .map_err(Io::on("read", &path))?;
        Self::parse(&path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self> {
        let invalid = |message: String| Error::Unreadable {
            path: path.to_owned(),
            message,
        };
        let entries: Option<Vec<Entry>> = serde_yaml::from_str(text)
            .map_err(|error| invalid(error.without_snippet().to_string()))?;
        let entries = entries.unwrap_or_default();
        for (number, entry) in entries.iter().enumerate() {
            let number = number + 1;
            if entry.reason.trim().is_empty() {
                return Err(invalid(format!("allowance {number} has no reason")));
            }
            let problem = match entry.allow {
                Effect::StaleAllowance => "cannot be allowed: remove the stale allowance",
                Effect::Harmless => "needs no allowance",
                _ => continue,
            };
            let effect = entry.allow;
            return Err(invalid(format!("allowance {number}: `{effect}` {problem}")));
        }
        Ok(Self {
            path: path.to_owned(),
            entries,
        })
    }

    /// Sets [`ObjectDifference::allowed`] of each change that an entry covers to the reason of the
    /// entry; the last entry wins. Returns a `stale-allowance` change for each entry that covers no
    /// change, with the effect that the entry allows. The caller must drop it unless everything
    /// that can show this effect was rehearsed.
    pub fn apply(&self, changes: &mut [ObjectDifference]) -> Vec<(Effect, ObjectDifference)> {
        let mut stale = Vec::new();
        for entry in &self.entries {
            let mut covered = changes.iter_mut().filter(|it| entry.covers(it)).peekable();
            if covered.peek().is_none() {
                let file = self.path.display().to_string();
                let what = format!("{} {} {}", entry.allow, entry.object, entry.field);
                let change = ObjectDifference::new(Effect::StaleAllowance, file, "")
                    .because(format!("remove the allowance `{}`", what.trim_end()));
                stale.push((entry.allow, change));
            }
            for change in covered {
                change.allowed = Some(entry.reason.clone());
            }
        }
        stale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Allowances> {
        Allowances::parse(Path::new("tests/torture/upgrade.yaml"), text)
    }

    #[test]
    fn an_allowance_covers_a_field_with_its_subfields() {
        let template = "spec.template.spec.containers[moo].image";
        let cases = [
            ("deployment", "spec.template", true),
            ("Deployment/moo", template, true),
            ("deployment", "", true),
            ("deployment", "spec.temp", false),
            ("deployment/other", "", false),
            ("statefulset", "", false),
        ];
        for (object, field, is_covered) in cases {
            let text = format!(
                "- {{allow: restarts-pods, object: {object}, field: '{field}', reason: a new image}}"
            );
            let mut changes = [ObjectDifference::new(
                Effect::RestartsPods,
                "deployment/moo",
                template,
            )];
            let stale = parse(&text).unwrap().apply(&mut changes);
            assert_eq!(changes[0].fails(), !is_covered, "{object} {field}");
            assert_eq!(stale.is_empty(), is_covered, "{object} {field}");
        }
    }

    #[test]
    fn an_allowance_without_a_change_is_stale() {
        let allowances =
            parse("- {allow: orphaned, object: configmap/moo, reason: it is tiny}").unwrap();
        let mut changes = [ObjectDifference::new(
            Effect::RestartsPods,
            "deployment/moo",
            "",
        )];
        let stale = allowances.apply(&mut changes);
        assert!(changes[0].fails());
        let [(Effect::Orphaned, stale)] = &stale[..] else {
            panic!("{stale:?}")
        };
        assert_eq!(stale.effect, Effect::StaleAllowance);
        assert_eq!(
            stale.to_string(),
            "remove the allowance `orphaned configmap/moo`"
        );
        assert!(stale.fails());
    }

    #[test]
    fn an_allowance_needs_a_reason_and_an_effect_that_fails() {
        for (text, message) in [
            (
                "- {allow: orphaned, object: configmap, reason: ' '}",
                "allowance 1 has no reason",
            ),
            (
                "- {allow: harmless, object: configmap, reason: x}",
                "allowance 1: `harmless` needs no allowance",
            ),
            (
                "- {allow: stale-allowance, object: a, reason: x}",
                "allowance 1: `stale-allowance` cannot be allowed: remove the stale allowance",
            ),
            ("- {allow: orphaned, object: configmap}", "reason"),
            ("- {allow: moo, object: configmap, reason: x}", "moo"),
            ("- allow: 3", "unknown variant `3`"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert_eq!(error.lines().count(), 1, "{error}");
            assert!(
                error.starts_with("`tests/torture/upgrade.yaml`: ") && error.contains(message),
                "{error}"
            );
        }
        assert!(parse("").unwrap().entries.is_empty());
    }
}
