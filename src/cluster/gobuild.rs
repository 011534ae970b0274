//! Builds programs of a control plane with Go: all of them on a machine that cannot download a
//! release, or on request, and otherwise only KWOK, which has no release with a checksum.
//!
//! One `go build` builds all of them. Compiled packages are stored in Go's cache, and linked
//! programs in a directory that outlives rustop. An interrupted build therefore continues where it
//! was: Go decides by checksums which packages and programs are up to date, and moves a program to
//! its place only when it is complete.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::io::{self, BufRead as _, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use indicatif::HumanBytes;

use super::error::{Error, Result};
use super::gomodule::{GoModule, Program};
use super::process;
use crate::interrupt::{Interrupt, end_group};
use crate::progress::Progress;
use crate::terminal::Terminal;
use crate::text::count;

/// The environment variable with the directory of a build. It identifies the build's processes.
const MARK: &str = "RUSTOP_BUILD_IN";
/// Interval between updates of the progress.
const TICK: Duration = Duration::from_millis(100);
/// Time limit for an interrupted `go` to remove its temporary files.
const GRACE: Duration = Duration::from_secs(5);
/// Linking a program takes about as long as compiling this many packages.
const LINK: u64 = 30;
/// Maximum number of lines of a failed build in an error, and the maximum length of each.
const LINES: usize = 5;
const LONGEST: usize = 300;
/// The reason for which `go list` reports a compiled package of a program as stale. For any other
/// compiled package it prints no reason.
const CACHED: &str = "not installed but available in build cache";

/// Makes the compilers write no debug information, which the linker would remove. `go list` needs
/// the same flags as `go build` to know what is compiled.
const WITHOUT_DWARF: &str = "-gcflags=all=-dwarf=false";

