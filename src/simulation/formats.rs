//! The reports for people and for CI: Markdown, HTML and `JUnit`, with the functions of `rustop
//! torture`.

use std::fmt::Write as _;
use std::time::Duration;

use super::finding::Finding;
use super::process::Outcome;
use crate::torture::report::heading::{Heading, ReportedStep};
use crate::torture::report::html::{self, escape};
use crate::torture::report::junit::{Failure, Suite};
use crate::torture::report::markdown;

/// The name of the command in reports.
const TITLE: &str = "rustop simulate";
/// The number of entries of a history that a report shows: the last ones.
const ENTRIES: usize = 60;

/// Renders `report.md`. `seed` is that of the campaign; `replay` returns the command that replays a
/// finding.
pub fn markdown(outcome: &Outcome, seed: u64, replay: &dyn Fn(&Finding) -> String) -> String {
    let mut text = markdown::begin(TITLE, &outcome.summary(seed));
    for (_, finding) in outcome.findings() {
        markdown::heading(&mut text, &heading(finding));
        for fault in &finding.faults {
            let _ = writeln!(text, "\n**Fault at {fault}**");
        }
        if let Some(confirmation) = &finding.confirmation {
            let _ = writeln!(text, "\n{confirmation}");
        }
        let _ = writeln!(text, "\n```\n{}\n```", history(finding));
        markdown::replay(&mut text, &replay(finding));
    }
    text
}

/// Renders `report.html`, a page without scripts, from the same arguments as [`markdown()`].
pub fn html(outcome: &Outcome, seed: u64, replay: &dyn Fn(&Finding) -> String) -> String {
    let mut text = html::begin(TITLE, &outcome.summary(seed));
    if outcome.is_inconclusive() {
        text.push_str("<p>Inconclusive: nothing was found, but too few faults were tried.</p>\n");
    } else if outcome.findings().next().is_none() {
        text.push_str("<p class=\"good\">Nothing was found.</p>\n");
    }
    for (_, finding) in outcome.findings() {
        html::heading(&mut text, &heading(finding));
        for fault in &finding.faults {
            let _ = writeln!(text, "<p><strong>Fault at {}</strong></p>", escape(fault));
        }
        if let Some(confirmation) = &finding.confirmation {
            let confirmation = confirmation.to_string();
            let _ = writeln!(text, "<p>{}</p>", escape(&confirmation));
        }
        let (history, command) = (escape(&history(finding)), escape(&replay(finding)));
        let _ = writeln!(
            text,
            "<pre>{history}</pre>\n<pre>{command}</pre>\n</section>"
        );
    }
    text.push_str("</html>\n");
    text
}

/// Renders `junit.xml`: a failed test case for each finding. `body` returns the text of a finding.
pub fn junit(outcome: &Outcome, seed: u64, body: &dyn Fn(&Finding) -> String) -> String {
    let failures = outcome.findings().map(|(_, finding)| Failure {
        kind: finding.class.clone(),
        name: finding.id.clone(),
        message: finding.message.clone(),
        body: body(finding),
    });
    let summary = outcome.summary(seed);
    let suite = Suite {
        name: TITLE,
        class: "simulation",
        failures: failures.collect(),
        inconclusive: outcome.is_inconclusive().then(|| summary.clone()),
        passed: summary,
        took: Duration::from_secs_f64(outcome.seconds()),
    };
    suite.render()
}

fn heading(finding: &Finding) -> Heading<'_> {
    let steps = finding.steps.iter().map(|says| ReportedStep {
        description: says,
        faults: Vec::new(),
    });
    Heading {
        id: &finding.id,
        class: finding.class.clone(),
        object: &finding.object,
        headline: finding.message.clone(),
        message: None,
        why: None,
        steps: steps.collect(),
    }
}

/// Returns the last entries of a finding's history.
fn history(finding: &Finding) -> String {
    let left_out = finding.timeline.len().saturating_sub(ENTRIES);
    let mut text = String::new();
    if left_out > 0 {
        let _ = writeln!(text, "({left_out} earlier entries)");
    }
    text + &finding.timeline[left_out..].join("\n")
}
