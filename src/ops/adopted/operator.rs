//! The adopted operator as `rustop dev` and `rustop torture` run it: its manifests, its program and
//! its samples.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use kube::api::DynamicObject;
use serde_json::Value;

use super::super::{Refusal, Result, code_permissions};
use super::{Built, command_result, generate, warn_if_only_in_cluster};
use crate::adopted::deploy::{self, GrantedRule, Installation, Pod, Rendered, Workload};
use crate::adopted::detect::Repository;
use crate::adopted::{self, Config, copies, crds};
use crate::dev::{self, LocalWebhooks, OperatorManifests, PlainCommandLine};
use crate::error::Io;
use crate::page::ProjectKind;
use crate::rbac::rule::Rule;
use crate::rbac::{Notation, ObservedRequests, Report};
use crate::session::Session;

/// Namespaces that every cluster has.
const USUAL_NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// An operator with a `rustop.yaml`.
#[derive(Debug)]
pub struct Adopted {
    /// The settings in `rustop.yaml`.
    pub config: Config,
    dir: PathBuf,
    /// All objects of the manifests.
    objects: Vec<Rendered>,
    /// The Deployment or other workload of the manifests that runs the operator.
    pub workload: Workload,
    /// The rules of all roles that are bound to the workload's ServiceAccount.
    granted: Vec<GrantedRule>,
    /// The parts of the workload's pod that the operator gets on this machine: arguments, variables
    /// and volumes.
    pod: Pod,
    /// The kinds that controllers in the code reconcile, each as its group and plural; read when
    /// first needed.
    reconciled: OnceLock<BTreeSet<(String, String)>>,
}

impl Adopted {
    /// Reads `rustop.yaml` and renders the manifests.
    ///
    /// # Errors
    /// Returns an error if `rustop.yaml` has no program or no manifests, or if the manifests do not
    /// render.
    pub fn load(session: &Session) -> Result<Self> {
        let dir = &session.dir;
        let config = Config::load(dir)?;
        if config.operator.command.is_empty() {
            return Err(adopted::Error::NoProgram.into());
        }
        let deploy = config.deploy.as_ref().ok_or(Refusal::NoDeploy)?;
        let objects = deploy::objects(dir, deploy, &config.project_name)?;
        let workload = deploy::workload(&config, &objects)?;
        Ok(Self {
            granted: deploy::rules(&objects, &workload),
            pod: Pod::new(&workload, &objects, &config.operator.env),
            dir: std::path::absolute(dir).map_err(Io::on("find", dir))?,
            config,
            objects,
            workload,
            reconciled: OnceLock::new(),
        })
    }

    /// Returns the path of the operator's program. `target` is the directory for build results if
    /// it is not the default one.
    fn binary(&self, target: Option<&Path>) -> PathBuf {
        let of_environment = || std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        let target = target.map(Path::to_owned).or_else(of_environment);
        located(&self.dir, &self.config.operator.command[0], target)
    }

    /// Runs the build command and the CRD command.
    ///
    /// # Errors
    /// Returns an error if a command fails.
    pub fn build(&self, session: &Session) -> Result<Built> {
        if let Some(line) = &self.config.operator.build {
            session.terminal.status("Building", line);
            command_result(crds::build(
                &self.dir,
                line,
                session.target(),
                session.interrupt(),
            ))?;
        }
        let binary = self.binary(session.target());
        warn_if_only_in_cluster(session, &Repository::read(&self.dir));
        if !is_program(&binary, std::env::var_os("PATH").as_deref()) {
            return Err(adopted::Error::ProgramNotFound { program: binary }.into());
        }
        let generated = generate(session, &self.config)?;
        Ok(Built {
            binary,
            crds: generated.crds,
        })
    }

    /// Selects the objects to apply. CRDs that the build generated take precedence over copies.
    fn installation(&self, built: &Built) -> Result<Installation> {
        let copies = copies::read(&self.dir, &self.config)?;
        let copies: Vec<Value> = copies
            .into_iter()
            .filter(|it| !it.is_templated)
            .map(|it| it.crd)
            .collect();
        Ok(Installation::new(
            &self.objects,
            &self.workload,
            &built.crds,
            &copies,
        ))
    }

    /// Returns the port on which the operator serves webhooks with a certificate of rustop's.
    /// `None` if it has no webhooks, or if rustop does not know how to give it a certificate.
    pub fn webhook_port(&self, built: &Built) -> Option<u16> {
        let port = self.installation(built).ok()?.webhook_port?;
        self.pod.takes_certificate().then_some(port)
    }

