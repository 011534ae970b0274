//! The CRDs that the project's command generates.

use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use super::copies::{self, CommittedCrd};
use super::scratch::{Scratch, clock};
use super::{Config, Error, documents, expanded};
use crate::cargo::set_target_dir;
use crate::disk::regular;
use crate::error::Io;
use crate::interrupt::{Interrupt, Interrupted, signal_group};

/// The time limit without `crds.timeoutSeconds`: a large workspace is built from nothing within it.
const LIMIT: Duration = Duration::from_secs(3600);
/// The interval at which a running command is polled.
const LOOK: Duration = Duration::from_millis(20);
/// The shell that runs commands of `rustop.yaml`.
const SHELL: &str = "/bin/sh";

/// The CRDs that the command of `rustop.yaml` has generated.
#[derive(Debug, Default)]
pub struct Generated {
    /// The CRDs, each name once if they come from files.
    pub crds: Vec<Value>,
    /// The lines that the command printed before the first CRD.
    pub log: Vec<String>,
    /// The files with CRDs that the command wrote, relative to the repository; empty if it printed
    /// the CRDs.
    pub written: Vec<PathBuf>,
}

/// The failure of a command, or Ctrl-C.
#[derive(Debug)]
pub enum Stopped {
    Failed(Error),
    Interrupted(Interrupted),
}

