//! What a control plane is made of: one table, one row per program.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::net::TcpListener;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::assets::Assets;
use super::error::{Error, Result};
use super::process::{Detached, Process};
use super::state::{Home, Ports, State};

/// A program of the control plane, in the order in which they start.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Component {
    /// The database.
    Etcd,
    /// The API server.
    #[serde(rename = "kube-apiserver")]
    ApiServer,
    /// The controllers: deployments, replica sets, garbage collection and so on.
    #[serde(rename = "kube-controller-manager")]
    ControllerManager,
    /// The scheduler.
    #[serde(rename = "kube-scheduler")]
    Scheduler,
    /// KWOK: nodes without a machine, pods without a process.
    Kwok,
}

impl Component {
    /// The name of its program.
    pub fn program(self) -> &'static str {
        self.row().program
    }

    /// Whether an API server alone does without it.
    fn is_controller(self) -> bool {
        !matches!(self, Self::Etcd | Self::ApiServer)
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize].1
    }
}

struct Row {
    program: &'static str,
    /// `{etcd}`, `{peer}` and `{api}` are ports. Files are in the directory of the cluster, in which it runs.
    arguments: &'static [&'static str],
}

/// Every listener is on 127.0.0.1 and asks for a certificate; the others do not listen at all.
const TABLE: [(Component, Row); 5] = [
    (
        Component::Etcd,
        Row {
            program: "etcd",
            arguments: &[
                "--name=rustop",
                "--data-dir=etcd",
                // The data of a cluster on a desk need not survive a power cut, and syncing costs seconds.
                "--unsafe-no-fsync",
                "--listen-client-urls=https://127.0.0.1:{etcd}",
                "--advertise-client-urls=https://127.0.0.1:{etcd}",
                "--listen-peer-urls=https://127.0.0.1:{peer}",
                "--initial-advertise-peer-urls=https://127.0.0.1:{peer}",
                "--initial-cluster=rustop=https://127.0.0.1:{peer}",
                "--cert-file=pki/etcd.crt",
                "--key-file=pki/etcd.key",
                "--client-cert-auth",
                "--trusted-ca-file=pki/etcd-ca.crt",
                "--peer-cert-file=pki/etcd.crt",
                "--peer-key-file=pki/etcd.key",
                "--peer-client-cert-auth",
                "--peer-trusted-ca-file=pki/etcd-ca.crt",
                "--log-level=warn",
            ],
        },
    ),
    (
        Component::ApiServer,
        Row {
            program: "kube-apiserver",
            arguments: &[
                "--bind-address=127.0.0.1",
                "--secure-port={api}",
                "--advertise-address=127.0.0.1",
                // Nothing runs inside of the cluster that would look for the Service `kubernetes`.
                "--endpoint-reconciler-type=none",
                "--etcd-servers=https://127.0.0.1:{etcd}",
                "--etcd-cafile=pki/etcd-ca.crt",
                "--etcd-certfile=pki/etcd-client.crt",
                "--etcd-keyfile=pki/etcd-client.key",
                "--tls-cert-file=pki/kube-apiserver.crt",
                "--tls-private-key-file=pki/kube-apiserver.key",
                "--client-ca-file=pki/ca.crt",
                "--authorization-mode=RBAC",
                "--anonymous-auth=true",
                "--allow-privileged=true",
                "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
                "--service-account-key-file=pki/service-account.pub",
                "--service-account-signing-key-file=pki/service-account.key",
                "--service-cluster-ip-range=10.0.0.0/16",
                "--audit-policy-file=audit-policy.yaml",
                "--audit-log-path=logs/audit.log",
                // One file, so that a report reads all of it.
                "--audit-log-maxsize=0",
                "--profiling=false",
            ],
        },
    ),
    (
        Component::ControllerManager,
        Row {
            program: "kube-controller-manager",
            arguments: &[
                "--kubeconfig=kube-controller-manager.kubeconfig",
                "--controllers=*",
                "--use-service-account-credentials=true",
                "--service-account-private-key-file=pki/service-account.key",
                "--root-ca-file=pki/ca.crt",
                "--cluster-signing-cert-file=pki/ca.crt",
                "--cluster-signing-key-file=pki/ca.key",
                // Forty controllers start at once, and each asks for a token first.
                "--kube-api-qps=500",
                "--kube-api-burst=1000",
                "--leader-elect=false",
                "--secure-port=0",
                "--profiling=false",
            ],
        },
    ),
    (
        Component::Scheduler,
        Row {
            program: "kube-scheduler",
            arguments: &[
                "--kubeconfig=kube-scheduler.kubeconfig",
                "--leader-elect=false",
                "--secure-port=0",
                "--profiling=false",
            ],
        },
    ),
    (
        Component::Kwok,
        Row {
            program: "kwok",
            arguments: &[
                "--kubeconfig=kwok.kubeconfig",
                "--config=kwok.yaml",
                "--manage-all-nodes=true",
                "--node-lease-duration-seconds=40",
                "--cidr=10.244.0.0/16",
            ],
        },
    ),
];

