//! The state of the samples in the cluster.

use kube::api::{DeleteParams, DynamicObject};
use kube::{Client, ResourceExt as _};
use serde::Deserialize;

use super::error::Result;
use super::local_address::Readiness;
use super::objects::{DiscoveryCache, MANAGER, apply, distinct, named, request_error};
use super::webhooks::is_not_served_yet;

/// The samples whose kinds have a controller in the project.
#[derive(Debug, Default)]
pub struct Samples {
    all: Vec<Sample>,
    kinds: DiscoveryCache,
}

/// The evidence that a controller has reconciled an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReadinessSource {
    /// The `Ready` condition of the object.
    Condition,
    /// For imported kinds whose status has no conditions: the operator has started to watch its
    /// kinds. If the object has conditions nevertheless, they decide.
    Watch,
    /// For adopted operators: the `Ready` condition or, in an object without one, other conditions,
    /// a phase, any status, or a change by any field manager but rustop's.
    Write,
}

/// A sample with its last observed state.
#[derive(Debug)]
pub struct Sample {
    object: DynamicObject,
    readiness_source: ReadinessSource,
    /// The last observed state, as text.
    last_state: String,
    /// True if the object was Ready when it was last observed.
    pub ready: bool,
}

impl Sample {
    /// Returns whether the object is Ready, and its state as text. A sample does not become Ready
    /// while the operator starts, since its conditions may be those of an earlier run.
    fn state(&self, object: &DynamicObject, operator: Readiness) -> (bool, String) {
        let is_watched = operator == Readiness::Ready || self.ready;
        let (is_ready, text) = match self.readiness_source {
            ReadinessSource::Watch if !has_conditions(object) => watched(object, is_watched),
            ReadinessSource::Write => state_without_ready(object),
            ReadinessSource::Condition | ReadinessSource::Watch => describe(object),
        };
        if is_ready && !self.ready && operator == Readiness::Starting {
            let text = "is Ready, but the operator does not watch it yet";
            return (false, text.to_owned());
        }
        (is_ready, text)
    }

