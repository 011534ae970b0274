//! Errors of adopted projects.

use std::io::ErrorKind;
use std::path::PathBuf;

use super::FILE;
use crate::error::{Failure, Io};
use crate::terminal::escaped_line;
use crate::text::indented;

/// An error in `rustop.yaml`, or in a command or manifest that it names.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `helm` is not installed, and the chart uses a function or syntax that rustop's own renderer
    /// does not have. If helm is installed and fails, the error is `Render` instead.
    #[error("cannot render the chart without helm: {place}: {reason}")]
    Chart {
        /// The file and line of the template: `chart/templates/role.yaml:3`.
        place: String,
        reason: String,
    },
    /// `rustop.yaml` is invalid.
    #[error("{place}: {reason}")]
    Config {
        /// The path, with the line if it is known.
        place: String,
        reason: String,
    },
    /// The build command ended with an error, which it has printed.
    #[error("the build command `{command}` failed ({status})")]
    Build {
        command: String,
        /// The exit code or the signal.
        status: String,
    },
    /// The pod has several containers, and none is known to be the operator's.
    #[error("{workload} has the containers {}: cannot tell which one is the operator", containers.join(", "))]
    Containers {
        /// The kind and name of the workload.
        workload: String,
        containers: Vec<String>,
    },
    /// The CRD command ended with an error.
    #[error(
        "the CRD command `{}` failed ({status}):\n{}",
        escaped_line(command),
        indented(output)
    )]
    CrdCommand {
        command: String,
        /// The exit code or the signal.
        status: String,
        /// The last lines of its error output, or of its output if there are none.
        output: Vec<String>,
    },
    /// The CRD command did not end within its time limit.
    #[error("the CRD command `{command}` did not end within {seconds} s")]
    CrdTimeout { command: String, seconds: u64 },
    /// A file could not be read or copied, or the shell for the CRD command could not be started.
    #[error(transparent)]
    Io(#[from] Io),
    /// A manifest, a values file or a `Chart.yaml` is not valid YAML.
    #[error("{place}: not valid YAML: {reason}")]
    Manifest {
        /// The path, with the line if it is known.
        place: String,
        reason: String,
    },
    /// A path or pattern of `crds.files` matches nothing.
    #[error("`crds.files` of {FILE} has `{pattern}`, which matches no file")]
    NoCopy { pattern: String },
    /// A file of `crds.files` has no CRD, or none that can be parsed.
    #[error(
        "`{}` is listed in `crds.files` of {FILE}, but has no CustomResourceDefinition that can be read{}",
        file.display(),
        problem.as_ref().map(|(line, why)| format!("; line {line}: {}", escaped_line(why))).unwrap_or_default()
    )]
    NoCrd {
        file: PathBuf,
        /// The first line that is not valid YAML, and why.
        problem: Option<(usize, String)>,
    },
    /// A path or pattern of `deploy.files` or `samples` matches nothing.
    #[error("`{key}` of {FILE} has `{pattern}`, which matches no file")]
    NoFile {
        /// `deploy.files` or `samples`.
        key: &'static str,
        pattern: String,
    },
    /// The path of `deploy` is not a chart or a kustomization.
    #[error("`{key}` of {FILE} has `{path}`, which {problem}")]
    NoSource {
        /// `deploy.chart` or `deploy.kustomize`.
        key: &'static str,
        path: String,
        /// The reason, with the path as its subject.
        problem: &'static str,
    },
    /// The manifests have no workload, or none with the configured name.
    #[error("the manifests have no Deployment, StatefulSet or DaemonSet{}", name.as_ref().map(|name| format!(" named `{name}`")).unwrap_or_default())]
    NoWorkload {
        /// The configured name of the workload, if there is one.
        name: Option<String>,
    },
    /// `rustop.yaml` does not name the program.
    #[error("`operator.command` of {FILE} is missing: the operator's program is not known")]
    NoProgram,
    /// The directory has no `rustop.yaml`.
    #[error("`{}` has no {FILE}", dir.display())]
    NotAdopted { dir: PathBuf },
    /// The CRD command succeeded, but generated no CRD.
    #[error(
        "the CRD command `{}` printed no CustomResourceDefinition and wrote none{}{}",
        escaped_line(command),
        problem.as_ref().map(|(line, why)| format!("; line {line} of its output is not valid YAML: {}", escaped_line(why))).unwrap_or_default(),
        if output.is_empty() { String::new() } else { format!(":\n{}", indented(output)) }
    )]
    NothingGenerated {
        command: String,
        /// The first line of its output that is not valid YAML, and why, if the output mentions a
        /// CRD.
        problem: Option<(usize, String)>,
        /// The first lines of its output.
        output: Vec<String>,
    },
    /// The program in `operator.command` does not exist after the build.
    #[error("cannot run `{}`, the program in `operator.command` of {FILE}: it does not exist", program.display())]
    ProgramNotFound { program: PathBuf },
    /// A renderer cannot be started, usually because it is not installed, or it did not end within
    /// its time limit. In that case, the kind of `source` is `TimedOut`.
    #[error("cannot run `{program}`")]
    Program {
        program: String,
        source: std::io::Error,
    },
    /// A kustomization names a patch or another input by an address.
    #[error("{place}: names `{entry}`, and rustop fetches nothing that a repository names")]
    Remote {
        /// The file, with the line if it is known.
        place: String,
        entry: String,
    },
    /// A renderer ended with an error.
    #[error("`{}` failed:\n{}", escaped_line(command), indented(output))]
    Render {
        command: String,
        /// The first lines of its error output.
        output: Vec<String>,
        /// The renderer, which decides the help.
        what: Renderer,
    },
    /// The chart needs other values: a template calls `required` or `fail`, or renders invalid YAML
    /// without them.
    #[error("{place}: the chart requires {}: {reason}", wanted(keys))]
    Values {
        /// The file and line of the template.
        place: String,
        /// The message of the chart, or the error in the YAML.
        reason: String,
        /// The paths of the values that the template lacks; empty if they are not known.
        keys: Vec<String>,
    },
    /// The manifests have several workloads, and none is known to be the operator's.
    #[error("the manifests have {}: cannot tell which one is the operator", workloads.join(", "))]
    Workloads {
        /// Each as its kind and name: `Deployment barn`.
        workloads: Vec<String>,
    },
}

