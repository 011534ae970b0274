//! Starts the programs of a control plane in the fastest order, and waits until the control plane
//! is ready.

use std::net::TcpStream;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use k8s_openapi::jiff::Timestamp;

use super::client::Client;
use super::component::Component;
use super::control_plane;
use super::error::{Error, Result};
use super::nodes;
use super::process::{Process, last_lines};
use super::state::{Home, State};
use crate::interrupt::Interrupt;
use crate::terminal::Terminal;

/// Time limit for the control plane to become ready. It allows for a busy machine.
const LIMIT: Duration = Duration::from_secs(90);
/// Interval between checks of a condition.
const PAUSE: Duration = Duration::from_millis(20);

/// A control plane that is being started.
pub struct Startup<'a> {
    /// The directory of the cluster, whose lock the caller holds.
    pub home: &'a Home,
    /// The state file's content, with the processes that were started.
    pub state: &'a mut State,
    /// A signal here ends the startup.
    pub interrupt: &'a Interrupt,
    /// Prints the time of each step with `-v`.
    pub terminal: Terminal,
}

impl Startup<'_> {
    /// Starts `components`, each as soon as its dependencies are ready. If etcd were not ready, the
    /// API server would wait for a second; if the API server were not ready for long, the
    /// controllers would exit; and if KWOK saw the leases of the previous start, it would let them
    /// expire first. Returns the version of the API server as soon as it is ready, the requested
    /// number of nodes accepts Pods, and the default service account exists, as far as `components`
    /// create these.
    pub fn run(&mut self, components: &[Component]) -> Result<String> {
        let since = Timestamp::now();
        let wanted = |component| components.contains(&component);
        let alone = !wanted(Component::ControllerManager);

        self.spawn(Component::Etcd, alone)?;
        let etcd = self.state.ports.etcd;
        self.until("etcd does not listen", || {
            Ok(TcpStream::connect(("127.0.0.1", etcd)).is_ok())
        })?;
        self.spawn(Component::ApiServer, alone)?;
        let client = Client::new(self.home, self.state.server())?;
        self.until("kube-apiserver is not ready", || Ok(client.is_ready()))?;
        for component in [Component::ControllerManager, Component::Scheduler] {
            if wanted(component) {
                self.spawn(component, alone)?;
            }
        }
        let version = client.get("/version")?.unwrap_or_default();
        let version = version["gitVersion"].as_str().unwrap_or_default();
        if wanted(Component::Kwok) {
            nodes::ensure(&client, self.state.nodes, version)?;
            self.spawn(Component::Kwok, alone)?;
        }
        if !alone {
            let account = "/api/v1/namespaces/default/serviceaccounts/default";
            self.until("kube-controller-manager created no ServiceAccount", || {
                Ok(client.get(account)?.is_some())
            })?;
        }
        if wanted(Component::Kwok) {
            let nodes = self.state.nodes;
            self.until("no node is ready", || {
                Ok(nodes::ready(&client, since)? >= nodes)
            })?;
        }
        Ok(version.trim_start_matches('v').to_owned())
    }

    fn spawn(&mut self, component: Component, alone: bool) -> Result<()> {
        control_plane::spawn(self.home, self.state, component, alone)
    }

    /// Waits until `done` returns true. `missing` describes the state until then, for messages.
    /// Returns an error after [`LIMIT`], or if a program ends.
    fn until(&self, missing: &str, mut done: impl FnMut() -> Result<bool>) -> Result<()> {
        let start = Instant::now();
        loop {
            self.interrupt.check()?;
            self.all_alive()?;
            if done()? {
                let waited = start.elapsed().as_secs_f32();
                self.terminal
                    .detail(format!("waited {waited:.1} s while {missing}"));
                return Ok(());
            }
            if start.elapsed() > LIMIT {
                return Err(Error::NotReady {
                    seconds: LIMIT.as_secs(),
                    missing: missing.into(),
                    logs: self.home.logs(),
                });
            }
            sleep(PAUSE);
        }
    }

    fn all_alive(&self) -> Result<()> {
        let mut processes = self.state.processes.iter();
        match processes.find(|(_, process)| !Process::is_alive(process)) {
            Some((component, _)) => Err(died(*component, &self.home.log(component.program()))),
            None => Ok(()),
        }
    }
}

fn died(component: Component, log: &Path) -> Error {
    Error::Died {
        program: component.program(),
        log: log.into(),
        last: last_lines(log, 5),
    }
}
