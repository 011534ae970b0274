//! The operations of `rustop cluster`: control planes on this machine.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::Result;
use crate::adopted::Config;
use crate::cluster::{
    self, Cluster, ClusterStatus, DEFAULT_NAME, Dirs, InstallOptions, StartOptions, name_of_project,
};
use crate::error::Io;
use crate::project::{self, Project};
use crate::session::Session;
use crate::text::table;

/// The maximum length of a project's name within the name of its cluster.
const LONGEST: usize = 40;

/// Installs the programs of a control plane into rustop's cache.
///
/// # Errors
/// Returns an error if they cannot be downloaded or installed.
pub fn install(session: &Session, options: &InstallOptions) -> Result<()> {
    let dirs = Dirs::from_env()?;
    session.report("kubernetesVersion", options.version.to_string());
    cluster::install(&dirs, options, session.interrupt(), session.terminal)?;
    session.report("installed", true);
    if std::env::var_os("KUBEBUILDER_ASSETS").is_some() {
        session
            .terminal
            .warning("KUBEBUILDER_ASSETS is set: rustop uses that directory instead of the installed programs");
    }
    Ok(())
}

/// Starts a cluster in the background: the given one, or the project's, or outside of a project the
/// default one. Sets `name` and `project` of the options.
///
/// # Errors
/// Returns an error if the cluster does not start.
pub fn start(session: &Session, given: Option<String>, options: StartOptions) -> Result<()> {
    let flag = given.as_ref().map(|name| format!(" --name {name}"));
    let name = meant(session, given)?;
    let options = StartOptions {
        project: owner(session, &name),
        name,
        ..options
    };
    let dirs = Dirs::from_env()?;
    cluster::sweep(&dirs, session.terminal);
    let cluster = Cluster::start(&dirs, &options, session.interrupt(), session.terminal)?;
    let log = cluster.audit_log();
    let terminal = session.terminal;
    terminal.detail(format_args!("audit log: {}", log.display()));
    terminal.note("");
    let export = format!(
        "export KUBECONFIG=$(rustop cluster kubeconfig{})",
        flag.unwrap_or_default()
    );
    terminal.list("To use it", &[export]);
    Ok(())
}

/// Stops a cluster and keeps its data. The cluster is the one that [`start`] would start.
///
/// # Errors
/// Returns an error if the cluster cannot be stopped.
pub fn stop(session: &Session, given: Option<String>) -> Result<()> {
    let name = meant(session, given)?;
    let already = if Cluster::stop(&Dirs::from_env()?, &name)? {
        ""
    } else {
        " already"
    };
    let what = format_args!("cluster `{name}`{already}");
    session.terminal.status("Stopped", what);
    Ok(())
}

/// Stops a cluster and removes its data. The cluster is the one that [`start`] would start.
///
/// # Errors
/// Returns an error if the cluster does not exist or cannot be removed.
pub fn delete(session: &Session, given: Option<String>) -> Result<()> {
    let name = meant(session, given)?;
    if Cluster::delete(&Dirs::from_env()?, &name)? {
        deleted(session, &name);
        return Ok(());
    }
    Err(cluster::Error::NoCluster { name }.into())
}

/// Removes all clusters without a running process, except those that another rustop uses.
///
/// # Errors
/// Returns an error if a cluster cannot be removed.
pub fn delete_stopped(session: &Session) -> Result<()> {
    delete_all(session, |cluster| !cluster.has_running_process())
}

/// Stops and removes all clusters whose project's directory no longer exists, except those that
/// another rustop uses.
///
/// # Errors
/// Returns an error if a cluster cannot be removed.
pub fn delete_unused(session: &Session) -> Result<()> {
    delete_all(session, |cluster| {
        cluster.project.as_deref().is_some_and(is_gone)
    })
}

