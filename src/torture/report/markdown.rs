//! The Markdown report of a campaign, `report.md`, for pull requests.

use std::fmt::Write as _;

use crate::torture::report::heading::Heading;
use crate::torture::search::result::CampaignResult;

/// Returns the beginning of a report, through its summary.
pub fn begin(title: &str, summary: &str) -> String {
    format!("# {title}\n\n{summary}.\n")
}

/// Adds the beginning of a finding's section, through its steps. Leaves out the id and the message.
pub fn heading(text: &mut String, heading: &Heading<'_>) {
    let Heading {
        class,
        object,
        headline,
        why,
        steps,
        ..
    } = heading;
    let _ = writeln!(text, "\n## {class}: {object}\n\n{headline}.\n");
    if let Some(why) = why {
        let _ = writeln!(text, "Why: {why}\n");
    }
    for (number, step) in steps.iter().enumerate() {
        let _ = writeln!(text, "{}. {}", number + 1, step.description);
        for fault in &step.faults {
            let _ = writeln!(text, "   **{fault}**");
        }
    }
}

/// Adds the command that replays a finding.
pub fn replay(text: &mut String, command: &str) {
    let _ = writeln!(text, "\n```sh\n{command}\n```");
}

/// Renders the summary of a campaign, a section for each finding, and the notes. `seed` is that of
/// the campaign.
pub fn report(outcome: &CampaignResult, seed: u64) -> String {
    let mut text = begin("rustop torture", &outcome.summary(seed));
    for finding in &outcome.findings {
        heading(&mut text, &Heading::of(finding));
        let _ = writeln!(text, "\n```diff");
        if finding.differences.is_empty() {
            let _ = writeln!(text, "! {}", finding.message);
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
        text.push_str("```\n");
        replay(&mut text, &finding.replay());
    }
    if !outcome.notes.is_empty() {
        let _ = writeln!(text, "\n## Notes\n");
    }
    for note in &outcome.notes {
        let _ = writeln!(text, "- {note}");
    }
    text
}
