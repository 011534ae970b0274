//! Builds the project's `crdgen` and runs it: what it prints is what the Rust types say.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

use super::error::Error;
use super::freshness::Freshness;
use crate::cargo::{build, text};
use crate::error::Io;

/// The JSON array of CRDs that the project's `crdgen` prints. cargo speaks to the user by itself.
///
/// # Errors
/// When there is no cargo, or the project does not build, or `crdgen` fails.
pub fn run(root: &Path) -> Result<String, Error> {
    let freshness = Freshness::of(root);
    let fresh = freshness.as_ref().and_then(Freshness::fresh);
    let crdgen = if let Some(crdgen) = fresh {
        crdgen
    } else {
        let start = SystemTime::now();
        let crdgen = build(root, "crdgen")?;
        freshness.inspect(|freshness| freshness.stamp(&crdgen, start));
        crdgen
    };
    let mut command = Command::new(&crdgen);
    // The way through the types, of which one line is shown.
    command.env("RUST_BACKTRACE", "1");
    command.current_dir(root).stdin(Stdio::null());
    let output = command.output().map_err(Io::on("run", &crdgen))?;
    if !output.status.success() {
        let output = said(&text(&output.stderr));
        let advice = advice(&output);
        return Err(Error::Crdgen { output, advice });
    }
    Ok(text(&output.stdout))
}

/// What a `crdgen` that failed has said, with the line of the type instead of a backtrace.
fn said(output: &str) -> String {
    let (message, backtrace) = output
        .split_once("stack backtrace:")
        .unwrap_or((output, ""));
    let lines = backtrace.lines().map(str::trim);
    let mut places = lines.filter_map(|line| line.strip_prefix("at ./api/src/"));
    let place = places.find(|place| !place.starts_with("lib.rs") && !place.starts_with("bin/"));
    let place = place.map(|place| format!("\n  --> api/src/{place}"));
    format!("{}{}", message.trim(), place.unwrap_or_default())
}

/// Whether a `crdgen` that failed has gone round and round in a type.
pub fn is_endless(output: &str) -> bool {
    output.contains("overflowed its stack")
}

/// What mends a `crdgen` that failed: kube panics at types that have no structural schema.
fn advice(output: &str) -> &'static str {
    const ADVICE: [(&str, &str); 4] = [
        ("Enum variant set", MIXED),
        ("variant defined type", MIXED),
        ("was already defined as", TWICE),
        ("overflowed its stack", ENDLESS),
    ];
    let known = ADVICE.iter().find(|(part, _)| output.contains(part));
    known.map_or(
        "cargo run -p <project>-api --bin crdgen runs it alone",
        |(_, advice)| advice,
    )
}

/// What mends an enum of which some variants have fields.
pub const MIXED: &str = "all variants of an enum in a CRD must be of one form: give the plain ones a field, or write a \
    struct with an `Option` for each variant";
/// What mends an enum whose variants say different things of one field.
pub const TAGGED: &str = "a field must have the same type and comment in all variants of an enum with \
    `#[serde(tag = ..)]`: leave the tag out, which puts each variant under its own name, or write a struct with \
    an `Option` for each";
/// What fixes a field next to a flattened type which has a field of the same name.
pub const FLATTENED: &str = "a field must have the same type and comment in a struct and in whatever is flattened into it: \
    rename one of the two, or leave `#[serde(flatten)]` out";
/// What fixes a property that is declared twice, when the sources do not show where.
const TWICE: &str = "two variants of an enum, or a struct and something that is flattened into it, declare this field with \
    different types or comments: rename one of the two, or leave `#[serde(tag = ..)]` or `#[serde(flatten)]` out";
/// What mends a type that contains itself.
pub const ENDLESS: &str = "a type that contains itself has no schema of finite size: write `#[schemars(schema_with = ..)]` \
    on the field, with `{\"x-kubernetes-preserve-unknown-fields\": true}`";