    /// Returns the objects to apply: the CRDs, and the manifests without workloads. Warns about
    /// what the operator does not get.
    ///
    /// # Errors
    /// Returns an error if the samples cannot be read.
    pub fn operator_manifests(
        &self,
        session: &Session,
        built: &Built,
    ) -> Result<OperatorManifests> {
        let installation = self.installation(built)?;
        for object in &installation.left_out {
            session.terminal.detail(format_args!(
                "{object} is not applied: rustop runs one program"
            ));
        }
        for note in &self.pod.notes {
            let name = &self.workload.name;
            session
                .terminal
                .warning(format_args!("`{name}` runs without {note}"));
        }
        let mut objects: Vec<DynamicObject> = dynamic(installation.objects);
        let has_port = self.webhook_port(built).is_some();
        if !has_port && LocalWebhooks::leave_out(&mut objects) {
            session.terminal.warning(
                "webhooks are not called: no volume of the operator's container takes their certificate",
            );
        }
        let samples = self.samples()?;
        let namespaces: BTreeSet<_> = samples
            .iter()
            .filter_map(|it| it.metadata.namespace.as_deref())
            .filter(|name| !USUAL_NAMESPACES.contains(name))
            .collect();
        let has = |name: &str| {
            objects
                .iter()
                .chain(&samples)
                .any(|it| dev::kind(it) == "Namespace" && it.metadata.name.as_deref() == Some(name))
        };
        let missing: Vec<_> = namespaces
            .into_iter()
            .filter(|name| !has(name))
            .map(|name| {
                serde_json::json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
            })
            .collect();
        objects.extend(dynamic(missing));
        Ok(OperatorManifests {
            objects,
            namespace: self.workload.namespace.clone(),
            service_account: self.workload.service_account.clone(),
            election: Vec::new(),
        })
    }

    /// Returns the samples. Those without a namespace get the operator's if all of its rules are
    /// for it, and `default` if not.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    pub fn samples(&self) -> Result<Vec<DynamicObject>> {
        let namespace = if self.is_limited_to_its_namespace() {
            &self.workload.namespace
        } else {
            "default"
        };
        let files = deploy::files(&self.dir, &self.config.samples, "samples")?;
        let objects = files.into_iter().map(|it| it.object);
        let mut samples = dynamic(objects.filter(|it| it["metadata"]["name"].is_string()));
        for sample in &mut samples {
            if dev::kind(sample) != "Namespace" {
                sample
                    .metadata
                    .namespace
                    .get_or_insert_with(|| namespace.to_owned());
            }
        }
        Ok(samples)
    }

    /// Returns the files of the samples.
    pub fn sample_files(&self, session: &Session) -> Vec<PathBuf> {
        let files = adopted::expanded(&self.dir, &self.config.samples);
        files.into_iter().map(|it| session.dir.join(it)).collect()
    }

    /// Reports whether a controller of the operator reconciles a kind of the CRDs in `deployed`. If
    /// the code does not tell, every kind of the CRDs counts.
    pub fn has_controller(&self, group: &str, kind: &str, deployed: &[DynamicObject]) -> bool {
        let own = kinds(deployed);
        let Some(found) = own.iter().find(|it| it.group == group && it.kind == kind) else {
            return false;
        };
        let reconciled = self.reconciled.get_or_init(|| {
            let reconciled =
                code_permissions::reconciled_kinds(&self.dir, &self.config, &self.workload);
            let is_own = |it: &(String, String)| {
                own.iter()
                    .any(|kind| kind.group == it.0 && kind.plural == it.1)
            };
            reconciled.into_iter().filter(is_own).collect()
        });
        reconciled.is_empty() || reconciled.contains(&(found.group.clone(), found.plural.clone()))
    }

    /// Writes the files of the operator's volumes below `dir`, and returns its arguments, variables
    /// and working directory. `webhooks` provides the certificate of the webhook server; `None` if
    /// no webhooks are called.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written.
    pub fn command_line(
        &self,
        session: &Session,
        dir: &Path,
        webhooks: Option<&LocalWebhooks>,
    ) -> Result<PlainCommandLine> {
        let certificate = webhooks.map(LocalWebhooks::certificate);
        let placed = self.pod.place(&dir.join("volumes"), certificate)?;
        for (path, here) in &placed.unnamed {
            session.terminal.warning(format_args!(
                "the operator's container mounts `{path}`, but no argument and no variable contains this path: \
                 the files are in {} instead",
                here.display()
            ));
        }
        Ok(PlainCommandLine {
            arguments: placed.arguments,
            environment: placed.environment,
            dir: Some(self.dir.clone()),
        })
    }

    /// Reports whether all rules of the operator are for its own namespace.
    pub fn is_limited_to_its_namespace(&self) -> bool {
        let own = Some(&self.workload.namespace);
        !self.granted.is_empty() && self.granted.iter().all(|it| it.namespace.as_ref() == own)
    }

    /// Reports whether a rule of the operator names `leases`, whatever its group and verbs are.
    pub fn elects_leader(&self) -> bool {
        let is_lease =
            |names: &Option<Vec<String>>| names.iter().flatten().any(|it| it == "leases");
        self.granted.iter().any(|it| is_lease(&it.rule.resources))
    }

    /// Reports whether several instances of the operator cannot run at the same time, because its
    /// container has fixed ports.
    pub fn has_fixed_ports(&self) -> bool {
        !self.workload.ports().is_empty()
    }

    /// Reports whether an audit log has requests of the operator.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    pub fn has_requests_in(&self, log: &Path) -> Result<bool> {
        Ok(ObservedRequests::read(log, &self.workload.user(), 0)? != ObservedRequests::default())
    }

    /// Compares the requests in an audit log, from the byte `from` on, with the rules of the
    /// operator's roles. Reports unused rules only if `is_proven` is set: a run that did not get
    /// far enough does not show which rules are needed.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    pub fn report(&self, log: &Path, from: u64, is_proven: bool) -> Result<Report> {
        let observed = ObservedRequests::read(log, &self.workload.user(), from)?;
        let rules: Vec<Rule> = self
            .granted
            .iter()
            .map(|it| code_permissions::rule(&it.rule, it.namespace.clone()))
            .collect();
        let mut report = Report::new(&observed, &rules, Notation::Rule, |group, resource| {
            code_permissions::role(&self.granted, group, resource).map_or_else(
                || adopted::FILE.to_owned(),
                |role| role.file.display().to_string(),
            )
        });
        if is_proven {
            report.look_for_unused(&observed, &rules, &[]);
        }
        Ok(report)
    }
}