/// Returns true if `go` can be run.
pub fn is_available() -> bool {
    Command::new("go")
        .arg("version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// A build of some programs of a module.
pub struct Build<'a> {
    pub module: &'a GoModule,
    /// The programs of the module to build.
    pub programs: &'a [Program],
    /// A directory for this module and platform. [`Self::run`] creates it and never removes it. The
    /// caller ensures that no other build uses it.
    pub work: &'a Path,
    /// A signal here ends the build.
    pub interrupt: &'a Interrupt,
    /// Shows the progress.
    pub terminal: Terminal,
}

impl Build<'_> {
    /// Builds the programs and moves them into the directory `to`, which exists and is on the file
    /// system of `work`.
    pub fn run(&self, to: &Path) -> Result<()> {
        self.prepare()?;
        let names: Vec<&str> = self.programs.iter().map(|program| program.name).collect();
        let what = format!("{} with Go", names.join(", "));
        self.terminal.status("Building", what);
        let stale = self.stale_packages()?;
        self.build(&stale)?;
        for program in self.programs {
            let (from, to) = (self.built(program), to.join(program.name));
            fs::rename(&from, &to).map_err(Error::io("move", from))?;
        }
        Ok(())
    }

    /// Creates the directories of the build and the files of the module, and removes temporary
    /// files of an earlier build.
    fn prepare(&self) -> Result<()> {
        // The build of a rustop that was killed may still run.
        process::end(&process::marked(MARK, self.work), GRACE);
        super::dirs::remove(&self.temporary())?;
        for dir in [self.temporary(), self.output()] {
            fs::create_dir_all(&dir).map_err(Error::io("create", dir))?;
        }
        for (name, text) in [
            ("go.mod", self.module.go_mod),
            ("go.sum", self.module.go_sum),
        ] {
            let path = self.work.join(name);
            fs::write(&path, text).map_err(Error::io("write", path))?;
        }
        Ok(())
    }

    /// Returns the packages that have to be compiled. Go downloads the missing modules first.
    fn stale_packages(&self) -> Result<HashSet<String>> {
        let format = "{{.ImportPath}}\t{{.StaleReason}}";
        let mut command = self.go();
        command.args(["list", "-deps", "-trimpath", WITHOUT_DWARF, "-f", format]);
        let mut downloads = Downloads::new(self.module_cache());
        let mut progress = Progress::new(self.terminal, "Resolving", None);
        let mut stale = HashSet::new();
        self.follow(command, |line| {
            let is_known = match line {
                Some(GoOutputLine::Out(line)) => {
                    stale.extend(stale_package(line).map(str::to_owned));
                    true
                }
                Some(GoOutputLine::Err(line)) => downloads.add(line),
                None => true,
            };
            progress.set(0, || downloads.progress_text());
            is_known
        })?;
        Ok(stale)
    }

    /// Builds the programs. `stale` are the packages to compile, by which the progress is counted.
    fn build(&self, stale: &HashSet<String>) -> Result<()> {
        let flags = format!("-s -w{}", self.module.stamp());
        let mut command = self.go();
        command
            .args(["build", "-v", "-trimpath", WITHOUT_DWARF])
            .args(["-ldflags", &flags, "-o"])
            .arg(self.output())
            // On the same disk, so that Go can move a program that it has linked.
            .env("GOTMPDIR", self.temporary());
        let total = stale.len() as u64 + self.programs.len() as u64 * LINK;
        let mut progress = Progress::new(self.terminal, "Building", Some(total));
        let mut compiled = 0;
        self.follow(command, |line| {
            let is_known = match line {
                Some(GoOutputLine::Err(line)) if stale.contains(line) => {
                    compiled += 1;
                    true
                }
                // A package that is not in the list, or one that another build has removed from
                // Go's cache.
                Some(GoOutputLine::Err(line)) => is_package(line),
                Some(GoOutputLine::Out(_)) | None => true,
            };
            let is_linked = |program: &&Program| self.built(program).exists();
            let linked = self.programs.iter().filter(is_linked).count();
            progress.set(compiled + linked as u64 * LINK, || {
                format!(
                    "{compiled} of {} compiled, {linked} of {} linked",
                    count(stale.len(), "package"),
                    count(self.programs.len(), "program")
                )
            });
            is_known
        })
    }

    fn go(&self) -> Command {
        let mut command = Command::new("go");
        command
            .current_dir(self.work)
            .env("CGO_ENABLED", "0")
            // The compilers spend less time on garbage collection, and use little more memory.
            .env("GOGC", "400")
            // With this, Go rejects modules that are not in go.sum.
            .env("GOFLAGS", "-mod=readonly")
            .env("GOWORK", "off")
            .env(MARK, self.work)
            .env_remove("GOOS")
            .env_remove("GOARCH");
        command
    }

    /// Runs `command` on the packages of the programs. Calls `heard` with each line of its output,
    /// and with `None` every [`TICK`]. A line for which `heard` returns false becomes part of the
    /// error if the command fails.
    fn follow(
        &self,
        mut command: Command,
        mut heard: impl FnMut(Option<&GoOutputLine>) -> bool,
    ) -> Result<()> {
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => Error::NoGo,
            _ => Error::Spawn {
                program: "go".into(),
                source,
            },
        };
        let mut child = command
            .args(self.programs.iter().map(|program| program.package))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // The process group contains the compilers, too.
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let (sender, receiver) = mpsc::channel();
        send_lines(child.stdout.take(), sender.clone(), GoOutputLine::Out);
        send_lines(child.stderr.take(), sender, GoOutputLine::Err);
        let mut last = VecDeque::new();
        loop {
            let line = match receiver.recv_timeout(TICK) {
                Ok(line) => Some(line),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if !heard(line.as_ref())
                && let Some(GoOutputLine::Err(text)) = line
            {
                last.push_back(text.chars().take(LONGEST).collect());
                if last.len() > LINES {
                    last.pop_front();
                }
            }
            if let Err(interrupted) = self.interrupt.check() {
                end_group(&mut child, GRACE);
                return Err(interrupted.into());
            }
        }
        if child.wait().map_err(failed)?.success() {
            return Ok(());
        }
        Err(Error::GoBuild {
            version: self.module.version().to_string(),
            last: last.into(),
        })
    }

    /// Returns Go's module cache, or an empty path if Go does not report it; then no downloads are
    /// counted.
    fn module_cache(&self) -> PathBuf {
        let output = self.go().args(["env", "GOMODCACHE"]).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        text.unwrap_or_default().into()
    }

    /// Returns the directory into which Go links the programs.
    fn output(&self) -> PathBuf {
        self.work.join("programs")
    }

    fn built(&self, program: &Program) -> PathBuf {
        self.output().join(program.built)
    }

    fn temporary(&self) -> PathBuf {
        self.work.join("tmp")
    }
}

