//! The operation of `rustop rbac report`: a comparison of the requests that the operator sent with
//! its permissions.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::adopted::Adopted;
use super::{Refusal, Result, cluster, code_permissions};
use crate::adopted::Config;
use crate::cluster::{Cluster, ClusterStatus, Dirs};
use crate::dev;
use crate::disk;
use crate::project::naming::NAMESPACE;
use crate::project::{Project, builtin};
use crate::rbac::rule::{self, Rule};
use crate::rbac::{Notation, ObservedRequests, Report, role_file, roles};
use crate::resource::Resource;
use crate::scaffold;
use crate::session::Session;
use crate::sources::comments;
use crate::text::indented;

/// An operation that prints the forbidden requests, each with the marker or rule that permits it.
/// Lists the permissions that were never used after a `rustop dev` in which all samples became
/// Ready, or with `unused`.
#[derive(Args, Debug)]
pub struct RbacReport {
    /// Exit 1 if a request was forbidden, or if a rule is missing
    #[arg(long)]
    pub check: bool,
    /// Always list unused permissions, for tests that exercise all features of the operator
    #[arg(long)]
    pub unused: bool,
    /// Cluster that the operator ran on, if it is not the project's
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,
}

impl RbacReport {
    /// Compares the operator's requests with its permissions, and prints the differences.
    ///
    /// # Errors
    /// Returns an error if there is no audit log, or if the project's manifests cannot be read. The
    /// code of an adopted operator is read, so it needs an audit log only if `cluster` is set; with
    /// `check`, it needs manifests, and an audit log if the code is not Rust.
    pub fn run(&self, session: &Session) -> Result<ExitCode> {
        if Config::exists(&session.dir) {
            let code = code_permissions::report(session, self.check)?;
            let is_forbidden = self.audited(session)?;
            if self.check && code.is_none() && is_forbidden.is_none() {
                return Err(Refusal::NothingToCheck.into());
            }
            return Ok(if self.check && is_forbidden == Some(true) {
                ExitCode::FAILURE
            } else {
                code.unwrap_or(ExitCode::SUCCESS)
            });
        }
        let project = Project::load(&session.dir)?;
        let own = cluster::of(&project, session)?;
        let name = self.cluster.clone().unwrap_or(own);
        let cluster = ClusterStatus::read(&Dirs::from_env()?, Some(&name))?.pop();
        let Some(cluster) = cluster.filter(|cluster| cluster.audit_log.is_file()) else {
            return Err(Refusal::NoAuditLog { name }.into());
        };
        let kubectl = cluster
            .assets
            .map_or_else(|| "kubectl".into(), |assets| assets.join("kubectl"));
        let log = &cluster.audit_log;
        let lists_unused = self.unused || proof(log).is_file();
        let report = report(session, &project, &kubectl, log, 0, lists_unused)?;
        collect(session, &report, "marker");
        session.terminal.data(&report.to_string())?;
        let failed = self.check && !report.forbidden.is_empty();
        Ok(if failed {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        })
    }

    /// Prints the report on the audit log of an adopted operator. Returns true if a request was
    /// forbidden, and `None` if there is no audit log with requests of the operator.
    fn audited(&self, session: &Session) -> Result<Option<bool>> {
        let config = Config::load(&session.dir)?;
        let own = cluster::of_adopted(&config, session)?;
        let name = self.cluster.clone().unwrap_or(own);
        // The report on the code does not need rustop's directories, so an error here is ignored.
        let dirs = Dirs::from_env().ok();
        let log = dirs
            .and_then(|dirs| ClusterStatus::read(&dirs, Some(&name)).ok()?.pop())
            .map(|it| it.audit_log)
            .filter(|log| log.is_file());
        let Some(log) = log else {
            return match self.cluster {
                Some(_) => Err(Refusal::NoAuditLog { name }.into()),
                None => Ok(None),
            };
        };
        let lists_unused = self.unused || proof(&log).is_file();
        let adopted = Adopted::load(session)?;
        if !adopted.has_requests_in(&log)? {
            return Ok(None);
        }
        let report = adopted.report(&log, 0, lists_unused)?;
        collect(session, &report, "rule");
        let text = format!("requests in the audit log of cluster `{name}`:\n{report}");
        session.terminal.data(&text)?;
        Ok(Some(!report.forbidden.is_empty()))
    }
}

/// Adds a report to the JSON document. `grant` is the key of what permits a forbidden request: a
/// marker or a rule.
fn collect(session: &Session, report: &Report, grant: &str) {
    let forbidden = report.forbidden.iter().map(|it| {
        json!({
            "resource": it.resource,
            "verbs": it.verbs,
            "times": it.times,
            grant: it.marker,
            "file": it.file,
        })
    });
    session.report_each("forbidden", forbidden);
    session.report("unused", json!(report.unused));
}

/// The part of an audit log that one `rustop dev` writes.
pub struct Audit {
    /// The log; `None` on a cluster that rustop did not create, such as that of `--kubeconfig`.
    log: Option<PathBuf>,
    /// The length of the log in bytes at the start of the run.
    from: u64,
}

