//! Rendering by helm and kustomize.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::adopted::Error;
use crate::adopted::config::Deploy;
use crate::adopted::error::Renderer;

/// Renders a chart with `helm template`. Returns `None` if helm is not installed.
///
/// # Errors
/// Returns an error if helm fails.
pub fn helm(
    dir: &Path,
    chart: &str,
    deploy: &Deploy,
    release: &str,
) -> Result<Option<String>, Error> {
    let mut command = Command::new("helm");
    command.args(["template", "--include-crds"]);
    command.arg(format!("--namespace={}", deploy.namespace()));
    for values in &deploy.values {
        command.arg(format!("--values={}", local(values)));
    }
    for (key, value) in &deploy.set {
        command.arg(format!("--set={key}={value}"));
    }
    command.args(["--", release, &local(chart)]);
    match output(dir, &mut command) {
        Ok(output) => text(&command, &output, Renderer::Helm).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Program {
            program: "helm".to_owned(),
            source,
        }),
    }
}

/// Renders a kustomization with `kubectl kustomize`, or with `kustomize build` if kubectl is not installed.
///
/// # Errors
/// Returns an error if neither program is installed, or if it fails.
pub fn kustomize(dir: &Path, kustomization: &str) -> Result<String, Error> {
    let mut first = None;
    for line in [["kubectl", "kustomize"], ["kustomize", "build"]] {
        let mut command = Command::new(line[0]);
        command.args([line[1], "--", &local(kustomization)]);
        match output(dir, &mut command) {
            Ok(output) => return text(&command, &output, Renderer::Kustomize),
            Err(source) => {
                let program = line[0].to_owned();
                first.get_or_insert(Error::Program { program, source });
            }
        }
    }
    Err(first.expect("the loop runs at least once"))
}

/// Returns a path of `rustop.yaml` in a form that helm and kustomize take neither for a URL nor for a flag.
fn local(path: &str) -> String {
    format!("./{path}")
}

fn output(dir: &Path, command: &mut Command) -> std::io::Result<Output> {
    command.current_dir(dir).stdin(Stdio::null()).output()
}

fn text(command: &Command, output: &Output, what: Renderer) -> Result<String, Error> {
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let words = [command.get_program()]
        .into_iter()
        .chain(command.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Error::Render {
        command: words.join(" "),
        output: said.trim().lines().take(20).map(str::to_owned).collect(),
        what,
    })
}
