//! The samples as the API server has them, and whether each is Ready.

use kube::api::{DeleteParams, DynamicObject};
use kube::{Client, ResourceExt as _};
use serde::Deserialize;

use super::objects::{Kinds, apply, kind, refused};
use crate::error::Result;

/// The samples that a controller of the project works on.
#[derive(Debug, Default)]
pub struct Samples {
    all: Vec<Sample>,
    kinds: Kinds,
}

/// One of them.
#[derive(Debug)]
pub struct Sample {
    object: DynamicObject,
    /// What was last seen of it, in words.
    seen: String,
    /// Whether it is Ready.
    pub ready: bool,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status {
    conditions: Vec<Condition>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Condition {
    r#type: String,
    status: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    message: String,
    observed_generation: Option<i64>,
}

impl Samples {
    /// Applies the samples, and watches those of which `is_ours` says that a controller works on them.
    /// With `anew` they are deleted first, so that nothing of an earlier run is taken for this one's.
    ///
    /// # Errors
    /// When the API server refuses one.
    pub async fn apply(
        client: &Client,
        objects: Vec<DynamicObject>,
        anew: bool,
        is_ours: impl Fn(&DynamicObject) -> bool,
    ) -> Result<Self> {
        let mut kinds = Kinds::default();
        if anew {
            for object in &objects {
                let api = kinds.api(client, object).await?;
                let name = object.name_any();
                match api.delete(&name, &DeleteParams::foreground()).await {
                    Err(kube::Error::Api(status)) if status.is_not_found() => {}
                    result => drop(result.map_err(refused(object))?),
                }
            }
        }
        apply(client, objects.clone()).await?;
        let ours = objects.into_iter().filter(is_ours);
        let all = ours
            .map(|object| Sample {
                object,
                seen: String::new(),
                ready: false,
            })
            .collect();
        Ok(Self { all, kinds })
    }

    /// Looks at all samples; returns a line for each that is not as it was seen last.
    ///
    /// # Errors
    /// When the API server does not answer.
    pub async fn look(&mut self, client: &Client) -> Result<Vec<(bool, String)>> {
        let mut changed = Vec::new();
        for sample in &mut self.all {
            let api = self.kinds.api(client, &sample.object).await?;
            let found = api
                .get_opt(&sample.object.name_any())
                .await
                .map_err(refused(&sample.object))?;
            let (ready, seen) = found
                .as_ref()
                .map_or((false, "is gone".to_owned()), describe);
            if seen != sample.seen {
                changed.push((ready, format!("{} {seen}", sample.name())));
                (sample.ready, sample.seen) = (ready, seen);
            }
        }
        Ok(changed)
    }

    /// Whether each one is Ready.
    pub fn ready(&self) -> bool {
        self.all.iter().all(|sample| sample.ready)
    }

    /// What is missing, in words.
    pub fn missing(&self) -> Vec<String> {
        self.all
            .iter()
            .filter(|sample| !sample.ready)
            .map(|sample| format!("{} {}", sample.name(), sample.seen))
            .collect()
    }
}

impl Sample {
    fn name(&self) -> String {
        format!(
            "{}/{}",
            kind(&self.object).to_lowercase(),
            self.object.name_any()
        )
    }
}

/// Whether an object is Ready, and what its conditions say.
fn describe(object: &DynamicObject) -> (bool, String) {
    let status: Status = object
        .data
        .get("status")
        .and_then(|status| Status::deserialize(status).ok())
        .unwrap_or_default();
    let current = |condition: &Condition| {
        condition
            .observed_generation
            .is_none_or(|seen| object.metadata.generation.is_none_or(|now| seen >= now))
    };
    let ready = status
        .conditions
        .iter()
        .any(|c| c.r#type == "Ready" && c.status == "True" && current(c));
    if status.conditions.is_empty() {
        return (false, "has no conditions yet".into());
    }
    let words = status.conditions.iter().map(|c| {
        let message = if c.message.is_empty() {
            String::new()
        } else {
            format!(": {}", c.message)
        };
        format!("{}={} ({}{message})", c.r#type, c.status, c.reason)
    });
    (ready, words.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(conditions: &serde_json::Value) -> DynamicObject {
        serde_json::from_value(serde_json::json!({
            "apiVersion": "my.domain/v1", "kind": "Lolcow", "metadata": {"name": "x", "generation": 2},
            "status": {"conditions": conditions}
        }))
        .unwrap()
    }

    #[test]
    fn ready_is_a_true_condition_about_the_present_generation() {
        let ready = |status: &str, seen: i64| {
            describe(&object(&serde_json::json!([{"type": "Ready", "status": status, "observedGeneration": seen}]))).0
        };
        assert!(ready("True", 2));
        assert!(!ready("True", 1) && !ready("False", 2));
        assert!(!describe(&object(&serde_json::json!([]))).0);
    }
}
