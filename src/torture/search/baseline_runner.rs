//! Runs the baselines: each scenario of a sample, twice and without faults.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use crate::terminal::Terminal;
use crate::text::count;
use crate::torture::api::call::Resource;
use crate::torture::api::rejection;
use crate::torture::env::Environment;
use crate::torture::error::{Error, Result};
use crate::torture::journal;
use crate::torture::oracle::baseline::Baseline;
use crate::torture::random::Random;
use crate::torture::run::result::Expectation;
use crate::torture::run::run_scenario;
use crate::torture::run::settings::RunSettings;
use crate::torture::scenario::custom::CustomScenario;
use crate::torture::scenario::spec_variants::{at_limits, variants};
use crate::torture::scenario::{Child, LIFE, Scenario, SpecVariant, TWO_OBJECTS};
use crate::torture::search::owned_objects::children;
use crate::torture::search::result::CampaignResult;
use crate::torture::search::worker_pool::run_jobs;

/// A sample and the inputs for its scenarios.
#[derive(Clone, Debug)]
pub struct ScenarioSample {
    /// The sample itself.
    pub object: Value,
    /// The schema of its `spec`, in the form of a CRD.
    pub schema: Value,
    /// Objects that must exist before the sample is created.
    pub prerequisites: Vec<Value>,
    /// The scenarios that the user has written for the sample.
    pub custom_scenarios: Vec<CustomScenario>,
}

/// Runs the baselines of samples.
pub struct BaselineRunner<'a> {
    pub environment: &'a Arc<Environment>,
    /// The number of parallel runs.
    pub lanes: usize,
    /// If false, there are only the life of the sample, changes of its spec, and custom scenarios.
    /// If true, there are also scenarios with objects of other owners, with a second object, with
    /// changes of the Secrets and `ConfigMaps` that the sample names, and with limits of fields.
    pub tests_ownership_and_limits: bool,
    pub terminal: Terminal,
}

/// The deadlines for the runs of a sample.
pub struct Deadlines {
    /// The deadline of the first scenario, [`LIFE`].
    pub first: Instant,
    /// The deadline of all other scenarios.
    pub others: Instant,
}

