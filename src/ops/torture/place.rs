//! Where an operator is tortured: a control plane of its own, with what it needs installed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use kube::api::DynamicObject;
use kube::config::AuthInfo;
use kube::{Client, Config};
use serde_json::{Value, json};

use super::deputy::{self, Deputy};
use super::foreign::{Foreign, read};
use super::schemas::schemas;
use crate::cargo;
use crate::client;
use crate::cluster::{self, Cluster, Dirs, Hold, StartOptions};
use crate::dev::{self, Deployed, Host, Launch, Webhooks};
use crate::error::Io;
use crate::ops::{Result, imported, manifests};
use crate::project::Project;
use crate::session::Session;
use crate::torture::{self, Kinds, Program, Sample, Stage, Upstream, World, Written};

/// The number of the first run of an operator that stands beside the project's.
const ORIGINALS: usize = 50_000;

/// A control plane, and an operator that was built.
#[derive(Debug)]
pub struct Place<'a> {
    foreign: Option<&'a Foreign>,
    project: Option<Project>,
    hold: Hold,
    name: String,
    cluster: Cluster,
    binary: PathBuf,
    /// For what does not last: with the control plane's own files, so that each run finds what one that was
    /// killed left.
    scratch: PathBuf,
    /// Who answers for the webhooks.
    deputy: Option<Deputy>,
}

impl<'a> Place<'a> {
    /// Starts the control plane and builds the operator, both at once.
    pub fn take(session: &Session, foreign: Option<&'a Foreign>, dirs: &Dirs) -> Result<Self> {
        let interrupt = session.interrupt();
        let project = match foreign {
            Some(foreign) => {
                foreign.check()?;
                None
            }
            None => Some(Project::load(&session.dir)?),
        };
        let name = cluster::name_of_project("torture", &session.dir)?;
        let mut hold = Hold::take(dirs, &name, interrupt, session.terminal)?;
        if project.is_some() {
            manifests::write(session)?;
        }
        hold.ends_cluster()?;
        let start = StartOptions {
            name: name.clone(),
            fresh: true,
            install: true,
            ..StartOptions::default()
        };
        let (cluster, binary) = std::thread::scope(|scope| {
            let cluster = scope.spawn(|| Cluster::start(dirs, &start, interrupt, session.terminal));
            let binary = match (&project, foreign) {
                (Some(project), _) => cargo::build(&session.dir, project.project_name.as_str()),
                (None, foreign) => Ok(foreign
                    .and_then(|foreign| foreign.command.first())
                    .map(PathBuf::from)
                    .unwrap_or_default()),
            };
            (
                cluster.join().expect("starting a cluster does not panic"),
                binary,
            )
        });
        let cluster = cluster?;
        let binary = match binary {
            Ok(binary) => binary,
            Err(error) => {
                Cluster::stop(dirs, &name)?;
                return Err(error.into());
            }
        };
        let place = Self {
            foreign,
            project,
            hold,
            name,
            scratch: cluster.dir().join("torture"),
            cluster,
            binary,
            deputy: None,
        };
        place.clear()?;
        fs::create_dir(&place.scratch).map_err(Io::on("create", &place.scratch))?;
        Ok(place)
    }

    /// Ends the control plane; nothing of it is of use to anybody.
    pub fn leave(mut self, session: &Session, dirs: &Dirs) -> Result<()> {
        self.deputy = None;
        session
            .terminal
            .detail(format_args!("stops cluster `{}`", self.name));
        Cluster::stop(dirs, &self.name)?;
        self.clear()?;
        Ok(self.hold.release()?)
    }

