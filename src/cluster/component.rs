//! The programs of a control plane: one table, one row per program.

use serde::{Deserialize, Serialize};

/// A program of the control plane, in the order in which they start.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Component {
    /// The database.
    Etcd,
    #[serde(rename = "kube-apiserver")]
    ApiServer,
    /// The controllers: deployments, replica sets, garbage collection and so on.
    #[serde(rename = "kube-controller-manager")]
    ControllerManager,
    #[serde(rename = "kube-scheduler")]
    Scheduler,
    /// KWOK: nodes without a machine, pods without a process.
    Kwok,
}

impl Component {
    /// Returns the name of its program.
    pub fn program(self) -> &'static str {
        self.row().program
    }

    /// Returns true if an API server can run without it.
    pub fn is_controller(self) -> bool {
        !matches!(self, Self::Etcd | Self::ApiServer)
    }

    /// Returns the arguments of its program, with the names of ports in braces.
    pub fn arguments(self) -> &'static [&'static str] {
        self.row().arguments
    }

    /// Returns all components, in the order in which they start.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|(component, _)| *component)
    }

    fn row(self) -> &'static ComponentRow {
        &TABLE[self as usize].1
    }
}

struct ComponentRow {
    program: &'static str,
    /// `{etcd}`, `{peer}` and `{api}` are ports. Files are in the directory of the cluster, in
    /// which it runs.
    arguments: &'static [&'static str],
}

/// Every listener is on 127.0.0.1 and asks for a certificate; the others do not listen at all.
const TABLE: [(Component, ComponentRow); 5] = [
    (
        Component::Etcd,
        ComponentRow {
            program: "etcd",
            arguments: &[
                "--name=rustop",
                "--data-dir=etcd",
                // The data of a cluster on a desk need not survive a power cut, and syncing costs
                // seconds.
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
        ComponentRow {
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
                // No rotation, so that a report finds all requests in one file.
                "--audit-log-maxsize=0",
                "--profiling=false",
            ],
        },
    ),
    (
        Component::ControllerManager,
        ComponentRow {
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
        ComponentRow {
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
        ComponentRow {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_components() {
        for (index, (component, _)) in TABLE.iter().enumerate() {
            assert_eq!(*component as usize, index);
        }
    }
}
