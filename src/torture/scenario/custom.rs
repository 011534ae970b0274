//! Custom scenarios: files in which users describe steps, and objects that a sample needs.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use walkdir::WalkDir;

use crate::disk::regular;
use crate::error::Io;
use crate::torture::error::{Error, Result};
use crate::torture::scenario::generator::state_key;
use crate::torture::scenario::{Action, Child, GONE, Scenario};

/// A custom scenario: `tests/torture/NAME.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CustomScenario {
    #[serde(skip)]
    path: PathBuf,
    /// `metadata.name` of the sample; `None` for all samples.
    pub sample: Option<String>,
    /// Objects that must exist in all scenarios of the sample.
    #[serde(default, rename = "beside")]
    pub prerequisites: Vec<Value>,
    #[serde(default)]
    steps: Vec<CustomStep>,
}

/// A step in the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum CustomStep {
    /// Creates the object with the sample's spec and this merged into it.
    Create(Value),
    /// Merges this into the current spec.
    Set(Value),
    /// `deployment/moo`.
    DeleteChild(String),
    EditChild(ChildEdit),
    Delete(DeleteOptions),
    /// Deletes the object and creates it as [`Self::Create`] does.
    Recreate(Value),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ChildEdit {
    child: String,
    patch: Value,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DeleteOptions {
    #[serde(default)]
    foreground: bool,
}

/// The file with the allowances of a rehearsed upgrade, which is not a scenario.
pub const UPGRADE_FILE: &str = "upgrade.yaml";

/// Reads the custom scenarios of a directory, which may be relative to that of the project; none if
/// it does not exist.
///
/// # Errors
/// Returns an error if a file cannot be read or is not a valid scenario, or if the directory is a
/// link in the project that leads out of it.
pub fn read(project: &Path, dir: &Path) -> Result<Vec<CustomScenario>> {
    let (name, dir) = (dir, &project.join(dir));
    if !dir.exists() {
        return Ok(Vec::new());
    }
    regular::check_in(project, name).map_err(Io::on("read", dir))?;
    let mut stories = Vec::new();
    for file in WalkDir::new(dir).sort_by_file_name() {
        let file = file.map_err(|error| Io::on("read", dir)(error.into()))?;
        let path = file.path();
        let is_yaml = path
            .extension()
            .is_some_and(|end| end == "yaml" || end == "yml");
        let is_scenario = is_yaml && file.file_name() != UPGRADE_FILE;
        // A link to another scenario is read; one out of the directory and a special file are
        // errors.
        if is_scenario && !file.file_type().is_dir() {
            let name = path.strip_prefix(dir).unwrap_or(path).to_string_lossy();
            let text = regular::text_in(dir, &name).map_err(Io::on("read", path))?;
            stories.push(CustomScenario::parse(path, &text)?);
        }
    }
    Ok(stories)
}

impl CustomScenario {
    fn parse(path: &Path, text: &str) -> Result<Self> {
        let read = serde_yaml::from_str::<Self>(text);
        let mut custom = read.map_err(|error| unreadable(path, error.to_string()))?;
        path.clone_into(&mut custom.path);
        custom.check()?;
        Ok(custom)
    }

    /// Returns an error if a step needs the object before it is created, or creates it twice.
    fn check(&self) -> Result<()> {
        let mut exists = false;
        for (number, line) in self.steps.iter().enumerate() {
            let creates = matches!(line, CustomStep::Create(_));
            if creates == exists {
                let what = if exists {
                    "the object exists already: `set` changes it, `recreate` deletes it and creates it again"
                } else {
                    "the object does not exist yet: add `create: {}` before this step"
                };
                return Err(self.invalid(format!("step {}: {what}", number + 1)));
            }
            exists = !matches!(line, CustomStep::Delete(_));
        }
        if self.steps.is_empty() && self.prerequisites.is_empty() {
            return Err(
                self.invalid("it has no effect: add `steps`, or the objects that the sample needs")
            );
        }
        Ok(())
    }

    /// Reports whether the scenario applies to a sample, given as an object.
    pub fn is_about(&self, sample: &Value) -> bool {
        self.sample
            .as_ref()
            .is_none_or(|name| sample["metadata"]["name"] == name.as_str())
    }

    /// Checks that the scenario applies to one of the samples.
    ///
    /// # Errors
    /// Returns an error that names the samples.
    pub fn check_sample(&self, samples: &[Value]) -> Result<()> {
        if samples.iter().any(|sample| self.is_about(sample)) {
            return Ok(());
        }
        let names = samples.iter().map(|sample| &sample["metadata"]["name"]);
        let names: Vec<_> = names.filter_map(Value::as_str).collect();
        let name = self.sample.as_deref().unwrap_or_default();
        let names = names.join("`, `");
        Err(self.invalid(format!("no sample is called `{name}`; there is `{names}`")))
    }

    /// Returns the scenario for the sample `subject` with these children, named after the file;
    /// `None` if the file has no steps. `prerequisites` are the objects that must exist before its
    /// first step.
    ///
    /// # Errors
    /// Returns an error if a step names a child that is not among `children`.
    pub fn scenario_for(
        &self,
        subject: &Value,
        prerequisites: &[Value],
        children: &[Child],
    ) -> Result<Option<Scenario>> {
        let name = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let mut scenario = Scenario::new(&name, subject, prerequisites);
        let mut spec = Value::Null;
        for line in &self.steps {
            let (description, action) = match line {
                CustomStep::Create(patch) => {
                    spec = merged(&subject["spec"], patch);
                    (
                        "the user creates the object".to_owned(),
                        Action::Create(spec.clone()),
                    )
                }
                CustomStep::Set(patch) => {
                    spec = merged(&spec, patch);
                    (
                        format!("the user changes the spec: {patch}"),
                        Action::Set(spec.clone()),
                    )
                }
                CustomStep::Recreate(patch) => {
                    spec = merged(&subject["spec"], patch);
                    let description =
                        "the user deletes the object and creates it again at once".to_owned();
                    (description, Action::Recreate(spec.clone()))
                }
                CustomStep::DeleteChild(child) => {
                    let found = self.child(child, children)?;
                    (
                        format!("another client deletes {child}"),
                        Action::DeleteChild(found),
                    )
                }
                CustomStep::EditChild(ChildEdit { child, patch }) => {
                    let found = self.child(child, children)?;
                    let description = format!("another client edits {child}: {patch}");
                    (description, Action::EditChild(found, patch.clone()))
                }
                CustomStep::Delete(DeleteOptions { foreground }) => {
                    spec = Value::Null;
                    let (description, foreground) =
                        ("the user deletes the object".to_owned(), *foreground);
                    (description, Action::Delete { foreground })
                }
            };
            let leads_to = if spec.is_null() {
                GONE.into()
            } else {
                state_key(&spec)
            };
            scenario.add_step(description, action, Some(leads_to));
        }
        Ok((!scenario.steps.is_empty()).then_some(scenario))
    }

    fn child(&self, name: &str, children: &[Child]) -> Result<Child> {
        let found = children.iter().find(|child| child.id.to_string() == name);
        found.cloned().ok_or_else(|| {
            let names: Vec<_> = children.iter().map(|child| child.id.to_string()).collect();
            let names = names.join("`, `");
            self.invalid(format!(
                "the operator creates no `{name}` for the sample; it creates `{names}`"
            ))
        })
    }

    fn invalid(&self, message: impl Into<String>) -> Error {
        unreadable(&self.path, message)
    }
}

fn unreadable(path: &Path, message: impl Into<String>) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        message: message.into(),
    }
}