/// Which programs of `assets` run: all of them, or only etcd and the API server.
pub fn components(assets: &Assets, controllers: bool) -> Vec<Component> {
    let controllers = controllers && assets.has_controllers();
    TABLE
        .iter()
        .map(|(component, _)| *component)
        .filter(|component| {
            !component.is_controller() || (controllers && assets.get(component.program()).is_some())
        })
        .collect()
}

/// Starts `component` and writes it down at once.
pub fn spawn(home: &Home, state: &mut State, component: Component, alone: bool) -> Result<()> {
    let mut arguments = arguments(component, state.ports);
    if component == Component::ApiServer && alone {
        // It would refuse every Pod whose ServiceAccount no controller has made.
        arguments.push("--disable-admission-plugins=ServiceAccount".into());
    }
    let child = Detached {
        program: &state.assets.dir.join(component.program()),
        arguments: &arguments,
        cluster: &home.dir,
        log: &home.log(component.program()),
    }
    .spawn()?;
    // One that ended already is written down as well, so that it is missed.
    let process = Process::with_pid(child.id()).unwrap_or_else(|| Process::ended(child.id()));
    state.processes.insert(component, process);
    state.save(home)
}

fn arguments(component: Component, ports: Ports) -> Vec<String> {
    let values = BTreeMap::from([
        ("{etcd}", ports.etcd.to_string()),
        ("{peer}", ports.peer.to_string()),
        ("{api}", ports.api.to_string()),
    ]);
    let fill = |argument: &&str| {
        values
            .iter()
            .fold((*argument).to_owned(), |text, (name, value)| {
                text.replace(name, value)
            })
    };
    component.row().arguments.iter().map(fill).collect()
}

/// Below the ports that systems give to outgoing connections, which come and go at any moment.
const PORTS: RangeInclusive<u16> = 20_000..=29_999;

/// Three free ports, those of `before` where they are free again: kubeconfigs in use stay right.
pub fn free_ports(before: Option<Ports>) -> Result<Ports> {
    let find = |wanted: Option<u16>| {
        let listener = listen(wanted)?;
        Ok((listener.local_addr()?.port(), listener))
    };
    let find = |wanted| find(wanted).map_err(Error::Port);
    // Each is held until the last is found, so that no two are the same.
    let (etcd, _etcd) = find(before.map(|ports| ports.etcd))?;
    let (peer, _peer) = find(before.map(|ports| ports.peer))?;
    let (api, _api) = find(before.map(|ports| ports.api))?;
    Ok(Ports { etcd, peer, api })
}

/// On `wanted`, or on one of [`PORTS`], or, if there is no luck at all, wherever the system likes.
fn listen(wanted: Option<u16>) -> io::Result<TcpListener> {
    let count = u64::from(*PORTS.end() - *PORTS.start()) + 1;
    let random = || RandomState::new().build_hasher().finish() % count;
    let tries =
        std::iter::repeat_with(|| *PORTS.start() + u16::try_from(random()).unwrap_or(0)).take(100);
    let mut candidates = wanted.into_iter().chain(tries).chain([0]).peekable();
    loop {
        let port = candidates.next().unwrap_or(0);
        match TcpListener::bind(("127.0.0.1", port)) {
            Err(_) if candidates.peek().is_some() => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_components() {
        for (index, (component, _)) in TABLE.iter().enumerate() {
            assert_eq!(*component as usize, index);
        }
    }

    #[test]
    fn ports_are_used_again_where_they_are_free() {
        let first = free_ports(None).unwrap();
        let taken = TcpListener::bind(("127.0.0.1", first.api)).unwrap();
        let second = free_ports(Some(first)).unwrap();
        assert_eq!((second.etcd, second.peer), (first.etcd, first.peer));
        assert_ne!(second.api, first.api);
        drop(taken);
    }
}
