//! The coverage of a campaign: the shares of the scenarios and of the operator's kinds of write
//! that were tested. If it is too low, the absence of findings proves nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::torture::fault::Fault;
use crate::torture::scenario::{CREATED, LIMITS};

/// The share of the scenarios, in percent, below which a campaign without a finding has no verdict.
/// A spec that embeds a `PodTemplateSpec` has hundreds of scenarios, most of them about fields that
/// few users set.
pub const LEAST_SCENARIOS: usize = 10;
/// The share of the kinds of write, in percent, below which a campaign without a finding has no
/// verdict.
pub const LEAST_WRITES: usize = 80;

/// A list in a line names at most this many.
const NAMED: usize = 4;

/// The scenarios and kinds of write of a campaign, and which of them were tested.
#[derive(Debug, Default)]
pub struct Coverage {
    /// The scenarios of the samples (`lolcow/lolcow-sample: spec.replicas`), and whether each was
    /// completed.
    scenarios: BTreeMap<String, bool>,
    /// The kinds of write in the runs without faults (`create jobs.batch`), with the kinds of fault
    /// that can be injected into them, and whether each was.
    writes: BTreeMap<String, BTreeMap<&'static str, bool>>,
    /// True if the campaign injects faults. If false, only the scenarios count.
    pub wants_faults: bool,
}

impl Coverage {
    /// Adds a scenario of a sample, both by name, that has not been completed yet.
    pub fn expect_scenario(&mut self, sample: &str, scenario: &str) {
        let name = format!("{sample}: {scenario}");
        self.scenarios.entry(name).or_default();
    }

    /// Records that a scenario was completed.
    pub fn run_scenario(&mut self, sample: &str, scenario: &str) {
        self.scenarios.insert(format!("{sample}: {scenario}"), true);
    }

    /// Adds kinds of write, such as `create jobs.batch`, whether or not a fault can be injected
    /// into them.
    pub fn expect_writes(&mut self, kinds: impl IntoIterator<Item = String>) {
        for kind in kinds {
            self.writes.entry(kind).or_default();
        }
    }

    /// Adds a fault that can be injected.
    pub fn expect_fault(&mut self, fault: &Fault) {
        self.note(fault, false);
    }

    /// Records that a fault was injected.
    pub fn inject(&mut self, fault: &Fault) {
        self.note(fault, true);
    }

    fn note(&mut self, fault: &Fault, is_injected: bool) {
        if let Fault::Write(_, point) = fault {
            let faults = self.writes.entry(point.kind()).or_default();
            *faults.entry(fault.class()).or_default() |= is_injected;
        }
    }

    /// Returns the scenarios that were not completed: `lolcow/lolcow-sample: spec.replicas`.
    pub fn scenarios_left(&self) -> Vec<&str> {
        let left = self.scenarios.iter().filter(|(_, completed)| !**completed);
        left.map(|(name, _)| name.as_str()).collect()
    }

    /// Returns the kinds of write into which no fault was injected.
    pub fn writes_left(&self) -> Vec<&str> {
        let is_left = |faults: &BTreeMap<_, bool>| !faults.values().any(|injected| *injected);
        let left = self.writes.iter().filter(|(_, faults)| is_left(faults));
        left.map(|(kind, _)| kind.as_str()).collect()
    }

    /// Returns the number of completed scenarios, and of all scenarios.
    pub fn scenarios(&self) -> (usize, usize) {
        let all = self.scenarios.len();
        (all - self.scenarios_left().len(), all)
    }

    /// Returns the number of fields of the specs that a completed scenario changed, and of all
    /// fields that a scenario changes.
    pub fn fields(&self) -> (usize, usize) {
        let mut fields: BTreeMap<&str, bool> = BTreeMap::new();
        for (name, is_completed) in &self.scenarios {
            let is_field = |(_, scenario): (&str, &str)| scenario.starts_with("spec.");
            if name.split_once(": ").is_some_and(is_field) {
                let field = name.trim_end_matches(CREATED).trim_end_matches(LIMITS);
                *fields.entry(field).or_default() |= is_completed;
            }
        }
        (fields.values().filter(|it| **it).count(), fields.len())
    }

    /// Returns the number of kinds of write into which a fault was injected, and of all kinds of
    /// write.
    pub fn writes(&self) -> (usize, usize) {
        let all = self.writes.len();
        (all - self.writes_left().len(), all)
    }

    /// Returns the number of tested pairs of a kind of write and a kind of fault, and of all pairs.
    pub fn pairs(&self) -> (usize, usize) {
        let pairs = || self.writes.values().flat_map(BTreeMap::values);
        (
            pairs().filter(|injected| **injected).count(),
            pairs().count(),
        )
    }

    /// Reports whether enough was tested for "no finding" to be a verdict.
    pub fn is_enough(&self) -> bool {
        let reaches = |(tested, all): (usize, usize), percent: usize| tested * 100 >= all * percent;
        let scenarios = reaches(self.scenarios(), LEAST_SCENARIOS);
        scenarios && (!self.wants_faults || reaches(self.writes(), LEAST_WRITES))
    }