/// Applies a merge patch.
fn merged(spec: &Value, patch: &Value) -> Value {
    let mut spec = spec.clone();
    json_patch::merge(&mut spec, patch);
    spec
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::torture::snapshot::ObjectId;

    const PATH: &str = "tests/torture/down.yaml";

    fn parsed(text: &str) -> Result<CustomScenario> {
        CustomScenario::parse(Path::new(PATH), text)
    }

    #[test]
    fn allowances_of_an_upgrade_are_not_a_scenario() {
        let dir = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| std::fs::write(dir.path().join(file), text).unwrap();
        write("down.yaml", "steps: [{create: {}}]");
        write(
            UPGRADE_FILE,
            "- {allow: orphaned, object: configmap/moo, reason: x}",
        );
        let scenarios = read(dir.path(), Path::new("")).unwrap();
        assert_eq!(scenarios.len(), 1);
        assert_eq!(scenarios[0].path, dir.path().join("down.yaml"));
    }

    #[test]
    fn a_story_is_played_as_it_is_written() {
        let text = "sample: moo\nsteps:\n- create: {}\n- set: {replicas: 3}\n- editChild:\n    child: deployment/moo\n    \
                    patch: {spec: {replicas: 9}}\n- set: {text: null}\n- recreate: {replicas: 0}\n- delete: {}\n";
        let child = Child {
            id: ObjectId {
                kind: "deployment".into(),
                name: "moo".into(),
            },
            api_version: "apps/v1".into(),
            kind: "Deployment".into(),
            generate_name: None,
            object: Value::Null,
        };
        let subject = json!({"metadata": {"name": "moo"}, "spec": {"replicas": 1, "text": "a"}});
        let custom = parsed(text).unwrap();
        custom.check_sample(std::slice::from_ref(&subject)).unwrap();
        let scenario = custom.scenario_for(&subject, &[], std::slice::from_ref(&child));
        let scenario = scenario.unwrap().unwrap();
        assert_eq!(scenario.name, "down");
        let steps = scenario
            .steps
            .iter()
            .map(|step| (&step.action, step.state_key.as_deref().unwrap()));
        let expected = [
            (
                Action::Create(json!({"replicas": 1, "text": "a"})),
                r#"{"replicas":1,"text":"a"}"#,
            ),
            (
                Action::Set(json!({"replicas": 3, "text": "a"})),
                r#"{"replicas":3,"text":"a"}"#,
            ),
            (
                Action::EditChild(child, json!({"spec": {"replicas": 9}})),
                r#"{"replicas":3,"text":"a"}"#,
            ),
            (Action::Set(json!({"replicas": 3})), r#"{"replicas":3}"#),
            (
                Action::Recreate(json!({"replicas": 0, "text": "a"})),
                r#"{"replicas":0,"text":"a"}"#,
            ),
            (Action::Delete { foreground: false }, GONE),
        ];
        assert!(steps.eq(expected.iter().map(|(action, key)| (action, *key))));
    }

    #[test]
    fn invalid_scenarios_are_rejected_with_their_file() {
        for (text, description) in [
            ("steps:\n- set: {}\n", "step 1: the object does not exist"),
            (
                "steps:\n- create: {}\n- create: {}\n",
                "step 2: the object exists already",
            ),
            (
                "steps:\n- create: {}\n- delete: {}\n- set: {}\n",
                "step 3: the object does not exist",
            ),
            ("sample: moo\n", "add `steps`"),
            ("steps:\n- jump: {}\n", "jump"),
            ("step: []\n", "step"),
            ("- a\n", ""),
            ("", ""),
        ] {
            let error = parsed(text).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("`{PATH}`: ")) && error.contains(description),
                "{error}"
            );
        }
        let custom = parsed("sample: muh\nbeside:\n- kind: Secret\n").unwrap();
        let error = custom.check_sample(&[json!({"metadata": {"name": "moo"}})]);
        assert!(error.unwrap_err().to_string().contains("there is `moo`"));
        let custom = parsed("steps:\n- create: {}\n- deleteChild: pod/moo\n").unwrap();
        let error = custom
            .scenario_for(&json!({"spec": {}}), &[], &[])
            .unwrap_err();
        assert!(
            error.to_string().contains("creates no `pod/moo`"),
            "{error}"
        );
    }

    #[test]
    fn a_link_out_of_the_directory_is_not_read() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("torture");
        std::fs::create_dir(&dir).unwrap();
        std::fs::write(place.path().join("private"), "password=hunter2").unwrap();
        std::os::unix::fs::symlink("../private", dir.join("a.yaml")).unwrap();
        let error = read(&dir, Path::new("")).unwrap_err();
        let causes = crate::error::causes(&error).concat();
        assert!(
            causes.contains("outside of the project"),
            "{error}: {causes}"
        );
    }
}
