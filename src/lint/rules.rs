//! The checks of the rules of `rustop lint`.

mod shape;
mod style;
mod types;

use super::rule_input::RuleInput;
use crate::crd::finding::CrdProblem;
use crate::diagnostic::Lint;
use crate::diagnostic::lints::conventions::{self as rules, Convention};

/// A check that returns the message of the finding if the schema violates the rule.
type Check = fn(&RuleInput) -> Option<String>;

/// The rules that check one schema node at a time.
const CHECKS: &[(&Lint, Check)] = &[
    (&rules::ARRAY_OF_STRUCT, shape::array_of_struct),
    (&rules::COMMENT_START, style::comment_start),
    (&rules::CONDITIONS, shape::conditions),
    (&rules::DEFAULT_OR_REQUIRED, shape::default_or_required),
    (&rules::DESCRIPTION, style::description),
    (&rules::FORMATS, types::formats),
    (&rules::INTEGERS, types::integers),
    (&rules::JSON_NAMES, style::json_names),
    (&rules::LIST_TYPE, shape::list_type),
    (&rules::LOST_VALIDATION, types::lost_validation),
    (&rules::LOST_VARIANT, types::lost_variant),
    (&rules::MAX_LENGTH, shape::max_length),
    (&rules::MIN_LENGTH, shape::min_length),
    (&rules::NAMING_CONVENTIONS, style::naming_conventions),
    (&rules::NO_BOOLS, types::no_bools),
    (&rules::NO_DURATIONS, types::no_durations),
    (&rules::NO_FLOATS, types::no_floats),
    (&rules::NO_MAPS, types::no_maps),
    (&rules::NO_NULLABLE, types::no_nullable),
    (&rules::NO_PHASE, style::no_phase),
    (&rules::NO_REFERENCES, style::no_references),
    (&rules::NO_TIMESTAMP, style::no_timestamp),
    (&rules::NULL_IN_ENUM, types::null_in_enum),
    (&rules::OPTIONAL_FIELDS, types::optional_fields),
    (&rules::PRUNED, types::pruned),
    (&rules::STATUS_OPTIONAL, shape::status_optional),
    (&rules::STATUS_SUBRESOURCE, shape::status_subresource),
];

/// A rule that checks schema nodes.
pub struct Rule {
    convention: &'static Convention,
    check: Check,
}

impl Rule {
    /// Returns the rule for a convention; `None` if it does not check schema nodes.
    pub fn of(convention: &'static Convention) -> Option<Self> {
        let mut checks = CHECKS.iter();
        let (_, check) = checks.find(|(lint, _)| *lint == convention.lint)?;
        Some(Self {
            convention,
            check: *check,
        })
    }

    /// Checks a schema node, and returns the finding if it violates the rule.
    pub fn check(&self, input: &RuleInput) -> Option<CrdProblem> {
        let message = (self.check)(input)?;
        let finding = CrdProblem::at(input.node, message).warning(self.convention.lint);
        Some(finding.help(self.convention.help))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_checked_here_or_elsewhere() {
        let elsewhere = [
            &rules::CEL_COST,
            &rules::CRD_SIZE,
            &rules::LOST_FIELD,
            &rules::LOST_PATH,
            &rules::SYSTEM_CLOCK,
            &rules::UNSEEDED_RANDOM,
        ];
        for convention in rules::CONVENTIONS {
            let is_elsewhere = elsewhere.contains(&convention.lint);
            assert!(
                is_elsewhere != Rule::of(convention).is_some(),
                "{}",
                convention.lint.id
            );
        }
    }
}
