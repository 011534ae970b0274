//! Compares two operators: a rewrite must reach the same states as the original that it replaces.
//! This is the implementation of `rustop import --shadow`.
//!
//! The original runs each scenario twice, which shows the fields that vary between runs. The
//! rewrite must then reach the same states after each step, except for these fields and the ignored
//! ones. If it does not, rustop runs the scenario again, and reports what differs in both runs.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::terminal::Terminal;
use crate::text::count;
use crate::torture::env::Environment;
use crate::torture::error::{Error, Result};
use crate::torture::oracle::baseline::Baseline;
use crate::torture::oracle::finding::Finding;
use crate::torture::oracle::finding_builder::FindingBuilder;
use crate::torture::random::Random;
use crate::torture::run::result::{Expectation, RunResult};
use crate::torture::run::run_scenario;
use crate::torture::run::settings::RunSettings;
use crate::torture::scenario::Scenario;
use crate::torture::search::baseline_runner::{BaselineRunner, Deadlines, ScenarioSample};
use crate::torture::search::plan::is_steady;
use crate::torture::search::result::CampaignResult;
use crate::torture::search::worker_pool::run_jobs;
use crate::torture::snapshot::Difference;

/// The comparison of an original operator with its rewrite.
pub struct Shadow {
    /// The environment of the original operator.
    pub original: Arc<Environment>,
    /// The environment of the rewrite.
    pub rewrite: Arc<Environment>,
    /// Fields that may differ.
    pub ignored: Vec<IgnoredField>,
    /// The time for all runs of both operators.
    pub budget: Duration,
    /// The number of parallel runs.
    pub lanes: usize,
    /// Determines the order of scenarios, the last of which may not fit into the budget.
    pub seed: u64,
    pub terminal: Terminal,
}

/// A field of a kind, with its subfields, that may differ: `deployment:metadata.labels`.
#[derive(Clone, Debug)]
pub struct IgnoredField {
    kind: String,
    field: String,
}

impl std::str::FromStr for IgnoredField {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once(':');
        match parts.filter(|(kind, field)| !kind.is_empty() && !field.is_empty()) {
            Some((kind, field)) => Ok(Self {
                kind: kind.to_lowercase(),
                field: field.to_owned(),
            }),
            None => Err("must be a kind and a field: `deployment:metadata.labels`".to_owned()),
        }
    }
}

impl fmt::Display for IgnoredField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.field)
    }
}

impl IgnoredField {
    fn has(&self, difference: &Difference) -> bool {
        let kind = difference.id.kind.split('.').next().unwrap_or_default();
        let below = difference.field.strip_prefix(&self.field);
        kind.eq_ignore_ascii_case(&self.kind)
            && below.is_some_and(|below| below.is_empty() || below.starts_with(['.', '[']))
    }
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct ShadowResult {
    /// The divergences, one for each cause.
    pub divergences: Vec<Divergence>,
    /// Remarks for the user.
    pub notes: Vec<String>,
    /// The number of scenarios that both operators ran.
    pub scenarios: usize,
    /// The number of states that were compared, one for each step.
    pub states: usize,
    /// True if the user interrupted the comparison, so that the result is incomplete.
    pub interrupted: bool,
}

/// A difference in behavior of the rewrite.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// A message of one line.
    pub message: String,
    /// The name of the first scenario that shows it.
    pub scenario: String,
    /// The description of the step after which it shows.
    pub step: String,
    /// The number of further steps, in this and in other scenarios, that show it.
    pub others: usize,
}

impl Divergence {
    /// Returns the text for the report.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}\n  in {}, after: {}",
            self.message, self.scenario, self.step
        );
        if self.others > 0 {
            let _ = write!(text, "; and after {}", count(self.others, "other step"));
        }
        text.push('\n');
        text
    }
}

/// A key that identifies a divergence in other runs and after other steps: the object and the
/// field, or for a symptom its class and the object.
type Cause = (String, String);

