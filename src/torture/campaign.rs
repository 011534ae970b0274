//! All of it for one operator: what it does without faults, then as many faults as there is time for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::call::Resource;
use super::children::children;
use super::error::{Error, Result};
use super::fault::Fault;
use super::finding::Finding;
use super::judge::Judge;
use super::lanes::each;
use super::outcome::Outcome;
use super::plan::{Job, around, plan};
use super::played::{Played, Sign};
use super::random::Random;
use super::reference::Reference;
use super::run::play;
use super::scenario::{Scenario, Variant};
use super::shrink::Shrinker;
use super::stage::Stage;
use super::variants::variants;
use crate::terminal::Terminal;
use crate::text::count;

/// How much is done.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For how long.
    pub budget: Duration,
    /// How many faults at most.
    pub faults: usize,
    /// How many runs beside each other.
    pub lanes: usize,
    /// Which order faults have.
    pub seed: u64,
}

/// A sample, and what the API server knows of its kind.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The object.
    pub object: Value,
    /// The schema of its spec.
    pub schema: Value,
    /// What else has to be there.
    pub beside: Vec<Value>,
}

/// What is done to an operator.
pub struct Campaign {
    /// Where.
    pub stage: Arc<Stage>,
    /// By whose measure.
    pub judge: Judge,
    /// How much of it.
    pub limits: Limits,
    /// Who is told.
    pub terminal: Terminal,
}

/// The most that the runs without faults may take of the time.
const REFERENCES: u32 = 2;

impl Campaign {
    /// Does all of it for the samples.
    pub async fn run(&self, samples: &[Sample]) -> Result<Outcome> {
        let start = Instant::now();
        let mut outcome = Outcome::default();
        let done = self.through(samples, start, &mut outcome).await;
        outcome.took = start.elapsed();
        match done {
            Err(Error::Interrupted) if outcome.scenarios > 0 => outcome.interrupted = true,
            other => other?,
        }
        Ok(outcome)
    }

    async fn through(
        &self,
        samples: &[Sample],
        start: Instant,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let mut random = Random::new(self.limits.seed);
        let mut all = Vec::new();
        for sample in samples {
            let references = self.references(sample, start, &mut random, outcome).await?;
            let shrinker = Shrinker {
                stage: &self.stage,
                judge: &self.judge,
            };
            for finding in Judge::references(&references) {
                if outcome
                    .findings
                    .iter()
                    .any(|known| known.cause() == finding.cause())
                {
                    self.tell(outcome, finding);
                } else {
                    self.tell(outcome, shrinker.shrink_plain(finding).await?);
                }
            }
            all.extend(references);
        }
        let references: Vec<Arc<Reference>> = all.into_iter().map(Arc::new).collect();
        self.faults(&references, start, &mut random, outcome).await
    }

