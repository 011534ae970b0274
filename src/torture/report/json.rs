//! The JSON report.

use serde_json::{Value, json};

use crate::torture::search::result::CampaignResult;

/// Returns the report without the journals, which are in the replay file of each finding. `seed` is
/// that of the campaign.
pub fn report(outcome: &CampaignResult, seed: u64) -> Value {
    let findings = outcome.findings.iter().map(|finding| {
        json!({
            "id": finding.id,
            "class": finding.class,
            "why": finding.class.why(),
            "object": finding.object,
            "message": finding.message,
            "scenario": finding.scenario.name,
            "steps": finding.steps().collect::<Vec<_>>(),
            "faults": finding.faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "differences": finding.differences,
            "lasting": finding.lasting,
            "retry": finding.retry,
            "causes": finding.causes,
            "remedy": finding.remedy,
            "others": finding.others,
            "examples": finding.examples,
            "replay": finding.replay(),
        })
    });
    let ((completed, scenarios), (faulted, writes)) =
        (outcome.coverage.scenarios(), outcome.coverage.writes());
    let ((tried, pairs), (changed, fields)) = (outcome.coverage.pairs(), outcome.coverage.fields());
    json!({
        "inconclusive": outcome.is_inconclusive(),
        "coverage": {
            "scenarios": { "played": completed, "of": scenarios, "left": outcome.coverage.scenarios_left() },
            "fields": { "changed": changed, "of": fields },
            "writes": { "faulted": faulted, "of": writes, "left": outcome.coverage.writes_left() },
            "combinations": { "tried": tried, "of": pairs },
        },
        "notShownAgain": outcome.unconfirmed,
        "findings": findings.collect::<Vec<_>>(),
        "notes": outcome.notes,
        "seed": seed,
        "scenarios": outcome.scenarios,
        "faults": {
            "tried": outcome.tried,
            "derived": outcome.planned,
            "notReached": outcome.unreached,
            "seconds": outcome.faults_took.as_secs_f32(),
            "inOrder": outcome.done.values().collect::<Vec<_>>(),
        },
        "interrupted": outcome.interrupted,
        "seconds": outcome.took.as_secs_f32(),
    })
}
