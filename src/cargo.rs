//! Calls of Cargo: building a binary of the project, and reading the structure of its workspace.

pub mod stamp;

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, ErrorKind, IsTerminal as _, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use serde::Deserialize;

use crate::error::{Failure, Io};
use crate::interrupt::{Interrupt, Interrupted, end_group};
use crate::terminal::{self, Terminal};
use crate::text::{indented, shell_word};

/// Time limit for an interrupted cargo to end.
const GRACE: Duration = Duration::from_secs(5);

/// An error of Cargo or of a build.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The project does not compile; the compiler's messages have been printed.
    #[error("the project's `{target}` does not build")]
    Build {
        /// The name of the target that was to be built.
        target: String,
        /// The command that prints the complete messages.
        command: String,
        /// The compiler's errors as plain text. They have also been printed.
        compiler_errors: String,
    },
    /// Ctrl-C or a signal ended the build.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// Cargo cannot be run.
    #[error(transparent)]
    Io(#[from] Io),
    /// `cargo metadata` failed, for example because a manifest is invalid.
    #[error("`cargo metadata` failed:\n{}", indented(&output.lines().collect::<Vec<_>>()))]
    Metadata {
        /// The error output of Cargo.
        output: String,
    },
    /// Cargo is not installed.
    #[error("cannot find `cargo`, which builds the project's types")]
    NoCargo,
}

impl Error {
    /// Returns the compiler's errors, or `None` if the build did not fail because of them.
    pub fn compiler(&self) -> Option<&str> {
        match self {
            Self::Build {
                compiler_errors, ..
            } => Some(compiler_errors),
            _ => None,
        }
    }
}

impl Failure for Error {
    fn is_report(&self) -> bool {
        matches!(self, Self::Metadata { .. })
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Build { command, .. } => Some(format!("run `{command}` for details")),
            Self::NoCargo => Some("install Rust: https://rustup.rs".into()),
            Self::Metadata { .. } => Some("correct the manifest that cargo names".into()),
            Self::Interrupted(_) | Self::Io(_) => None,
        }
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::Interrupted(interrupted) => interrupted.exit_code(),
            _ => 1,
        }
    }
}

/// A line of Cargo's `--message-format=json` output, with the fields that are needed.
#[derive(Deserialize)]
struct Message {
    target: Option<CargoTarget>,
    executable: Option<PathBuf>,
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    /// The text with colors, as the compiler prints it.
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct CargoTarget {
    name: String,
    #[serde(default)]
    kind: Vec<String>,
}

/// A target of the project's workspace that is built to be run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BuildTarget<'a> {
    Binary(&'a str),
    /// An integration test.
    Test(&'a str),
    /// An integration test in the profile `release`.
    OptimizedTest(&'a str),
}

impl<'a> BuildTarget<'a> {
    fn name(self) -> &'a str {
        match self {
            Self::Binary(name) | Self::Test(name) | Self::OptimizedTest(name) => name,
        }
    }

    /// Returns the arguments of cargo that build the target.
    ///
    /// They name the whole workspace, so that Cargo resolves features only once and a later build
    /// of the operator reuses the dependencies. For a binary they also name the examples, which
    /// makes Cargo unify the features of dev-dependencies, so that `cargo test` reuses them, too.
    /// (A release build enables none of these.) Building `crdgen` alone, with nothing of kube but
    /// its derive macro, takes 0.45 of the CPU time, but then the operator compiles serde, syn and
    /// what depends on them again: both together take 1.36 times as long (kube 5.0).
    fn arguments(self) -> Vec<String> {
        let words = match self {
            Self::Binary(name) => vec!["build", "--workspace", "--bin", name, "--examples"],
            Self::Test(name) | Self::OptimizedTest(name) => {
                vec!["test", "--workspace", "--test", name, "--no-run"]
            }
        };
        let profile = matches!(self, Self::OptimizedTest(_)).then_some("--release");
        let words = words.into_iter().chain(profile);
        words.map(str::to_owned).collect()
    }

    /// Returns the command with which a user sees the complete messages of a failed build.
    fn command(self) -> String {
        match self {
            Self::Binary(_) => "cargo build --workspace".to_owned(),
            Self::Test(name) => format!("cargo test --test {name} --no-run"),
            Self::OptimizedTest(name) => format!("cargo test --release --test {name} --no-run"),
        }
    }

    fn is(self, target: &CargoTarget) -> bool {
        let has_kind = |kind: &str| target.kind.iter().any(|it| it == kind);
        target.name == self.name()
            && match self {
                Self::Binary(_) => !has_kind("test"),
                Self::Test(_) | Self::OptimizedTest(_) => has_kind("test"),
            }
    }
}

/// The task that rustop runs while cargo builds.
#[derive(Clone, Copy, Debug)]
pub enum Concurrent<'a> {
    /// No other task: cargo is in rustop's process group, so Ctrl-C ends both.
    Nothing,
    /// Another task, which fails or succeeds independently of the build; or none, in a run that
    /// handles signals itself.
    With {
        /// Ends the build.
        interrupt: &'a Interrupt,
        /// Prints each line of cargo above the progress of the other task. `None` if that task
        /// shows no progress: then cargo shows its own.
        above: Option<Terminal>,
    },
}

/// Sets the directory for all results of a cargo command, or of a command that runs cargo.
pub fn set_target_dir(command: &mut Command, dir: &Path) {
    // Intermediate results have a directory of their own if the user has set one.
    command.env("CARGO_TARGET_DIR", dir);
    command.env("CARGO_BUILD_BUILD_DIR", dir);
}

/// Builds a target of the project's workspace in `root`, and returns the path of its program.
/// `target_dir` is the directory for build results; `None` for Cargo's default.
///
/// # Errors
/// Returns an error if Cargo is not installed, if the project does not compile, or if a signal ends
/// the build.
pub fn build(
    root: &Path,
    target: BuildTarget<'_>,
    target_dir: Option<&Path>,
    concurrent: Concurrent<'_>,
) -> Result<PathBuf, Error> {
    let mut command = Command::new(cargo());
    if let Some(dir) = target_dir {
        set_target_dir(&mut command, dir);
    }
    command
        .args(target.arguments())
        .args(["--message-format", "json-diagnostic-rendered-ansi"])
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let above = match concurrent {
        Concurrent::Nothing => None,
        Concurrent::With { above, .. } => {
            // A group of its own, so that the compilers can be ended with cargo.
            command.process_group(0);
            above
        }
    };
    if let Some(terminal) = above {
        let color = if terminal.is_colored() {
            "always"
        } else {
            "never"
        };
        command.args(["--color", color]).stderr(Stdio::piped());
    }
    let mut child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::NoCargo,
        _ => Io::on("run", "cargo")(error).into(),
    })?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (built, status) = thread::scope(|scope| {
        let built = scope.spawn(|| read_messages(stdout, target));
        if let Some(terminal) = above {
            scope.spawn(move || lines(stderr).for_each(|line| terminal.passed_on(&line)));
        }
        let status = wait(&mut child, concurrent);
        (
            built.join().expect("reading messages does not panic"),
            status,
        )
    });
    match (status?, built) {
        (status, (Some(path), _)) if status.success() => Ok(path),
        (_, (_, compiler_errors)) => Err(Error::Build {
            target: target.name().to_owned(),
            command: if target_dir.is_some() {
                // The user is not in that directory.
                let manifest = root.join("Cargo.toml").display().to_string();
                format!(
                    "{} --manifest-path {}",
                    target.command(),
                    shell_word(&manifest)
                )
            } else {
                target.command()
            },
            compiler_errors,
        }),
    }
}