    /// Removes what does not last.
    fn clear(&self) -> Result<()> {
        match fs::remove_dir_all(&self.scratch) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Io::on("remove", &self.scratch)(error).into())
            }
            _ => Ok(()),
        }
    }

    /// Installs what the operator needs, and says what is done to it.
    pub async fn stage(
        &mut self,
        session: &Session,
        written: &[Written],
    ) -> Result<(Stage, Vec<Sample>)> {
        let admin = self.cluster.kubeconfig();
        let (client, config) = client::connect(Some(&admin)).await?;
        let deployed = self.deployed(session)?;
        let mut objects = deployed.objects.clone();
        if let Some(project) = &self.project {
            objects.extend(imported::foreign(&session.dir, project)?);
        }
        let webhooks = self.webhooks(session, &mut objects)?;
        let roles = self.roles(&objects);
        dev::apply(&client, objects.clone()).await?;
        let kubeconfig = if deployed.service_account.is_empty() {
            admin.clone()
        } else {
            dev::kubeconfig(&client, &admin, &deployed, &self.scratch).await?
        };
        if let Some(webhooks) = webhooks {
            deputy::keep_from_leading(&client, &deployed).await?;
            let deputy = self.deputize(session, &deployed, &kubeconfig, webhooks);
            self.deputy = Some(deputy.await?);
        }
        let kinds = Arc::new(Kinds::discover(&client).await?);
        let schemas = schemas(&deployed.objects);
        let (own, samples) = self.samples(session, &schemas, written)?;
        for sample in &samples {
            if kinds.of_object(&sample.object).is_none() {
                let kind = &sample.object["kind"];
                let resource = kind.as_str().unwrap_or_default().to_owned();
                return Err(torture::Error::NotServed { resource }.into());
            }
        }
        let scoped = samples.iter().all(|sample| {
            kinds
                .of_object(&sample.object)
                .is_some_and(|kind| kind.namespaced)
        });
        let own = own
            .iter()
            .filter_map(|object| kinds.resource_of(object))
            .collect();
        let stage = Stage {
            world: World::follow(&client, &kinds),
            upstream: Upstream {
                operator: operator(config, &admin, !deployed.service_account.is_empty())?,
                admin: client,
                kinds,
            },
            program: self.program(&deployed, &kubeconfig)?,
            own,
            scoped,
            dir: self.scratch.clone(),
            roles,
            interrupt: session.interrupt().clone(),
            runs: AtomicUsize::default(),
        };
        Ok((stage, samples))
    }

    /// Leads a project's webhooks here. Those of others are left out: how they are served is their own affair.
    fn webhooks(
        &self,
        session: &Session,
        objects: &mut Vec<DynamicObject>,
    ) -> Result<Option<Webhooks>> {
        if self.project.is_some() {
            return Ok(Webhooks::lead_here(objects, &Host::loopback())?);
        }
        if Webhooks::leave_out(objects) {
            session.terminal.warning(
                "the webhooks are not asked: objects are as the API server alone lets them be",
            );
        }
        Ok(None)
    }

    async fn deputize(
        &self,
        session: &Session,
        deployed: &Deployed,
        kubeconfig: &Path,
        webhooks: Webhooks,
    ) -> Result<Deputy> {
        let launch = Launch {
            kubeconfig,
            namespace: &deployed.namespace,
            watch_namespace: if self.is_namespaced() {
                &deployed.namespace
            } else {
                ""
            },
            probe: None,
            figures: None,
            webhooks: None,
            marks: vec![self.cluster.mark(), self.hold.mark()],
        };
        Deputy::start(&self.binary, launch, webhooks, session.interrupt()).await
    }

    /// Whether the operator watches one namespace only.
    fn is_namespaced(&self) -> bool {
        let project = self.project.as_ref();
        project.is_some_and(|project| project.namespaced)
    }

    /// The same stage with another operator on it, which may do everything.
    pub async fn original(&self, stage: &Stage, command: &[OsString]) -> Result<Stage> {
        let admin = self.cluster.kubeconfig();
        let (_, config) = client::connect(Some(&admin)).await?;
        let text = fs::read_to_string(&admin).map_err(Io::on("read", &admin))?;
        let (path, arguments) = command
            .split_first()
            .map_or((None, &[][..]), |(path, rest)| (Some(path), rest));
        Ok(Stage {
            world: stage.world.clone(),
            upstream: Upstream {
                operator: operator(config, &admin, false)?,
                admin: stage.upstream.admin.clone(),
                kinds: stage.upstream.kinds.clone(),
            },
            program: Program {
                path: path.map(PathBuf::from).unwrap_or_default(),
                arguments: arguments.to_vec(),
                kubeconfig: serde_yaml::from_str(&text).unwrap_or_default(),
                ..stage.program.clone()
            },
            own: stage.own.clone(),
            scoped: stage.scoped,
            dir: self.scratch.clone(),
            roles: Vec::new(),
            interrupt: stage.interrupt.clone(),
            // The namespaces of the two are apart.
            runs: AtomicUsize::new(ORIGINALS),
        })
    }

    fn deployed(&self, session: &Session) -> Result<Deployed> {
        let Some(foreign) = self.foreign else {
            let kubectl = self.kubectl();
            return Ok(dev::deployed(&session.dir, &kubectl)?);
        };
        foreign.deployed()
    }

    fn kubectl(&self) -> PathBuf {
        self.cluster
            .assets()
            .get("kubectl")
            .unwrap_or_else(|| "kubectl".into())
    }

    /// Of an operator that watches one namespace the roles are in each namespace that it watches.
    fn roles(&self, objects: &[DynamicObject]) -> Vec<Value> {
        if !self.is_namespaced() {
            return Vec::new();
        }
        let roles = objects
            .iter()
            .filter(|object| ["Role", "RoleBinding"].contains(&dev::kind(object)));
        let values = roles.filter_map(|role| serde_json::to_value(role).ok());
        values
            .map(|mut role| {
                role["metadata"] = json!({ "name": role["metadata"]["name"] });
                role
            })
            .collect()
    }

    fn samples(
        &self,
        session: &Session,
        schemas: &BTreeMap<(String, String), Value>,
        written: &[Written],
    ) -> Result<(Vec<Value>, Vec<Sample>)> {
        let objects = match self.foreign {
            Some(foreign) => read(&foreign.samples)?,
            None => dev::samples(&session.dir, &self.kubectl(), "default")?,
        };
        let mut objects: Vec<Value> = objects
            .iter()
            .filter_map(|object| serde_json::to_value(object).ok())
            .collect();
        for object in &mut objects {
            if let Some(metadata) = object["metadata"].as_object_mut() {
                metadata.remove("namespace");
            }
        }
        let key = |object: &Value| {
            let version = object["apiVersion"].as_str().unwrap_or_default().to_owned();
            (
                version,
                object["kind"].as_str().unwrap_or_default().to_owned(),
            )
        };
        let (own, beside): (Vec<_>, Vec<_>) = objects
            .into_iter()
            .partition(|object| schemas.contains_key(&key(object)));
        let worked_on = |object: &&Value| self.has_controller(object);
        let samples: Vec<Sample> = own
            .iter()
            .filter(worked_on)
            .map(|object| {
                let written = written.iter().filter(|story| story.is_about(object));
                let written: Vec<_> = written.cloned().collect();
                let more = written.iter().flat_map(|story| story.beside.clone());
                Sample {
                    object: object.clone(),
                    schema: schemas[&key(object)].clone(),
                    beside: beside.iter().cloned().chain(more).collect(),
                    written,
                }
            })
            .collect();
        if samples.is_empty() {
            let place = self.foreign.map_or_else(
                || "config/samples".to_owned(),
                |foreign| foreign.samples.display().to_string(),
            );
            return Err(torture::Error::NoSample { place }.into());
        }
        let objects: Vec<_> = samples.iter().map(|sample| sample.object.clone()).collect();
        written.iter().try_for_each(|story| story.find(&objects))?;
        Ok((own, samples))
    }

    /// Whether a controller of the project works on an object.
    fn has_controller(&self, object: &Value) -> bool {
        let Some(project) = &self.project else {
            return true;
        };
        let version = object["apiVersion"].as_str().unwrap_or_default();
        let group = version.rsplit_once('/').map_or("", |(group, _)| group);
        let kind = object["kind"].as_str().unwrap_or_default();
        let mut versions = project.versions_of(group, kind);
        versions.any(|version| version.controller)
    }

    fn program(&self, deployed: &Deployed, kubeconfig: &Path) -> Result<Program> {
        let text = fs::read_to_string(kubeconfig).map_err(Io::on("read", kubeconfig))?;
        let kubeconfig = serde_yaml::from_str(&text).unwrap_or_default();
        let marks = [self.cluster.mark(), self.hold.mark()];
        let mut environment: Vec<(OsString, OsString)> = marks
            .iter()
            .map(|(name, path)| ((*name).into(), (*path).into()))
            .collect();
        let settings = [
            ("LOG_FORMAT", "text"),
            ("POD_NAME", "rustop-torture"),
            ("POD_NAMESPACE", &deployed.namespace),
            ("TERMINATION_GRACE_PERIOD_SECONDS", "5"),
            ("WEBHOOK_PORT", "0"),
        ];
        environment.extend(settings.map(|(name, value)| (name.into(), value.into())));
        let arguments = match self.foreign {
            Some(foreign) => foreign.command[1..].to_vec(),
            None => ["--health-probe-bind-address=0", "--metrics-bind-address=0"]
                .map(OsString::from)
                .to_vec(),
        };
        Ok(Program {
            path: self.binary.clone(),
            arguments,
            environment,
            kubeconfig,
            namespaced: self.is_namespaced(),
        })
    }
}

/// The way of the operator's requests: who has a ServiceAccount says so with each, who has none is the admin.
fn operator(mut config: Config, kubeconfig: &Path, has_account: bool) -> Result<Client> {
    if has_account {
        config.auth_info = AuthInfo::default();
    }
    config.read_timeout = None;
    Ok(Client::try_from(config).map_err(client::Error::unusable(kubeconfig))?)
}