    /// Plays each scenario of a sample twice.
    async fn references(
        &self,
        sample: &Sample,
        start: Instant,
        random: &mut Random,
        outcome: &mut Outcome,
    ) -> Result<Vec<Reference>> {
        let (subject, beside) = (&sample.object, &sample.beside);
        let probe = play(&self.stage, &Scenario::probe(subject, beside), &[], None).await?;
        if let Some((_, Sign::Refused(message))) = probe
            .signs
            .iter()
            .find(|(_, sign)| matches!(sign, Sign::Refused(_)))
        {
            let object = State::name(subject);
            return Err(Error::SampleRefused {
                object,
                message: message.clone(),
            });
        }
        let children = children(&probe, subject);
        self.terminal.status(
            "Learning",
            format_args!(
                "{} with {}",
                State::name(subject),
                count(children.len(), "child").replace("childs", "children")
            ),
        );
        let variants = self.accepted(sample, random, outcome).await;
        let mut scenarios = vec![Scenario::life(subject, beside, &children)];
        if !children.is_empty() {
            scenarios.push(Scenario::held(subject, beside, &children));
            scenarios.push(Scenario::strangers(subject, beside, &children, false));
            scenarios.push(Scenario::strangers(subject, beside, &children, true));
        }
        for (field, variants) in &variants {
            scenarios.push(Scenario::field(subject, beside, field, variants));
            scenarios.push(Scenario::fresh(subject, beside, field, variants));
        }
        let deadline = start + self.limits.budget / REFERENCES;
        let stage = self.stage.clone();
        let work = move |(number, scenario): (usize, Scenario)| {
            let stage = stage.clone();
            async move {
                let played = play(&stage, &scenario, &[], None).await?;
                Ok((number, scenario, played))
            }
        };
        let total = scenarios.len();
        let twice = scenarios.into_iter().enumerate();
        let twice =
            twice.flat_map(|(number, scenario)| [(number, scenario.clone()), (number, scenario)]);
        let mut played: Vec<Result<(usize, Scenario, Played)>> = Vec::new();
        each(
            twice.collect(),
            self.limits.lanes,
            || Instant::now() > deadline,
            work,
            |done| played.push(done),
        )
        .await;
        let mut once: BTreeMap<usize, Played> = BTreeMap::new();
        let mut references = Vec::new();
        for done in played {
            let (number, scenario, run) = done?;
            match once.remove(&number) {
                Some(first) => references.push(Reference::new(scenario, [first, run])),
                None => drop(once.insert(number, run)),
            }
        }
        references.sort_by(|a, b| a.scenario.name.cmp(&b.scenario.name));
        if references.len() < total {
            outcome.notes.push(format!(
                "{} of {total} scenarios of {} did not fit into the time: --budget",
                total - references.len(),
                State::name(subject)
            ));
        }
        outcome.scenarios += references.len();
        Ok(references)
    }

    /// The variants that the API server accepts, by field, in an order of chance.
    async fn accepted(
        &self,
        sample: &Sample,
        random: &mut Random,
        outcome: &mut Outcome,
    ) -> Vec<(String, Vec<Variant>)> {
        let mut fields: BTreeMap<String, Vec<Variant>> = BTreeMap::new();
        let mut refused = 0;
        for variant in variants(&sample.schema, &sample.object["spec"]) {
            if self.is_accepted(sample, &variant).await {
                fields
                    .entry(variant.field.clone())
                    .or_default()
                    .push(variant);
            } else {
                refused += 1;
            }
        }
        if refused > 0 {
            outcome.notes.push(format!(
                "the API server itself refuses {} of {}",
                count(refused, "value"),
                State::name(&sample.object)
            ));
        }
        let mut fields: Vec<_> = fields.into_iter().collect();
        random.shuffle(&mut fields);
        fields
    }

    async fn is_accepted(&self, sample: &Sample, variant: &Variant) -> bool {
        let mut object = sample.object.clone();
        object["spec"] = variant.spec.clone();
        let Some(kind) = self.stage.upstream.kinds.of_object(&object) else {
            return false;
        };
        let resource = Resource {
            group: kind.resource.group.clone(),
            version: kind.resource.version.clone(),
            plural: kind.resource.plural.clone(),
        };
        let path = format!(
            "{}?dryRun=All",
            resource.path(kind.namespaced.then_some("default"))
        );
        object["metadata"]["namespace"] = if kind.namespaced {
            "default".into()
        } else {
            Value::Null
        };
        let request =
            http::Request::post(path).header(http::header::CONTENT_TYPE, "application/json");
        let request = request
            .body(object.to_string().into_bytes())
            .expect("a valid request");
        self.stage
            .upstream
            .admin
            .request::<Value>(request)
            .await
            .is_ok()
    }

