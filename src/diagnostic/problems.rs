//! The error of a run that found problems in the sources.

use std::fmt::{self, Display, Formatter};

use super::{Diagnostic, Severity};
use crate::error::Failure;
use crate::text::count;

/// All diagnostics of the run, at least one of them an error.
#[derive(Debug)]
pub struct Problems(pub Vec<Diagnostic>);

impl std::error::Error for Problems {}

impl Failure for Problems {
    /// [`Diagnostic`] escapes its names.
    fn is_report(&self) -> bool {
        true
    }
}

/// Formats a summary such as `2 problems in the sources` or `1 problem and 9 warnings in the
/// sources`, followed by each diagnostic.
impl Display for Problems {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_warning = |found: &&Diagnostic| found.severity == Severity::Warning;
        let warnings = self.0.iter().filter(is_warning).count();
        f.write_str(&count(self.0.len() - warnings, "problem"))?;
        if warnings > 0 {
            write!(f, " and {}", count(warnings, "warning"))?;
        }
        let each: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        write!(f, " in the sources\n\n{}", each.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::diagnostic::lints;

    #[test]
    fn warnings_are_counted_separately_from_problems() {
        let wrong = || Diagnostic::file(Path::new("a.rs"), "wrong");
        let rule = lints::all().next().unwrap();
        let said = |found| Problems(found).to_string();
        let both = said(vec![wrong(), wrong().warning(rule), wrong().warning(rule)]);
        assert!(
            both.starts_with("1 problem and 2 warnings in the sources\n\n"),
            "{both}"
        );
        let alone = said(vec![wrong(), wrong()]);
        assert!(
            alone.starts_with("2 problems in the sources\n\n"),
            "{alone}"
        );
    }
}
