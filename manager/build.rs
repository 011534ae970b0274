//! What the crate embeds of itself behind the feature `source`: its files without their tests.

#[path = "src/vendored/examples.rs"]
mod examples;
#[path = "src/vendored/strip.rs"]
mod strip;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    if env::var_os("CARGO_FEATURE_SOURCE").is_none() {
        return Ok(());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("src");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let src = Path::new("src");
    let mut files = Vec::new();
    collect(src, &mut files)?;
    let files = files.iter().map(|(path, text)| {
        let path = path.strip_prefix(src).expect("it was found there");
        (path, text.as_str())
    });
    for (path, text) in strip::sources(files.collect(), None) {
        let path = out.join(path);
        fs::create_dir_all(path.parent().expect("it is below"))?;
        fs::write(path, text)?;
    }
    Ok(())
}

fn collect(dir: &Path, files: &mut Vec<(PathBuf, String)>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push((path.clone(), examples::shown(&fs::read_to_string(&path)?)));
        }
    }
    Ok(())
}