impl BaselineRunner<'_> {
    /// Runs the scenarios of a sample twice each, as far as the deadlines `share` allow, and
    /// returns the baselines by name. `children` are those of the sample, and `random` determines
    /// the order of its fields. Adds the coverage and notes to `outcome`, and sets `interrupted`
    /// there if the user interrupts the runs.
    ///
    /// # Errors
    /// Returns an error if a custom scenario names an unknown child, or if a run fails for another
    /// reason than load.
    pub async fn learn(
        &self,
        sample: &ScenarioSample,
        children: &[Child],
        share: Deadlines,
        random: Random,
        outcome: &mut CampaignResult,
    ) -> Result<Vec<Baseline>> {
        let scenarios = self.scenarios(sample, children, random, outcome).await?;
        let object = name(&sample.object);
        let expect = |scenarios: &[Scenario], outcome: &mut CampaignResult| {
            for scenario in scenarios {
                outcome.coverage.expect_scenario(&object, &scenario.name);
            }
        };
        expect(&scenarios, outcome);
        let mut total = scenarios.len();
        let mut baselines = self.run_scenarios(scenarios, &share, outcome).await?;
        if self.tests_ownership_and_limits && !outcome.interrupted {
            let limits = self.limits(sample, &baselines).await;
            expect(&limits, outcome);
            total += limits.len();
            baselines.extend(self.run_scenarios(limits, &share, outcome).await?);
        }
        baselines.sort_by(|a, b| a.scenario.name.cmp(&b.scenario.name));
        let mut cut = total;
        for whole in baselines.iter().filter(|baseline| baseline.is_whole()) {
            outcome.coverage.run_scenario(&object, &whole.scenario.name);
            cut -= 1;
        }
        if cut > 0 {
            outcome.notes.push(format!(
                "{cut} of {total} scenarios of {object} did not fit into their share of the time: --budget"
            ));
        }
        outcome.scenarios += baselines.len();
        // If a quota allows the children of one object only, the state of one object depends on the
        // other, and that is not a bug.
        let is_contended = |it: &Baseline| it.scenario.name == TWO_OBJECTS && it.has_refusals();
        if baselines.iter().any(is_contended) {
            baselines.retain(|baseline| !is_contended(baseline));
            outcome.notes.push(format!(
                "two objects like {object} are not compared, because the API server rejects children of the second one"
            ));
        }
        Ok(baselines)
    }

    /// Runs scenarios twice each.
    async fn run_scenarios(
        &self,
        scenarios: Vec<Scenario>,
        share: &Deadlines,
        outcome: &mut CampaignResult,
    ) -> Result<Vec<Baseline>> {
        let total = scenarios.len();
        let (environment, first, others) = (self.environment.clone(), share.first, share.others);
        let work = move |scenario: Scenario| {
            let until = if scenario.name == LIFE { first } else { others };
            let environment = environment.clone();
            async move { twice(&RunSettings::new(environment, until), scenario).await }
        };
        let until = RunSettings::new(self.environment.clone(), others);
        let mut baselines = Vec::new();
        let mut failed = None;
        run_jobs(
            &mut scenarios.into_iter(),
            self.lanes,
            || until.is_over(),
            work,
            |result: Result<Baseline>| match result {
                Ok(baseline) => {
                    baselines.push(baseline);
                    if baselines.len().is_multiple_of(10) {
                        let so_far =
                            format!("{} of {total} scenarios without faults", baselines.len());
                        self.terminal.status("Completed", so_far);
                    }
                }
                Err(error) => failed = failed.take().or(outcome.count_lost(error)),
            },
        )
        .await;
        // `Baseline::new` drops the steps that were not completed, here all of them.
        baselines.retain(|baseline| !baseline.scenario.steps.is_empty());
        match failed {
            Some(Error::Interrupted) => outcome.interrupted = true,
            Some(error) => return Err(error),
            None => {}
        }
        Ok(baselines)
    }

    /// Returns the scenarios with the limits of fields that do not scale children: thousands of
    /// Pods would overload the machine.
    async fn limits(&self, sample: &ScenarioSample, baselines: &[Baseline]) -> Vec<Scenario> {
        let (subject, prerequisites) = (&sample.object, &sample.prerequisites);
        let harmless = |field: &str| {
            let mut named = baselines.iter();
            let found = named.find(|baseline| baseline.scenario.name == field);
            found.is_some_and(|found| found.is_whole() && !found.changes_child_count())
        };
        let mut fields: BTreeMap<String, Vec<SpecVariant>> = BTreeMap::new();
        for variant in at_limits(&sample.schema, &subject["spec"]) {
            if harmless(&variant.field) && self.is_accepted(sample, &variant).await {
                let field = fields.entry(variant.field.clone()).or_default();
                field.push(variant);
            }
        }
        let fields = fields.iter();
        fields
            .map(|(field, variants)| Scenario::limits(subject, prerequisites, field, variants))
            .collect()
    }

    /// Lets the operator settle on a sample, and returns its children. Adds a note to `outcome` if
    /// the operator writes nothing.
    ///
    /// # Errors
    /// Returns an error if the API server rejects the sample, if the operator does not start, or if
    /// it has not settled at `until`.
    pub async fn probe(
        &self,
        sample: &ScenarioSample,
        until: Instant,
        outcome: &mut CampaignResult,
    ) -> Result<Vec<Child>> {
        let (subject, prerequisites) = (&sample.object, &sample.prerequisites);
        let began = Instant::now();
        let probe = Scenario::probe(subject, prerequisites);
        let probe = run_scenario(
            &RunSettings::new(self.environment.clone(), until),
            &probe,
            &[],
            Expectation::None,
        )
        .await?;
        if let Some(message) = probe.first_rejection() {
            let (object, message) = (name(subject), message.to_owned());
            return Err(Error::SampleRefused { object, message });
        }
        let probe = probe.into_complete()?;
        if !journal::requests(&probe.entries).any(|(_, request)| request.call.is_work()) {
            outcome.notes.push(format!(
                "the operator writes nothing for {}: there is hardly anything to go wrong",
                name(subject)
            ));
        }
        let children = children(&probe, subject);
        self.terminal.status(
            "Learning",
            format_args!(
                "{} with {}; the operator has settled on it after {} s",
                name(subject),
                count(children.len(), "child"),
                began.elapsed().as_secs()
            ),
        );
        Ok(children)
    }

    /// Generates the scenarios of a sample.
    async fn scenarios(
        &self,
        sample: &ScenarioSample,
        children: &[Child],
        random: Random,
        outcome: &mut CampaignResult,
    ) -> Result<Vec<Scenario>> {
        let variants = self.accepted(sample, random, outcome).await;
        in_order(sample, children, &variants, self.tests_ownership_and_limits)
    }

    /// Returns the variants that the API server accepts, by field: shallow fields first, fields of
    /// one depth in random order.
    pub async fn accepted(
        &self,
        sample: &ScenarioSample,
        random: Random,
        outcome: &mut CampaignResult,
    ) -> Vec<(String, Vec<SpecVariant>)> {
        let mut fields: BTreeMap<String, Vec<SpecVariant>> = BTreeMap::new();
        let mut refused = 0;
        for variant in variants(&sample.schema, &sample.object["spec"]) {
            if self.is_accepted(sample, &variant).await {
                let field = fields.entry(variant.field.clone()).or_default();
                field.push(variant);
            } else {
                refused += 1;
            }
        }
        if fields.is_empty() && is_open(&sample.schema) {
            outcome.notes.push(format!(
                "cannot derive changes of {}, because its CRD describes no field of the spec: write the changes that users make into tests/torture/*.yaml",
                name(&sample.object)
            ));
        }
        if refused > 0 {
            outcome.notes.push(format!(
                "the API server rejects {} of {}, by its schema or a webhook",
                count(refused, "value"),
                name(&sample.object)
            ));
        }
        shallow_first(fields, random)
    }

    /// Reports whether the API server accepts the sample with another spec, in a dry run.
    async fn is_accepted(&self, sample: &ScenarioSample, variant: &SpecVariant) -> bool {
        let mut object = sample.object.clone();
        object["spec"] = variant.spec.clone();
        let kinds = &self.environment.upstream.kinds;
        let Some(kind) = kinds.of_written(&object) else {
            return false;
        };
        let namespace = kind.namespaced.then_some("default");
        object["metadata"]["namespace"] = namespace.map_or(Value::Null, Value::from);
        let path = format!(
            "{}?dryRun=All",
            Resource::from(&kind.resource).path(namespace)
        );
        let request =
            http::Request::post(path).header(http::header::CONTENT_TYPE, "application/json");
        let body = object.to_string().into_bytes();
        let request = request.body(body).expect("a valid request");
        match self
            .environment
            .upstream
            .admin
            .request::<Value>(request)
            .await
        {
            Ok(_) => true,
            // A failing webhook shows again in the run of the scenario.
            Err(kube::Error::Api(status)) => rejection::failed_webhook(&status.message).is_some(),
            Err(_) => false,
        }
    }
}