impl Shadow {
    /// Runs all scenarios of the samples with both operators.
    ///
    /// # Errors
    /// Returns an error if one of the operators does not start, or no scenario was compared.
    pub async fn run(&self, samples: &[ScenarioSample]) -> Result<ShadowResult> {
        let end = Instant::now() + self.budget;
        let mut compared = ShadowResult::default();
        let baselines = self.run_baselines(samples, end, &mut compared).await?;
        let baselines = only_steady(baselines, &mut compared)?;
        self.terminal.status(
            "Comparing",
            format_args!("{} with the rewrite", count(baselines.len(), "scenario")),
        );
        self.compare(baselines, end, &mut compared).await?;
        if compared.scenarios == 0 {
            return Err(if compared.interrupted {
                Error::Interrupted
            } else {
                Error::OutOfTime
            });
        }
        Ok(compared)
    }

    /// Runs the baselines of the original in half of the time.
    async fn run_baselines(
        &self,
        samples: &[ScenarioSample],
        end: Instant,
        compared: &mut ShadowResult,
    ) -> Result<Vec<Baseline>> {
        let baseline_runner = BaselineRunner {
            environment: &self.original,
            lanes: self.lanes,
            // `rustop torture` tests these in the rewrite: the original is not a reference for
            // them.
            tests_ownership_and_limits: false,
            terminal: self.terminal,
        };
        let random = Random::new(self.seed);
        let (mut baselines, mut outcome) = (Vec::new(), CampaignResult::default());
        let begin = Instant::now();
        let whole = end - begin;
        let part = whole / 2 / u32::try_from(samples.len()).unwrap_or(u32::MAX).max(1);
        let mut until = begin;
        for sample in samples {
            until += part;
            // The scenario of the sample's life cycle comes first and may take longer.
            let share = Deadlines {
                first: until.max(begin + whole / 3),
                others: until,
            };
            let children = baseline_runner
                .probe(sample, share.first, &mut outcome)
                .await?;
            let of_sample = baseline_runner.learn(sample, &children, share, random, &mut outcome);
            baselines.extend(of_sample.await?);
        }
        compared.notes.append(&mut outcome.notes);
        compared.interrupted = outcome.interrupted;
        Ok(baselines)
    }

    /// Runs the scenarios of the baselines with the rewrite until `end`, and adds the divergences.
    async fn compare(
        &self,
        baselines: Vec<Baseline>,
        end: Instant,
        compared: &mut ShadowResult,
    ) -> Result<()> {
        let settings = RunSettings::new(self.rewrite.clone(), end);
        let work = |baseline: Baseline| {
            let (settings, ignored) = (settings.clone(), self.ignored.clone());
            async move {
                let found = differences(&settings, &baseline, &ignored).await?;
                Ok((baseline, found))
            }
        };
        let total = baselines.len();
        let (mut all, mut failed) = (Vec::new(), None);
        run_jobs(
            &mut baselines.into_iter(),
            self.lanes,
            || settings.is_over(),
            work,
            |done: Result<_>| match done {
                Ok(done) => all.push(done),
                Err(Error::OutOfTime) => {}
                Err(error) => failed = failed.take().or(Some(error)),
            },
        )
        .await;
        match failed {
            Some(Error::Interrupted) => compared.interrupted = true,
            Some(error) => return Err(error),
            None => {}
        }
        all.sort_by(|(one, _), (other, _)| one.scenario.name.cmp(&other.scenario.name));
        compared.scenarios = all.len();
        compared.states = all.iter().map(|(one, _)| one.expected.states.len()).sum();
        compared.divergences = distinct_divergences(all.into_iter().flat_map(|(_, found)| found));
        if compared.scenarios < total {
            let left = count(total - compared.scenarios, "scenario");
            let note = format!("{left} did not fit into the time: --budget");
            compared.notes.push(note);
        }
        Ok(())
    }
}

