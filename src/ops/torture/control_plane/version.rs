//! The versions of an operator, of which a control plane runs one at a time.

use crate::ops::Result;
use crate::ops::adopted::Built;
use crate::ops::subject::Subject;
use crate::ops::torture::external_operator::ExternalOperator;
use crate::session::Session;

/// The source of an operator.
#[derive(Debug)]
pub(super) enum OperatorSource<'a> {
    /// A project in a directory, scaffolded or adopted.
    Own(Subject),
    /// A program that the command line names: `rustop torture -- COMMAND`, or the old version of an
    /// upgrade.
    External(&'a ExternalOperator),
}

/// A version of the operator that the control plane does not run at the moment: where its manifests
/// come from, and its program. `ControlPlane::switch_to` swaps it with the one that runs.
#[derive(Debug)]
pub struct OtherVersion<'a> {
    /// The origin of the manifests and samples.
    pub(super) source: OperatorSource<'a>,
    /// The program.
    pub(super) built: Built,
}

impl<'a> OtherVersion<'a> {
    /// Builds the version in the directory of a session. The manifests of a scaffolded project are
    /// taken from the directory and not generated again.
    ///
    /// # Errors
    /// Returns an error if the directory has no valid project, if the manifests of an adopted one
    /// do not render, or if the version does not build.
    pub fn build(session: &Session) -> Result<Self> {
        let subject = Subject::load(session)?;
        let built = subject.build(session)?;
        Ok(Self {
            source: OperatorSource::Own(subject),
            built,
        })
    }

    /// Returns the version of a program that the command line names, which is built already.
    ///
    /// # Errors
    /// Returns an error if the manifests cannot be read, or have no CRD.
    pub fn of_command(external: &'a ExternalOperator) -> Result<Self> {
        external.check_old()?;
        Ok(Self {
            built: external.built(),
            source: OperatorSource::External(external),
        })
    }
}
