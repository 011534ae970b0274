//! The oracle: decides from run results whether the operator has a bug.

pub mod baseline;
pub mod cross_run;
mod declined;
pub mod finding;
pub mod finding_builder;
mod neighbours;
pub mod ownership;
mod probable_cause;
pub mod single_run;

use std::collections::{BTreeMap, BTreeSet};

use crate::torture::api::call::{Resource, Verb};
use crate::torture::fault::{Fault, WriteFault};
use crate::torture::journal::{self, JournalEntry};
use crate::torture::oracle::baseline::Baseline;
use crate::torture::oracle::cross_run::{fields_without_effect, path_dependent_states};
use crate::torture::oracle::finding::{Class, Finding};
use crate::torture::oracle::finding_builder::FindingBuilder;
use crate::torture::oracle::neighbours::disturbed_neighbours;
use crate::torture::oracle::ownership::{
    adopted, miscounted_foreign_objects, released_despite_finalizer,
};
use crate::torture::oracle::single_run::{created_twice_in_a_step, leftovers, silent_rejections};
use crate::torture::run::result::RunResult;
use crate::torture::scenario::{Action, Scenario};

/// The checks of run results. The kinds below are all that they know about the operator.
#[derive(Clone, Debug, Default)]
pub struct Oracle {
    /// Kinds whose objects must not be created twice, in addition to Pods and claims.
    pub counted: BTreeSet<Resource>,
    /// The custom resources of the project.
    pub own: BTreeSet<Resource>,
}

impl Oracle {
    /// Returns the findings that both runs of the baselines show, of each scenario alone and in
    /// comparison with others.
    pub fn check_baselines(baselines: &[Baseline]) -> Vec<Finding> {
        Self::check_both_runs(baselines, false)
    }

    /// Checks new baselines of the scenarios of one finding without faults, and returns the finding
    /// if they show it again.
    pub fn find_again(baselines: &[Baseline], finding: &Finding) -> Option<Finding> {
        let mut findings = Self::check_both_runs(baselines, true).into_iter();
        findings.find(|found| found.cause() == finding.cause())
    }

    /// Returns the findings that both runs of the baselines show. `is_repeated` is true if the
    /// baselines are only those of one finding, which is checked again.
    fn check_both_runs(baselines: &[Baseline], is_repeated: bool) -> Vec<Finding> {
        let each = |run: usize| {
            let mut findings = Vec::new();
            for baseline in baselines {
                findings.extend(Self::check_single_run(
                    &baseline.scenario,
                    &baseline.runs[run],
                ));
            }
            findings.extend(path_dependent_states(baselines, run));
            findings.extend(miscounted_foreign_objects(baselines, run));
            findings.extend(disturbed_neighbours(baselines, run));
            findings.extend(fields_without_effect(baselines, run, is_repeated));
            findings
        };
        // A finding must show in both runs, unless one occurrence proves it.
        let (mut findings, second) = (each(0), each(1));
        let causes = |all: &[Finding]| all.iter().map(Finding::cause).collect::<BTreeSet<_>>();
        let (known, again) = (causes(&findings), causes(&second));
        findings.retain(|finding| finding.class.is_proven() || again.contains(&finding.cause()));
        let proven = second.into_iter().filter(|it| it.class.is_proven());
        findings.extend(proven.filter(|it| !known.contains(&it.cause())));
        findings
    }

    /// Returns the findings of a run that need no comparison with other runs.
    pub fn check_single_run(scenario: &Scenario, run_result: &RunResult) -> Vec<Finding> {
        let builder = FindingBuilder {
            scenario,
            faults: &[],
            run_result,
        };
        let mut findings: Vec<_> = run_result
            .symptoms
            .iter()
            .filter_map(|(step, symptom)| builder.build_from_symptom(*step, symptom))
            .collect();
        findings.extend(leftovers(&builder));
        findings.extend(adopted(&builder));
        findings.extend(created_twice_in_a_step(&builder));
        findings.extend(Self::creations_during_deletion(&builder));
        findings.extend(released_despite_finalizer(&builder));
        findings.extend(silent_rejections(&builder));
        findings
    }

    /// Returns the findings of a run with `faults` in the scenario of `baseline` that the first
    /// baseline run does not have.
    pub fn check_faulty(
        &self,
        baseline: &Baseline,
        faults: &[Fault],
        run_result: &RunResult,
    ) -> Vec<Finding> {
        let builder = FindingBuilder {
            scenario: &baseline.scenario,
            faults,
            run_result,
        };
        let known: BTreeSet<_> = Self::check_single_run(&baseline.scenario, &baseline.runs[0])
            .iter()
            .map(Finding::cause)
            .collect();
        let mut findings: Vec<_> = run_result
            .symptoms
            .iter()
            .filter_map(|(step, symptom)| builder.build_from_symptom(*step, symptom))
            .collect();
        findings.retain(|finding| !known.contains(&finding.cause()));
        // Timing can cause it without a fault, too; it is a bug in either case.
        findings.extend(created_twice_in_a_step(&builder));
        if let Some((step, differences)) = &run_result.mismatch {
            findings.extend(builder.build_from_differences(*step, differences.clone()));
            return findings;
        }
        findings.extend(self.duplicated_work(baseline, &builder));
        findings
    }