impl<E: Into<Error>> From<E> for Stopped {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Runs the command in a copy of the repository and returns the CRDs that it prints or writes.
/// `target` is the directory for build results; `None` for that of the repository. `config` gives
/// the time limit and the copies of the CRDs.
///
/// # Errors
/// Returns an error if the command fails, takes too long, or generates no CRD, or if the copy
/// cannot be made.
pub fn generate(
    dir: &Path,
    config: &Config,
    command: &str,
    target: Option<&Path>,
    interrupt: &Interrupt,
) -> Result<Generated, Stopped> {
    let scratch = Scratch::of(dir)?;
    scratch.make_stale(&expanded(dir, &config.crds.files))?;
    let start = clock();
    let target = match target {
        Some(target) => TargetDir::Other(target.to_owned()),
        None if std::env::var_os("CARGO_TARGET_DIR").is_some() => TargetDir::Default,
        None => TargetDir::Own(own_target(dir, config)),
    };
    let out = run(scratch.path(), config, command, &target, interrupt)?;
    let mut generated = printed(&out);
    if generated.crds.is_empty() {
        for file in scratch.written_since(start) {
            let Ok(text) = regular::text(&scratch.path().join(&file)) else {
                continue;
            };
            let found = copies::of_text(&file, &text);
            if !found.is_empty() {
                generated.written.push(file);
                add(&mut generated.crds, found);
            }
        }
    }
    checked(generated, command, &out)
}

/// Runs the command in the repository itself, and returns the CRDs that it prints or has written to
/// the listed files.
///
/// # Errors
/// Returns an error if the command fails, takes too long, or generates no CRD.
pub fn generate_in_place(
    dir: &Path,
    config: &Config,
    command: &str,
    interrupt: &Interrupt,
) -> Result<Generated, Stopped> {
    let start = clock();
    let out = run(dir, config, command, &TargetDir::Default, interrupt)?;
    let mut generated = printed(&out);
    if generated.crds.is_empty() {
        let is_new = |copy: &CommittedCrd| {
            let modified = dir.join(&copy.file).metadata().and_then(|it| it.modified());
            modified.is_ok_and(|it| it >= start)
        };
        let mut new = copies::read(dir, config)?;
        new.retain(is_new);
        if new.is_empty() {
            // The command generates nothing, or writes only what has changed.
            return generate(dir, config, command, None, interrupt);
        }
        generated.written = new.iter().map(|it| it.file.clone()).collect();
        generated.written.dedup();
        add(&mut generated.crds, new);
    }
    checked(generated, command, &out)
}

fn add(crds: &mut Vec<Value>, found: Vec<CommittedCrd>) {
    for copy in found {
        if !crds
            .iter()
            .any(|known| copies::name(known) == copies::name(&copy.crd))
        {
            crds.push(copy.crd);
        }
    }
}

fn checked(generated: Generated, command: &str, out: &str) -> Result<Generated, Stopped> {
    if generated.crds.is_empty() {
        return Err(Error::NothingGenerated {
            command: command.to_owned(),
            problem: documents::may_have_crds(out)
                .then(|| documents::plain(out).problem)
                .flatten(),
            output: out.trim().lines().take(5).map(str::to_owned).collect(),
        }
        .into());
    }
    Ok(generated)
}

/// Returns the directory for build results: that of the repository, so that nothing is compiled
/// twice. For the program `operator/target/debug/barn` it is `operator/target`.
fn own_target(dir: &Path, config: &Config) -> PathBuf {
    let built = config
        .operator
        .command
        .first()
        .and_then(|it| it.split_once("target/"));
    let above = built.map_or("", |(above, _)| above);
    let target = dir.join(above).join("target");
    std::path::absolute(&target).unwrap_or(target)
}

/// The directory for the build results of a command.
enum TargetDir {
    /// The default directory of the build tool, or the one in the environment.
    Default,
    /// The target directory of the repository, for a copy of it.
    Own(PathBuf),
    /// Another directory, which no other version of the repository shares.
    Other(PathBuf),
}

/// Runs a shell line and returns its standard output.
fn run(
    dir: &Path,
    config: &Config,
    line: &str,
    target: &TargetDir,
    interrupt: &Interrupt,
) -> Result<String, Stopped> {
    let mut command = shell(dir, line);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    match target {
        TargetDir::Default => {}
        TargetDir::Own(target) => {
            command.env("CARGO_TARGET_DIR", target);
        }
        TargetDir::Other(target) => set_target_dir(&mut command, target),
    }
    let mut child = command.spawn().map_err(Io::on("run", SHELL))?;
    let out = child.stdout.take().map(reader);
    let errors = child.stderr.take().map(reader);
    let limit = config
        .crds
        .timeout_seconds
        .map_or(LIMIT, Duration::from_secs);
    let status = wait(&mut child, line, Some(limit), interrupt)?;
    // A background process that the command left would keep its output open.
    signal_group(&child, Signal::KILL);
    let text = |reader: Option<JoinHandle<String>>| {
        reader.and_then(|it| it.join().ok()).unwrap_or_default()
    };
    let (out, errors) = (text(out), text(errors));
    if status.success() {
        return Ok(out);
    }
    let said = if errors.trim().is_empty() {
        &out
    } else {
        &errors
    };
    let lines: Vec<_> = said.trim().lines().collect();
    Err(Error::CrdCommand {
        command: line.to_owned(),
        status: status.to_string(),
        output: lines[lines.len().saturating_sub(20)..]
            .iter()
            .map(|it| (*it).to_owned())
            .collect(),
    }
    .into())
}

/// Runs the build command of the operator in the repository. Its output goes to stderr. `target` is
/// the directory for build results; `None` for that of the build tool.
///
/// # Errors
/// Returns an error if the command fails.
pub fn build(
    dir: &Path,
    line: &str,
    target: Option<&Path>,
    interrupt: &Interrupt,
) -> Result<(), Stopped> {
    let mut command = shell(dir, line);
    if let Some(target) = target {
        set_target_dir(&mut command, target);
    }
    command.stdout(Stdio::from(std::io::stderr()));
    let mut child = command.spawn().map_err(Io::on("run", SHELL))?;
    let status = wait(&mut child, line, None, interrupt)?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Build {
        command: line.to_owned(),
        status: status.to_string(),
    }
    .into())
}

/// Returns the command that runs a shell line without input. It leads a process group, which a time
/// limit or Ctrl-C ends.
fn shell(dir: &Path, line: &str) -> Command {
    let mut command = Command::new(SHELL);
    command
        .args(["-c", line])
        .current_dir(dir)
        .process_group(0)
        .stdin(Stdio::null());
    command
}

