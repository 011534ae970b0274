//! Tools that check generated files, each from its registry, and pinned by `go.sum` or by hashes.
//! The first installation takes minutes; later runs find the program. A program on the path can
//! replace one that takes minutes to build.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::support::{progress, run};

/// Returns a program on the path, of any version, or the one that [`go`] builds.
pub fn installed_or_go(module: &str, package: &str) -> PathBuf {
    let name = package.rsplit('/').next().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = std::env::split_paths(&path).map(|dir| dir.join(name));
    let mut there = there.filter(|program| program.is_file());
    there.next().unwrap_or_else(|| go(module, package))
}

/// A program in Go: `package` of what the module in `module`, below `tests/projects`, requires.
pub fn go(module: &str, package: &str) -> PathBuf {
    let _one = one_at_a_time();
    let program = path(module.rsplit('/').next().unwrap());
    let mut build = Command::new("go");
    build
        .args(["build", "-trimpath", "-ldflags", "-s -w", "-o"])
        .args([program.as_os_str(), package.as_ref()])
        .current_dir(source(module))
        .env("CGO_ENABLED", "0")
        .env("GOFLAGS", "-mod=readonly")
        .env("GOWORK", "off");
    get(package, &mut build);
    program
}

/// A program in a Python package, which `requirements`, below `tests/projects`, names with its
/// hashes.
pub fn python(requirements: &str, program: &str) -> PathBuf {
    let _one = one_at_a_time();
    let dir = path(program);
    let program = dir.join("bin").join(program);
    if program.exists() {
        return program;
    }
    let mut install = Command::new("python3");
    install
        .args(["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade"])
        .args(["--only-binary", ":all:", "--require-hashes", "--target"])
        .arg(dir)
        .arg("--requirement")
        .arg(source(requirements));
    get(requirements, &mut install);
    program
}

fn get(what: &str, command: &mut Command) {
    progress(&format!("builds or installs {what}"));
    let ran = run(command);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

/// Two tests want the same, and cargo runs them side by side.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("tools")
        .join(name)
}

fn source(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/projects")
        .join(below)
}