    /// Returns findings for objects that were created or deleted more often than in the baseline
    /// runs.
    fn duplicated_work(&self, baseline: &Baseline, builder: &FindingBuilder) -> Vec<Finding> {
        let mut findings = Vec::new();
        let scenario = builder.scenario;
        let now = WorkCount::of(scenario, &builder.run_result.entries);
        let before = baseline
            .runs
            .each_ref()
            .map(|run| WorkCount::of(scenario, &run.entries));
        let most = |count: fn(&WorkCount) -> &BTreeMap<Resource, usize>, resource: &Resource| {
            before
                .iter()
                .filter_map(|work| count(work).get(resource).copied())
                .max()
                .unwrap_or(0)
        };
        let last = builder.scenario.steps.len().saturating_sub(1);
        for (resource, count) in &now.made {
            let removed = builder.faults.iter().filter(|fault| {
                matches!(fault, Fault::Write(WriteFault::Removed, point) if point.resource == *resource)
            });
            let usual = most(|work| &work.made, resource) + removed.count();
            if *count > usual && self.must_not_be_created_twice(resource) {
                let message = format!(
                    "the operator created {count} {}, although {usual} are enough",
                    resource.plural
                );
                findings.push(builder.build(
                    Class::CreatedTwice,
                    &resource.to_string(),
                    last,
                    message,
                    Vec::new(),
                ));
            }
        }
        // A deletion removes all children, and their number depends on the steps before.
        let mut needed = builder.faults.iter().flat_map(Fault::steps);
        let ends = needed.any(|step| scenario.ends_without_object(step));
        for (resource, count) in now.deleted.iter().filter(|_| !ends) {
            let usual = most(|work| &work.deleted, resource);
            if *count > usual && !self.own.contains(resource) {
                let message = format!(
                    "the operator deleted {count} {}, where {usual} had to go",
                    resource.plural
                );
                findings.push(builder.build(
                    Class::DeletedTwice,
                    &resource.to_string(),
                    last,
                    message,
                    Vec::new(),
                ));
            }
        }
        findings
    }

    /// Reports whether a superfluous object of a resource is a bug, even if it is deleted later.
    fn must_not_be_created_twice(&self, resource: &Resource) -> bool {
        const ALWAYS: [&str; 2] = ["pods", "persistentvolumeclaims"];
        ALWAYS.contains(&resource.plural.as_str()) || self.counted.contains(resource)
    }

    /// Finds an object that was created while its owner was being deleted.
    fn creations_during_deletion(builder: &FindingBuilder) -> Option<Finding> {
        let held = builder
            .scenario
            .steps
            .iter()
            .position(|step| step.action == Action::Hold)?;
        let released = builder
            .scenario
            .steps
            .iter()
            .position(|step| step.action == Action::Release)?;
        let mut requests = journal::requests(&builder.run_result.entries);
        let (step, request) = requests.find(|(step, request)| {
            request.call.is_work() && request.status == 201 && (held + 1..released).contains(step)
        })?;
        let object = format!("{}/{}", request.call.resource.plural, request.name());
        let message = format!("{object} was created after the object had its deletionTimestamp");
        Some(builder.build(Class::WorkOnDeleted, &object, step, message, Vec::new()))
    }
}

/// The numbers of objects that an operator created and deleted, by resource.
#[derive(Default)]
struct WorkCount {
    made: BTreeMap<Resource, usize>,
    deleted: BTreeMap<Resource, usize>,
}

impl WorkCount {
    fn of(scenario: &Scenario, entries: &[JournalEntry]) -> Self {
        let mut work = Self::default();
        // The step in which each owner got its first child.
        let mut owners: BTreeMap<String, usize> = BTreeMap::new();
        for (step, request) in journal::requests(entries) {
            let call = &request.call;
            if !call.is_work() || !request.succeeded() || !call.subresource.is_empty() {
                continue;
            }
            match call.verb {
                // The last deletion removes all children, and their number depends on the steps
                // before.
                Verb::Delete if scenario.ends_without_object(step) => {}
                Verb::Delete => *work.deleted.entry(call.resource.clone()).or_default() += 1,
                _ if request.status == 201 => {
                    let owner = &request.body["metadata"]["ownerReferences"][0]["uid"];
                    let known = owner
                        .as_str()
                        .map_or(step, |uid| *owners.entry(uid.to_owned()).or_insert(step));
                    // A child that is created for an owner in deletion is deleted with it.
                    let is_going = known < step && scenario.deletes(step);
                    if !is_going {
                        *work.made.entry(call.resource.clone()).or_default() += 1;
                    }
                }
                _ => {}
            }
        }
        work
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::torture::api::permission::Permission;
    use crate::torture::run::result::Symptom;

    #[test]
    fn a_finding_without_proof_must_show_in_both_runs() {
        let subject = json!({"kind": "Cow", "metadata": {"name": "moo"}, "spec": {}});
        let life = Scenario::life(&subject, &[], &[]);
        let found = |symptoms: [Vec<Symptom>; 2]| {
            let runs = symptoms.map(|symptoms| RunResult {
                symptoms: symptoms.into_iter().map(|symptom| (0, symptom)).collect(),
                ..RunResult::of_states(Vec::new())
            });
            let baseline = Baseline {
                scenario: life.clone(),
                expected: Baseline::new(life.clone(), runs.clone()).expected,
                runs,
            };
            let findings = Oracle::check_baselines(&[baseline]);
            findings.into_iter().map(|it| it.object).collect::<Vec<_>>()
        };
        let list = |resource: &str| {
            let message =
                format!("User \"x\" cannot list resource \"{resource}\" in API group \"\"");
            Symptom::Forbidden(Permission::from_denial(&message).unwrap())
        };
        let once = found([vec![], vec![list("nodes"), list("pods"), list("nodes")]]);
        assert_eq!(once, ["list nodes", "list pods", "list nodes"]);
        assert_eq!(
            found([vec![list("pods")], vec![list("pods")]]),
            ["list pods"]
        );
        let ended = || Symptom::Exited("exit status: 1".into());
        assert!(found([vec![], vec![ended()]]).is_empty(), "chance");
        assert_eq!(found([vec![ended()], vec![ended()]]), ["operator"]);
    }
}
