//! `rustop rbac`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule};
use serde::Deserialize as _;

use super::Session;
use crate::cluster::{Cluster, Dirs, Status};
use crate::dev;
use crate::disk;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::rbac::{Asked, Report};
use crate::resource::Resource;
use crate::scaffold;

/// Compare what the operator asked of the API server with what it was granted
#[derive(Args, Debug)]
#[command(after_help = "Example:
  rustop rbac report")]
pub struct Rbac {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Report(ReportArgs),
}

/// Print what was forbidden, with the marker that grants it, and what was granted and never used
///
/// Reads the audit log of the project's cluster, or of the one given by name, all since its data was last
/// thrown away.
#[derive(Args, Debug)]
#[command(
    name = "report",
    after_help = "Examples:
  rustop rbac report
  rustop dev --once && rustop rbac report --check   # for scripts: fails if anything was forbidden
  rustop rbac report --cluster default              # of an operator that shares a cluster"
)]
struct ReportArgs {
    /// Exit 1 if anything was forbidden
    #[arg(long)]
    check: bool,
    /// The cluster the operator ran on, if it is not the one called like the project
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
}

impl Rbac {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let Command::Report(args) = self.command;
        let project = Project::load(&session.dir)?;
        let name = args
            .cluster
            .unwrap_or_else(|| project.project_name.to_string());
        let cluster = Status::read(&Dirs::from_env()?, Some(&name))?.pop();
        let Some(cluster) = cluster.filter(|cluster| cluster.audit_log.is_file()) else {
            return Err(Error::NoAuditLog { name });
        };
        let kubectl = cluster
            .assets
            .map_or_else(|| "kubectl".into(), |assets| assets.join("kubectl"));
        let report = report(session, &project, &kubectl, &cluster.audit_log, 0)?;
        session.terminal.data(&report.to_string())?;
        let failed = args.check && !report.forbidden.is_empty();
        Ok(if failed {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        })
    }
}

/// The length of an audit log, from which on a command looks at it.
pub fn log_length(log: &Path) -> u64 {
    log.metadata().map_or(0, |metadata| metadata.len())
}

/// The report at the end of `rustop dev`, about what happened since the log was `from` bytes long.
pub fn after_dev(
    session: &Session,
    project: &Project,
    kubectl: &Path,
    cluster: Option<&Cluster>,
    from: u64,
) -> Result<()> {
    let Some(cluster) = cluster else {
        session.terminal.note(
            "No report on permissions: the audit log of that cluster is not rustop's to read.",
        );
        return Ok(());
    };
    let report = report(session, project, kubectl, &cluster.audit_log(), from)?;
    if !report.forbidden.is_empty() {
        session
            .terminal
            .warning(format_args!("the operator lacks permissions\n{report}"));
    } else if !report.unused.is_empty() {
        session.terminal.note(report);
    }
    Ok(())
}

fn report(
    session: &Session,
    project: &Project,
    kubectl: &Path,
    log: &Path,
    from: u64,
) -> Result<Report> {
    let operator = dev::deployed(&session.dir, kubectl)?;
    let asked = Asked::read(log, &operator.user(), from)?;
    // Of the operator's own role only: the others follow from options such as leader election.
    let role = operator.objects.iter().filter(|object| {
        let name = object.metadata.name.as_deref().unwrap_or_default();
        matches!(dev::kind(object), "ClusterRole" | "Role") && name.ends_with("manager-role")
    });
    let rules: Vec<PolicyRule> = role
        .filter_map(|role| {
            ClusterRole::deserialize(serde_json::to_value(role).ok()?)
                .ok()?
                .rules
        })
        .flatten()
        .collect();
    let sources = controllers(&session.dir)?;
    Ok(Report::new(&asked, &rules, |group, resource| {
        place(project, &sources, group, resource)
    }))
}

/// The controllers' files and texts.
fn controllers(root: &Path) -> Result<Vec<(String, String)>> {
    const DIR: &str = "src/controllers";
    let mut sources = Vec::new();
    for name in disk::list(&root.join(DIR))? {
        let path: PathBuf = [DIR, &name].iter().collect();
        if name != "mod.rs"
            && let Some(text) = disk::read(&root.join(&path))?
        {
            sources.push((path.display().to_string(), text));
        }
    }
    Ok(sources)
}

/// The controller that speaks of the kind behind a resource; the first one where none does.
fn place(project: &Project, sources: &[(String, String)], group: &str, resource: &str) -> String {
    let own = project
        .resources
        .iter()
        .find(|r| r.api_group() == group && r.plural.as_str() == resource);
    let builtin = scaffold::builtins()
        .iter()
        .find(|b| b.group == group && b.plural == resource);
    let kind = own
        .map(Resource::rust_type)
        .or_else(|| builtin.map(|b| b.kind.to_owned()));
    let speaks = |text: &str| {
        kind.as_ref()
            .is_some_and(|kind| text.contains(kind.as_str()))
    };
    let found = sources
        .iter()
        .find(|(_, text)| speaks(text))
        .or_else(|| sources.first());
    found.map_or_else(|| "src/main.rs".to_owned(), |(path, _)| path.clone())
}