/// Returns the baselines whose two runs came to the same objects, and adds a note about the others:
/// the rewrite cannot be compared with a state that the original does not repeat.
///
/// # Errors
/// Returns an error if there are baselines, but the original repeats the states of none.
fn only_steady(baselines: Vec<Baseline>, compared: &mut ShadowResult) -> Result<Vec<Baseline>> {
    let (steady, others): (Vec<_>, Vec<_>) = baselines.into_iter().partition(is_steady);
    let names: Vec<_> = others.iter().map(|it| it.scenario.name.as_str()).collect();
    if names.is_empty() {
        return Ok(steady);
    }
    let scenarios = names.join(", ");
    if steady.is_empty() {
        return Err(Error::NothingSteady { scenarios });
    }
    compared.notes.push(format!(
        "not compared, because the original came to other objects the second time: {scenarios}"
    ));
    Ok(steady)
}

/// Returns the first divergence of each cause.
fn distinct_divergences(all: impl Iterator<Item = (Cause, Divergence)>) -> Vec<Divergence> {
    let mut order = Vec::new();
    let mut known: BTreeMap<Cause, Divergence> = BTreeMap::new();
    for (cause, divergence) in all {
        if let Some(first) = known.get_mut(&cause) {
            first.others += 1;
        } else {
            order.push(cause.clone());
            known.insert(cause, divergence);
        }
    }
    order
        .iter()
        .filter_map(|cause| known.remove(cause))
        .collect()
}

/// Returns the divergences that show in two runs of the rewrite.
async fn differences(
    settings: &RunSettings,
    baseline: &Baseline,
    ignored: &[IgnoredField],
) -> Result<Vec<(Cause, Divergence)>> {
    let run = || async {
        let aim = Expectation::FirstRun(&baseline.expected.states);
        run_scenario(settings, &baseline.scenario, &[], aim)
            .await?
            .into_complete()
    };
    let first = divergences(baseline, &run().await?, ignored);
    if first.is_empty() {
        return Ok(first);
    }
    let second = divergences(baseline, &run().await?, ignored);
    Ok(reproduced(first, &second))
}

/// Returns the divergences of the first run whose cause also shows in the second one.
fn reproduced(
    first: Vec<(Cause, Divergence)>,
    second: &[(Cause, Divergence)],
) -> Vec<(Cause, Divergence)> {
    let again = |(cause, _): &(Cause, Divergence)| second.iter().any(|(other, _)| cause == other);
    first.into_iter().filter(again).collect()
}

/// Returns the divergences of one run.
fn divergences(
    baseline: &Baseline,
    run_result: &RunResult,
    ignored: &[IgnoredField],
) -> Vec<(Cause, Divergence)> {
    let scenario = &baseline.scenario;
    let mut all = Vec::new();
    let mut add = |step: usize, cause: Cause, message: String| {
        let divergence = Divergence {
            message,
            scenario: scenario.name.clone(),
            step: scenario.steps[step].description.clone(),
            others: 0,
        };
        all.push((cause, divergence));
    };
    for finding in symptoms(scenario, run_result, &baseline.runs[0]) {
        // The texts of two runs can differ: that of a hot loop contains the number of writes.
        let (class, object) = finding.cause();
        add(
            finding.step,
            (class.name(), object),
            format!("{}: {}", class.description(), finding.message),
        );
    }
    let expected = &baseline.expected;
    for (step, (was, is)) in expected.states.iter().zip(&run_result.states).enumerate() {
        for difference in was.differences(is, &expected.mask) {
            if !ignored.iter().any(|place| place.has(&difference)) {
                let cause = (difference.id.to_string(), difference.field.clone());
                add(step, cause, difference.to_string());
            }
        }
    }
    all
}

