//! `rustop.yaml`: the commands and the manifests of an adopted operator.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Error, FILE};
use crate::disk::regular;
use crate::error::Io;
use crate::yaml::Problem;

/// The only layout that this rustop reads.
pub const LAYOUT: &str = "rustop.dev/adopted-v1";

/// An operator that exists already, and the commands and files with which rustop works on it. All
/// paths are relative to the directory of this file.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Config {
    /// The format of this file: `[rustop.dev/adopted-v1]`.
    #[schemars(extend("const" = [LAYOUT]))]
    pub layout: Vec<String>,
    /// The name of the operator in messages and of its temporary clusters.
    pub project_name: String,
    /// The custom resource definitions.
    #[serde(default, skip_serializing_if = "Crds::is_empty")]
    pub crds: Crds,
    /// The program.
    #[serde(default, skip_serializing_if = "Operator::is_empty")]
    pub operator: Operator,
    /// The manifests that install the operator: its Deployment, ServiceAccount and roles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deploy: Option<Deploy>,
    /// Files with objects of the operator's kinds. `*` matches within one path component.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<String>,
    /// The rules of `rustop lint`, as in `PROJECT`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lint: crate::project::LintConfig,
    /// The accepted warnings of `rustop lint`, and the accepted changes of `rustop manifests
    /// --against`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<Allowance>,
}

/// A warning or a breaking change that is accepted, in the place of a comment `//
/// rustop:allow(rule): reason`.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Allowance {
    /// The name of the rule, such as `field-gone`.
    pub rule: String,
    /// The kind, the version and the field as the message begins with them: `Cow v1 .spec.size`.
    pub at: String,
    /// Why it is accepted.
    pub reason: String,
}

/// The custom resource definitions of an operator.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Crds {
    /// A shell line, run at the top of the repository. It prints the CRDs as YAML or JSON, or
    /// writes them to files. Without it, the CRDs are written by hand and `files` are the only
    /// source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The time limit of the command in seconds. The default is 3600.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    /// All committed copies of the CRDs, including templates of Helm charts. `*` matches within one
    /// path component.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// The operator's program.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Operator {
    /// A shell line that builds the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// The program. Arguments after it replace those in `command` of its container; the container's
    /// `args` follow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Environment variables for local runs. They replace those of the Deployment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The container of the program, if its pod has several containers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// The name of the operator's workload, such as a Deployment, if the manifests have several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
}

/// The manifests that install an operator: exactly one of `chart`, `kustomize` and `files`.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Deploy {
    /// The directory of a Helm chart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart: Option<String>,
    /// The directory of a kustomization.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kustomize: Option<String>,
    /// Manifests, or directories of manifests. `*` matches within one path component.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Values files of the chart, which replace values of its `values.yaml`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// Single values of the chart, as in `helm template --set`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, String>,
    /// The namespace in which the operator is installed, if the manifests do not name one. The
    /// default is `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The name of the Helm release. The default is the project's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
}

