//! Prints the suites that `cargo test` does not run, which have `test = false` in Cargo.toml. Only
//! prints, so that users do not take `cargo test` for everything that a change must pass.

use std::io::{Write as _, stdout};

/// A suite that `cargo test` leaves out.
struct Suite {
    name: &'static str,
    /// The requirements besides Rust, and the subject.
    about: &'static str,
}

const SUITES: [Suite; 6] = [
    Suite {
        name: "projects",
        about: "generated projects: built, linted, tested, deployed (Go, make, kubectl, Python)",
    },
    Suite {
        name: "cluster",
        about: "the control plane, and CRDs on the real API server (Go)",
    },
    Suite {
        name: "faults",
        about: "a generated operator while API servers, networks and leaders fail (Go)",
    },
    Suite {
        name: "operators",
        about: "five whole operators through their lives (Go)",
    },
    Suite {
        name: "page",
        about: "the page of `rustop dev` (Chromium)",
    },
    Suite {
        name: "torture",
        about: "operators with planted bugs, which `rustop torture` has to find (Go)",
    },
];

fn main() -> std::io::Result<()> {
    let manifest: toml::Table = include_str!("../Cargo.toml")
        .parse()
        .expect("cargo reads it");
    let left_out = manifest["test"]
        .as_array()
        .expect("an array of tables")
        .iter()
        .filter(|test| test.get("test").and_then(toml::Value::as_bool) == Some(false))
        .map(|test| test["name"].as_str().expect("a name"));
    for name in left_out {
        let is_listed = SUITES.iter().any(|suite| suite.name == name);
        assert!(
            is_listed,
            "tests/suites.rs does not describe the suite `{name}`"
        );
    }
    let mut out = stdout().lock();
    writeln!(out, "\nNot in `cargo test`; `.ci/run` runs all of these:\n")?;
    for Suite { name, about } in SUITES {
        writeln!(out, "  cargo test --test {name:9}  {about}")?;
    }
    writeln!(
        out,
        "  cargo test --bin rustop -- --ignored  kinds with the names of all items of a project, which is compiled"
    )?;
    writeln!(out)
}
