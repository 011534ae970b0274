//! The versions of an operator, of which a control plane runs one at a time.

use crate::ops::Result;
use crate::ops::adopted::Built;
use crate::ops::subject::Subject;
use crate::ops::torture::external_operator::ExternalOperator;
use crate::session::Session;

/// The operator under test.
#[derive(Debug)]
pub(super) enum Tested<'a> {
    /// The operator of the project.
    Own(Subject),
    /// The operator of the command line.
    Foreign(&'a ExternalOperator),
}

/// A version of the operator that is not under test: its manifests and its program.
#[derive(Debug)]
pub struct OtherVersion<'a> {
    pub(super) tested: Tested<'a>,
    pub(super) built: Built,
}

impl<'a> OtherVersion<'a> {
    /// Builds the version in the directory of a session. The manifests are those in the directory.
    ///
    /// # Errors
    /// Returns an error if the directory has no project, or if the version does not build.
    pub fn build(session: &Session) -> Result<Self> {
        let subject = Subject::load(session)?;
        let built = subject.build(session)?;
        Ok(Self {
            tested: Tested::Own(subject),
            built,
        })
    }

    /// Returns the version of a command.
    ///
    /// # Errors
    /// Returns an error if the program or the manifests cannot be read.
    pub fn of_command(foreign: &'a ExternalOperator) -> Result<Self> {
        foreign.check_program()?;
        Ok(Self {
            built: foreign.built(),
            tested: Tested::Foreign(foreign),
        })
    }
}
