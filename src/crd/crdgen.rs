//! Builds and runs the project's `crdgen`, which prints the CRDs of the Rust types.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

use super::error::Error;
use super::up_to_date::CrdgenStamp;
use crate::cargo::{BuildTarget, Concurrent, build, text};
use crate::error::Io;

/// Returns the JSON array of CRDs that the project's `crdgen` prints. Builds `crdgen` first if its
/// sources have changed; cargo writes its output directly to the terminal.
///
/// # Errors
/// Returns an error if cargo is not installed, the project does not build, or `crdgen` fails.
pub fn run(root: &Path, concurrent: Concurrent<'_>) -> Result<String, Error> {
    let stamp = CrdgenStamp::of(root);
    let program = stamp.as_ref().and_then(CrdgenStamp::up_to_date_program);
    let crdgen = if let Some(crdgen) = program {
        crdgen
    } else {
        let start = SystemTime::now();
        let crdgen = build(root, BuildTarget::Binary("crdgen"), None, concurrent)?;
        stamp.inspect(|stamp| stamp.write(&crdgen, start));
        crdgen
    };
    let mut command = Command::new(&crdgen);
    // If `crdgen` panics, the backtrace contains the source line of the type, which is shown.
    command.env("RUST_BACKTRACE", "1");
    command.current_dir(root).stdin(Stdio::null());
    let output = command.output().map_err(Io::on("run", &crdgen))?;
    if !output.status.success() {
        let output = without_backtrace(&text(&output.stderr));
        let advice = advice(&output);
        return Err(Error::Crdgen { output, advice });
    }
    Ok(text(&output.stdout))
}

/// Returns the output of a failed `crdgen`, with the source line of the type instead of the
/// backtrace.
fn without_backtrace(output: &str) -> String {
    let (message, backtrace) = output
        .split_once("stack backtrace:")
        .unwrap_or((output, ""));
    let lines = backtrace.lines().map(str::trim);
    let mut places = lines.filter_map(|line| line.strip_prefix("at ./api/src/"));
    let place = places.find(|place| !place.starts_with("lib.rs") && !place.starts_with("bin/"));
    let place = place.map(|place| format!("\n  --> api/src/{place}"));
    format!("{}{}", message.trim(), place.unwrap_or_default())
}

/// Returns true if a failed `crdgen` recursed infinitely into a type.
pub fn is_endless(output: &str) -> bool {
    output.contains("overflowed its stack")
}

/// Returns advice for a failed `crdgen` by a part of its output: kube panics at types without a
/// structural schema.
fn advice(output: &str) -> &'static str {
    const ADVICE: [(&str, &str); 4] = [
        ("Enum variant set", MIXED),
        ("variant defined type", MIXED),
        ("was already defined as", TWICE),
        ("overflowed its stack", ENDLESS),
    ];
    let known = ADVICE.iter().find(|(part, _)| output.contains(part));
    known.map_or(
        "run it directly: cargo run -p <project>-api --bin crdgen",
        |(_, advice)| advice,
    )
}

/// Advice for an enum in which only some variants have fields.
pub const MIXED: &str = "all variants of an enum in a CRD must have the same form: add a field to the plain ones, or write a \
    struct with an `Option` for each variant";
/// Advice for an enum whose variants declare the same field differently.
pub const TAGGED: &str = "a field must have the same type and comment in all variants of an enum with \
    `#[serde(tag = ..)]`: remove the tag, so that each variant is stored under its own name, or write a struct with \
    an `Option` for each";
/// Advice for a field that conflicts with a field of a flattened type.
pub const FLATTENED: &str = "a field must have the same type and comment in a struct and in each type that is flattened into it: \
    rename one of them, or remove `#[serde(flatten)]`";
/// Advice for a property that is declared twice, if the sources do not show where.
const TWICE: &str = "two variants of an enum, or a struct and a type that is flattened into it, declare this field with \
    different types or comments: rename one of them, or remove `#[serde(tag = ..)]` or `#[serde(flatten)]`";
/// Advice for a type that contains itself.
pub const ENDLESS: &str = "a recursive type has no finite schema: write `#[schemars(schema_with = ..)]` \
    on the field, with `{\"x-kubernetes-preserve-unknown-fields\": true}`";
