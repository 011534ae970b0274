//! Findings, and the files from which they are replayed.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::Error;
use crate::disk::regular;
use crate::text::sha256;
use crate::torture::Confirmation;

/// A bug that a history has shown.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Finding {
    /// The name of the finding's file without its extension: `created-twice-pods-3f2a91c4`. The
    /// manager does not send it; [`Finding::with_id`] sets it.
    #[serde(default)]
    pub id: String,
    /// The class of the bug, such as `created-twice`.
    pub class: String,
    /// The object or the check, such as `deployments.apps default/web`.
    pub object: String,
    /// The description of the bug, in one line.
    pub message: String,
    /// The steps from outside of the operator: by the user, by another client, or a restart.
    pub steps: Vec<String>,
    /// The faults, each with the request or watch event at which it occurs.
    pub faults: Vec<String>,
    /// The data with which the manager replays the history, and from which torture confirms it.
    pub schedule: Value,
    /// The history until the bug shows, one line per entry.
    #[serde(default)]
    pub timeline: Vec<String>,
    /// The result of repeating it on the real control plane; `None` if that was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
}

/// A finding in its file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct StoredFinding {
    /// The name of the project.
    pub operator: String,
    /// The name of the `#[test]` that runs the simulation.
    pub simulation: String,
    #[serde(flatten)]
    pub finding: Finding,
}

impl Finding {
    /// Sets the id. It ends with a hash of simulation, class, object and schedule, so it stays the
    /// same between runs. `simulation` is the name of the `#[test]`.
    #[must_use]
    pub fn with_id(self, simulation: &str) -> Self {
        let schedule = self.schedule.to_string();
        let text = format!("{simulation} {} {} {schedule}", self.class, self.object);
        let hash = &sha256(text)[..8];
        let kind = words(&self.object).next().unwrap_or_default();
        let class = words(&self.class).collect::<Vec<_>>().join("-");
        let id = format!("{class}-{kind}-{hash}");
        Self { id, ..self }
    }
}

/// Returns the words of a text that may be in the name of a file. The name of a check is any text.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
}

/// Reads a finding of the project `operator` from its file.
///
/// # Errors
/// Returns an error if the file cannot be read or parsed, or if it is the finding of another
/// operator.
pub fn load(path: &Path, operator: &str) -> Result<StoredFinding, Error> {
    let text = regular::text(path).map_err(crate::error::Io::on("read", path))?;
    let stored: StoredFinding = serde_json::from_str(&text).map_err(|error| Error::Unreadable {
        path: path.to_owned(),
        reason: error.to_string(),
    })?;
    if stored.operator != operator {
        return Err(Error::OtherOperator {
            path: path.to_owned(),
            of: stored.operator,
            here: operator.to_owned(),
        });
    }
    Ok(stored)
}

#[cfg(test)]
pub fn example() -> Finding {
    let finding = Finding {
        id: String::new(),
        class: "missing".to_owned(),
        object: "deployments.apps default/web".to_owned(),
        message: "deployments.apps default/web does not exist".to_owned(),
        steps: vec!["create the samples".to_owned()],
        faults: vec!["apply deployments.apps, number 1: lost".to_owned()],
        schedule: serde_json::json!({"seed": 7, "steps": ["create"]}),
        timeline: vec!["0.1 apply".to_owned()],
        confirmation: None,
    };
    finding.with_id("histories")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_id_is_a_plain_file_name() {
        let mut finding = example();
        assert!(finding.id.starts_with("missing-deployments-"));
        assert_ne!(finding.clone().with_id("other_test").id, finding.id);
        (finding.class, finding.object) = ("../a".to_owned(), "At most one / bill".to_owned());
        let id = finding.with_id("test").id;
        assert!(id.starts_with("a-at-"), "{id}");
    }

    #[test]
    fn a_finding_is_read_from_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("finding.json");
        let stored = StoredFinding {
            operator: "cows".to_owned(),
            simulation: "test".to_owned(),
            finding: example(),
        };
        fs::write(&path, serde_json::to_string(&stored).unwrap()).unwrap();
        let read = load(&path, "cows").unwrap();
        assert_eq!(read.finding.schedule, stored.finding.schedule);
        let error = load(&path, "sheep").unwrap_err().to_string();
        assert!(
            error.contains("`cows`") && error.contains("`sheep`"),
            "{error}"
        );
        fs::write(&path, "{}").unwrap();
        assert!(matches!(load(&path, "cows"), Err(Error::Unreadable { .. })));
    }
}
