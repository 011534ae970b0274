//! The container of the operator as a local process: its arguments, its environment, and the files
//! of its volumes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::rendered::Rendered;
use super::workload::{Workload, list};
use crate::adopted::FILE;
use crate::disk::private;
use crate::error::Io;

/// The address that stands for those of the pod and its node.
const ADDRESS: &str = "127.0.0.1";
/// The files of a TLS Secret.
const CERTIFICATE: &str = "tls.crt";

/// A container that is going to run as a local process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pod {
    /// The arguments of the program, with the values of `$(NAME)` references.
    pub arguments: Vec<String>,
    /// The environment variables, by name.
    pub environment: BTreeMap<String, String>,
    /// The volumes that the container mounts, in the order of the manifest.
    pub mounts: Vec<Mount>,
    /// Values and files of the container that the process lacks, one line each.
    pub notes: Vec<String>,
}

/// A volume of the container.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mount {
    /// The path in the container: a directory, or a file if the volume is mounted with `subPath`.
    pub path: String,
    /// True if the path is a file.
    pub is_file: bool,
    /// The contents, by the path below the mounted directory.
    pub files: BTreeMap<String, Vec<u8>>,
    /// True if the volume is for a TLS certificate, also if the manifests do not contain it.
    pub is_certificate: bool,
}

/// The command line of a [`Pod`] whose files are on this machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Placed {
    /// The arguments of the program, with paths on this machine.
    pub arguments: Vec<String>,
    /// The environment variables, with paths on this machine.
    pub environment: BTreeMap<String, String>,
    /// Mounts to which no argument and no variable refers, so that the program may look for the
    /// path of the container: that path, and the path on this machine.
    pub unnamed: Vec<(String, PathBuf)>,
}

impl Pod {
    /// Reads the container of a workload. Values of `ConfigMap`s and Secrets come from `objects`.
    /// `own` are variables that replace those of the container.
    pub fn new(workload: &Workload, objects: &[Rendered], own: &BTreeMap<String, String>) -> Self {
        let reader = Reader { workload, objects };
        let mut pod = Self::default();
        reader.variables(&mut pod, own);
        pod.environment.extend(
            own.iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        pod.arguments = workload
            .arguments()
            .iter()
            .map(|it| expanded(it, &pod.environment))
            .collect();
        reader.mounts(&mut pod);
        pod
    }

    /// Reports whether a volume can take the certificate of the webhook server.
    pub fn takes_certificate(&self) -> bool {
        self.mounts.iter().any(|it| it.is_certificate)
    }

    /// Writes the files of the volumes below `dir`, and replaces the paths of the container in
    /// arguments and variables. `certificate` is the directory with `tls.crt` and `tls.key`, which
    /// replace each TLS certificate; with `None`, those of the manifests stay.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written or read.
    pub fn place(&self, dir: &Path, certificate: Option<&Path>) -> Result<Placed, Io> {
        let mut placed = Placed {
            arguments: self.arguments.clone(),
            environment: self.environment.clone(),
            unnamed: Vec::new(),
        };
        // The longest first: a volume may be mounted into another one.
        let mut mounts: Vec<_> = self.mounts.iter().enumerate().collect();
        mounts.sort_by_key(|(_, it)| std::cmp::Reverse(it.path.len()));
        let mut moves = Vec::new();
        for (number, mount) in mounts {
            let home = dir.join(format!("volume-{number}"));
            private::create_dir(&home)?;
            for (file, content) in &mount.files {
                write(&home.join(file), content)?;
            }
            if let Some(certificate) = certificate.filter(|_| mount.is_certificate) {
                copy_certificate(certificate, &home)?;
            }
            let here = if mount.is_file {
                let name = mount.files.keys().next().map_or("file", String::as_str);
                home.join(name)
            } else {
                home
            };
            moves.push((mount.path.clone(), here));
        }
        let mut named = BTreeSet::new();
        let values = placed.arguments.iter_mut();
        for value in values.chain(placed.environment.values_mut()) {
            *value = moved(value, &moves, &mut named);
        }
        let is_unnamed = |(number, _): &(usize, _)| !named.contains(number);
        let unnamed = moves.into_iter().enumerate().filter(is_unnamed);
        placed.unnamed = unnamed.map(|(_, paths)| paths).collect();
        Ok(placed)
    }
}

fn write(path: &Path, content: &[u8]) -> Result<(), Io> {
    if let Some(parent) = path.parent() {
        private::create_dir(parent)?;
    }
    private::write_bytes(path, content)
}

/// Copies a self-signed certificate, which is its own authority, under the names of a TLS Secret.
fn copy_certificate(from: &Path, to: &Path) -> Result<(), Io> {
    for (source, name) in [
        (CERTIFICATE, CERTIFICATE),
        ("tls.key", "tls.key"),
        (CERTIFICATE, "ca.crt"),
    ] {
        let path = from.join(source);
        let content = fs::read(&path).map_err(Io::on("read", &path))?;
        write(&to.join(name), &content)?;
    }
    Ok(())
}

/// Replaces paths, and the paths below them, in a text. `moves` has a path and its replacement in
/// each item, and a path below another one comes first. Adds the indices of those that occur to
/// `named`.
fn moved(text: &str, moves: &[(String, PathBuf)], named: &mut BTreeSet<usize>) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let (mut out, mut at) = (String::new(), 0);
    while let Some(c) = text[at..].chars().next() {
        let begins = !text[..at].ends_with(|c: char| is_part(c) || c == '/');
        // The length of a path if it is here as a whole.
        let length = |path: &str| {
            let path = path.trim_end_matches('/');
            let after = text[at..].strip_prefix(path)?;
            let is_whole = begins && !path.is_empty() && !after.starts_with(is_part);
            is_whole.then_some(path.len())
        };
        let mut all = moves.iter().enumerate();
        let found = all.find_map(|(number, (path, here))| Some((number, here, length(path)?)));
        if let Some((number, here, length)) = found {
            named.insert(number);
            out.push_str(&here.display().to_string());
            at += length;
        } else {
            out.push(c);
            at += c.len_utf8();
        }
    }
    out
}