/// The form of the manifests that install an operator.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ManifestSource<'a> {
    /// The directory of a Helm chart.
    Chart(&'a str),
    /// The directory of a kustomization.
    Kustomize(&'a str),
    /// Paths of manifests or of directories, with `*`.
    Files(&'a [String]),
}

impl Crds {
    /// Returns true if the file names neither a command nor files for the CRDs.
    pub fn have_no_source(&self) -> bool {
        self.command.is_none() && self.files.is_empty()
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Operator {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Deploy {
    /// Returns the paths of the chart, of the kustomization or of the manifests, with `*`.
    pub fn paths(&self) -> Vec<String> {
        match self.source() {
            ManifestSource::Chart(dir) | ManifestSource::Kustomize(dir) => vec![dir.to_owned()],
            ManifestSource::Files(files) => files.to_vec(),
        }
    }

    /// Returns the key of the manifests in `rustop.yaml`.
    pub fn key(&self) -> &'static str {
        match self.source() {
            ManifestSource::Chart(_) => "deploy.chart",
            ManifestSource::Kustomize(_) => "deploy.kustomize",
            ManifestSource::Files(_) => "deploy.files",
        }
    }

    /// Adds the settings of earlier manifests that these do not have. Those of a chart apply to no
    /// other form.
    fn keep(&mut self, earlier: &Self) {
        keep(&mut self.namespace, &earlier.namespace);
        if self.chart.is_some() {
            keep(&mut self.values, &earlier.values);
            keep(&mut self.set, &earlier.set);
            keep(&mut self.release, &earlier.release);
        }
    }

    /// Returns the form of the manifests. [`Config::parse`] rejects a file without exactly one.
    pub fn source(&self) -> ManifestSource<'_> {
        match (&self.chart, &self.kustomize) {
            (Some(chart), _) => ManifestSource::Chart(chart),
            (None, Some(dir)) => ManifestSource::Kustomize(dir),
            (None, None) => ManifestSource::Files(&self.files),
        }
    }

    /// Returns the namespace of namespaced objects that name none.
    pub fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or("default")
    }
}

impl Config {
    /// Returns true if a directory has a `rustop.yaml`.
    pub fn exists(dir: &Path) -> bool {
        let path = dir.join(FILE);
        path.is_file() || path.is_symlink()
    }

    /// Reads the file in a directory.
    ///
    /// # Errors
    /// Returns an error if the file is missing, cannot be read, or is invalid.
    pub fn load(dir: &Path) -> Result<Self, Error> {
        let path = shown(dir);
        match regular::text_in(dir, FILE) {
            Ok(text) => Self::parse(&text).map_err(|problem| Error::Config {
                place: problem.place(&path),
                reason: problem.reason,
            }),
            Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => {
                Err(Error::NotAdopted { dir: dir.into() })
            }
            Err(error) => Err(Io::on("read", path)(error).into()),
        }
    }

    /// Parses the text of the file.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let config: Self = serde_yaml::from_str(text).map_err(|error| Problem::from(&error))?;
        match config.problem() {
            Some((key, reason)) => Err(Problem {
                line: line_of(text, key),
                reason,
            }),
            None => Ok(config),
        }
    }

    /// Returns the key and the description of the first problem that the types do not exclude;
    /// `None` if the file is valid. The key has the keys above it in front: `crds.files`.
    pub fn problem(&self) -> Option<(&'static str, String)> {
        let layout = self.layout.join(", ");
        if layout != LAYOUT {
            let reason = if layout.starts_with("rustop.dev/adopted-") {
                format!("the layout `{layout}` belongs to a newer rustop")
            } else {
                format!("the layout is `{layout}`, not `{LAYOUT}`")
            };
            return Some(("layout", reason));
        }
        if self.project_name.trim().is_empty() {
            return Some(("projectName", "`projectName` is empty".to_owned()));
        }
        if self
            .crds
            .command
            .as_deref()
            .is_some_and(|it| it.trim().is_empty())
        {
            return Some(("crds.command", "`crds.command` is empty".to_owned()));
        }
        if let Err(reason) = self.lint.check() {
            return Some(("lint", format!("`lint` is invalid: {reason}")));
        }
        if self.allow.iter().any(|it| it.reason.trim().is_empty()) {
            return Some(("allow", "an entry of `allow` has no reason".to_owned()));
        }
        if let Some((key, path)) = self.paths().find(|(_, path)| !is_inside(path)) {
            let reason = format!("`{path}` is not a path below the directory of {FILE}");
            return Some((key, reason));
        }
        let deploy = self.deploy.as_ref()?;
        let given = [
            ("chart", deploy.chart.is_some()),
            ("kustomize", deploy.kustomize.is_some()),
            ("files", !deploy.files.is_empty()),
        ];
        let given: Vec<_> = given
            .iter()
            .filter(|(_, is)| *is)
            .map(|(key, _)| *key)
            .collect();
        match given[..] {
            [_] => {}
            [] => {
                let reason = "`deploy` needs one of `chart`, `kustomize` and `files`";
                return Some(("deploy", reason.to_owned()));
            }
            _ => {
                let reason = format!(
                    "`deploy` has `{}`, but only one is allowed",
                    given.join("` and `")
                );
                return Some(("deploy", reason));
            }
        }
        let is_chart = deploy.chart.is_some();
        let of_chart = [
            !deploy.values.is_empty(),
            !deploy.set.is_empty(),
            deploy.release.is_some(),
        ];
        if !is_chart && of_chart.contains(&true) {
            let reason = "`values`, `set` and `release` need a `chart`";
            return Some(("deploy", reason.to_owned()));
        }
        let (key, release) = match &deploy.release {
            Some(release) => ("deploy.release", release),
            None => ("projectName", &self.project_name),
        };
        if is_chart && !is_release(release) {
            let reason = format!(
                "`{key}` is `{release}`, which cannot be the name of a Helm release: lower-case letters, digits, `-` and `.`, at most 53"
            );
            return Some((key, reason));
        }
        None
    }

    /// Returns all paths and patterns in the file, each with its key.
    fn paths(&self) -> impl Iterator<Item = (&'static str, &str)> {
        fn of<'a>(
            key: &'static str,
            paths: impl IntoIterator<Item = &'a String>,
        ) -> Vec<(&'static str, &'a str)> {
            paths.into_iter().map(|it| (key, it.as_str())).collect()
        }
        let mut paths = of("crds.files", &self.crds.files);
        paths.extend(of("samples", &self.samples));
        if let Some(deploy) = &self.deploy {
            paths.extend(of("deploy.chart", &deploy.chart));
            paths.extend(of("deploy.kustomize", &deploy.kustomize));
            paths.extend(of("deploy.files", &deploy.files));
            paths.extend(of("deploy.values", &deploy.values));
        }
        paths.into_iter()
    }

    /// Adds the settings of an earlier file to fields that are empty here, so that `rustop adopt`
    /// does not lose settings that only a user writes.
    pub fn keep(&mut self, earlier: &Self) {
        let crds = &earlier.crds;
        keep(&mut self.crds.command, &crds.command);
        keep(&mut self.crds.timeout_seconds, &crds.timeout_seconds);
        keep(&mut self.crds.files, &crds.files);
        let operator = &earlier.operator;
        keep(&mut self.operator.build, &operator.build);
        // The arguments after a program are the user's.
        if self.operator.command.len() <= 1 && operator.command.starts_with(&self.operator.command)
        {
            self.operator.command.clone_from(&operator.command);
        }
        for (name, value) in &operator.env {
            let env = self.operator.env.entry(name.clone());
            env.or_insert_with(|| value.clone());
        }
        keep(&mut self.operator.container, &operator.container);
        keep(&mut self.operator.workload, &operator.workload);
        keep(&mut self.samples, &earlier.samples);
        keep(&mut self.lint, &earlier.lint);
        keep(&mut self.allow, &earlier.allow);
        match (&mut self.deploy, &earlier.deploy) {
            (Some(deploy), Some(earlier)) => deploy.keep(earlier),
            (deploy, earlier) => keep(deploy, earlier),
        }
    }

    /// Serializes the file with a comment for editors.
    pub fn to_text(&self) -> String {
        let yaml =
            serde_yaml::to_string(self).expect("the model holds strings, maps and lists only");
        format!("{HEADER}{yaml}")
    }
}

