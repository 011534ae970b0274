//! Packs the types of Kubernetes and takes the entry of `rustop-manager` out of the lock file, for
//! the program to embed. The templates and the manager are embedded as they are, by a macro, which
//! does not notice new files: this script does.

use std::env;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// Links in it lead to the manager.
const TEMPLATES: &str = "templates";
const TYPES: &str = "src/import/kubernetes.json";
const LOCK: &str = "Cargo.lock";

fn main() -> io::Result<()> {
    for file in ["build.rs", TEMPLATES, TYPES, LOCK] {
        println!("cargo::rerun-if-changed={file}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let types = File::create(out.join("kubernetes.deflate"))?;
    let mut packed = DeflateEncoder::new(types, Compression::best());
    packed.write_all(&fs::read(TYPES)?)?;
    packed.finish()?;
    let lock = fs::read_to_string(LOCK)?;
    let manager = entry(&lock);
    println!("cargo::rustc-env=MANAGER_VERSION={}", version(manager));
    fs::write(out.join("manager.lock"), manager)
}

/// Returns the version of an entry.
fn version(entry: &str) -> &str {
    let mut lines = entry.lines();
    let version = lines.find_map(|line| line.strip_prefix("version = "));
    version.expect("cargo writes it").trim_matches('"')
}

/// Returns the entry of the manager, which the tests depend on. It has a source once it is
/// published.
fn entry(lock: &str) -> &str {
    let mut entries = lock.split("\n\n");
    let found = entries.find(|entry| entry.contains("name = \"rustop-manager\"\n"));
    found.expect("the manager is a dev-dependency")
}