/// Waits until cargo ends. If another task runs, an interruption ends cargo and its compilers.
fn wait(child: &mut Child, concurrent: Concurrent<'_>) -> Result<ExitStatus, Error> {
    let run = || Io::on("run", "cargo");
    let Concurrent::With { interrupt, .. } = concurrent else {
        return Ok(child.wait().map_err(run())?);
    };
    loop {
        if let Some(status) = child.try_wait().map_err(run())? {
            return Ok(status);
        }
        if let Err(interrupted) = interrupt.check() {
            end_group(child, GRACE);
            return Err(interrupted.into());
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Shows the diagnostics in cargo's messages. Returns the path of the target, if it was built, and
/// the text of the errors.
fn read_messages(
    stdout: Option<ChildStdout>,
    target: BuildTarget<'_>,
) -> (Option<PathBuf>, String) {
    let (mut built, mut compiler_errors) = (None, String::new());
    for line in lines(stdout) {
        let Ok(message) = serde_json::from_str::<Message>(&line) else {
            continue;
        };
        if let Some(diagnostic) = message.message {
            diagnostic.show(&mut compiler_errors);
        }
        if message.target.is_some_and(|it| target.is(&it)) {
            built = message.executable.or(built);
        }
    }
    (built, compiler_errors)
}

fn lines(pipe: Option<impl Read>) -> impl Iterator<Item = String> {
    pipe.into_iter()
        .flat_map(|pipe| BufReader::new(pipe).lines())
        .map_while(Result::ok)
}

impl Diagnostic {
    /// Prints the message like Cargo, overwriting the progress bar, and appends the text of an
    /// error to `compiler_errors`.
    fn show(&self, compiler_errors: &mut String) {
        let Some(rendered) = &self.rendered else {
            return;
        };
        let is_terminal = std::io::stderr().is_terminal();
        let over = if is_terminal { "\r\x1b[K" } else { "" };
        // A closed terminal must not abort the build.
        let shown = terminal::colored(rendered.trim_end_matches('\n'));
        terminal::above_progress(|| {
            let _ = writeln!(anstream::stderr(), "{over}{shown}");
        });
        if self.level.starts_with("error") {
            *compiler_errors += &anstream::adapter::strip_str(rendered).to_string();
        }
    }
}

/// Returns the `cargo` to call: the one that started rustop, or else the one in `PATH`.
pub fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Returns the output of a program as text, with U+FFFD in place of bytes that are not UTF-8.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_build_of_another_checkout_names_its_directory() {
        let dir = tempfile::tempdir().unwrap();
        let failed = |target_dir: Option<&Path>| {
            let target = BuildTarget::Binary("moo");
            let error = build(dir.path(), target, target_dir, Concurrent::Nothing);
            error.unwrap_err().help().unwrap()
        };
        assert_eq!(failed(None), "run `cargo build --workspace` for details");
        let manifest = dir.path().join("Cargo.toml");
        assert_eq!(
            failed(Some(&dir.path().join("target"))),
            format!(
                "run `cargo build --workspace --manifest-path {}` for details",
                manifest.display()
            )
        );
    }

    #[test]
    fn a_test_and_a_binary_of_one_name_are_distinguished() {
        let target = |kind: &str| CargoTarget {
            name: "simulation".to_owned(),
            kind: vec![kind.to_owned()],
        };
        let binary = BuildTarget::Binary("simulation");
        let test = BuildTarget::Test("simulation");
        assert!(binary.is(&target("bin")) && !binary.is(&target("test")));
        assert!(test.is(&target("test")) && !test.is(&target("bin")));
    }
}