/// Reports whether a program exists: at its path or, if it is only a name, in a directory of
/// `PATH`.
fn is_program(program: &Path, path: Option<&OsStr>) -> bool {
    if program.components().count() > 1 {
        return program.is_file();
    }
    let mut dirs = path.into_iter().flat_map(std::env::split_paths);
    dirs.any(|dir| dir.join(program).is_file())
}

/// Returns the path of a program. `target` is cargo's directory for build results if it is not the
/// default one.
fn located(dir: &Path, program: &str, target: Option<PathBuf>) -> PathBuf {
    let built = program
        .split_once("target/")
        .filter(|(above, _)| above.is_empty() || above.ends_with('/'));
    match (built, target) {
        (Some((_, inside)), Some(target)) => dir.join(target).join(inside),
        _ if program.contains('/') => dir.join(program),
        _ => program.into(),
    }
}

/// Converts the values that are Kubernetes objects, and drops others.
fn dynamic(values: impl IntoIterator<Item = Value>) -> Vec<DynamicObject> {
    let objects = values
        .into_iter()
        .filter_map(|value| serde_json::from_value(value).ok());
    objects.collect()
}

/// Returns the kinds that the CRDs among objects define. Their `controller` is `None`, since
/// manifests do not name controllers.
pub fn kinds(objects: &[DynamicObject]) -> Vec<ProjectKind> {
    let crds = objects
        .iter()
        .filter(|it| dev::kind(it) == "CustomResourceDefinition");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    crds.map(|crd| {
        let spec = &crd.data["spec"];
        ProjectKind {
            group: text(&spec["group"]),
            kind: text(&spec["names"]["kind"]),
            plural: text(&spec["names"]["plural"]),
            controller: None,
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_program_is_in_the_directory_of_cargo() {
        let located = |program: &str, target: Option<&str>| {
            located(Path::new("/repo"), program, target.map(PathBuf::from))
                .display()
                .to_string()
        };
        assert_eq!(located("target/debug/x", None), "/repo/target/debug/x");
        assert_eq!(located("target/debug/x", Some("/t")), "/t/debug/x");
        assert_eq!(located("a/target/debug/x", Some("t")), "/repo/t/debug/x");
        assert_eq!(located("bin/manager", Some("/t")), "/repo/bin/manager");
        assert_eq!(located("python3", Some("/t")), "python3");
    }

    #[test]
    fn a_program_is_a_file_or_a_name_in_path() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("op.py"), "").unwrap();
        let path = Some(dir.path().as_os_str());
        assert!(is_program(&dir.path().join("op.py"), None));
        assert!(!is_program(&dir.path().join("none.py"), path));
        assert!(is_program(Path::new("op.py"), path));
        assert!(!is_program(Path::new("none.py"), path));
        assert!(!is_program(Path::new("op.py"), None));
    }
}
