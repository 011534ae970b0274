//! The `JUnit` report for CI: a failed test case for each finding.

use std::fmt::Write as _;
use std::time::Duration;

use crate::text::count;
use crate::torture::report::text::{self, escape};
use crate::torture::search::result::CampaignResult;

/// A test suite. [`Suite::render`] escapes all texts but `name` and `class`, which are constants.
pub struct Suite<'a> {
    /// The command, such as `rustop torture`.
    pub name: &'a str,
    /// The class of the test cases, to which a failed one adds its kind.
    pub class: &'a str,
    pub failures: Vec<Failure>,
    /// The description of what was tested, if that is too little for a verdict; `None` if there are
    /// failures. Rendered as an error, not as a failure.
    pub inconclusive: Option<String>,
    /// The name of the single test case if nothing failed, such as `12 faults`.
    pub passed: String,
    pub took: Duration,
}

/// A failed test case.
pub struct Failure {
    /// The class of bug.
    pub kind: String,
    /// The name of the test case, such as the id of a finding.
    pub name: String,
    /// The failure in one line.
    pub message: String,
    /// The whole description of the failure.
    pub body: String,
}

impl Suite<'_> {
    /// Renders the suite as an XML document.
    pub fn render(&self) -> String {
        let failures = self.failures.len();
        let tests = failures.max(1);
        let errors = usize::from(self.inconclusive.is_some());
        let seconds = self.took.as_secs_f32();
        let (suite, class) = (self.name, self.class);
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{suite}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.1}\">\n"
        );
        for failure in &self.failures {
            let (kind, name) = (escape(&failure.kind), escape(&failure.name));
            let (message, body) = (escape(&failure.message), escape(&failure.body));
            let _ = writeln!(
                text,
                "  <testcase classname=\"{class}.{kind}\" name=\"{name}\">\n    <failure type=\"{kind}\" message=\"{message}\">{body}</failure>\n  </testcase>"
            );
        }
        if let Some(reason) = &self.inconclusive {
            let reason = escape(reason);
            let _ = writeln!(
                text,
                "  <testcase classname=\"{class}\" name=\"coverage\">\n    <error type=\"inconclusive\" message=\"{reason}\"/>\n  </testcase>"
            );
        } else if failures == 0 {
            let name = escape(&self.passed);
            let _ = writeln!(text, "  <testcase classname=\"{class}\" name=\"{name}\"/>");
        }
        text.push_str("</testsuite>\n");
        text
    }
}

/// Renders the report on a fault-injection campaign of `rustop torture`.
pub fn report(outcome: &CampaignResult) -> String {
    let failures = outcome.findings.iter().map(|finding| Failure {
        kind: finding.class.name(),
        name: finding.id.clone(),
        message: finding.message.clone(),
        body: text::text(finding),
    });
    let suite = Suite {
        name: "rustop torture",
        class: "torture",
        failures: failures.collect(),
        inconclusive: outcome
            .is_inconclusive()
            .then(|| outcome.coverage.describe()),
        passed: count(outcome.tried, "fault"),
        took: outcome.took,
    };
    suite.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_fault_is_counted_in_the_singular() {
        for (tried, name) in [(0, "0 faults"), (1, "1 fault"), (12, "12 faults")] {
            let outcome = CampaignResult {
                tried,
                ..CampaignResult::default()
            };
            let case = format!("  <testcase classname=\"torture\" name=\"{name}\"/>\n");
            let xml = report(&outcome);
            assert!(xml.contains(&case), "{xml}");
        }
    }
}
