//! The `JUnit` report for CI: a failed test case for each finding.

use std::fmt::Write as _;

use crate::torture::report::text::{self, escape};
use crate::torture::search::result::CampaignResult;

/// Renders the XML.
pub fn report(outcome: &CampaignResult) -> String {
    let failures = outcome.findings.len();
    let tests = failures.max(1);
    let seconds = outcome.took.as_secs_f32();
    let errors = usize::from(outcome.is_inconclusive());
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"rustop torture\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.1}\">\n"
    );
    for finding in &outcome.findings {
        let (class, name) = (escape(&finding.class.name()), escape(&finding.id));
        let (says, body) = (escape(&finding.says), escape(&text::text(finding)));
        let _ = writeln!(
            text,
            "  <testcase classname=\"torture.{class}\" name=\"{name}\">\n    <failure type=\"{class}\" message=\"{says}\">{body}</failure>\n  </testcase>"
        );
    }
    if outcome.is_inconclusive() {
        let says = escape(&outcome.coverage.describe());
        let _ = writeln!(
            text,
            "  <testcase classname=\"torture\" name=\"coverage\">\n    <error type=\"inconclusive\" message=\"{says}\"/>\n  </testcase>"
        );
    } else if outcome.findings.is_empty() {
        let tried = outcome.tried;
        let _ = writeln!(
            text,
            "  <testcase classname=\"torture\" name=\"{tried} faults\"/>"
        );
    }
    text.push_str("</testsuite>\n");
    text
}