/// Replaces the references `$(NAME)` to variables, as Kubernetes does: `$$(NAME)` is the text
/// `$(NAME)`, and references to unknown variables stay.
fn expanded(text: &str, environment: &BTreeMap<String, String>) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let name = after
            .strip_prefix('(')
            .and_then(|inner| inner.split_once(')'));
        rest = match (after.strip_prefix('$'), name) {
            (Some(escaped), _) => {
                out.push('$');
                escaped
            }
            (None, Some((name, behind))) => {
                match environment.get(name) {
                    Some(value) => out.push_str(value),
                    None => out.push_str(&rest[at..rest.len() - behind.len()]),
                }
                behind
            }
            (None, None) => {
                out.push('$');
                after
            }
        };
    }
    out.push_str(rest);
    out
}

/// Reads the values of a container.
struct Reader<'a> {
    workload: &'a Workload,
    objects: &'a [Rendered],
}

impl Reader<'_> {
    fn variables(&self, pod: &mut Pod, own: &BTreeMap<String, String>) {
        for source in list(&self.workload.container["envFrom"]) {
            let prefix = source["prefix"].as_str().unwrap_or_default();
            for (field, kind) in [("configMapRef", "ConfigMap"), ("secretRef", "Secret")] {
                let Some(name) = source[field]["name"].as_str() else {
                    continue;
                };
                match self.data(kind, name) {
                    Some(data) => pod.environment.extend(data.into_iter().map(|(key, value)| {
                        let value = String::from_utf8_lossy(&value).into_owned();
                        (format!("{prefix}{key}"), value)
                    })),
                    None if source[field]["optional"] == true => {}
                    None => pod.notes.push(format!(
                        "its variables from {kind} `{name}`, which the manifests do not contain"
                    )),
                }
            }
        }
        for variable in list(&self.workload.container["env"]) {
            let Some(name) = variable["name"].as_str() else {
                continue;
            };
            let value = match variable["value"].as_str() {
                Some(value) => Ok(expanded(value, &pod.environment)),
                None => self.value(&variable["valueFrom"]),
            };
            match value {
                Ok(value) => {
                    pod.environment.insert(name.to_owned(), value);
                }
                Err(Some(reason)) if !own.contains_key(name) => {
                    pod.notes.push(format!(
                        "the variable `{name}`: {reason}; set it in {FILE}: operator: {{env: {{{name}: VALUE}}}}"
                    ));
                }
                Err(_) => {}
            }
        }
    }

    /// Returns the value of a `valueFrom`. The error is the reason why it is not known, or `None`
    /// if the value is optional.
    fn value(&self, from: &Value) -> Result<String, Option<String>> {
        for (field, kind) in [("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")] {
            let reference = &from[field];
            let (Some(name), Some(key)) = (reference["name"].as_str(), reference["key"].as_str())
            else {
                continue;
            };
            let data = self.data(kind, name);
            let value = data.as_ref().and_then(|data| data.get(key));
            return match value {
                Some(value) => Ok(String::from_utf8_lossy(value).into_owned()),
                None if reference["optional"] == true => Err(None),
                None => Err(Some(format!(
                    "the manifests do not contain the key `{key}` of {kind} `{name}`"
                ))),
            };
        }
        if let Some(path) = from["fieldRef"]["fieldPath"].as_str() {
            return self
                .field(path)
                .ok_or_else(|| Some(format!("the pod's field `{path}` exists in a cluster only")));
        }
        if from.is_null() {
            return Ok(String::new());
        }
        let resource = from["resourceFieldRef"]["resource"].as_str();
        Err(Some(match resource {
            Some(resource) => format!("the resource `{resource}` exists in a cluster only"),
            None => "its source is not known to rustop".to_owned(),
        }))
    }

    /// Returns the value of a field of the pod.
    fn field(&self, path: &str) -> Option<String> {
        let of = |values: &Value, prefix: &str| {
            let key = path.strip_prefix(prefix)?.strip_prefix("['")?;
            Some(values[key.strip_suffix("']")?].as_str()?.to_owned())
        };
        match path {
            "metadata.name" => Some(format!("{}-0", self.workload.name)),
            "metadata.namespace" => Some(self.workload.namespace.clone()),
            "metadata.uid" => Some("00000000-0000-4000-8000-000000000000".to_owned()),
            "spec.nodeName" => Some("node-0".to_owned()),
            "spec.serviceAccountName" => Some(self.workload.service_account.clone()),
            "status.podIP" | "status.podIPs" | "status.hostIP" | "status.hostIPs" => {
                Some(ADDRESS.to_owned())
            }
            _ => of(&self.workload.labels, "metadata.labels")
                .or_else(|| of(&self.workload.annotations, "metadata.annotations")),
        }
    }

    fn mounts(&self, pod: &mut Pod) {
        for mount in list(&self.workload.container["volumeMounts"]) {
            let (Some(name), Some(path)) = (mount["name"].as_str(), mount["mountPath"].as_str())
            else {
                continue;
            };
            let volume = self.workload.volumes.iter().find(|it| it["name"] == name);
            let Some(volume) = volume else { continue };
            let mut found = Mount {
                path: path.to_owned(),
                ..Mount::default()
            };
            match self.fill(volume, &mut found) {
                Ok(()) => {}
                Err(reason) => {
                    // rustop writes the certificate of webhooks.
                    if !found.is_certificate || !self.has_webhooks() {
                        pod.notes.push(format!("the volume at `{path}`: {reason}"));
                    }
                }
            }
            if let Some(part) = mount["subPath"].as_str() {
                let part = part.trim_matches('/');
                let below = format!("{part}/");
                found.is_file = found.files.contains_key(part);
                found.files = found
                    .files
                    .into_iter()
                    .filter_map(|(file, content)| match file.strip_prefix(&below) {
                        Some(inside) => Some((inside.to_owned(), content)),
                        None => (file == part).then_some((file, content)),
                    })
                    .collect();
            }
            pod.mounts.push(found);
        }
    }

    fn has_webhooks(&self) -> bool {
        self.objects.iter().any(|it| {
            it.kind().ends_with("WebhookConfiguration")
                || it.object["spec"]["conversion"]["webhook"].is_object()
        })
    }

    /// Adds the files of a volume. The error says why they are not known.
    fn fill(&self, volume: &Value, mount: &mut Mount) -> Result<(), String> {
        for (field, kind, named) in [
            ("configMap", "ConfigMap", "name"),
            ("secret", "Secret", "secretName"),
        ] {
            if volume[field].is_object() {
                let name = volume[field][named].as_str().unwrap_or_default();
                return self.fill_from(kind, name, &volume[field], mount);
            }
        }
        if volume["projected"].is_object() {
            for source in list(&volume["projected"]["sources"]) {
                for (field, kind) in [("configMap", "ConfigMap"), ("secret", "Secret")] {
                    if source[field].is_object() {
                        let name = source[field]["name"].as_str().unwrap_or_default();
                        self.fill_from(kind, name, &source[field], mount)?;
                    }
                }
                self.fill_fields(&source["downwardAPI"], mount);
            }
            return Ok(());
        }
        if volume["downwardAPI"].is_object() {
            self.fill_fields(&volume["downwardAPI"], mount);
            return Ok(());
        }
        if volume["emptyDir"].is_object() || volume["persistentVolumeClaim"].is_object() {
            return Ok(());
        }
        let kind = volume
            .as_object()
            .and_then(|it| it.keys().find(|key| *key != "name"));
        Err(match kind {
            Some(kind) => format!("a volume of type `{kind}` exists in a cluster only"),
            None => "its source is not known".to_owned(),
        })
    }

    fn fill_from(
        &self,
        kind: &str,
        name: &str,
        source: &Value,
        mount: &mut Mount,
    ) -> Result<(), String> {
        let data = self.data(kind, name);
        let has_certificate = data
            .as_ref()
            .is_none_or(|data| data.is_empty() || data.contains_key(CERTIFICATE));
        // An empty or missing Secret is usually filled by cert-manager.
        mount.is_certificate |= kind == "Secret" && has_certificate;
        let Some(data) = data else {
            if source["optional"] == true {
                return Ok(());
            }
            return Err(format!("the manifests do not contain {kind} `{name}`"));
        };
        let items = list(&source["items"]);
        for (key, value) in data {
            let item = items.iter().find(|it| it["key"] == key.as_str());
            let path = match item {
                Some(item) => item["path"].as_str().unwrap_or(&key).to_owned(),
                None if items.is_empty() => key,
                None => continue,
            };
            if is_inside(&path) {
                mount.files.insert(path, value);
            }
        }
        Ok(())
    }

    fn fill_fields(&self, source: &Value, mount: &mut Mount) {
        for item in list(&source["items"]) {
            let field = item["fieldRef"]["fieldPath"].as_str();
            let value = field.and_then(|field| self.field(field));
            if let (Some(path), Some(value)) = (item["path"].as_str(), value)
                && is_inside(path)
            {
                mount.files.insert(path.to_owned(), value.into_bytes());
            }
        }
    }

    /// Returns the entries of a `ConfigMap` or Secret of the manifests.
    fn data(&self, kind: &str, name: &str) -> Option<BTreeMap<String, Vec<u8>>> {
        let object = self.objects.iter().find(|it| {
            let namespace = it.namespace().unwrap_or(&self.workload.namespace);
            it.kind() == kind && it.name() == name && namespace == self.workload.namespace
        })?;
        let plain = if kind == "Secret" {
            "stringData"
        } else {
            "data"
        };
        let encoded = if kind == "Secret" {
            "data"
        } else {
            "binaryData"
        };
        let entries = |field: &str| {
            let entries = object.object[field].as_object();
            entries
                .into_iter()
                .flatten()
                .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
        };
        let decoded = entries(encoded)
            .filter_map(|(key, value)| Some((key, STANDARD.decode(value.trim()).ok()?)));
        let plain = entries(plain).map(|(key, value)| (key, value.into_bytes()));
        Some(decoded.chain(plain).collect())
    }
}