    /// Describes which scenarios and writes were tested, and which were not.
    pub fn describe(&self) -> String {
        let (completed, scenarios) = self.scenarios();
        let (changed, fields) = self.fields();
        let completed = format!(
            "{completed} of {scenarios} scenarios completed, {changed} of {fields} fields of the spec changed"
        );
        let (mut parts, mut left) = (Vec::new(), Vec::new());
        if self.wants_faults {
            let ((faulted, writes), (tried, pairs)) = (self.writes(), self.pairs());
            parts.push(format!(
                "{completed}, {faulted} of {writes} kinds of write faulted ({tried} of {pairs} combinations with a kind of fault)"
            ));
            left.push(("no fault in", self.writes_left()));
        } else {
            parts.push(completed);
        }
        left.push(("not completed", self.scenarios_left()));
        let left = left.into_iter().filter(|(_, names)| !names.is_empty());
        parts.extend(left.map(|(what, names)| format!("{what}: {}", few(&names))));
        parts.join("; ")
    }
}

/// Lists the first few names.
fn few(names: &[&str]) -> String {
    let first = names.iter().take(NAMED).copied().collect::<Vec<_>>();
    match names.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Returns the kinds of write that occur in each of several runs.
pub fn in_each(mut runs: impl Iterator<Item = BTreeSet<String>>) -> BTreeSet<String> {
    let first = runs.next().unwrap_or_default();
    runs.fold(first, |all, run| all.intersection(&run).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torture::api::call::Verb;
    use crate::torture::fault::{InjectionPoint, WriteFault};

    fn fault(at: WriteFault, verb: Verb, plural: &str) -> Fault {
        Fault::Write(at, InjectionPoint::of_moo(0, verb, plural))
    }

    /// Returns the coverage of a campaign that completed `completed` of 20 scenarios, and injected
    /// these of four kinds of fault.
    fn coverage(completed: usize, injected: &[(WriteFault, Verb)]) -> Coverage {
        let mut coverage = Coverage {
            wants_faults: true,
            ..Coverage::default()
        };
        for number in 0..20 {
            coverage.expect_scenario("cow/moo", &format!("spec.x{number:02}"));
        }
        for number in 0..completed {
            coverage.run_scenario("cow/moo", &format!("spec.x{number:02}"));
        }
        for verb in [Verb::Create, Verb::Delete] {
            for at in [WriteFault::Conflict, WriteFault::CrashAfter] {
                coverage.expect_fault(&fault(at, verb, "pods"));
            }
        }
        for (at, verb) in injected {
            coverage.inject(&fault(*at, *verb, "pods"));
        }
        coverage
    }

    const BOTH: [(WriteFault, Verb); 2] = [
        (WriteFault::Conflict, Verb::Create),
        (WriteFault::CrashAfter, Verb::Delete),
    ];

    #[test]
    fn little_coverage_is_not_enough_for_a_verdict() {
        assert!(coverage(2, &BOTH).is_enough());
        assert!(!coverage(1, &BOTH).is_enough(), "5 % of the scenarios");
        assert!(!coverage(20, &BOTH[..1]).is_enough(), "half of the writes");
        let without_faults = Coverage {
            wants_faults: false,
            ..coverage(20, &[])
        };
        assert!(without_faults.is_enough());
    }

    #[test]
    fn writes_that_no_fault_can_reach_count_as_untested() {
        let mut coverage = Coverage {
            wants_faults: true,
            ..Coverage::default()
        };
        coverage.expect_writes(["create pods".to_owned()]);
        assert!(!coverage.is_enough());
        assert_eq!(coverage.writes_left(), ["create pods"]);
    }

    #[test]
    fn the_description_names_tested_and_untested_parts() {
        assert_eq!(
            coverage(19, &BOTH[..1]).describe(),
            "19 of 20 scenarios completed, 19 of 20 fields of the spec changed, 1 of 2 kinds of write faulted (1 of 4 combinations with a kind of fault); \
             no fault in: delete pods; not completed: cow/moo: spec.x19"
        );
        let many = coverage(3, &BOTH).describe();
        assert!(many.ends_with("cow/moo: spec.x06 and 13 more"), "{many}");
    }

    #[test]
    fn a_field_is_changed_by_any_of_its_scenarios() {
        let created = format!("spec.a{CREATED}");
        let at_limits = format!("spec.b{LIMITS}");
        let mut coverage = Coverage::default();
        for sample in ["cow/moo", "cow/calf"] {
            for scenario in ["life", "spec.a", &created, &at_limits] {
                coverage.expect_scenario(sample, scenario);
            }
        }
        assert_eq!(coverage.fields(), (0, 4));
        coverage.run_scenario("cow/moo", "life");
        coverage.run_scenario("cow/moo", "spec.a");
        coverage.run_scenario("cow/moo", &created);
        coverage.run_scenario("cow/calf", &at_limits);
        assert_eq!(coverage.fields(), (2, 4));
    }

    #[test]
    fn a_kind_of_write_counts_if_it_occurs_in_each_run() {
        let run = |kinds: &[&str]| kinds.iter().map(ToString::to_string).collect();
        let runs = [run(&["create pods", "delete pods"]), run(&["create pods"])];
        assert_eq!(in_each(runs.into_iter()), run(&["create pods"]));
    }
}
