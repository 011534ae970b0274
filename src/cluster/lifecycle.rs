//! Starting and stopping a cluster.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::assets::{self, AssetSources, Assets};
use super::client::Client;
use super::component::Component;
use super::control_plane::{components, free_ports};
use super::dirs::{Dirs, remove};
use super::error::{Error, Result};
use super::install::{InstallOptions, install};
use super::process::{self, MARK, Process};
use super::startup::Startup;
use super::state::{Home, State};
use super::{DEFAULT_NAME, holder, kubeconfig, pki};
use crate::disk::private;
use crate::interrupt::Interrupt;
use crate::terminal::Terminal;

const AUDIT_POLICY: &str = include_str!("audit-policy.yaml");
const KWOK_CONFIG: &str = include_str!("kwok.yaml");

/// The options of a start.
#[derive(Clone, Debug)]
pub struct StartOptions {
    /// The name of the cluster: lower-case letters, digits and `-`.
    pub name: String,
    /// The directory of its project; `None` if it does not belong to a project.
    pub project: Option<PathBuf>,
    /// The source of its programs.
    pub sources: AssetSources,
    /// The number of KWOK nodes.
    pub nodes: u32,
    /// Runs the controllers, the scheduler and the nodes, if they are installed.
    pub controllers: bool,
    /// Deletes the data of earlier starts.
    pub fresh: bool,
    /// Installs a missing control plane instead of failing.
    pub install: bool,
}

impl Default for StartOptions {
    fn default() -> Self {
        Self {
            name: DEFAULT_NAME.into(),
            project: None,
            sources: AssetSources::default(),
            nodes: 1,
            controllers: true,
            fresh: false,
            install: false,
        }
    }
}

/// A cluster that runs.
#[derive(Clone, Debug)]
pub struct Cluster {
    home: Home,
    state: State,
}

impl Cluster {
    /// Starts the cluster, or finds it running. If only some of its processes run, stops them and
    /// starts the whole cluster again with its data.
    pub fn start(
        dirs: &Dirs,
        options: &StartOptions,
        interrupt: &Interrupt,
        terminal: Terminal,
    ) -> Result<Self> {
        let home = Home::named(dirs, &options.name)?;
        let _lock = home.lock(interrupt, || {
            let message = format!("for another rustop that works on cluster `{}`", home.name);
            terminal.status("Waiting", message);
        })?;
        let before = State::load(&home);
        if !options.fresh
            && let Some(state) = before.clone()
            && answers(&home, &state, interrupt)?
        {
            terminal.status("Running", format!("cluster `{}` already", home.name));
            return Ok(Self { home, state });
        }
        let assets = find_or_install(dirs, options, interrupt, terminal)?;
        if before.is_some_and(|state| !state.processes.is_empty()) {
            terminal.status(
                "Stopping",
                format!("the remaining processes of cluster `{}`", home.name),
            );
        }
        Self::bring_up(home, assets, options, interrupt, terminal)
    }

    /// Starts the cluster in `home`, whose lock the caller holds. Leaves none of its processes
    /// running if it fails. Tries up to three more times if another process took one of the free
    /// ports before a program of the cluster could listen on it.
    pub fn bring_up(
        home: Home,
        assets: Assets,
        options: &StartOptions,
        interrupt: &Interrupt,
        terminal: Terminal,
    ) -> Result<Self> {
        let start = Instant::now();
        terminate(&home, Duration::from_secs(1));
        if options.fresh {
            wipe(&home)?;
        }
        let components = components(&assets, options.controllers);
        prepare(&home)?;
        if !assets.has_controllers() && options.controllers {
            terminal.warning(format!(
                "there is no kube-controller-manager in `{}`: Deployments get no Pods and nothing is \
                 garbage-collected; `rustop cluster install` installs it",
                assets.dir.display()
            ));
        }
        let before = State::load(&home);
        let mut state = State {
            version: None,
            project: options.project.clone(),
            nodes: if components.contains(&Component::Kwok) {
                options.nodes
            } else {
                0
            },
            assets,
            ports: free_ports(before.map(|state| state.ports))?,
            processes: BTreeMap::new(),
        };
        let mut attempts = 0;
        let version = loop {
            match run(&home, &mut state, &components, interrupt, terminal) {
                Ok(version) => break version,
                Err(error) => {
                    terminate(&home, Duration::ZERO);
                    state.processes.clear();
                    state.save(&home)?;
                    attempts += 1;
                    if attempts > 3 || !is_port_taken(&error) {
                        return Err(error);
                    }
                    state.ports = free_ports(None)?;
                }
            }
        };
        let requested_version = options.sources.version;
        if version
            .parse()
            .is_ok_and(|found| !requested_version.accepts(found))
        {
            terminal.warning(format!(
                "the programs in `{}` are Kubernetes {version}, not the requested {requested_version}",
                state.assets.dir.display()
            ));
        }
        state.version = Some(version);
        state.save(&home)?;
        let cluster = Self { home, state };
        terminal.status(
            "Started",
            format!(
                "{} in {:.1} s",
                cluster.describe(),
                start.elapsed().as_secs_f32()
            ),
        );
        Ok(cluster)
    }

    /// Returns the cluster called `name`. Fails if it does not run.
    pub fn open(dirs: &Dirs, name: &str) -> Result<Self> {
        let home = Home::named(dirs, name)?;
        match State::load(&home).filter(State::is_running) {
            Some(state) => Ok(Self { home, state }),
            None => Err(Error::NotRunning { name: name.into() }),
        }
    }

