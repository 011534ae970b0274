//! An operator that is not a rustop project. Its manifests are read from directories.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use kube::api::DynamicObject;
use serde_json::{Value, json};
use walkdir::WalkDir;

use crate::dev::{self, OperatorManifests};
use crate::disk::regular;
use crate::error::Io;
use crate::ops::Result;
use crate::ops::adopted::Built;
use crate::torture::{self, ManifestOption};
use crate::yaml;

const CRDS: ManifestOption = ManifestOption {
    name: "--crds",
    contents: "the CRDs of the operator",
    example: "config/crd/bases",
};
const SAMPLES: ManifestOption = ManifestOption {
    name: "--samples",
    contents: "objects of its kinds",
    example: "config/samples",
};
const RBAC: ManifestOption = ManifestOption {
    name: "--rbac",
    contents: "its roles and its ServiceAccount",
    example: "config/rbac",
};
const FROM_CRDS: ManifestOption = ManifestOption {
    name: "--from-crds",
    contents: "the CRDs of the old version",
    example: "old/config/crd/bases",
};
const FROM_RBAC: ManifestOption = ManifestOption {
    name: "--from-rbac",
    contents: "the roles and the ServiceAccount of the old version",
    example: "old/config/rbac",
};

/// An operator that is not a rustop project.
#[derive(Args, Debug)]
pub struct ExternalOperator {
    // Not required by clap's derive, so that it can be missing together with the whole operator.
    /// Directory with the CRDs of the operator in COMMAND
    #[arg(long, required = false, value_name = "DIR", requires = "command")]
    pub crds: PathBuf,
    /// Directory with its samples
    #[arg(long, required = false, value_name = "DIR", requires = "command")]
    pub samples: PathBuf,
    /// Directory with its roles and its ServiceAccount [default: full permissions]
    #[arg(long, value_name = "DIR", requires = "command")]
    pub rbac: Option<PathBuf>,
    /// Operator to test instead of the project's, and its arguments
    #[arg(last = true, value_name = "COMMAND", requires_all = ["crds", "samples"])]
    pub command: Vec<OsString>,
}

impl ExternalOperator {
    /// Checks that the program and the manifests can be read, before a control plane is started.
    ///
    /// # Errors
    /// Returns an error if the path of the program does not exist, if a directory cannot be read,
    /// or if there are no CRDs or no samples.
    pub fn check(&self) -> Result<()> {
        check_program(&self.command, "-- ./bin/manager")?;
        self.check_manifests(CRDS, RBAC)?;
        if given(SAMPLES, &self.samples)?.is_empty() {
            let place = self.samples.display().to_string();
            return Err(torture::Error::NoSample { place }.into());
        }
        Ok(())
    }

    /// Checks that the manifests of an old version can be read. It has no samples, and runs in a
    /// shell.
    ///
    /// # Errors
    /// Returns an error if a directory cannot be read, or if there are no CRDs.
    pub fn check_old(&self) -> Result<()> {
        self.check_manifests(FROM_CRDS, FROM_RBAC)
    }

    /// Checks the directories of the CRDs and roles. The arguments name the options in errors.
    fn check_manifests(&self, crds: ManifestOption, rbac: ManifestOption) -> Result<()> {
        let objects = given(crds, &self.crds)?;
        let mut kinds = objects.iter().map(dev::kind);
        if !kinds.any(|kind| kind == "CustomResourceDefinition") {
            return Err(torture::Error::NoCrd {
                option: crds,
                path: self.crds.clone(),
            }
            .into());
        }
        if let Some(dir) = &self.rbac {
            given(rbac, dir)?;
        }
        Ok(())
    }

    /// Returns the program, which is built already.
    pub fn built(&self) -> Built {
        Built {
            binary: self.command.first().map(PathBuf::from).unwrap_or_default(),
            crds: Vec::new(),
        }
    }

    /// Returns the operator's CRDs, roles and ServiceAccount. Deployments are left out, since
    /// rustop runs the operator itself.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or if kustomize does not render the directory of
    /// the roles.
    pub fn operator_manifests(&self, kubectl: &Path) -> Result<OperatorManifests> {
        let mut objects = read(&self.crds)?;
        if let Some(rbac) = &self.rbac {
            objects.extend(rendered(rbac, kubectl)?);
        }
        let account = objects
            .iter()
            .find(|object| dev::kind(object) == "ServiceAccount")
            .map(|account| {
                let namespace = account
                    .metadata
                    .namespace
                    .clone()
                    .unwrap_or_else(|| "default".into());
                (namespace, account.metadata.name.clone().unwrap_or_default())
            });
        let (namespace, service_account) =
            account.unwrap_or_else(|| ("default".into(), String::new()));
        for object in &mut objects {
            place(object, &namespace);
        }
        objects.retain(|object| dev::kind(object) != "Deployment");
        let has_namespace = objects
            .iter()
            .any(|object| dev::kind(object) == "Namespace");
        if namespace != "default" && !has_namespace {
            objects.extend(dynamic(
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}),
            ));
        }
        Ok(OperatorManifests {
            objects,
            namespace,
            service_account,
            election: Vec::new(),
        })
    }
}

/// Reads the objects below a directory, rendered with kustomize if the directory has a file for it.
fn rendered(dir: &Path, kubectl: &Path) -> Result<Vec<DynamicObject>> {
    const FILES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
    if FILES.iter().any(|file| dir.join(file).is_file()) {
        return Ok(dev::kustomize(dir, ".", kubectl)?);
    }
    read(dir)
}