/// Returns the scenarios of a sample in the order in which they run. There is not always time for
/// all: the basic ones come first, then the changes of `fields` in their order. Without `others`,
/// there are only those with the sample itself.
fn in_order(
    sample: &ScenarioSample,
    children: &[Child],
    fields: &[(String, Vec<SpecVariant>)],
    others: bool,
) -> Result<Vec<Scenario>> {
    let (subject, prerequisites) = (&sample.object, &sample.prerequisites);
    let mut scenarios = vec![Scenario::life(subject, prerequisites, children)];
    for custom in &sample.custom_scenarios {
        scenarios.extend(custom.scenario_for(subject, prerequisites, children)?);
    }
    if others {
        scenarios.extend(Scenario::references(subject, prerequisites));
    }
    if others && !children.is_empty() {
        scenarios.push(Scenario::two_objects(subject, prerequisites));
        scenarios.push(Scenario::held_deletion(subject, prerequisites, children));
        scenarios.push(Scenario::foreign_objects(
            subject,
            prerequisites,
            children,
            false,
        ));
        scenarios.push(Scenario::foreign_objects(
            subject,
            prerequisites,
            children,
            true,
        ));
    }
    for (field, variants) in fields {
        scenarios.push(Scenario::field(subject, prerequisites, field, variants));
        scenarios.push(Scenario::created_with_each_value(
            subject,
            prerequisites,
            field,
            variants,
        ));
    }
    Ok(scenarios)
}

/// Reports whether a schema accepts any field and describes none, so that no value can be derived.
fn is_open(schema: &Value) -> bool {
    let describes = |key: &str| schema[key].as_object().is_some_and(|it| !it.is_empty());
    schema["x-kubernetes-preserve-unknown-fields"] == true
        && !describes("properties")
        && !describes("additionalProperties")
}

/// Runs a scenario twice.
async fn twice(settings: &RunSettings, scenario: Scenario) -> Result<Baseline> {
    let once = || run_scenario(settings, &scenario, &[], Expectation::None);
    // The campaign waits only for the first scenario, so its two runs are parallel.
    if scenario.name == LIFE {
        let (first, second) = tokio::try_join!(once(), once())?;
        return Ok(Baseline::new(scenario, [first, second]));
    }
    let first = once().await?;
    let again = Expectation::FirstRun(&first.states);
    let second = run_scenario(settings, &scenario, &[], again).await?;
    Ok(Baseline::new(scenario, [first, second]))
}