/// Reads a stream to its end on a thread, up to the size of the largest readable file.
fn reader(stream: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut stream = stream;
        let mut bytes = Vec::new();
        let _ = stream.by_ref().take(regular::LIMIT).read_to_end(&mut bytes);
        // The command must be able to write the rest.
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for a command. Kills it with everything that it has started at the time limit, if there is
/// one, and on Ctrl-C.
fn wait(
    child: &mut Child,
    line: &str,
    limit: Option<Duration>,
    interrupt: &Interrupt,
) -> Result<ExitStatus, Stopped> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(Io::on("run", SHELL))? {
            return Ok(status);
        }
        let stopped = interrupt.check().map_err(Stopped::Interrupted);
        let stopped =
            stopped.and_then(|()| match limit.filter(|limit| start.elapsed() >= *limit) {
                None => Ok(()),
                Some(limit) => Err(Stopped::Failed(Error::CrdTimeout {
                    command: line.to_owned(),
                    seconds: limit.as_secs(),
                })),
            });
        if stopped.is_err() {
            signal_group(child, Signal::KILL);
            let _ = child.wait();
            stopped?;
        }
        thread::sleep(LOOK);
    }
}

/// Returns the CRDs in the output of a command, and the lines before the first document with CRDs.
fn printed(out: &str) -> Generated {
    let lines: Vec<_> = out.split_inclusive('\n').collect();
    let starts = |row: &&str| {
        let row = row.trim_end();
        [
            "---",
            "apiVersion:",
            "kind:",
            "metadata:",
            "spec:",
            "{",
            "[",
        ]
        .iter()
        .any(|it| row.starts_with(it))
    };
    let mut first = lines.iter().position(&starts).unwrap_or(0);
    let mut attempts = 0;
    // A log line may begin with a bracket, as in `[INFO] ..`.
    while first < lines.len() {
        let crds = crds_of(&lines[first..].concat());
        if !crds.is_empty() {
            let log = lines[..first]
                .iter()
                .map(|row| row.trim_end().to_owned())
                .filter(|row| !row.is_empty());
            return Generated {
                crds,
                log: log.collect(),
                written: Vec::new(),
            };
        }
        let next = lines[first + 1..].iter().position(&starts);
        first = next.map_or(lines.len(), |next| first + 1 + next);
        // Each attempt parses the whole rest, so their number is limited.
        attempts += 1;
        if attempts > 200 {
            break;
        }
    }
    Generated::default()
}

fn crds_of(text: &str) -> Vec<Value> {
    let found = documents::crds(text);
    if !found.is_empty() {
        return found;
    }
    // JSON documents one after another are not YAML.
    let stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let parsed = stream.map_while(Result::ok);
    parsed
        .flat_map(|value| documents::crds(&value.to_string()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRD: &str =
        "kind: CustomResourceDefinition\nmetadata: {name: cows.farm.x}\nspec: {group: farm.x}\n";

    fn names(out: &str) -> (Vec<String>, Vec<String>) {
        let generated = printed(out);
        let names = generated.crds.iter().map(|it| copies::name(it).to_owned());
        (names.collect(), generated.log)
    }

    #[test]
    fn yaml_and_json_are_read_behind_log_lines() {
        let json = r#"{"kind": "CustomResourceDefinition", "metadata": {"name": "cows.farm.x"}}"#;
        let none: Vec<String> = Vec::new();
        let cow = vec!["cows.farm.x".to_owned()];
        assert_eq!(names(CRD), (cow.clone(), none.clone()));
        assert_eq!(names(json), (cow.clone(), none.clone()));
        assert_eq!(names(&format!("[{json}]")), (cow.clone(), none.clone()));
        assert_eq!(names(&format!("{json}\n{json}")).0.len(), 2);
        assert_eq!(names(&format!("---\n{CRD}---\n{CRD}")).0.len(), 2);
        let logged = format!("[INFO] generating\nWriting: CRDs\n{CRD}");
        assert_eq!(
            names(&logged),
            (
                cow,
                vec!["[INFO] generating".to_owned(), "Writing: CRDs".to_owned()]
            )
        );
        assert_eq!(names("done\n"), (none.clone(), none.clone()));
        assert_eq!(names(""), (none.clone(), none));
    }
}