impl Audit {
    /// Marks the current end of the log as the start of the run, and deletes the proof of an
    /// earlier run.
    pub fn begin(cluster: Option<&Cluster>) -> Self {
        let log = cluster.map(Cluster::audit_log);
        let length = |log: &PathBuf| log.metadata().map_or(0, |metadata| metadata.len());
        if let Some(log) = &log {
            // The result of an earlier run does not apply to this one.
            let _ = std::fs::remove_file(proof(log));
        }
        Self {
            from: log.as_ref().map_or(0, length),
            log,
        }
    }

    /// Shows the requests that were forbidden since the start of the run; if there are none, the
    /// unused permissions. `is_proven` is true if there are samples, all of them became Ready, and
    /// the operator was not restarted: only then are unused permissions known. `report` reads an
    /// audit log from a byte offset on.
    ///
    /// # Errors
    /// Returns an error if the proof cannot be written, and the errors of `report`.
    pub fn end(
        self,
        session: &Session,
        is_proven: bool,
        report: impl FnOnce(&Path, u64) -> Result<Report>,
    ) -> Result<()> {
        let Some(log) = &self.log else {
            session.terminal.note(
                "No report on permissions: rustop reads audit logs only of clusters that it started.",
            );
            return Ok(());
        };
        if is_proven {
            let proof = proof(log);
            disk::private::write(&proof, "")?;
        }
        let report = report(log, self.from)?;
        if !report.forbidden.is_empty() {
            let lines = indented(&report.to_string().lines().collect::<Vec<_>>());
            session
                .terminal
                .warning_with_report("the operator lacks permissions:", &lines);
        } else if report
            .unused
            .as_ref()
            .is_some_and(|unused| !unused.is_empty())
        {
            session.terminal.report(report);
        }
        Ok(())
    }
}

/// Returns the path of a file that exists if the last `rustop dev` was proven: see [`Audit::end`].
fn proof(log: &Path) -> PathBuf {
    log.with_file_name("every-sample-was-ready")
}

/// Reports the permissions that the operator lacks and, if `lists_unused` is set, those that it
/// does not use. Reads the audit log from the byte `from` on.
///
/// # Errors
/// Returns an error if `config/default` does not render, or if the log, the role file or the
/// controllers cannot be read.
pub fn report(
    session: &Session,
    project: &Project,
    kubectl: &Path,
    log: &Path,
    from: u64,
    lists_unused: bool,
) -> Result<Report> {
    let operator = dev::operator_manifests(&session.dir, kubectl)?;
    let observed = ObservedRequests::read(log, &operator.user(), from)?;
    let rules = marked(session, &operator.namespace)?;
    let sources = controllers(&session.dir)?;
    let mut report = Report::new(&observed, &rules, Notation::Marker, |group, resource| {
        controller_file(project, &sources, group, resource)
    });
    if lists_unused {
        report.look_for_unused(&observed, &rules, &scaffolded(project));
    }
    Ok(report)
}

/// Returns the rules of the role file that is generated from markers, with `namespace` for the
/// operator's own. Roles in other files, such as that of leader election, are not compared.
fn marked(session: &Session, namespace: &str) -> Result<Vec<Rule>> {
    let text = disk::read(&session.dir.join(roles::FILE))?.unwrap_or_default();
    let mut rules = role_file::read_own(&text).map_err(|reason| Refusal::Role {
        path: roles::FILE.to_owned(),
        reason,
    })?;
    for named in rules.iter_mut().filter_map(|rule| rule.namespace.as_mut()) {
        if *named == NAMESPACE {
            namespace.clone_into(named);
        }
    }
    Ok(rules)
}

/// Returns the rules of the scaffolded controllers. The user did not choose them, so they are not
/// reported as unused.
fn scaffolded(project: &Project) -> Vec<Rule> {
    let tree = scaffold::render(project);
    let sources = tree
        .iter()
        .filter(|(path, _)| path.starts_with(CONTROLLERS));
    let scans = sources.map(|(path, file)| comments::scan(Path::new(path), &file.text));
    let rules = scans.flat_map(|scan| rule::grants(&scan.markers, rule::Scope::Cluster).0);
    let named = |group: String| {
        if group == "core" {
            String::new()
        } else {
            group
        }
    };
    let of_api = |grant: rule::Grant| Rule {
        groups: grant.rule.groups.into_iter().map(named).collect(),
        ..grant.rule
    };
    rules.map(of_api).collect()
}

/// The directory of the controllers.
const CONTROLLERS: &str = "src/controllers";

/// Returns the paths and texts of the controllers' files.
fn controllers(root: &Path) -> Result<Vec<(String, String)>> {
    let mut sources = Vec::new();
    for name in disk::list(&root.join(CONTROLLERS))? {
        let path: PathBuf = [CONTROLLERS, &name].iter().collect();
        if name != "mod.rs"
            && let Some(text) = disk::read(&root.join(&path))?
        {
            sources.push((path.display().to_string(), text));
        }
    }
    Ok(sources)
}

/// Returns the file of the controller that names the kind of a resource. If none does, returns the
/// first controller, or `src/main.rs` if there are no controllers.
fn controller_file(
    project: &Project,
    sources: &[(String, String)],
    group: &str,
    resource: &str,
) -> String {
    let own = project
        .resources
        .iter()
        .find(|r| r.api_group() == group && r.plural.as_str() == resource);
    let builtin = builtin::all()
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