/// Orders fields by depth, and randomly within a depth. A large spec has more fields than there is
/// time for: those of an embedded `PodTemplateSpec` come last.
fn shallow_first<T>(
    fields: impl IntoIterator<Item = (String, T)>,
    random: Random,
) -> Vec<(String, T)> {
    let mut fields: Vec<_> = fields.into_iter().collect();
    fields.sort_by_cached_key(|(field, _)| (depth(field), random.of(field)));
    fields
}

/// Returns the number of fields around a field: 0 for `spec.replicas`, 1 for `spec.ports[0].name`.
fn depth(field: &str) -> usize {
    field.matches('.').count().saturating_sub(1)
}

/// Returns the lowercase kind and the name of a sample: `lolcow/lolcow-sample`.
pub fn name(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let kind = text(&object["kind"]).to_lowercase();
    format!("{kind}/{}", text(&object["metadata"]["name"]))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;
    use crate::torture::scenario::CREATED;
    use crate::torture::snapshot::ObjectId;

    #[test]
    fn a_schema_without_fields_is_open() {
        const OPEN: &str = "x-kubernetes-preserve-unknown-fields";
        for (schema, is_open_schema) in [
            (json!({"type": "object", OPEN: true}), true),
            (
                json!({"type": "object", OPEN: true, "properties": {}}),
                true,
            ),
            (json!({OPEN: true, "properties": {"size": {}}}), false),
            (json!({"type": "object"}), false),
            (Value::Null, false),
        ] {
            assert_eq!(is_open(&schema), is_open_schema, "{schema}");
        }
    }

    #[test]
    fn basic_scenarios_come_before_those_of_fields() {
        let secret = json!({"kind": "Secret", "metadata": {"name": "grain"}});
        let sample = ScenarioSample {
            object: json!({"kind": "Cow", "metadata": {"name": "moo"}, "spec": {"feed": "grain"}}),
            schema: Value::Null,
            prerequisites: vec![secret],
            custom_scenarios: Vec::new(),
        };
        let child = Child {
            id: ObjectId {
                kind: "ConfigMap".into(),
                name: "moo".into(),
            },
            api_version: "v1".into(),
            kind: "ConfigMap".into(),
            generate_name: None,
            object: json!({}),
        };
        let fields = ["spec.feed", "spec.tags", "spec.herd.size"];
        let fields = fields.map(|field| (field.to_owned(), Vec::new()));
        let names = |children: &[Child], others| {
            let scenarios = in_order(&sample, children, &fields, others).unwrap();
            let names = scenarios.into_iter().map(|scenario| scenario.name);
            names.collect::<Vec<_>>()
        };
        let of_fields = ["spec.feed", "spec.tags", "spec.herd.size"];
        let of_fields = of_fields.map(|field| [field.to_owned(), format!("{field}{CREATED}")]);
        let all = |basic: &[&str]| {
            let basic = basic.iter().map(ToString::to_string);
            let names = basic.chain(of_fields.iter().flatten().cloned());
            names.collect::<Vec<_>>()
        };
        let mut basic = vec![
            "life",
            "secret/grain",
            "two objects",
            "held deletion",
            "lookalikes",
            "names taken",
        ];
        assert_eq!(names(std::slice::from_ref(&child), true), all(&basic));
        basic.truncate(2);
        assert_eq!(names(&[], true), all(&basic));
        basic.truncate(1);
        assert_eq!(names(&[child], false), all(&basic));
    }

    #[test]
    fn shallow_fields_come_before_deeper_ones() {
        let ordered = |seed| {
            let fields = ["spec.a.b.c", "spec.ports[0].name", "spec.z", "spec.a"];
            let fields = fields.map(|field| (field.to_owned(), ()));
            let fields = shallow_first(fields, Random::new(seed));
            fields
                .into_iter()
                .map(|(field, ())| field)
                .collect::<Vec<_>>()
        };
        let mut orders = BTreeSet::new();
        for seed in 0..20 {
            let mut order = ordered(seed);
            assert_eq!(order[2..], ["spec.ports[0].name", "spec.a.b.c"]);
            order.truncate(2);
            orders.insert(order);
        }
        assert_eq!(orders.len(), 2, "{orders:?}");
    }
}