/// Returns the symptoms of a run that the original does not have: panics, exits, missing
/// permissions, hot loops and failed webhook calls.
fn symptoms(scenario: &Scenario, run_result: &RunResult, original: &RunResult) -> Vec<Finding> {
    let of = |run_result: &RunResult| -> Vec<Finding> {
        let builder = FindingBuilder {
            scenario,
            faults: &[],
            run_result,
        };
        let symptoms = run_result.symptoms.iter();
        symptoms
            .filter_map(|(step, symptom)| builder.build_from_symptom(*step, symptom))
            .collect()
    };
    let known: Vec<_> = of(original).iter().map(Finding::cause).collect();
    of(run_result)
        .into_iter()
        .filter(|finding| !known.contains(&finding.cause()))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::torture::run::result::{ExpectedStates, Symptom};
    use crate::torture::scenario::Action;
    use crate::torture::snapshot::{Mask, Snapshot};

    fn state(labels: &serde_json::Value) -> Snapshot {
        let child = json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "cow", "labels": labels}});
        Snapshot::of([&child], "")
    }

    /// Returns the result of a run of the operator `by`, which sets its name as a label.
    fn run_of(by: &str) -> RunResult {
        RunResult::of_states(vec![state(&json!({"by": by})); 2])
    }

    fn baseline_of(original: &RunResult) -> Baseline {
        let mut scenario = Scenario::new("life", &json!({"kind": "Cow"}), &[]);
        for description in ["the user creates the object", "it is changed"] {
            scenario.add_step(description, Action::Create(json!({})), None);
        }
        Baseline {
            scenario,
            runs: [original.clone(), original.clone()],
            expected: ExpectedStates {
                states: original.states.clone(),
                mask: Mask::default(),
                ..ExpectedStates::default()
            },
        }
    }

    #[test]
    fn equal_differences_after_several_steps_are_one_finding() {
        let original = run_of("go");
        let baseline = baseline_of(&original);
        let rewrite = run_of("rust");
        let found = distinct_divergences(divergences(&baseline, &rewrite, &[]).into_iter());
        let [found] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(
            found.text(),
            "configmap/cow metadata.labels.by: rust instead of go\n  in life, after: the user creates the object; and after 1 other step\n"
        );
        for (ignored, left) in [
            ("configmap:metadata.labels", 0),
            ("configmap:metadata.labels.by", 0),
            ("configmap:metadata.label", 2),
            ("secret:metadata.labels", 2),
        ] {
            let ignored = [ignored.parse::<IgnoredField>().unwrap()];
            assert_eq!(
                divergences(&baseline, &rewrite, &ignored).len(),
                left,
                "{}",
                ignored[0]
            );
        }
        assert!("labels".parse::<IgnoredField>().is_err());
        assert!(divergences(&baseline, &original, &[]).is_empty());
    }

    #[test]
    fn objects_that_the_original_does_not_repeat_are_not_compared() {
        let original = run_of("go");
        let steady = || baseline_of(&original);
        let unsteady = || {
            let mut baseline = steady();
            baseline.scenario.name = "random".to_owned();
            baseline.runs[1] = RunResult::of_states(vec![Snapshot::default(); 2]);
            baseline
        };
        let mut compared = ShadowResult::default();
        let kept = only_steady(vec![unsteady(), steady()], &mut compared).unwrap();
        let names: Vec<_> = kept.iter().map(|it| it.scenario.name.as_str()).collect();
        assert_eq!(names, ["life"]);
        assert!(compared.notes[0].ends_with("the second time: random"));
        let error = only_steady(vec![unsteady()], &mut compared).unwrap_err();
        assert!(
            error.to_string().ends_with("the second time: random"),
            "{error}"
        );
        assert!(only_steady(Vec::new(), &mut compared).is_ok_and(|it| it.is_empty()));
    }

    #[test]
    fn a_hot_loop_is_reproduced_by_a_run_with_another_number_of_writes() {
        let original = run_of("go");
        let baseline = baseline_of(&original);
        let hot_loop = |writes: usize| {
            let mut rewrite = original.clone();
            let symptom = Symptom::HotLoop("PATCH configmaps/cow".to_owned(), writes);
            rewrite.symptoms.push((1, symptom));
            divergences(&baseline, &rewrite, &[])
        };
        let found = reproduced(hot_loop(21), &hot_loop(24));
        let [(_, found)] = &found[..] else {
            panic!("{found:?}")
        };
        assert!(found.message.contains("21 times"), "{}", found.message);
        let quiet = divergences(&baseline, &original, &[]);
        assert!(reproduced(hot_loop(21), &quiet).is_empty());
    }
}