/// Names the values that a chart requires.
fn wanted(keys: &[String]) -> String {
    match keys {
        [] => "other values".to_owned(),
        [key] => format!("the value `{key}`"),
        keys => format!("the values `{}`", keys.join("`, `")),
    }
}

/// An external program that renders manifests.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Renderer {
    /// `helm template`.
    Helm,
    /// `kubectl kustomize` or `kustomize build`.
    Kustomize,
}

impl Error {
    /// Reports whether the error names the values that a chart lacks. Such an error of rustop's own
    /// renderer is shown instead of helm's.
    pub fn names_values(&self) -> bool {
        matches!(self, Self::Values { keys, .. } if !keys.is_empty())
    }
}

impl Failure for Error {
    fn is_report(&self) -> bool {
        matches!(
            self,
            Self::CrdCommand { .. } | Self::NothingGenerated { .. } | Self::Render { .. }
        )
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::Chart { .. } => {
                "install helm, or name plain manifests: rustop adopt --deploy files:PATH --force".to_owned()
            }
            Self::Config { .. } => {
                format!("fix {FILE}; `rustop schema --adopted` prints its fields")
            }
            Self::Build { command, .. } | Self::CrdCommand { command, .. } => {
                format!("run it in the repository: {}", escaped_line(command))
            }
            Self::Containers { containers, .. } => {
                let first = containers.first()?;
                format!("add to {FILE}: operator: {{container: {first}}}")
            }
            Self::CrdTimeout { .. } => {
                format!("set a longer limit in {FILE}: crds: {{timeoutSeconds: 7200}}")
            }
            Self::Io(_) | Self::Manifest { .. } => return None,
            Self::NoCopy { .. } | Self::NoCrd { .. } => format!("correct `crds.files` in {FILE}"),
            Self::NothingGenerated { .. } => {
                format!(
                    "correct `crds.command` in {FILE}, or remove it if the CRDs are written by hand"
                )
            }
            Self::NoFile { key, .. } | Self::NoSource { key, .. } => format!("correct `{key}` in {FILE}"),
            Self::NoWorkload { name: Some(name) } => {
                format!("correct `operator.workload` in {FILE}, which is `{name}`")
            }
            Self::NoWorkload { name: None } => {
                "name the manifests with the operator's Deployment: rustop adopt --deploy PATH --force"
                    .to_owned()
            }
            Self::NoProgram => "rustop adopt --command 'PROGRAM ARGUMENTS' --force".to_owned(),
            Self::ProgramNotFound { .. } => {
                format!("correct `operator.command` in {FILE}; a name without `/` is searched in PATH")
            }
            Self::NotAdopted { .. } => "rustop adopt".to_owned(),
            Self::Program { program, source } if source.kind() != ErrorKind::TimedOut => {
                format!("install `{program}`")
            }
            Self::Values { keys, .. } if !keys.is_empty() => {
                let values: Vec<_> = keys.iter().map(|key| format!("{key}: VALUE")).collect();
                let them = if keys.len() == 1 { "it" } else { "them" };
                format!("add {them} to {FILE}: deploy: {{set: {{{}}}}}", values.join(", "))
            }
            Self::Values { .. }
            | Self::Render {
                what: Renderer::Helm,
                ..
            } => format!(
                "add the values that the chart requires to {FILE}: deploy: {{values: [FILE]}}, or {{set: {{KEY: VALUE}}}}"
            ),
            Self::Program { .. }
            | Self::Remote { .. }
            | Self::Render {
                what: Renderer::Kustomize,
                ..
            } => "name plain manifests instead: rustop adopt --deploy files:PATH --force".to_owned(),
            Self::Workloads { workloads } => {
                let name = workloads.first()?.rsplit_once(' ')?.1;
                format!("add to {FILE}: operator: {{workload: {name}}}")
            }
        };
        Some(help)
    }
}