/// Reports whether a relative path stays in its directory.
fn is_inside(path: &str) -> bool {
    Path::new(path)
        .components()
        .all(|it| matches!(it, std::path::Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::super::files::parse;
    use super::*;
    use crate::adopted::config::Operator;

    const MANIFESTS: &str = "
kind: ValidatingWebhookConfiguration
metadata: {name: barn}
---
kind: ConfigMap
metadata: {name: settings}
data: {level: debug, app.yaml: 'a: 1'}
---
kind: Secret
metadata: {name: keys, namespace: farm}
data: {token: c2VjcmV0}
---
kind: Deployment
metadata: {name: barn}
spec:
  template:
    metadata: {labels: {app: barn}}
    spec:
      serviceAccountName: hand
      volumes:
        - {name: config, configMap: {name: settings, items: [{key: app.yaml, path: main.yaml}]}}
        - {name: one, configMap: {name: settings}}
        - {name: certificate, secret: {secretName: webhook-tls}}
        - {name: socket, hostPath: {path: /run/x}}
      containers:
        - name: barn
          command: [/barn, run]
          args: ['--config=/etc/barn/main.yaml', --level=$(LEVEL), $(UNKNOWN), $$(LEVEL), /etc/barnyard]
          envFrom: [{configMapRef: {name: absent}}, {secretRef: {name: keys}, prefix: KEY_}]
          env:
            - {name: LEVEL, valueFrom: {configMapKeyRef: {name: settings, key: level}}}
            - {name: WHERE, value: ns/$(NAMESPACE)}
            - {name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
            - {name: APP, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['app']\"}}}
            - {name: MISSING, valueFrom: {secretKeyRef: {name: keys, key: other}}}
            - {name: OPTIONAL, valueFrom: {secretKeyRef: {name: keys, key: other, optional: true}}}
            - {name: GIVEN, valueFrom: {secretKeyRef: {name: none, key: other}}}
            - {name: CERTS, value: /certs}
          volumeMounts:
            - {name: config, mountPath: /etc/barn}
            - {name: one, mountPath: /etc/level, subPath: level}
            - {name: certificate, mountPath: /certs/}
            - {name: socket, mountPath: /run/x}
";

    fn pod() -> Pod {
        with_manifests(MANIFESTS)
    }

    fn with_manifests(manifests: &str) -> Pod {
        let objects = parse("all.yaml".as_ref(), manifests).unwrap();
        let workload = Workload::find(&objects, &Operator::default(), "barn", "farm").unwrap();
        let own = BTreeMap::from([("GIVEN".to_owned(), "here".to_owned())]);
        Pod::new(&workload, &objects, &own)
    }

    #[test]
    fn variables_and_arguments_have_their_values() {
        let pod = pod();
        let has = |name: &str| pod.environment.get(name).map(String::as_str);
        assert_eq!(has("LEVEL"), Some("debug"));
        assert_eq!(has("KEY_token"), Some("secret"));
        assert_eq!(has("NAMESPACE"), Some("farm"));
        assert_eq!(has("WHERE"), Some("ns/$(NAMESPACE)"), "defined later");
        assert_eq!(has("APP"), Some("barn"));
        assert_eq!(
            (has("MISSING"), has("OPTIONAL"), has("GIVEN")),
            (None, None, Some("here"))
        );
        assert_eq!(
            pod.arguments,
            [
                "run",
                "--config=/etc/barn/main.yaml",
                "--level=debug",
                "$(UNKNOWN)",
                "$(LEVEL)",
                "/etc/barnyard"
            ]
        );
        assert_eq!(
            pod.notes,
            [
                "its variables from ConfigMap `absent`, which the manifests do not contain",
                "the variable `MISSING`: the manifests do not contain the key `other` of Secret `keys`; \
                 set it in rustop.yaml: operator: {env: {MISSING: VALUE}}",
                "the volume at `/run/x`: a volume of type `hostPath` exists in a cluster only",
            ]
        );
        let without = with_manifests(&MANIFESTS.replace("ValidatingWebhookConfiguration", "Other"));
        let note = "the volume at `/certs/`: the manifests do not contain Secret `webhook-tls`";
        assert!(
            without.notes.iter().any(|it| it == note),
            "{:?}",
            without.notes
        );
    }

    #[test]
    fn mounted_files_are_written_and_named_by_their_local_paths() {
        let dir = tempfile::tempdir().unwrap();
        let certificate = dir.path().join("made");
        fs::create_dir(&certificate).unwrap();
        fs::write(certificate.join("tls.crt"), "crt").unwrap();
        fs::write(certificate.join("tls.key"), "key").unwrap();
        let pod = pod();
        assert!(pod.takes_certificate());
        let placed = pod.place(dir.path(), Some(&certificate)).unwrap();
        let config = placed.arguments[1].strip_prefix("--config=").unwrap();
        assert_eq!(fs::read_to_string(config).unwrap(), "a: 1");
        assert_eq!(placed.arguments[5], "/etc/barnyard", "another path");
        let certs = Path::new(&placed.environment["CERTS"]);
        assert_eq!(fs::read_to_string(certs.join("tls.key")).unwrap(), "key");
        assert_eq!(fs::read_to_string(certs.join("ca.crt")).unwrap(), "crt");
        let unnamed: Vec<_> = placed
            .unnamed
            .iter()
            .map(|(path, _)| path.as_str())
            .collect();
        assert_eq!(unnamed, ["/etc/level", "/run/x"]);
        assert_eq!(fs::read_to_string(&placed.unnamed[0].1).unwrap(), "debug");
    }

    #[test]
    fn local_paths_are_not_replaced_again() {
        let mounts = [("/tmp/certs/", "/tmp/run/0"), ("/tmp", "/tmp/run/1")];
        let moves = mounts.map(|(path, here)| (path.to_owned(), PathBuf::from(here)));
        let mut named = BTreeSet::new();
        for (text, expected) in [
            ("--dir=/tmp/certs/x", "--dir=/tmp/run/0/x"),
            ("/tmp:/tmp/certs", "/tmp/run/1:/tmp/run/0"),
            ("/tmpfs /a/tmp é,/tmp", "/tmpfs /a/tmp é,/tmp/run/1"),
        ] {
            assert_eq!(moved(text, &moves, &mut named), expected);
        }
        assert_eq!(named, BTreeSet::from([0, 1]));
    }

    #[test]
    fn paths_of_items_cannot_leave_the_volume() {
        assert!(is_inside("a/b") && !is_inside("../a") && !is_inside("/a"));
    }
}