/// Removes all clusters that match, except those that a `rustop dev` or `rustop torture` is using.
fn delete_all(session: &Session, is_meant: impl Fn(&ClusterStatus) -> bool) -> Result<()> {
    let dirs = Dirs::from_env()?;
    let all = ClusterStatus::read(&dirs, None)?.into_iter();
    for ClusterStatus { name, .. } in all.filter(is_meant) {
        match Cluster::delete(&dirs, &name) {
            // Another rustop uses the cluster. If it does not run, it is about to be started.
            Err(cluster::Error::Held { .. }) => continue,
            Ok(false) => return Err(cluster::Error::NoCluster { name }.into()),
            done => done?,
        };
        deleted(session, &name);
    }
    Ok(())
}

/// Reports whether a directory does not exist. Returns false if this cannot be determined.
fn is_gone(dir: &Path) -> bool {
    matches!(dir.try_exists(), Ok(false))
}

fn deleted(session: &Session, name: &str) {
    let what = format_args!("cluster `{name}` and its data");
    session.terminal.status("Deleted", what);
}

/// Prints the path of a running cluster's kubeconfig, or its content if `print` is set.
///
/// # Errors
/// Returns an error if the cluster does not run.
pub fn kubeconfig(session: &Session, given: Option<String>, print: bool) -> Result<()> {
    let path = Cluster::open(&Dirs::from_env()?, &meant(session, given)?)?.kubeconfig();
    let text = if print {
        fs::read_to_string(&path).map_err(Io::on("read", path))?
    } else {
        format!("{}\n", path.display())
    };
    Ok(session.terminal.data(&text)?)
}

/// Prints the state of clusters: the given one, the project's, or all if `all` is set or outside of
/// a project. `json` prints a JSON array instead of a table.
///
/// # Errors
/// Returns an error if the state of a cluster cannot be read.
pub fn status(session: &Session, given: Option<&str>, all: bool, json: bool) -> Result<()> {
    let dirs = Dirs::from_env()?;
    let own = if given.is_some() || all {
        None
    } else {
        of_project(session)?
    };
    let mut clusters = ClusterStatus::read(&dirs, given.or(own.as_deref()))?;
    // The project's cluster is shown only if it exists. A cluster that the user named is always
    // shown.
    clusters.retain(|cluster| own.is_none() || cluster.exists());
    let text = if json {
        serde_json::to_string_pretty(&clusters).unwrap_or_default() + "\n"
    } else if clusters.is_empty() {
        let hint = "There is no cluster: `rustop cluster start` starts one.";
        session.terminal.note(hint);
        String::new()
    } else {
        let head = [
            "NAME", "STATUS", "VERSION", "NODES", "SIZE", "SERVER", "PROJECT",
        ];
        table(&head, clusters.iter().map(row))
    };
    Ok(session.terminal.data(&text)?)
}

/// Returns the columns of a cluster in the table.
fn row(cluster: &ClusterStatus) -> Vec<String> {
    let running = cluster.running.then_some(());
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    vec![
        cluster.name.clone(),
        cluster.summary(),
        or_dash(cluster.version.clone()),
        or_dash(running.map(|()| cluster.nodes.to_string())),
        format!("{} MiB", cluster.size / (1024 * 1024)),
        or_dash(running.and(cluster.server.clone())),
        or_dash(cluster.project.as_deref().map(directory_text)),
    ]
}

/// Formats a project's directory, and marks one that no longer exists.
fn directory_text(dir: &Path) -> String {
    let gone = if is_gone(dir) { " (gone)" } else { "" };
    format!("{}{gone}", dir.display())
}

/// Runs a command on a new cluster of its own, and removes the cluster. Returns the exit code of
/// the command, or 128 plus the signal that ended it.
///
/// # Errors
/// Returns an error if the cluster cannot be started or removed, or if the command cannot be run.
pub fn exec(session: &Session, options: &StartOptions, command: &[OsString]) -> Result<ExitCode> {
    let (dirs, interrupt) = (Dirs::from_env()?, session.interrupt());
    let code = cluster::exec(&dirs, options, command, interrupt, session.terminal)?;
    Ok(code.into())
}

