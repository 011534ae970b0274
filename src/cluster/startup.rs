//! Starts the programs of a control plane in an order that wastes no time, and waits until it is of use.

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

/// Long enough for a machine that is busy with other things.
const LIMIT: Duration = Duration::from_secs(90);
const PAUSE: Duration = Duration::from_millis(20);

/// A control plane that is being started.
pub struct Startup<'a> {
    /// Its directory.
    pub home: &'a Home,
    /// What was started so far.
    pub state: &'a mut State,
    /// A signal ends it.
    pub interrupt: &'a Interrupt,
    /// Says with `-v` how long each step took.
    pub terminal: Terminal,
}

impl Startup<'_> {
    /// Starts `components`, each as soon as what it needs is there: the API server waits a full second if
    /// etcd is not, the controllers end if it takes the API server long to be ready, and KWOK must not see
    /// the leases of the last time, or it lets them run out first. Returns the version of the API server
    /// when that is ready, as many nodes as were asked for take pods, and the default service account
    /// exists, as far as `components` provide for it.
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
            self.until("kube-controller-manager made no ServiceAccount", || {
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
