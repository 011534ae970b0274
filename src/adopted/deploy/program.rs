//! Rendering by helm and kustomize.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::adopted::Error;
use crate::adopted::config::Deploy;
use crate::adopted::error::Renderer;

/// The time limit of a renderer. A kustomization can name a pipe.
const LIMIT: Duration = Duration::from_secs(60);

/// A proxy that does not exist, and git without any protocol: a renderer is not to send requests
/// that a clone names.
const OFFLINE: [(&str, &str); 5] = [
    ("HTTP_PROXY", "http://127.0.0.1:9"),
    ("HTTPS_PROXY", "http://127.0.0.1:9"),
    ("http_proxy", "http://127.0.0.1:9"),
    ("https_proxy", "http://127.0.0.1:9"),
    ("GIT_ALLOW_PROTOCOL", "none"),
];

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

/// Renders a kustomization with `kubectl kustomize`, or with `kustomize build` if kubectl is not
/// installed.
///
/// # Errors
/// Returns an error if neither program is installed, or if it fails.
pub fn kustomize(dir: &Path, kustomization: &str) -> Result<String, Error> {
    let mut first = None;
    for line in [["kubectl", "kustomize"], ["kustomize", "build"]] {
        let mut command = Command::new(line[0]);
        command.args([line[1], "--", &local(kustomization)]);
        command
            .envs(OFFLINE)
            .env_remove("NO_PROXY")
            .env_remove("no_proxy");
        match output(dir, &mut command) {
            Ok(output) => return text(&command, &output, Renderer::Kustomize),
            Err(source) => {
                let (program, is_late) = (line[0].to_owned(), source.kind() == ErrorKind::TimedOut);
                first.get_or_insert(Error::Program { program, source });
                if is_late {
                    break;
                }
            }
        }
    }
    Err(first.expect("the loop runs at least once"))
}

/// Returns a path of `rustop.yaml` in a form that helm and kustomize take neither for a URL nor for
/// a flag.
fn local(path: &str) -> String {
    format!("./{path}")
}

/// Runs a renderer in a directory. Kills it with everything that it has started after [`LIMIT`].
fn output(dir: &Path, command: &mut Command) -> io::Result<Output> {
    let child = command
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let group = Pid::from_child(&child);
    let (done, ended) = mpsc::channel::<()>();
    let killer = thread::spawn(move || {
        let is_late = ended.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout);
        if is_late {
            let _ = kill_process_group(group, Signal::KILL);
        }
        is_late
    });
    let output = child.wait_with_output();
    drop(done);
    match killer.join() {
        Ok(true) => Err(io::Error::new(
            ErrorKind::TimedOut,
            format!("it did not end within {} s", LIMIT.as_secs()),
        )),
        _ => output,
    }
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