/// Sets the namespace of an object, and of the `ServiceAccount`s in a binding, if they have none.
/// kubebuilder's files have none, since `config/default` sets it.
fn place(object: &mut DynamicObject, namespace: &str) {
    const NAMESPACED: [&str; 6] = [
        "ConfigMap",
        "Role",
        "RoleBinding",
        "Secret",
        "Service",
        "ServiceAccount",
    ];
    if NAMESPACED.contains(&dev::kind(object)) {
        let own = &mut object.metadata.namespace;
        own.get_or_insert_with(|| namespace.to_owned());
    }
    let subjects = object
        .data
        .get_mut("subjects")
        .and_then(Value::as_array_mut);
    for subject in subjects.into_iter().flatten() {
        if subject["kind"] == "ServiceAccount" && subject["namespace"].is_null() {
            subject["namespace"] = namespace.into();
        }
    }
}

fn dynamic(value: Value) -> Option<DynamicObject> {
    serde_json::from_value(value).ok()
}

/// Checks that the program of a command line exists, if it is a path. `example` is an option with a
/// program, for the error.
///
/// # Errors
/// Returns an error if the program does not exist.
pub fn check_program(command: &[OsString], example: &'static str) -> Result<()> {
    let program = command.first().map(Path::new);
    // A name without a directory is searched in `PATH`.
    let Some(path) = program.filter(|path| path.components().count() > 1) else {
        return Ok(());
    };
    let found = fs::metadata(path);
    Ok(found
        .map(drop)
        .map_err(|source| torture::Error::NoProgram {
            path: path.to_owned(),
            example,
            source,
        })?)
}

/// Reads the objects in the directory that an option names.
///
/// # Errors
/// Returns an error if the directory does not exist, or if a file cannot be read.
fn given(option: ManifestOption, path: &Path) -> Result<Vec<DynamicObject>> {
    fs::metadata(path).map_err(|source| torture::Error::NoManifests {
        option,
        path: path.to_owned(),
        source,
    })?;
    read(path)
}

/// Reads the objects in all YAML and JSON files below a directory.
pub fn read(dir: &Path) -> Result<Vec<DynamicObject>> {
    let mut objects = Vec::new();
    let files = WalkDir::new(dir).sort_by_file_name().into_iter();
    for file in files {
        let file = file.map_err(|error| torture::Error::Io(Io::on("read", dir)(error.into())))?;
        let is_yaml = file
            .path()
            .extension()
            .is_some_and(|end| end == "yaml" || end == "yml" || end == "json");
        if !is_yaml || file.file_type().is_dir() {
            continue;
        }
        let text = regular::text(file.path()).map_err(Io::on("read", file.path()))?;
        let unreadable = |error: serde_yaml::Error| torture::Error::Unreadable {
            path: file.path().into(),
            message: error.to_string(),
        };
        let values: Vec<Value> = yaml::documents(&text).map_err(unreadable)?;
        // Skip the files of kustomize, which contain no objects.
        let values = values
            .into_iter()
            .filter(|value| value["metadata"]["name"].is_string());
        objects.extend(values.filter_map(dynamic));
    }
    Ok(objects)
}

#[cfg(test)]
mod tests {
    use kube::ResourceExt as _;

    use super::*;

    #[test]
    fn roles_without_a_namespace_get_that_of_the_service_account() {
        let dir = tempfile::tempdir().unwrap();
        let [crds, rbac] = ["crds", "rbac"].map(|name| dir.path().join(name));
        fs::create_dir(&crds).unwrap();
        fs::create_dir(&rbac).unwrap();
        let api = "apiVersion: rbac.authorization.k8s.io/v1";
        let text = format!(
            "apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: moo, namespace: barn}}\n---\n\
             {api}\nkind: Role\nmetadata: {{name: election}}\n---\n\
             {api}\nkind: ClusterRole\nmetadata: {{name: all}}\n---\n\
             {api}\nkind: RoleBinding\nmetadata: {{name: election, namespace: other}}\n\
             subjects: [{{kind: ServiceAccount, name: moo}}, {{kind: User, name: moo}}]\n"
        );
        fs::write(rbac.join("all.yaml"), text).unwrap();
        let external = ExternalOperator {
            crds,
            samples: PathBuf::new(),
            rbac: Some(rbac.clone()),
            command: Vec::new(),
        };
        let deployed = external.operator_manifests(Path::new("false")).unwrap();
        let placed: Vec<_> = deployed
            .objects
            .iter()
            .map(|it| (dev::kind(it).to_owned(), it.namespace()))
            .collect();
        let of = |kind: &str, namespace: Option<&str>| (kind.to_owned(), namespace.map(Into::into));
        assert_eq!(
            placed,
            [
                of("ServiceAccount", Some("barn")),
                of("Role", Some("barn")),
                of("ClusterRole", None),
                of("RoleBinding", Some("other")),
                of("Namespace", None),
            ]
        );
        let subjects = &deployed.objects[3].data["subjects"];
        assert_eq!(subjects[0]["namespace"], "barn");
        assert!(deployed.objects[2].data.get("subjects").is_none());
        assert!(subjects[1]["namespace"].is_null());
        // kustomize renders a directory that has a file for it.
        fs::write(rbac.join("kustomization.yaml"), "resources: [all.yaml]\n").unwrap();
        let error = external.operator_manifests(Path::new("false")).unwrap_err();
        assert!(error.to_string().contains("kustomize"), "{error}");
    }
}
