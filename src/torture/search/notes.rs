//! Notes about what a campaign observed without faults that is not a bug.

use crate::torture::journal;
use crate::torture::oracle::baseline::Baseline;
use crate::torture::run::result::{CONVERGENCE_TIMEOUT, Symptom};

/// Returns a note about claims that Kubernetes retains, if there are any.
pub fn retained_claims(baselines: &[Baseline]) -> Option<String> {
    let runs = baselines.iter().flat_map(|baseline| &baseline.runs);
    let mut symptoms = runs.flat_map(|run| &run.symptoms);
    let claim = symptoms.find_map(|(_, symptom)| match symptom {
        Symptom::RetainedClaim(claim) => Some(claim),
        _ => None,
    })?;
    Some(format!(
        "Kubernetes keeps the claims of a StatefulSet that is gone, such as {claim}, unless its persistentVolumeClaimRetentionPolicy is \
         `whenDeleted: Delete`; they are not findings"
    ))
}

/// Returns a note if the operator wrote no object but the sample in any scenario, as one that acts
/// at a certain time does.
pub fn idle_operator(baselines: &[Baseline]) -> Option<String> {
    let id = baselines.first()?.scenario.subject_id();
    if baselines.iter().any(writes_others) {
        return None;
    }
    Some(format!(
        "{id}: the operator wrote no other object within {} s of any change; torture sees neither external systems nor what \
         an operator does on a schedule or at an expiry: test that with the in-memory API server and virtual time",
        CONVERGENCE_TIMEOUT.as_secs()
    ))
}

/// Reports whether the operator wrote an object other than the sample, without its events and
/// leases.
fn writes_others(baseline: &Baseline) -> bool {
    let subject = &baseline.scenario.subject;
    let api_version = subject["apiVersion"].as_str().unwrap_or_default();
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let runs = baseline.runs.iter();
    let mut requests = runs.flat_map(|run| journal::requests(&run.entries));
    requests.any(|(_, request)| {
        let is_other = request.call.resource.group != group
            || subject["metadata"]["name"] != request.name().as_str();
        request.call.is_work() && is_other
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::torture::api::call::ApiCall;
    use crate::torture::journal::{JournalEntry, JournalEvent, RecordedRequest};
    use crate::torture::run::result::RunResult;
    use crate::torture::scenario::Scenario;

    #[test]
    fn an_operator_that_writes_only_its_own_object_is_noted() {
        let note = |path: &str| {
            let subject = json!({"kind": "Coop", "apiVersion": "my.domain/v1", "metadata": {"name": "moo"}, "spec": {}});
            let request = RecordedRequest::new(ApiCall::parse("PATCH", path).unwrap(), Value::Null);
            let mut run = RunResult::of_states(Vec::new());
            run.entries.push(JournalEntry {
                at: std::time::Duration::ZERO,
                step: 0,
                event: JournalEvent::Request(Box::new(request)),
            });
            let scenario = Scenario::life(&subject, &[], &[]);
            idle_operator(&[Baseline::new(scenario, [run.clone(), run])])
        };
        let own = note("/apis/my.domain/v1/namespaces/t/coops/moo/status").unwrap();
        assert!(
            own.starts_with("coop/moo: the operator wrote no other object"),
            "{own}"
        );
        assert!(note("/apis/events.k8s.io/v1/namespaces/t/events/moo.1").is_some());
        assert!(note("/apis/my.domain/v1/namespaces/t/coops/other").is_none());
        assert!(note("/api/v1/namespaces/t/configmaps/moo").is_none());
        assert_eq!(idle_operator(&[]), None);
    }
}
