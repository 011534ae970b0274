//! The table of all diagnostic rules. Each has a stable name, by which a comment in the sources can
//! suppress it. The texts of the rules are here; the checks are in the modules that have the data.

pub mod allow;
pub mod compat;
pub mod conventions;
pub mod rbac;
pub mod watch;
pub mod webhook;

use super::lint::Lint;

/// The tables of rules. A new linter has to be added here.
const TABLES: &[&[&Lint]] = &[
    allow::LINTS,
    rbac::LINTS,
    watch::LINTS,
    webhook::LINTS,
    conventions::LINTS,
    compat::LINTS,
];

/// Returns all rules, in the order of the tables.
pub fn all() -> impl Iterator<Item = &'static Lint> {
    TABLES.iter().copied().flatten().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_unique_kebab_case_names_and_descriptions() {
        let mut names: Vec<_> = all().map(|lint| lint.id).collect();
        let number = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), number, "{names:?}");
        for lint in all() {
            let kebab = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(lint.id.chars().all(kebab), "{}", lint.id);
            assert!(
                !lint.finds.is_empty() && !lint.finds.ends_with('.'),
                "{}",
                lint.id
            );
            assert!(lint.why.ends_with('.'), "{}", lint.id);
        }
    }

    /// A code span within another one ends it.
    #[test]
    fn code_spans_of_explanations_are_not_nested() {
        for lint in all() {
            let spans = lint.why.split('`').skip(1).step_by(2);
            for span in spans {
                assert_eq!(span, span.trim(), "{}", lint.id);
            }
        }
    }
}
