//! What the program embeds smaller than it is kept here: the types of Kubernetes packed, and of the lock file the one
//! entry that is asked for.

use std::env;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::DeflateEncoder;

const TYPES: &str = "src/import/kubernetes.json";
const LOCK: &str = "Cargo.lock";

fn main() -> io::Result<()> {
    for file in ["build.rs", TYPES, LOCK] {
        println!("cargo::rerun-if-changed={file}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let types = File::create(out.join("kubernetes.deflate"))?;
    let mut packed = DeflateEncoder::new(types, Compression::best());
    packed.write_all(&fs::read(TYPES)?)?;
    packed.finish()?;
    fs::write(out.join("manager.lock"), entry(&fs::read_to_string(LOCK)?))
}

/// The entry of the manager, which has a source once it is published.
fn entry(lock: &str) -> &str {
    let mut entries = lock.split("\n\n");
    let found = entries.find(|entry| entry.contains("name = \"rustop-manager\"\n"));
    found.expect("the program has the manager's sources")
}
