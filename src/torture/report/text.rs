//! Findings as plain text, for the terminal.

use std::fmt::Write as _;

use crate::text::{count, is_unprintable, markup_escaped};
use crate::torture::journal::JournalEvent;
use crate::torture::oracle::finding::Finding;
use crate::torture::snapshot::root_causes::root_causes;

/// The number of differences that are shown for a finding.
const MOST: usize = 6;

/// Renders a finding: its steps and faults, at most six differences, and the command that replays
/// it.
pub fn text(finding: &Finding) -> String {
    let mut text = format!(
        "{}: {}: {}\n",
        finding.class,
        finding.headline(),
        finding.message
    );
    for (number, step) in finding.steps().enumerate() {
        let _ = writeln!(text, "  {}. {step}", number + 1);
        for fault in finding.faults.iter().filter(|fault| fault.step() == number) {
            let _ = writeln!(text, "     fault: {fault}");
        }
    }
    let differences = root_causes(&finding.differences);
    for difference in differences.iter().take(MOST) {
        let _ = writeln!(text, "  {difference}");
    }
    if differences.len() > MOST {
        let _ = writeln!(text, "  and {} more differences", differences.len() - MOST);
    }
    let following = finding.differences.len() - differences.len();
    if following > 0 {
        let _ = writeln!(
            text,
            "  and {} as a consequence of these",
            count(following, "difference")
        );
    }
    if let Some(why) = finding.class.why() {
        let _ = writeln!(text, "  why: {why}");
    }
    for cause in &finding.causes {
        let _ = writeln!(
            text,
            "  probable cause: {}",
            cause.replace(['\n', '\r'], " ")
        );
    }
    for example in &finding.examples {
        let _ = writeln!(text, "  also in {example}");
    }
    for line in finding.remedy.iter().flat_map(|remedy| remedy.lines()) {
        let _ = writeln!(text, "  {line}");
    }
    let _ = writeln!(text, "  {}\n", finding.replay());
    text
}

/// Renders the journal of a finding, one line per entry with its time in seconds, and the
/// operator's log. `--replay` prints it.
pub fn journal_and_log(finding: &Finding) -> String {
    let mut text = String::new();
    for entry in &finding.entries {
        let line = match &entry.event {
            JournalEvent::Step(description) => format!("== {description}"),
            JournalEvent::Fault(description) => format!("!! {description}"),
            JournalEvent::Operator(description) => format!("-- the operator: {description}"),
            JournalEvent::WatchEvent {
                resource,
                change,
                name,
            } => format!("   <- {change} {resource} {name}"),
            JournalEvent::Request(request) if request.call.verb.writes() => {
                format!(
                    "   -> {} {} {}",
                    request.call,
                    request.name(),
                    request.status
                )
            }
            JournalEvent::Request(request) => format!("   .. {} {}", request.call, request.status),
        };
        let _ = writeln!(text, "{:8.3} {line}", entry.at.as_secs_f32());
    }
    let _ = writeln!(text, "\nThe operator's log:\n{}", finding.log);
    text
}

/// Escapes text for HTML and XML, and removes control characters, invisible ones, and those that
/// change the writing direction.
pub fn escape(text: &str) -> String {
    let is_shown = |c: &char| matches!(c, '\n' | '\t') || !is_unprintable(*c);
    markup_escaped(&text.chars().filter(is_shown).collect::<String>())
}