const HEADER: &str = "\
# yaml-language-server: $schema=rustop.schema.json
# The operator of this repository, for rustop. `rustop schema --adopted > rustop.schema.json` writes the schema for editors.
";

/// Returns the JSON schema of `rustop.yaml`.
pub fn json_schema() -> String {
    let schema = schemars::schema_for!(Config);
    format!("{:#}\n", schema.as_value())
}

/// Returns true if a path or pattern stays below the directory to which it is relative. A user who
/// clones a repository does not expect that rustop reads other files.
fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    !path.is_empty() && parts.all(|it| matches!(it, Component::Normal(_) | Component::CurDir))
}

/// Returns true if helm accepts a name of a release.
fn is_release(name: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_part = |part: &str| {
        part.starts_with(is_inner)
            && part.ends_with(is_inner)
            && part.chars().all(|c| is_inner(c) || c == '-')
    };
    name.len() <= 53 && name.split('.').all(is_part)
}

/// Sets an empty field to its earlier value.
fn keep<T: Clone + Default + PartialEq>(field: &mut T, earlier: &T) {
    if is_default(field) {
        field.clone_from(earlier);
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Returns the path of the file in a directory, without `./`.
fn shown(dir: &Path) -> PathBuf {
    if dir == Path::new(".") {
        FILE.into()
    } else {
        dir.join(FILE)
    }
}

/// Returns the line, counted from 1, of a key such as `crds.files`, or of the last of its parts
/// that begins a line. `None` if none does.
fn line_of(text: &str, key: &str) -> Option<usize> {
    let mut found = None;
    for part in key.split('.') {
        let is_key = |line: &str| {
            let rest = line.trim_start().strip_prefix(part);
            rest.is_some_and(|rest| rest.starts_with(':'))
        };
        let mut rows = text.lines().enumerate().skip(found.unwrap_or_default());
        match rows.find(|(_, line)| is_key(line)) {
            Some((at, _)) => found = Some(at + 1),
            None => break,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "layout: [rustop.dev/adopted-v1]\nprojectName: barn\n";

    #[test]
    fn paths_out_of_the_repository_are_rejected_at_their_line() {
        for line in [
            "crds: {files: [/etc/passwd]}",
            "samples: [a.yaml, ../../b.yaml]",
            "deploy: {chart: /etc}",
            "deploy: {chart: c, values: [../values.yaml]}",
            "deploy: {kustomize: config/../../x}",
            "deploy: {files: ['']}",
        ] {
            let Problem { reason, .. } = Config::parse(&format!("{TEXT}{line}\n")).unwrap_err();
            assert!(
                reason.contains("not a path below the directory"),
                "{line}: {reason}"
            );
        }
        let problem = Config::parse(&format!("{TEXT}crds:\n  files: [/x]\n")).unwrap_err();
        assert_eq!(problem.line, Some(4));
        let of_deploy = "crds:\n  files: [x]\ndeploy:\n  files: [/x]\n";
        let problem = Config::parse(&format!("{TEXT}{of_deploy}")).unwrap_err();
        assert_eq!(problem.line, Some(6));
        for line in ["deploy: {kustomize: .}", "samples: [./a/*.yaml]"] {
            assert!(Config::parse(&format!("{TEXT}{line}\n")).is_ok(), "{line}");
        }
    }

    #[test]
    fn a_written_file_reads_back() {
        let config = Config {
            layout: vec![LAYOUT.into()],
            project_name: "barn-operator".into(),
            crds: Crds {
                command: Some("cargo run -q --bin crdgen".into()),
                files: vec!["yaml/crd.yaml".into()],
                timeout_seconds: None,
            },
            operator: Operator {
                build: Some("cargo build --bin barn".into()),
                command: vec!["target/debug/barn".into()],
                env: BTreeMap::from([("RUST_LOG".into(), "info".into())]),
                ..Operator::default()
            },
            deploy: Some(Deploy {
                chart: Some("charts/barn".into()),
                ..Deploy::default()
            }),
            samples: vec!["yaml/instance-*.yaml".into()],
            lint: crate::project::LintConfig::default(),
            allow: vec![Allowance {
                rule: "field-gone".into(),
                at: "Cow v1 .spec.herds[].size".into(),
                reason: "in no release".into(),
            }],
        };
        assert_eq!(Config::parse(&config.to_text()), Ok(config));
    }

    #[test]
    fn each_mistake_is_reported_at_its_line() {
        for (text, line, reason) in [
            (format!("{TEXT}crd: {{}}\n"), 3, "crd"),
            (format!("{TEXT}crds:\n  comand: x\n"), 4, "comand"),
            (format!("{TEXT}crds:\n  command: ''\n"), 4, "is empty"),
            (format!("{TEXT}deploy: {{}}\n"), 3, "needs one of"),
            (
                format!("{TEXT}deploy: {{chart: a, files: [b]}}\n"),
                3,
                "only one is allowed",
            ),
            (
                format!("{TEXT}deploy: {{files: [b], release: c}}\n"),
                3,
                "need a `chart`",
            ),
            (TEXT.replace("adopted-v1", "adopted-v2"), 1, "newer rustop"),
            (
                TEXT.replace("rustop.dev/adopted-v1", "x"),
                1,
                "the layout is `x`",
            ),
            (TEXT.replace("barn", "''"), 2, "is empty"),
            (
                format!("{}deploy: {{chart: c}}\n", TEXT.replace("barn", "A b")),
                2,
                "`projectName` is `A b`, which cannot be the name of a Helm release",
            ),
            (
                format!("{TEXT}deploy:\n  chart: c\n  release: b_c\n"),
                5,
                "`deploy.release` is `b_c`",
            ),
            (
                format!("{TEXT}lint: {{disable: [no-fase]}}\n"),
                3,
                "did you mean `no-phase`?",
            ),
            (
                format!("{TEXT}allow:\n- {{rule: a, at: b, reason: ' '}}\n"),
                3,
                "has no reason",
            ),
            (format!("{TEXT}allow:\n- {{rule: a, at: b}}\n"), 4, "reason"),
            (format!("{TEXT}samples: [\n"), 4, ""),
        ] {
            let Problem {
                line: at,
                reason: actual,
            } = Config::parse(&text).unwrap_err();
            assert!(actual.contains(reason), "{text}: {actual}");
            assert!(
                at.is_some_and(|at| at.abs_diff(line) <= usize::from(reason.is_empty())),
                "{text}: {at:?} {actual}"
            );
        }
    }
}
