//! Builds the control plane from its Go modules, for where no release can be downloaded.
//!
//! Each directory in `go/` is a module that requires the one to be built and replaces what that replaces
//! (`go install` refuses such modules); its `go.sum` pins every source that goes into the build. KWOK takes the
//! versions of what it shares with Kubernetes from there, so that it is compiled once. To move to another version:
//! change `go.mod`, KWOK's, too, run `go mod tidy` in there, and change [`super::version::PINNED`].

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::error::{Error, Result};
use super::process::last_lines;
use super::version::PINNED;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::terminal::Terminal;

/// One module with the programs that come out of it.
pub struct Module {
    name: &'static str,
    go_mod: &'static str,
    go_sum: &'static str,
    /// Package and program.
    programs: &'static [(&'static str, &'static str)],
    /// Whether the programs tell their version by the variables of Kubernetes.
    stamped: bool,
}

/// etcd, with the API server's client.
const ETCD: Module = Module {
    name: "go.etcd.io/etcd/server/v3",
    go_mod: include_str!("go/etcd/go.mod"),
    go_sum: include_str!("go/etcd/go.sum"),
    programs: &[("go.etcd.io/etcd/server/v3", "etcd")],
    stamped: false,
};

const KUBERNETES: Module = Module {
    name: "k8s.io/kubernetes",
    go_mod: include_str!("go/kubernetes/go.mod"),
    go_sum: include_str!("go/kubernetes/go.sum"),
    programs: &[
        ("k8s.io/kubernetes/cmd/kube-apiserver", "kube-apiserver"),
        (
            "k8s.io/kubernetes/cmd/kube-controller-manager",
            "kube-controller-manager",
        ),
        ("k8s.io/kubernetes/cmd/kube-scheduler", "kube-scheduler"),
        ("k8s.io/kubernetes/cmd/kubectl", "kubectl"),
    ],
    stamped: true,
};

/// KWOK, which has no archive with a checksum.
pub const KWOK: Module = Module {
    name: "sigs.k8s.io/kwok",
    go_mod: include_str!("go/kwok/go.mod"),
    go_sum: include_str!("go/kwok/go.sum"),
    programs: &[("sigs.k8s.io/kwok/cmd/kwok", "kwok")],
    stamped: false,
};

/// All of it; the one that fails first where something is amiss is the smallest.
pub const ALL: [Module; 3] = [ETCD, KWOK, KUBERNETES];

/// Whether Go is there.
pub fn is_available() -> bool {
    Command::new("go")
        .arg("version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

impl Module {
    /// Builds its programs into `dir`; `work` is an empty directory to work in.
    pub fn build(
        &self,
        work: &Path,
        dir: &Path,
        interrupt: &Interrupt,
        terminal: Terminal,
    ) -> Result<()> {
        let names: Vec<&str> = self.programs.iter().map(|(_, program)| *program).collect();
        terminal.status("Building", format!("{} with Go", names.join(", ")));
        fs::create_dir(work).map_err(Error::io("create", work))?;
        for (name, text) in [("go.mod", self.go_mod), ("go.sum", self.go_sum)] {
            let path = work.join(name);
            fs::write(&path, text).map_err(Error::io("write", path))?;
        }
        // Of several packages go makes programs in a directory, of one a file.
        let output = match self.programs {
            [(_, program)] => dir.join(program),
            _ => dir.to_path_buf(),
        };
        let mut flags = String::from("-s -w");
        if self.stamped {
            flags.push_str(&stamp());
        }
        let log = work.join("build.log");
        let file = File::create(&log).map_err(Error::io("create", &log))?;
        let mut command = Command::new("go");
        command
            .args(["build", "-trimpath", "-ldflags", &flags, "-o"])
            .arg(output)
            .args(self.programs.iter().map(|(package, _)| package))
            .current_dir(work)
            .env("CGO_ENABLED", "0")
            // What is not in go.sum is not built.
            .env("GOFLAGS", "-mod=readonly")
            .env("GOWORK", "off")
            .env_remove("GOOS")
            .env_remove("GOARCH")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(file);
        let _clock = Progress::clock(terminal, self.name);
        if run(&mut command, interrupt)? {
            Ok(())
        } else {
            Err(Error::GoBuild {
                module: self.name,
                last: last_lines(&log, 5),
            })
        }
    }
}

/// What makes `kubectl version` tell the version.
fn stamp() -> String {
    let mut numbers = PINNED.split('.');
    let (major, minor) = (numbers.next(), numbers.next());
    [
        ("gitVersion", format!("v{PINNED}").as_str()),
        ("gitMajor", major.unwrap_or_default()),
        ("gitMinor", minor.unwrap_or_default()),
        ("gitTreeState", "clean"),
    ]
    .map(|(name, value)| format!(" -X k8s.io/component-base/version.{name}={value}"))
    .concat()
}

/// Runs it to its end, or to the next signal.
fn run(command: &mut Command, interrupt: &Interrupt) -> Result<bool> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => Error::NoGo,
        _ => Error::Spawn {
            program: "go".into(),
            source,
        },
    };
    let mut child = command.spawn().map_err(failed)?;
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            interrupt.check()?;
            return Ok(status.success());
        }
        if let Err(interrupted) = interrupt.check() {
            let _ = child.kill();
            let _ = child.wait();
            return Err(interrupted.into());
        }
        sleep(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_is_pinned() {
        for module in ALL {
            assert!(module.go_mod.contains(module.name), "{}", module.name);
            assert!(module.go_sum.contains(module.name), "{}", module.name);
        }
        let staging = PINNED.replacen("1.", "v0.", 1);
        let replaced = KUBERNETES
            .go_mod
            .lines()
            .filter(|line| line.contains("=> k8s.io/"));
        let replaced: Vec<&str> = replaced.collect();
        assert!(
            replaced.iter().all(|line| line.ends_with(&staging)),
            "{replaced:?}"
        );
        assert_eq!(replaced.len(), 33);
    }

    #[test]
    fn kwok_takes_its_versions_from_kubernetes() {
        let kubernetes: Vec<&str> = KUBERNETES.go_mod.split_whitespace().collect();
        let has =
            |module: &str, version: &str| kubernetes.windows(2).any(|it| it == [module, version]);
        let mut shared = 0;
        for line in KWOK.go_mod.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let (module, version) = match words[..] {
                [_, "=>", module, version] => (module, version),
                [module, version, ..] if module.starts_with("k8s.io/") => (module, version),
                _ => continue,
            };
            assert!(has(module, version), "{module} {version}");
            shared += 1;
        }
        assert!(shared > 20, "{shared}");
    }
}
