//! The beginning of a finding, which the Markdown and the HTML report have in common.

use crate::torture::oracle::finding::Finding;

/// The beginning of a finding in the reports for people. Its texts need not be escaped.
pub struct Heading<'a> {
    pub id: &'a str,
    /// The name of the class of bug: `missing`.
    pub class: String,
    /// The object that the bug affects.
    pub object: &'a str,
    /// The description of the bug, without a full stop.
    pub headline: String,
    /// A message in addition to the headline, such as an error; `None` if there is none.
    pub message: Option<&'a str>,
    /// Why this is a bug, in sentences; `None` if the headline says it.
    pub why: Option<String>,
    pub steps: Vec<ReportedStep<'a>>,
}

/// A step of a finding with the faults that were injected in it.
pub struct ReportedStep<'a> {
    /// The description of the step.
    pub description: &'a str,
    /// The descriptions of the faults.
    pub faults: Vec<String>,
}

impl<'a> Heading<'a> {
    /// Returns the beginning of a finding of a campaign.
    pub fn of(finding: &'a Finding) -> Self {
        let faults_of = |number| {
            let faults = finding.faults.iter();
            let faults = faults.filter(|fault| fault.step() == number);
            faults.map(ToString::to_string).collect()
        };
        let steps = finding.steps().enumerate();
        Self {
            id: &finding.id,
            class: finding.class.name(),
            object: &finding.object,
            headline: finding.headline(),
            message: Some(&finding.message),
            why: finding.class.why(),
            steps: steps
                .map(|(number, description)| ReportedStep {
                    description,
                    faults: faults_of(number),
                })
                .collect(),
        }
    }
}
