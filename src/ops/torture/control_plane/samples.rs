//! The samples, from which the scenarios are generated.

use std::collections::BTreeMap;

use kube::api::DynamicObject;
use serde::Deserialize as _;
use serde_json::Value;

use super::version::OperatorSource;
use super::{ControlPlane, Samples, without_namespace};
use crate::dev::{self, OperatorManifests};
use crate::ops::Result;
use crate::ops::torture::external_operator::read;
use crate::session::Session;
use crate::simulation;
use crate::torture::{self, CustomScenario, ScenarioSample};

impl ControlPlane<'_> {
    /// Returns the objects of the project's own kinds, and the samples: those objects whose kind
    /// has a controller, each with its schema, the objects that it needs, and its custom scenarios,
    /// which `scenarios` contains for all samples. `schemas` has the keys `apiVersion` and kind.
    ///
    /// # Errors
    /// Returns an error if there are no samples, or if a custom scenario names a sample that does
    /// not exist.
    pub(super) fn samples(
        &self,
        session: &Session,
        deployed: &OperatorManifests,
        schemas: &BTreeMap<(String, String), Value>,
        scenarios: &[CustomScenario],
    ) -> Result<(Vec<Value>, Vec<ScenarioSample>)> {
        let objects = self.objects(session, deployed)?;
        let key = |object: &Value| {
            let version = object["apiVersion"].as_str().unwrap_or_default().to_owned();
            (
                version,
                object["kind"].as_str().unwrap_or_default().to_owned(),
            )
        };
        let (own, prerequisites): (Vec<_>, Vec<_>) = objects
            .into_iter()
            .partition(|object| schemas.contains_key(&key(object)));
        let worked_on = |object: &&Value| self.has_controller(object, deployed);
        let samples: Vec<ScenarioSample> = own
            .iter()
            .filter(worked_on)
            .map(|object| {
                let scenarios = scenarios
                    .iter()
                    .filter(|scenario| scenario.is_about(object));
                let scenarios: Vec<_> = scenarios.cloned().collect();
                let more = scenarios
                    .iter()
                    .flat_map(|scenario| scenario.prerequisites.clone());
                ScenarioSample {
                    object: object.clone(),
                    schema: schemas[&key(object)].clone(),
                    prerequisites: prerequisites.iter().cloned().chain(more).collect(),
                    custom_scenarios: scenarios,
                }
            })
            .collect();
        if samples.is_empty()
            && let Samples::OtherVersion(samples) = &self.samples
        {
            let first = samples.first().unwrap_or(&Value::Null);
            let [version, kind] = ["apiVersion", "kind"].map(|it| first[it].as_str());
            let (version, kind) = (version.unwrap_or_default(), kind.unwrap_or_default());
            let resource = format!("{kind} in {version}");
            return Err(torture::Error::NotServed { resource }.into());
        }
        if samples.is_empty() {
            let place = match (&self.source, self.adopted()) {
                (OperatorSource::External(external), _) => external.samples.display().to_string(),
                (OperatorSource::Own(_), Some(_)) => crate::project::ADOPTED.to_owned(),
                _ if matches!(self.samples, Samples::Simulation(_)) => {
                    simulation::TEST_FILE.to_owned()
                }
                (OperatorSource::Own(_), None) => "config/samples".to_owned(),
            };
            return Err(torture::Error::NoSample { place }.into());
        }
        let objects: Vec<_> = samples.iter().map(|sample| sample.object.clone()).collect();
        scenarios
            .iter()
            .try_for_each(|scenario| scenario.check_sample(&objects))?;
        Ok((own, samples))
    }

    /// Reads the sample objects, and removes their namespaces, since each run has its own.
    pub(super) fn objects(
        &self,
        session: &Session,
        deployed: &OperatorManifests,
    ) -> Result<Vec<Value>> {
        if let Samples::OtherVersion(samples) | Samples::Simulation(samples) = &self.samples {
            return Ok(samples.clone());
        }
        let objects = match &self.source {
            OperatorSource::External(external) => read(&external.samples)?,
            OperatorSource::Own(subject) => subject.samples(session, &self.kubectl(), deployed)?,
        };
        let objects = objects
            .iter()
            .filter(|it| self.adopted().is_none() || dev::kind(it) != "Namespace")
            .filter_map(|it| serde_json::to_value(it).ok());
        Ok(objects.map(without_namespace).collect())
    }

    /// Reports whether the kind of an object has a controller. Always true for an operator of the
    /// command line.
    fn has_controller(&self, object: &Value, deployed: &OperatorManifests) -> bool {
        let Some(subject) = self.subject() else {
            return true;
        };
        let object = DynamicObject::deserialize(object);
        object.is_ok_and(|object| {
            subject
                .readiness_source(&object, &deployed.objects)
                .is_some()
        })
    }
}
