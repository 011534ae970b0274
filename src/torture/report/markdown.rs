//! The Markdown report of a campaign, `report.md`, for pull requests.

use std::fmt::Write as _;

use crate::torture::search::result::CampaignResult;

/// Renders the summary of a campaign, a section for each finding, and the notes. `seed` is that of
/// the campaign.
pub fn report(outcome: &CampaignResult, seed: u64) -> String {
    let mut text = String::from("# rustop torture\n\n");
    let _ = writeln!(text, "{}.", outcome.summary(seed));
    for finding in &outcome.findings {
        let _ = writeln!(
            text,
            "\n## {}: {}\n\n{}.\n",
            finding.class,
            finding.object,
            finding.headline()
        );
        for (number, step) in finding.steps().enumerate() {
            let _ = writeln!(text, "{}. {step}", number + 1);
            for fault in finding.faults.iter().filter(|fault| fault.step() == number) {
                let _ = writeln!(text, "   **{fault}**");
            }
        }
        let _ = writeln!(text, "\n```diff");
        if finding.differences.is_empty() {
            let _ = writeln!(text, "! {}", finding.says);
        }
        for difference in &finding.differences {
            let field = if difference.field.is_empty() {
                ""
            } else {
                &difference.field
            };
            for (sign, value) in [("-", &difference.expected), ("+", &difference.found)] {
                if let Some(value) = value {
                    let _ = writeln!(text, "{sign} {} {field} {value}", difference.id);
                }
            }
        }
        for cause in &finding.causes {
            let cause = cause.replace(['\n', '\r'], " ");
            let _ = writeln!(text, "! probable cause: {cause}");
        }
        for example in &finding.examples {
            let _ = writeln!(text, "! also in {example}");
        }
        if let Some(remedy) = &finding.remedy {
            let _ = writeln!(text, "```\n\n```\n{remedy}");
        }
        let _ = writeln!(
            text,
            "```\n\n```sh\nrustop torture --replay {}\n```",
            finding.id
        );
    }
    if !outcome.notes.is_empty() {
        let _ = writeln!(text, "\n## Notes\n");
    }
    for note in &outcome.notes {
        let _ = writeln!(text, "- {note}");
    }
    text
}
