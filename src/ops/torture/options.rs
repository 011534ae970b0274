//! The options of `rustop torture`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::RangedU64ValueParser;
use clap::{Args, value_parser};

use super::external_operator::{ExternalOperator, check_program};
use crate::ops::Result;
use crate::ops::values::seconds;
use crate::text::shell_word;

/// The default of `--budget`.
const BUDGET: &str = "5m";

/// The options of a fault-injection campaign against one operator, of the replay of a finding, or
/// of the rehearsal of an upgrade.
#[derive(Args, Debug)]
pub struct Torture {
    /// Time limit for fault injection
    #[arg(long, value_name = "DURATION", default_value = BUDGET, value_parser = seconds)]
    pub budget: Duration,
    /// Seed for the order of the faults [default: random]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Maximum number of faults to inject
    #[arg(long, value_name = "NUMBER")]
    pub faults: Option<usize>,
    /// Number of operator instances to run in parallel
    #[arg(long, value_name = "NUMBER", default_value = "6",
          value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub lanes: usize,
    /// Kind whose objects must not be created twice, in addition to Pods and persistent volume
    /// claims: `deployments.apps` or `Deployment`
    #[arg(long, value_name = "KIND")]
    pub count: Vec<String>,
    /// Directory with your own scenarios: additional objects that a sample needs, and changes to it
    #[arg(long, value_name = "DIR", default_value = "tests/torture")]
    pub scenarios: PathBuf,
    /// Replay a finding, and print the operator's log next to its writes
    #[arg(long, value_name = "ID")]
    pub replay: Option<String>,
    /// Number of times to replay the finding of `--replay`; prints how often it occurred
    #[arg(long, value_name = "NUMBER", requires = "replay", default_value = "1",
          value_parser = value_parser!(u32).range(1..))]
    pub times: u32,
    /// Rehearse the upgrade from this commit of the project, instead of injecting faults. The old
    /// version converges on each sample and on each change of it, then the new version takes over.
    /// Reports what it writes although no spec changed, and exits with 1 if Pods restart, data is
    /// deleted, old objects stay, or a write is rejected
    #[arg(long, value_name = "COMMIT", conflicts_with_all = ["faults", "count", "replay"])]
    pub upgrade_from: Option<String>,
    /// Old version in any language, as a shell command, instead of a commit
    #[arg(long, value_name = "COMMAND", requires = "from_crds",
          conflicts_with_all = ["upgrade_from", "faults", "count", "replay"])]
    pub from_command: Option<String>,
    /// Directory with the CRDs of the old version in `--from-command`
    #[arg(long, value_name = "DIR", requires = "from_command")]
    pub from_crds: Option<PathBuf>,
    /// Directory with the roles and the ServiceAccount of the old version in `--from-command`;
    /// without it, that version has full permissions
    #[arg(long, value_name = "DIR", requires = "from_command")]
    pub from_rbac: Option<PathBuf>,
    /// Directory of the report
    #[arg(long, value_name = "DIR", default_value = "target/torture")]
    pub out: PathBuf,
    /// Keep the data and logs of the control plane (60 MiB or more) at exit
    #[arg(long)]
    pub keep: bool,
    #[command(flatten)]
    pub external: Option<ExternalOperator>,
}

/// The version from which the operator is upgraded.
pub enum OldVersion {
    /// A commit of the project, given as any revision that git accepts.
    Commit(String),
    /// A program with its CRDs. It has full permissions unless its roles are given.
    Command(ExternalOperator),
}

impl Torture {
    /// Reports whether all options that control the search for bugs have their defaults. Only then
    /// is the operator simulated first.
    pub fn searches_by_default(&self) -> bool {
        let Self {
            budget,
            seed,
            faults,
            count,
            replay,
            external,
            ..
        } = self;
        seconds(BUDGET).is_ok_and(|default| *budget == default)
            && seed.is_none()
            && faults.is_none()
            && count.is_empty()
            && replay.is_none()
            && external.is_none()
    }

    /// Returns the maximum number of operators that run in parallel, at least 1.
    pub fn lanes(&self) -> usize {
        self.lanes.max(1)
    }

    /// Checks that the program of `--from-command` exists, before anything is built. Only a plain
    /// path is checked: the shell finds other programs.
    ///
    /// # Errors
    /// Returns an error if the path does not exist.
    pub fn check_old_program(&self) -> Result<()> {
        let program = self.from_command.as_deref().and_then(program);
        let command: Vec<_> = program.map(OsString::from).into_iter().collect();
        check_program(&command, "--from-command './bin/old-manager --flags'")
    }

    /// Returns the old version of the upgrade to rehearse. `None` for fault injection and replays.
    pub fn old_version(&self) -> Option<OldVersion> {
        if let Some(commit) = &self.upgrade_from {
            return Some(OldVersion::Commit(commit.clone()));
        }
        let command = self.from_command.as_deref()?;
        Some(OldVersion::Command(ExternalOperator {
            crds: self.from_crds.clone()?,
            samples: PathBuf::new(),
            rbac: self.from_rbac.clone(),
            command: shell_command(command),
        }))
    }
}

/// Returns the command line that runs a shell command in the process of the shell, so that it can
/// be killed. `env` accepts the variables before a program, which `exec` does not.
fn shell_command(line: &str) -> Vec<OsString> {
    let line = format!("exec env {line}");
    vec!["/bin/sh".into(), "-c".into(), line.into()]
}

/// Returns the program of a shell command if it is a path that means the same without a shell.
fn program(line: &str) -> Option<&Path> {
    let word = line.split_whitespace().next()?;
    let is_path = word.contains('/') && !word.contains('=') && shell_word(word) == word;
    is_path.then(|| Path::new(word))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shell_command_may_set_variables() {
        for (line, output) in [
            ("echo a", "a\n"),
            ("A=b sh -c 'echo $A'", "b\n"),
            ("sh -c 'echo $PPID'", &format!("{}\n", std::process::id())),
        ] {
            let command = shell_command(line);
            let ran = Command::new(&command[0]).args(&command[1..]).output();
            assert_eq!(String::from_utf8_lossy(&ran.unwrap().stdout), *output);
        }
    }

    #[test]
    fn only_a_plain_path_is_the_program() {
        for (line, path) in [
            ("./bin/old --flag", Some("./bin/old")),
            ("old --flag", None),
            ("$HOME/old", None),
            ("A=/b ./old", None),
            ("", None),
        ] {
            assert_eq!(program(line), path.map(Path::new), "{line}");
        }
    }
}
