//! The samples, from which the scenarios are generated.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Place;
use crate::dev;
use crate::ops::Result;
use crate::ops::torture::foreign::read;
use crate::session::Session;
use crate::torture::{self, CustomScenario, Sample};

impl Place<'_> {
    /// Returns the objects of the project's own kinds, and the samples: those objects whose kind has a controller, each
    /// with its schema, the objects that it needs, and its custom scenarios.
    ///
    /// # Errors
    /// Returns an error if there are no samples, or if a custom scenario names a sample that does not exist.
    pub(super) fn samples(
        &self,
        session: &Session,
        schemas: &BTreeMap<(String, String), Value>,
        written: &[CustomScenario],
    ) -> Result<(Vec<Value>, Vec<Sample>)> {
        let objects = self.objects(session)?;
        let key = |object: &Value| {
            let version = object["apiVersion"].as_str().unwrap_or_default().to_owned();
            (
                version,
                object["kind"].as_str().unwrap_or_default().to_owned(),
            )
        };
        let (own, beside): (Vec<_>, Vec<_>) = objects
            .into_iter()
            .partition(|object| schemas.contains_key(&key(object)));
        let worked_on = |object: &&Value| self.has_controller(object);
        let samples: Vec<Sample> = own
            .iter()
            .filter(worked_on)
            .map(|object| {
                let written = written.iter().filter(|story| story.is_about(object));
                let written: Vec<_> = written.cloned().collect();
                let more = written.iter().flat_map(|story| story.beside.clone());
                Sample {
                    object: object.clone(),
                    schema: schemas[&key(object)].clone(),
                    beside: beside.iter().cloned().chain(more).collect(),
                    written,
                }
            })
            .collect();
        if samples.is_empty() {
            let place = self.foreign.map_or_else(
                || "config/samples".to_owned(),
                |foreign| foreign.samples.display().to_string(),
            );
            return Err(torture::Error::NoSample { place }.into());
        }
        let objects: Vec<_> = samples.iter().map(|sample| sample.object.clone()).collect();
        written.iter().try_for_each(|story| story.find(&objects))?;
        Ok((own, samples))
    }

    /// Reads the sample objects, and removes their namespaces.
    fn objects(&self, session: &Session) -> Result<Vec<Value>> {
        let objects = match self.foreign {
            Some(foreign) => read(&foreign.samples)?,
            None => dev::samples(&session.dir, &self.kubectl(), "default")?,
        };
        let objects = objects
            .iter()
            .filter_map(|it| serde_json::to_value(it).ok());
        let anywhere = objects.map(|mut object| {
            if let Some(metadata) = object["metadata"].as_object_mut() {
                metadata.remove("namespace");
            }
            object
        });
        Ok(anywhere.collect())
    }

    /// Reports whether the kind of an object has a controller. Always true for a foreign operator.
    fn has_controller(&self, object: &Value) -> bool {
        let Some(project) = &self.project else {
            return true;
        };
        let version = object["apiVersion"].as_str().unwrap_or_default();
        let group = version.rsplit_once('/').map_or("", |(group, _)| group);
        let kind = object["kind"].as_str().unwrap_or_default();
        let mut versions = project.versions_of(group, kind);
        versions.any(|version| version.controller)
    }
}