    /// Records the observed state. Returns a line with it if it differs from the last one, and
    /// whether it is Ready.
    fn observe(&mut self, ready: bool, state: String) -> Option<(bool, String)> {
        // A condition about an older generation has the same text as one about the current
        // generation.
        if (ready, &state) == (self.ready, &self.last_state) {
            return None;
        }
        (self.ready, self.last_state) = (ready, state);
        Some((
            ready,
            format!("{} {}", named(&self.object), self.last_state),
        ))
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SampleStatus {
    conditions: Vec<SampleCondition>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SampleCondition {
    r#type: String,
    status: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    message: String,
    observed_generation: Option<i64>,
}

impl Samples {
    /// Applies the samples, and tracks those for which `readiness_source` returns a value.
    ///
    /// # Errors
    /// Returns an error if the API server rejects one.
    pub async fn apply(
        client: &Client,
        objects: Vec<DynamicObject>,
        readiness_source: impl Fn(&DynamicObject) -> Option<ReadinessSource>,
    ) -> Result<Self> {
        apply(client, objects.clone()).await?;
        let ours = distinct(&objects).into_iter().filter_map(|object| {
            Some(Sample {
                readiness_source: readiness_source(object)?,
                object: object.clone(),
                last_state: String::new(),
                ready: false,
            })
        });
        let all = ours.collect();
        Ok(Self {
            all,
            kinds: DiscoveryCache::default(),
        })
    }

    /// Fetches the tracked samples, and calls `report` with a line for each whose state has
    /// changed, and true if it is Ready. No sample becomes Ready while `operator` is starting. A
    /// sample whose conversion webhook cannot be called keeps its state: an operator that was just
    /// restarted does not serve it yet.
    ///
    /// # Errors
    /// Returns an error if another request to the API server fails.
    pub async fn poll(
        &mut self,
        client: &Client,
        operator: Readiness,
        mut report: impl FnMut(bool, String),
    ) -> Result<()> {
        for sample in &mut self.all {
            let api = self.kinds.api(client, &sample.object).await?;
            let (ready, state) = match api.get_opt(&sample.object.name_any()).await {
                // The API server answers without a Status then.
                Err(kube::Error::Api(status)) if status.code == 404 => (
                    false,
                    "is not served: its CRD was deleted; install it and start `rustop dev` again"
                        .to_owned(),
                ),
                found => match found.map_err(|it| request_error(&sample.object)(it).into()) {
                    Ok(Some(object)) => sample.state(&object, operator),
                    Ok(None) => (
                        false,
                        "was deleted; `rustop dev` creates it when it is started again".to_owned(),
                    ),
                    Err(error) if is_not_served_yet(&error) => continue,
                    Err(error) => return Err(error),
                },
            };
            if let Some((ready, line)) = sample.observe(ready, state) {
                report(ready, line);
            }
        }
        Ok(())
    }

    /// Reports whether there are samples to wait for.
    pub fn is_tracking(&self) -> bool {
        !self.all.is_empty()
    }

    /// Reports whether all samples are Ready; also true if there are none.
    pub fn are_ready(&self) -> bool {
        self.all.iter().all(|sample| sample.ready)
    }

    /// Returns a line for each sample that is not Ready.
    pub fn not_ready(&self) -> Vec<String> {
        self.all
            .iter()
            .filter(|sample| !sample.ready)
            .map(|sample| format!("{} {}", named(&sample.object), sample.last_state))
            .collect()
    }
}

/// Starts the foreground deletion of objects: the API server also deletes the objects that they
/// own. Objects that do not exist are ignored, but their kinds must be served.
///
/// # Errors
/// Returns an error if the API server refuses, or does not serve a kind in time.
pub async fn delete(client: &Client, objects: &[DynamicObject]) -> Result<()> {
    let mut kinds = DiscoveryCache::default();
    for object in objects {
        let api = kinds.api(client, object).await?;
        let (name, params) = (object.name_any(), DeleteParams::foreground());
        match api.delete(&name, &params).await {
            Err(kube::Error::Api(status)) if status.is_not_found() => {}
            result => drop(result.map_err(request_error(object))?),
        }
    }
    Ok(())
}

/// Returns a line for each of the objects that is being deleted, with the finalizers that it waits
/// for.
///
/// # Errors
/// Returns an error if a request to the API server fails, or if a kind is not served in time.
pub async fn terminating(client: &Client, objects: &[DynamicObject]) -> Result<Vec<String>> {
    let mut kinds = DiscoveryCache::default();
    let mut terminating = Vec::new();
    for object in distinct(objects) {
        let api = kinds.api(client, object).await?;
        let found = api.get_opt(&object.name_any()).await;
        let found = found.map_err(request_error(object))?;
        let text = found.as_ref().and_then(deletion_state);
        terminating.extend(text.map(|text| format!("{} {text}", named(object))));
    }
    Ok(terminating)
}

/// Returns the finalizers that a terminating object waits for, as text, or `None` if it is not
/// being deleted.
fn deletion_state(object: &DynamicObject) -> Option<String> {
    object.metadata.deletion_timestamp.as_ref()?;
    let finalizers = object.finalizers().join(", ");
    Some(if finalizers.is_empty() {
        "is being deleted".to_owned()
    } else {
        format!("is being deleted and waits for {finalizers}")
    })
}

/// Reports whether the status of an object has any conditions.
fn has_conditions(object: &DynamicObject) -> bool {
    let conditions = object.data.pointer("/status/conditions");
    conditions
        .and_then(serde_json::Value::as_array)
        .is_some_and(|all| !all.is_empty())
}

/// Returns the state of an object whose kind has no conditions.
fn watched(object: &DynamicObject, is_watched: bool) -> (bool, String) {
    match deletion_state(object) {
        Some(text) => (false, text),
        None if is_watched => (true, "is watched; its kind has no conditions".to_owned()),
        None => (false, "is not watched yet".to_owned()),
    }
}

/// Returns the state of an object of an adopted operator. Such an operator need not have a `Ready`
/// condition: other conditions count, a phase, any status, and finally any change by another field
/// manager than rustop's.
fn state_without_ready(object: &DynamicObject) -> (bool, String) {
    const BAD: [&str; 5] = ["Degraded", "Error", "Failed", "Failure", "Stalled"];
    // Work in progress does not prove a result. A Deployment is still `Progressing` when it is
    // complete, so these types do not contradict another condition.
    const BUSY: [&str; 2] = ["Progressing", "Reconciling"];
    const UNFINISHED: [&str; 10] = [
        "Creating",
        "Deploying",
        "Error",
        "Failed",
        "Initializing",
        "Pending",
        "Progressing",
        "Provisioning",
        "Unknown",
        "Updating",
    ];
    if let Some(text) = deletion_state(object) {
        return (false, text);
    }
    let status = &object.data["status"];
    let conditions = status["conditions"].as_array();
    let conditions: Vec<_> = conditions.into_iter().flatten().collect();
    if conditions.iter().any(|it| it["type"] == "Ready") {
        return describe(object);
    }
    if !conditions.is_empty() {
        let is_one_of =
            |it: &serde_json::Value, types: &[&str]| types.iter().any(|one| it["type"] == *one);
        let set = conditions.iter().filter(|it| it["status"] == "True");
        let is_bad = set.clone().any(|it| is_one_of(it, &BAD));
        let is_finished = set.clone().any(|it| !is_one_of(it, &BUSY));
        return (is_finished && !is_bad, describe(object).1);
    }
    let phase = ["phase", "state"]
        .iter()
        .find_map(|field| status[field].as_str());
    if let Some(phase) = phase.filter(|it| !it.is_empty()) {
        let is_ready = !UNFINISHED.iter().any(|it| it.eq_ignore_ascii_case(phase));
        return (is_ready, format!("has the phase {phase}"));
    }
    if status.as_object().is_some_and(|status| !status.is_empty()) {
        return (true, "has a status without conditions".to_owned());
    }
    let managers = object.managed_fields().iter();
    let mut others = managers
        .filter_map(|entry| entry.manager.as_deref())
        .filter(|manager| *manager != MANAGER);
    match others.next() {
        Some(manager) => (true, format!("was changed by `{manager}`")),
        None => (false, "was not changed by the operator yet".to_owned()),
    }
}

/// Reports whether an object is Ready, and describes its conditions. An object that is being
/// deleted is never Ready.
fn describe(object: &DynamicObject) -> (bool, String) {
    if let Some(text) = deletion_state(object) {
        return (false, text);
    }
    let status: SampleStatus = object
        .data
        .get("status")
        .and_then(|status| SampleStatus::deserialize(status).ok())
        .unwrap_or_default();
    let current = |condition: &SampleCondition| {
        condition
            .observed_generation
            .is_none_or(|observed| object.metadata.generation.is_none_or(|now| observed >= now))
    };
    let ready = status
        .conditions
        .iter()
        .any(|c| c.r#type == "Ready" && c.status == "True" && current(c));
    if status.conditions.is_empty() {
        return (false, "has no conditions yet".into());
    }
    let texts = status.conditions.iter().map(|c| {
        let message = if c.message.is_empty() {
            String::new()
        } else {
            format!(": {}", c.message)
        };
        format!("{}={} ({}{message})", c.r#type, c.status, c.reason)
    });
    (ready, texts.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
    use rustop_manager::testing::Cluster;

    use super::*;

    #[tokio::test]
    async fn a_line_is_reported_although_a_later_sample_fails() {
        let client = Cluster::new().client();
        let object = |kind: &str, name: &str| -> DynamicObject {
            serde_json::from_value(serde_json::json!({
                "apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "default"},
            }))
            .unwrap()
        };
        let source = |_: &DynamicObject| Some(ReadinessSource::Condition);
        let mut samples = Samples::apply(&client, vec![object("ConfigMap", "a")], source)
            .await
            .unwrap();
        samples.all.push(Sample {
            object: object("Secret", ""),
            readiness_source: ReadinessSource::Condition,
            last_state: String::new(),
            ready: false,
        });
        let mut lines = Vec::new();
        let polled = samples
            .poll(&client, Readiness::Ready, |_, line| lines.push(line))
            .await;
        assert!(polled.is_err());
        assert_eq!(lines, ["configmap/a has no conditions yet"]);
    }

    #[test]
    fn an_object_is_named_with_its_group_and_counted_once() {
        let object = |version: &str, kind: &str, name: &str| -> DynamicObject {
            serde_json::from_value(serde_json::json!({
                "apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "default"},
            }))
            .unwrap()
        };
        let objects = [
            object("batch.my.domain/v1", "CronJob", "a"),
            object("batch.my.domain/v1alpha1", "CronJob", "a"),
            object("batch/v1", "CronJob", "a"),
            object("v1", "Pod", "a"),
            object("v1", "Pod", "b"),
        ];
        let names: Vec<_> = distinct(&objects).into_iter().map(named).collect();
        assert_eq!(
            names,
            [
                "cronjob.batch.my.domain/a",
                "cronjob.batch/a",
                "pod/a",
                "pod/b"
            ]
        );
    }

    fn object(conditions: &serde_json::Value) -> DynamicObject {
        serde_json::from_value(serde_json::json!({
            "apiVersion": "my.domain/v1", "kind": "Lolcow", "metadata": {"name": "x", "generation": 2},
            "status": {"conditions": conditions}
        }))
        .unwrap()
    }

    #[test]
    fn a_sample_becomes_ready_when_only_the_observed_generation_changes() {
        let state = |seen: i64| {
            describe(&object(
                &serde_json::json!([{"type": "Ready", "status": "True", "observedGeneration": seen}]),
            ))
        };
        let mut sample = Sample {
            object: object(&serde_json::json!([])),
            readiness_source: ReadinessSource::Condition,
            last_state: String::new(),
            ready: false,
        };
        let mut observe = |seen: i64| {
            let (ready, text) = state(seen);
            sample.observe(ready, text).map(|(ready, _)| ready)
        };
        let observed = [observe(1), observe(1), observe(2), observe(2)];
        assert_eq!(observed, [Some(false), None, Some(true), None]);
    }

    #[test]
    fn a_status_of_an_earlier_run_is_not_ready_until_the_operator_has_started() {
        let ready = object(&serde_json::json!([{"type": "Ready", "status": "True"}]));
        let sample = |ready| Sample {
            object: object(&serde_json::json!([])),
            readiness_source: ReadinessSource::Condition,
            last_state: String::new(),
            ready,
        };
        for (was_ready, operator, expected) in [
            (false, Readiness::Starting, false),
            (false, Readiness::Started, true),
            (false, Readiness::Ready, true),
            (true, Readiness::Starting, true),
        ] {
            let (is_ready, text) = sample(was_ready).state(&ready, operator);
            assert_eq!(is_ready, expected, "{operator:?}: {text}");
        }
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

    #[test]
    fn a_kind_without_conditions_is_ready_once_it_is_watched() {
        let silent = object(&serde_json::json!([]));
        assert!(!has_conditions(&silent));
        assert!(watched(&silent, true).0 && !watched(&silent, false).0);
        assert!(has_conditions(&object(
            &serde_json::json!([{"type": "Ready", "status": "False"}])
        )));
    }

    #[test]
    fn any_write_counts_for_a_kind_without_a_ready_condition() {
        let state = |status: serde_json::Value, manager: &str| {
            let mut object = object(&serde_json::json!([]));
            object.data["status"] = status;
            object.metadata.managed_fields = serde_json::from_value(
                serde_json::json!([{ "manager": "rustop" }, { "manager": manager }]),
            )
            .unwrap();
            state_without_ready(&object)
        };
        let condition = |kind: &str, status: &str| serde_json::json!({"conditions": [{"type": kind, "status": status, "reason": "R"}]});
        for (status, is_ready) in [
            (condition("Ready", "False"), false),
            (condition("Ready", "True"), true),
            (condition("Available", "True"), true),
            (condition("Available", "False"), false),
            (condition("Degraded", "True"), false),
            (condition("Progressing", "True"), false),
            (condition("Reconciling", "True"), false),
            (
                serde_json::json!({"conditions": [
                    {"type": "Progressing", "status": "True"}, {"type": "Available", "status": "True"},
                ]}),
                true,
            ),
            (serde_json::json!({"phase": "Pending"}), false),
            (serde_json::json!({"phase": "Running"}), true),
            (serde_json::json!({"hidden": false}), true),
            (serde_json::json!(null), false),
        ] {
            assert_eq!(state(status.clone(), "rustop").0, is_ready, "{status}");
        }
        let (is_ready, text) = state(serde_json::json!(null), "controller");
        assert_eq!((is_ready, &*text), (true, "was changed by `controller`"));
    }

    #[test]
    fn an_object_being_deleted_is_not_ready() {
        let mut terminating = object(&serde_json::json!([{"type": "Ready", "status": "True"}]));
        assert!(describe(&terminating).0);
        terminating.metadata.deletion_timestamp =
            Some(Time(k8s_openapi::jiff::Timestamp::UNIX_EPOCH));
        assert_eq!(
            describe(&terminating),
            (false, "is being deleted".to_owned())
        );
        terminating.metadata.finalizers = Some(vec!["my.domain/release".into()]);
        assert!(
            describe(&terminating)
                .1
                .ends_with("waits for my.domain/release")
        );
    }
}