/// A line that Go printed on stdout or stderr.
enum GoOutputLine {
    Out(String),
    Err(String),
}

fn send_lines(
    pipe: Option<impl Read + Send + 'static>,
    sender: Sender<GoOutputLine>,
    line: fn(String) -> GoOutputLine,
) {
    thread::spawn(move || {
        let lines = pipe
            .into_iter()
            .flat_map(|pipe| BufReader::new(pipe).lines());
        for text in lines.map_while(std::result::Result::ok) {
            if sender.send(line(text)).is_err() {
                break;
            }
        }
    });
}

/// Returns true if a line of `go build -v` is the path of a package, not a message.
fn is_package(line: &str) -> bool {
    line.contains('/') && !line.contains([' ', ':', '#'])
}

/// Returns the package of a line of `go list`, unless it is in Go's cache already.
fn stale_package(line: &str) -> Option<&str> {
    let (package, reason) = line.split_once('\t')?;
    let is_compiled = reason.is_empty() || reason == CACHED;
    (!is_compiled).then_some(package)
}

/// The modules that Go downloads.
struct Downloads {
    cache: PathBuf,
    archives: Vec<PathBuf>,
}

impl Downloads {
    fn new(cache: PathBuf) -> Self {
        Self {
            cache,
            archives: Vec::new(),
        }
    }

    /// Adds the module of a line `go: downloading k8s.io/api v0.37.2`. Returns false for any other
    /// line.
    fn add(&mut self, line: &str) -> bool {
        let module = line.strip_prefix("go: downloading ");
        let Some((module, version)) = module.and_then(|module| module.split_once(' ')) else {
            return false;
        };
        // The cache may be on a file system that ignores case
        // (https://go.dev/ref/mod#module-cache).
        let escaped = |text: &str| {
            text.chars().fold(String::new(), |mut path, c| {
                if c.is_ascii_uppercase() {
                    path.push('!');
                }
                path.push(c.to_ascii_lowercase());
                path
            })
        };
        let archive = format!("{}/@v/{}.zip", escaped(module), escaped(version));
        self.archives
            .push(self.cache.join("cache/download").join(archive));
        true
    }

    /// Describes the progress: `Go modules, 12 of 38 downloaded, 112 MiB`. Go prints the line of a
    /// module when its download begins, so the second number grows, too.
    fn progress_text(&self) -> String {
        if self.archives.is_empty() {
            return "Go modules".to_owned();
        }
        let sizes: Vec<u64> = self
            .archives
            .iter()
            .filter_map(|path| Some(path.metadata().ok()?.len()))
            .collect();
        format!(
            "Go modules, {} of {} downloaded, {}",
            sizes.len(),
            self.archives.len(),
            HumanBytes(sizes.iter().sum())
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_in_the_cache_of_go_are_not_compiled() {
        for (line, expected) in [
            ("fmt\tstale dependency: internal/cpu", Some("fmt")),
            (
                "k8s.io/kubernetes/cmd/kubectl\tnot installed but available in build cache",
                None,
            ),
            ("example.com/x\tbuild ID mismatch", Some("example.com/x")),
            ("k8s.io/api/core/v1\t", None),
            ("", None),
        ] {
            assert_eq!(stale_package(line), expected, "{line}");
        }
    }

    #[test]
    fn downloaded_modules_are_counted_with_their_bytes() {
        let cache = tempfile::tempdir().unwrap();
        let mut downloads = Downloads::new(cache.path().into());
        assert_eq!(downloads.progress_text(), "Go modules");
        assert!(downloads.add("go: downloading github.com/Microsoft/go-winio v0.6.2"));
        assert!(downloads.add("go: downloading k8s.io/api v0.37.2"));
        assert!(!downloads.add("go: module lookup disabled by GOPROXY=off"));
        assert_eq!(
            downloads.progress_text(),
            "Go modules, 0 of 2 downloaded, 0 B"
        );
        let dir = cache
            .path()
            .join("cache/download/github.com/!microsoft/go-winio/@v");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("v0.6.2.zip"), [0; 2048]).unwrap();
        assert_eq!(
            downloads.progress_text(),
            "Go modules, 1 of 2 downloaded, 2.00 KiB"
        );
    }
}