    /// Stops the cluster called `name` and all that is left of it. Its data stays. Returns true if
    /// there was anything to stop.
    pub fn stop(dirs: &Dirs, name: &str) -> Result<bool> {
        let home = Home::named(dirs, name)?;
        if !home.dir.is_dir() {
            return Ok(false);
        }
        let _lock = home.lock(&Interrupt::default(), || ())?;
        let stopped = terminate(&home, Duration::from_secs(5));
        if let Some(mut state) = State::load(&home) {
            state.processes.clear();
            state.save(&home)?;
        }
        Ok(stopped)
    }

    /// Stops the cluster called `name` and removes all that there is of it, its data too. Returns
    /// true if there was any.
    pub fn delete(dirs: &Dirs, name: &str) -> Result<bool> {
        let home = Home::named(dirs, name)?;
        holder::forget(dirs, name)?;
        if !home.dir.is_dir() {
            return Ok(false);
        }
        let _lock = home.lock(&Interrupt::default(), || ())?;
        terminate(&home, Duration::from_secs(1));
        remove(&home.dir)?;
        Ok(true)
    }

    /// Returns the path of the administrator's kubeconfig.
    pub fn kubeconfig(&self) -> PathBuf {
        self.home.kubeconfig("admin")
    }

    /// Returns the path of the audit log. It has one line of JSON for every request of a user that
    /// is not part of the control plane.
    pub fn audit_log(&self) -> PathBuf {
        self.home.log("audit")
    }

    /// Returns the programs that the cluster was started from.
    pub fn assets(&self) -> &Assets {
        &self.state.assets
    }

    /// Returns true if `component` was started.
    pub fn runs(&self, component: Component) -> bool {
        self.state.processes.contains_key(&component)
    }

    /// Returns an environment variable for programs that must not outlive the cluster.
    /// [`Cluster::stop`] finds and ends the processes that have it.
    pub fn mark(&self) -> (&'static str, &Path) {
        (MARK, &self.home.dir)
    }

    /// Returns the directory of the cluster.
    pub fn dir(&self) -> &Path {
        &self.home.dir
    }

    fn describe(&self) -> String {
        let version = self.state.version.as_deref().unwrap_or_default();
        let what = match (self.runs(Component::ControllerManager), self.state.nodes) {
            (false, _) => "without controllers".into(),
            (true, nodes) => format!("with {}", crate::text::count(nodes as usize, "node")),
        };
        format!("cluster `{}`, Kubernetes {version} {what},", self.home.name)
    }
}

/// Returns the programs to run. Installs them if they are missing and `options` allow it.
pub fn find_or_install(
    dirs: &Dirs,
    options: &StartOptions,
    interrupt: &Interrupt,
    terminal: Terminal,
) -> Result<Assets> {
    match assets::find(dirs, &options.sources) {
        Err(Error::NotInstalled { .. }) if options.install => {
            let options = InstallOptions::from_env(options.sources.version);
            install(dirs, &options, interrupt, terminal)
        }
        other => other,
    }
}

/// Starts the programs once, with the ports in `state`. Returns the version of the API server.
fn run(
    home: &Home,
    state: &mut State,
    components: &[Component],
    interrupt: &Interrupt,
    terminal: Terminal,
) -> Result<String> {
    kubeconfig::write_all(home, &state.server())?;
    Startup {
        home,
        state,
        interrupt,
        terminal,
    }
    .run(components)
}

/// Returns true if the cluster runs and its API server is ready. Waits up to ten seconds for it
/// while all processes run.
fn answers(home: &Home, state: &State, interrupt: &Interrupt) -> Result<bool> {
    let deadline = Instant::now() + Duration::from_secs(10);
    while state.is_running() && Instant::now() < deadline {
        interrupt.check()?;
        if Client::new(home, state.server())?.is_ready() {
            return Ok(true);
        }
        sleep(Duration::from_millis(50));
    }
    Ok(false)
}

/// Ends all processes of the cluster: those in the state file and those with its mark. etcd ends
/// last, so that the others do not log errors. Returns true if any process ran.
pub fn terminate(home: &Home, grace: Duration) -> bool {
    let state = State::load(home);
    let mut recorded = state.map(|state| state.processes).unwrap_or_default();
    let etcd = recorded.remove(&Component::Etcd);
    let mut processes: Vec<Process> = recorded.into_values().filter(Process::is_alive).collect();
    let marked = process::marked(MARK, &home.dir);
    let more = marked
        .into_iter()
        .filter(|found| Some(found) != etcd.as_ref());
    processes.extend(more);
    let etcd: Vec<Process> = etcd.into_iter().filter(Process::is_alive).collect();
    process::end(&processes, grace);
    process::end(&etcd, grace);
    !processes.is_empty() || !etcd.is_empty()
}

fn prepare(home: &Home) -> Result<()> {
    private::create_dir(&home.dir)?;
    private::create_dir(&home.logs())?;
    private::create_dir(&home.data())?;
    pki::ensure(&home.pki())?;
    private::write(&home.dir.join("audit-policy.yaml"), AUDIT_POLICY)?;
    Ok(private::write(&home.dir.join("kwok.yaml"), KWOK_CONFIG)?)
}

/// Removes everything except the lock and the state file, which contains the ports.
fn wipe(home: &Home) -> Result<()> {
    for dir in [home.data(), home.logs(), home.pki()] {
        remove(&dir)?;
    }
    Ok(())
}

fn is_port_taken(error: &Error) -> bool {
    match error {
        Error::Died { log, .. } => reads(log, "address already in use"),
        _ => false,
    }
}

fn reads(log: &Path, text: &str) -> bool {
    fs::read(log).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text))
}