    /// Tries faults until the time is over, or there are no more.
    async fn faults(
        &self,
        references: &[Arc<Reference>],
        start: Instant,
        random: &mut Random,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let began = Instant::now();
        let (plan, planned) = plan(references, &self.judge.own, self.limits.faults, random);
        outcome.planned = planned;
        self.terminal.status(
            "Torturing",
            format_args!(
                "{} faults of {}, seed {}",
                plan.len().min(outcome.planned),
                count(references.len(), "scenario"),
                self.limits.seed
            ),
        );
        let stage = self.stage.clone();
        let work = move |(reference, faults): Job| {
            let stage = stage.clone();
            async move {
                let (reference, faults) = around(&reference, &faults);
                let played = play(
                    &stage,
                    &reference.scenario,
                    &faults,
                    Some(&reference.expected),
                )
                .await?;
                Ok((Arc::new(reference), faults, played))
            }
        };
        let deadline = start + self.limits.budget;
        let interrupt = self.stage.interrupt.clone();
        let mut suspects: Vec<(Arc<Reference>, Finding)> = Vec::new();
        let mut failed = None;
        let total = plan.len();
        each(
            plan,
            self.limits.lanes,
            || Instant::now() > deadline || interrupt.came(),
            work,
            |done: Result<(Arc<Reference>, Vec<Fault>, Played)>| match done {
                Ok((reference, faults, played)) => {
                    let findings = self.judge.faulty(&reference, &faults, &played);
                    outcome.tried += 1;
                    outcome.unreached += usize::from(!played.reached);
                    suspect(outcome, &mut suspects, &reference, findings);
                    if outcome.tried.is_multiple_of(25) {
                        let found = count(outcome.findings.len() + suspects.len(), "finding");
                        let so_far = format!("{} of {total} faults, {found} so far", outcome.tried);
                        self.terminal.status("Tried", so_far);
                    }
                }
                Err(error) => drop(failed.get_or_insert(error)),
            },
        )
        .await;
        outcome.faults_took = began.elapsed();
        let shrinker = Shrinker {
            stage: &self.stage,
            judge: &self.judge,
        };
        for (reference, suspect) in suspects {
            match shrinker.shrink(&reference, suspect).await {
                Ok(Some(finding)) => self.tell(outcome, finding),
                Ok(None) => outcome.unsteady += 1,
                Err(Error::Interrupted) => outcome.interrupted = true,
                Err(error) => return Err(error),
            }
        }
        match failed {
            Some(Error::Interrupted) => {
                outcome.interrupted = true;
                Ok(())
            }
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Plays a finding again, from scratch; `None` if it does not show.
    pub async fn replay(&self, finding: &Finding) -> Result<Option<Finding>> {
        let shrinker = Shrinker {
            stage: &self.stage,
            judge: &self.judge,
        };
        if finding.faults.is_empty() {
            return shrinker.again_plain(finding).await;
        }
        let reference = shrinker.learn(finding.scenario.clone()).await?;
        shrinker.again(&reference, &finding.faults, finding).await
    }

    fn tell(&self, outcome: &mut Outcome, finding: Finding) {
        let mut known = outcome.findings.iter_mut();
        if let Some(known) = known.find(|known| known.cause() == finding.cause()) {
            known.others += 1;
            return;
        }
        let says = format!("{}: {}", finding.class, finding.says);
        self.terminal.status("Found", says);
        outcome.findings.push(finding);
    }
}

/// Of each cause the first finding is looked at again; the others are counted.
fn suspect(
    outcome: &mut Outcome,
    suspects: &mut Vec<(Arc<Reference>, Finding)>,
    reference: &Arc<Reference>,
    findings: Vec<Finding>,
) {
    for finding in findings {
        let told = outcome.findings.iter_mut();
        let mut known = told.chain(suspects.iter_mut().map(|(_, suspect)| suspect));
        match known.find(|known| known.cause() == finding.cause()) {
            Some(known) => known.others += 1,
            None => suspects.push((reference.clone(), finding)),
        }
    }
}

/// How samples are called.
struct State;

impl State {
    fn name(object: &Value) -> String {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        format!(
            "{}/{}",
            text(&object["kind"]).to_lowercase(),
            text(&object["metadata"]["name"])
        )
    }
}
