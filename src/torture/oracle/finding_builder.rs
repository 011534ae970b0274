//! Builds findings with a class from the symptoms and differences of a run.

use crate::torture::fault::Fault;
use crate::torture::oracle::finding::{Class, Finding};
use crate::torture::oracle::probable_cause::probable_causes;
use crate::torture::run::result::{RunResult, Symptom};
use crate::torture::scenario::{Action, Scenario};
use crate::torture::snapshot::Difference;
use crate::torture::snapshot::root_causes::root_causes;

/// A builder of the findings of one run.
pub struct FindingBuilder<'a> {
    pub scenario: &'a Scenario,
    /// The faults of the run; empty for a baseline run.
    pub faults: &'a [Fault],
    pub run_result: &'a RunResult,
}

impl FindingBuilder<'_> {
    /// Builds a finding with its id and its probable causes. `object` is the affected object, and
    /// `step` the index of the step after which the bug shows; a larger one than the scenario has
    /// means its last step. `message` is a message of one line. `differences` are those from the
    /// expected state, none if the bug is not about a state.
    pub fn build(
        &self,
        class: Class,
        object: &str,
        step: usize,
        message: String,
        differences: Vec<Difference>,
    ) -> Finding {
        let step = step.min(self.scenario.steps.len().saturating_sub(1));
        let causes = if class.is_a_failure() {
            Vec::new()
        } else {
            probable_causes(self.run_result, step)
        };
        let finding = Finding {
            id: String::new(),
            class,
            object: object.to_owned(),
            message,
            differences,
            scenario: self.scenario.clone(),
            step,
            faults: self.faults.to_vec(),
            lasting: None,
            retry: None,
            causes,
            remedy: None,
            examples: Vec::new(),
            others: 0,
            entries: self.run_result.entries.clone(),
            log: self.run_result.log.clone(),
        };
        finding.named()
    }

    /// Builds a finding from the differences of the state after a step, named after the most
    /// significant one. Returns `None` without differences.
    pub fn build_from_differences(
        &self,
        step: usize,
        differences: Vec<Difference>,
    ) -> Option<Finding> {
        let (class, worst) = self.class(step, &differences)?;
        let message = worst.to_string();
        let object = worst.id.to_string();
        Some(self.build(class, &object, step, message, differences))
    }

    fn class<'d>(
        &self,
        step: usize,
        differences: &'d [Difference],
    ) -> Option<(Class, &'d Difference)> {
        let subject = self.scenario.subject_id();
        // A missing owner is reported, not the objects that Kubernetes creates for it.
        let differences = root_causes(differences);
        let differences = || differences.iter().copied();
        let is_status = |difference: &&Difference| difference.field.starts_with("status");
        let there = |wanted: bool| {
            let mut found = differences();
            found.find(|d| d.field.is_empty() && d.expected.is_some() == wanted)
        };
        let act = &self.scenario.steps.get(step)?.action;
        if self.scenario.ends_without_object(step) {
            if let Some(itself) = differences().find(|d| d.id == subject && d.expected.is_none()) {
                return Some((Class::StuckDeletion, itself));
            }
            if let Some(left) = there(false) {
                return Some((Class::Leftover, left));
            }
        }
        // An operator that overwrites the user's spec causes all other differences.
        let is_asked = |d: &&Difference| d.id == subject && d.field.starts_with("spec");
        if let Some(asked) = differences().find(is_asked) {
            return Some((Class::NotUpdated, asked));
        }
        let field = differences().find(|d| !d.field.is_empty() && !is_status(d));
        let status = differences().find(is_status);
        let worst = there(true).or(there(false)).or(field).or(status)?;
        if self.faults.is_empty() {
            let is_back =
                matches!(act, Action::Set(spec) if *spec == self.scenario.subject["spec"]);
            match act {
                Action::DeleteChild(_) if there(true).is_some() => {
                    return Some((Class::NotRestored, worst));
                }
                Action::EditChild(..) if !worst.field.is_empty() => {
                    return Some((Class::NotCorrected, worst));
                }
                Action::Set(_) if there(false).is_some() => {
                    return Some((Class::NotRemoved, there(false)?));
                }
                Action::Set(_) if is_back && there(true).is_some() => {
                    return Some((Class::NotRecovered, worst));
                }
                _ => {}
            }
        }
        let class = match worst {
            missing if missing.field.is_empty() && missing.expected.is_some() => Class::Missing,
            more if more.field.is_empty() => Class::TooMany,
            status if status.field.starts_with("status") => Class::WrongStatus,
            _ => Class::NotUpdated,
        };
        Some((class, worst))
    }

    /// Builds a finding from a symptom in a step. Returns `None` for symptoms that are not bugs.
    pub fn build_from_symptom(&self, step: usize, symptom: &Symptom) -> Option<Finding> {
        let name = self.scenario.subject_id().to_string();
        let (class, object, message) = match symptom {
            Symptom::Panic(message) => (Class::Panic, "operator".to_owned(), message.clone()),
            Symptom::Exited(status) => (Class::Exit, "operator".to_owned(), status.clone()),
            Symptom::Forbidden(right) => {
                let message = format!("the API server forbids it to {right}");
                let found = self.build(
                    Class::Forbidden,
                    &right.to_string(),
                    step,
                    message,
                    Vec::new(),
                );
                let remedy = Some(right.remedy());
                return Some(Finding { remedy, ..found });
            }
            Symptom::HotLoop(call, count) => {
                let object = call.split(' ').skip(1).collect::<Vec<_>>().join(" ");
                (
                    Class::HotLoop,
                    object,
                    format!("`{call}` {count} times in 4 s, while no other client changed {name}"),
                )
            }
            Symptom::WebhookFailed { webhook, message } => {
                (Class::WebhookFailed, webhook.clone(), message.clone())
            }
            Symptom::StepRejected(_) | Symptom::RetainedClaim(_) => return None,
        };
        Some(self.build(class, &object, step, message, Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::torture::scenario::SpecVariant;
    use crate::torture::snapshot::{Mask, Snapshot};

    #[test]
    fn a_missing_owner_is_named_before_what_it_leaves() {
        let coop = json!({"kind": "Coop", "apiVersion": "my.domain/v1", "metadata": {"name": "moo"}, "spec": {"x": 1}});
        let object = |kind: &str, name: &str| json!({"kind": kind, "metadata": {"name": name}});
        let state = |children: &[Value]| Snapshot::of(children.iter().chain([&coop]), "t");
        let changed = SpecVariant {
            field: "spec.x".into(),
            description: "spec.x is 2".into(),
            spec: json!({"x": 2}),
        };
        let scenario = Scenario::field(&coop, &[], "spec.x", &[changed]);
        let run_result = RunResult::of_states(Vec::new());
        let builder = FindingBuilder {
            scenario: &scenario,
            faults: &[],
            run_result: &run_result,
        };
        let set = object("StatefulSet", "moo");
        let (wanted, found) = (state(&[set]), state(&[object("Pod", "moo-1")]));
        let differences = wanted.differences(&found, &Mask::default());
        let found = builder.build_from_differences(1, differences).unwrap();
        assert_eq!(
            (found.class, found.object.as_str()),
            (Class::Missing, "statefulset/moo")
        );
        assert_eq!(found.differences.len(), 2);
        let more = state(&[]).differences(&state(&[object("Pod", "moo-1")]), &Mask::default());
        let found = builder.build_from_differences(1, more).unwrap();
        assert_eq!(
            (found.class, found.object.as_str()),
            (Class::NotRemoved, "pod/moo-1")
        );
    }

    #[test]
    fn what_the_user_asked_for_is_named_before_what_follows_from_it() {
        let coop = |spec: &Value, tag: &str, status: &str| {
            let coop = json!({"kind": "Coop", "apiVersion": "my.domain/v1", "metadata": {"name": "moo"}, "spec": spec, "status": {"tag": status}});
            let tags = json!({"kind": "ConfigMap", "metadata": {"name": "moo-tags"}, "data": {"tag": tag}});
            Snapshot::of([&coop, &tags], "pasture")
        };
        let (asked, other) = (json!({"tag": "white"}), json!({"tag": "black"}));
        let scenario = Scenario::life(
            &json!({"kind": "Coop", "apiVersion": "my.domain/v1", "metadata": {"name": "moo"}, "spec": asked}),
            &[],
            &[],
        );
        let run_result = RunResult::of_states(Vec::new());
        let builder = FindingBuilder {
            scenario: &scenario,
            faults: &[],
            run_result: &run_result,
        };
        let named = |found: Snapshot| {
            let wanted = coop(&asked, "white", "white");
            let differences = wanted.differences(&found, &Mask::default());
            let found = builder.build_from_differences(0, differences).unwrap();
            (found.class, found.object)
        };
        let named = [
            named(coop(&other, "black", "black")),
            named(coop(&asked, "black", "black")),
            named(coop(&asked, "white", "black")),
        ];
        let expected = [
            (Class::NotUpdated, "coop/moo"),
            (Class::NotUpdated, "configmap/moo-tags"),
            (Class::WrongStatus, "coop/moo"),
        ];
        assert_eq!(
            named,
            expected.map(|(class, object)| (class, object.to_owned()))
        );
    }
}
