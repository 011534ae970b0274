//! The operator's program, and the client that forwards its requests to the API server.

use std::ffi::OsString;
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;

use kube::Client;

use super::ControlPlane;
use super::version::OperatorSource;
use crate::client::{Error, connect};
use crate::dev::OperatorManifests;
use crate::error::Io;
use crate::ops::Result;
use crate::session::Session;
use crate::torture::{Environment, Program, Upstream};

/// The number of the first run of the original in a comparison.
const ORIGINALS: usize = 50_000;

impl ControlPlane<'_> {
    /// Returns the environment for the original operator, which the project's operator, called the
    /// rewrite, replaces. It is a copy of `environment`, that of the rewrite, but with full
    /// permissions. `command` is the original's program and arguments.
    pub async fn original(
        &self,
        environment: &Environment,
        command: &[OsString],
    ) -> Result<Environment> {
        let admin = self.cluster.kubeconfig();
        let text = fs::read_to_string(&admin).map_err(Io::on("read", &admin))?;
        let (path, arguments) = command
            .split_first()
            .map_or((None, &[][..]), |(path, rest)| (Some(path), rest));
        Ok(Environment {
            cluster_view: environment.cluster_view.clone(),
            upstream: Upstream {
                operator: client_of(&admin).await?,
                admin: environment.upstream.admin.clone(),
                kinds: environment.upstream.kinds.clone(),
            },
            program: Program {
                path: path.map(PathBuf::from).unwrap_or_default(),
                arguments: arguments.to_vec(),
                kubeconfig: serde_yaml::from_str(&text).unwrap_or_default(),
                ..environment.program.clone()
            },
            election: Vec::new(),
            own: environment.own.clone(),
            scoped: environment.scoped,
            isolates_network: environment.isolates_network.clone(),
            dir: self.scratch.clone(),
            roles: Vec::new(),
            interrupt: environment.interrupt.clone(),
            // Namespaces are named after the number of the run: the two operators must not share
            // one.
            runs: AtomicUsize::new(ORIGINALS),
            operators: environment.operators.clone(),
        })
    }

    /// Returns the arguments with which the Deployment of a generated project turns leader election
    /// on. Empty for operators without rustop's runtime.
    pub(super) fn election(&self, deployed: &OperatorManifests) -> Vec<OsString> {
        if !self.has_runtime() {
            return Vec::new();
        }
        let further = deployed.election.iter().map(OsString::from);
        iter::once("--leader-elect".into()).chain(further).collect()
    }

    /// Returns the command line of the operator: its arguments and environment variables, and the
    /// kubeconfig whose server each run replaces.
    pub(super) fn program(
        &self,
        session: &Session,
        deployed: &OperatorManifests,
        kubeconfig: &Path,
    ) -> Result<Program> {
        let text = fs::read_to_string(kubeconfig).map_err(Io::on("read", kubeconfig))?;
        let kubeconfig = serde_yaml::from_str(&text).unwrap_or_default();
        let marks = [self.cluster.mark(), self.hold.mark()];
        let mut environment: Vec<(OsString, OsString)> = marks
            .iter()
            .map(|(name, path)| ((*name).into(), (*path).into()))
            .collect();
        let (arguments, dir) = match (&self.source, self.adopted()) {
            (OperatorSource::Own(_), Some(adopted)) => {
                let command_line = adopted.command_line(session, &self.scratch, None)?;
                environment.extend(
                    command_line
                        .environment
                        .into_iter()
                        .map(|(name, value)| (name.into(), value.into())),
                );
                let arguments = command_line.arguments.into_iter().map(OsString::from);
                (arguments.collect(), command_line.dir)
            }
            (OperatorSource::Own(_), None) => {
                let arguments = ["--health-probe-bind-address=0", "--metrics-bind-address=0"];
                (arguments.map(OsString::from).to_vec(), None)
            }
            (OperatorSource::External(external), _) => (external.command[1..].to_vec(), None),
        };
        if self.adopted().is_none() {
            let settings = [
                ("LOG_FORMAT", "text"),
                ("POD_NAME", "rustop-torture"),
                ("POD_NAMESPACE", &deployed.namespace),
                ("TERMINATION_GRACE_PERIOD_SECONDS", "5"),
                ("WEBHOOK_PORT", "0"),
            ];
            environment.extend(settings.map(|(name, value)| (name.into(), value.into())));
        }
        Ok(Program {
            path: self.built.binary.clone(),
            arguments,
            environment,
            kubeconfig,
            namespaced: self.is_namespaced(),
            dir,
            namespace: self
                .adopted()
                .filter(|adopted| adopted.is_limited_to_its_namespace())
                .map(|_| deployed.namespace.clone()),
        })
    }
}

/// Returns the client that forwards the operator's requests as the user of a kubeconfig. The
/// operator may not authenticate itself: client-go sends no credentials over plain HTTP.
pub(super) async fn client_of(kubeconfig: &Path) -> Result<Client> {
    let (_, mut config) = connect(Some(kubeconfig)).await?;
    config.read_timeout = None;
    Ok(Client::try_from(config).map_err(Error::unusable(kubeconfig))?)
}