/// Replaces this process, which the process `parent` started, with another program in a session of
/// its own. The program survives the end of `parent`.
///
/// # Errors
/// Returns an error if the program cannot be run, or if `parent` has already ended. On success,
/// this function does not return.
pub fn detach(parent: u32, program: &Path, arguments: &[OsString]) -> Result<()> {
    Err(cluster::become_detached(parent, program, arguments).into())
}

/// Replaces this process, which the process `parent` started, with another program. On Linux, the
/// program gets SIGTERM when `parent` ends.
///
/// # Errors
/// Returns an error if the program cannot be run, or if `parent` has already ended. On success,
/// this function does not return.
pub fn tether(parent: u32, program: &Path, arguments: &[OsString]) -> Result<()> {
    Err(cluster::become_tethered(parent, program, arguments).into())
}

/// Waits until the rustop process that uses a cluster has ended, and cleans up after it. Without
/// `dev`, `cluster` is the directory of a cluster of `rustop cluster exec`, which is removed. With
/// `dev`, the ID of that process, `cluster` is the name of a project's cluster: the operator that
/// the process left is ended, and the cluster is stopped if it was to end with the process. Its
/// data stays.
///
/// # Errors
/// Returns an error if a process of the cluster cannot be stopped.
pub fn clean_up_after(session: &Session, cluster: &Path, dev: Option<u32>) -> Result<()> {
    let Some(pid) = dev else {
        return Ok(cluster::clean_up_after(cluster)?);
    };
    let (dirs, name) = (Dirs::from_env()?, cluster.to_string_lossy());
    Ok(cluster::clean_up_after_dev(
        &dirs,
        &name,
        pid,
        session.terminal,
    )?)
}

/// Returns the name of the cluster that `rustop dev` uses for the project of a session.
///
/// # Errors
/// Returns an error if the project's directory cannot be resolved.
pub fn of(project: &Project, session: &Session) -> Result<String> {
    Ok(name_of_project(
        project.project_name.as_str(),
        &session.dir,
    )?)
}

/// Returns the name of the cluster of an adopted project.
///
/// # Errors
/// Returns an error if the project's directory cannot be resolved.
pub fn of_adopted(config: &Config, session: &Session) -> Result<String> {
    Ok(name_of_project(
        &cluster_name(&config.project_name),
        &session.dir,
    )?)
}

/// Converts the name of an adopted project, which can be any text, to a part of a cluster's name.
fn cluster_name(project: &str) -> String {
    let name: String = project
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(LONGEST)
        .collect();
    match name.trim_matches('-') {
        "" => "operator".to_owned(),
        name => name.to_owned(),
    }
}

/// Returns the given name, or the name of the project's cluster. Outside of a project, returns the
/// default name.
fn meant(session: &Session, given: Option<String>) -> Result<String> {
    Ok(match given {
        Some(name) => name,
        None => of_project(session)?.unwrap_or_else(|| DEFAULT_NAME.to_owned()),
    })
}

/// Returns the name of the project's cluster, or `None` outside of a project.
fn of_project(session: &Session) -> Result<Option<String>> {
    if Config::exists(&session.dir) {
        return of_adopted(&Config::load(&session.dir)?, session).map(Some);
    }
    if !project::is_at(&session.dir) {
        return Ok(None);
    }
    of(&Project::load(&session.dir)?, session).map(Some)
}

/// Returns the project's directory if `name` is the name of the project's cluster. It is stored
/// with the cluster, so that [`delete_unused`] can find clusters of deleted projects.
fn owner(session: &Session, name: &str) -> Option<PathBuf> {
    let own = of_project(session).ok().flatten();
    let dir = session.dir.canonicalize().ok();
    dir.filter(|_| own.is_some_and(|own| own == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_project_name_becomes_a_cluster_name() {
        for (project, name) in [
            ("doc-controller", "doc-controller"),
            ("Doc Controller!", "doc-controller"),
            ("_", "operator"),
            (&"x".repeat(80), &"x".repeat(40)),
        ] {
            assert_eq!(cluster_name(project), name);
        }
    }
}
