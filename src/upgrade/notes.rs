//! Upgrade notes: the changes of each release that affect a project, and the steps left to the
//! user.

use crate::project::numbers;

/// The notes of each release, the newest last.
const NOTES: [(&str, &str); 2] = [
    (
        "0.2.0",
        "The manager lies in vendor/rustop-manager and is the package `rustop-manager`; code calls it `manager` as before.
Webhooks of several versions of a kind have files of their own, below src/webhooks/<kind>/<version>.
CRDs are compared with earlier ones by `rustop manifests --against`; CI does so for each pull request.
CI installs the rustop that PROJECT names, and a weekly workflow opens a pull request for a newer one; Dependabot no longer updates
kube, k8s-openapi and schemars: `rustop upgrade` does.
The image has a static program and no C library; the Dockerfile compiles it for amd64 and arm64 without emulation.
By hand, where the compiler asks for it: `ctx.get(..)` gives a `Result` around the `Option`, so in a function that returns an
`Option` write `ctx.get::<Service>(name).ok()??` for `ctx.get::<Service>(name)?`; and `ctx.store()` gives a `Result` instead of an
`Option`, so write `?` for `.ok_or_else(..)?`.
By hand: scripts that name the directory `manager/`, or install the package `rustop`, which is `rustop-cli` now.",
    ),
    (
        "0.3.0",
        "The library of the crate rustop-manager is named `rustop_manager`. In this project, Cargo.toml names the dependency `manager`, and code
imports it as `manager` as before. By hand: a package of your own that depends on `rustop-manager` through the workspace
writes `manager.workspace = true`.
Functions of the runtime have new names: `predicate` for `when`, `with_name` for `named`, `by_index` for `by`, `is_available` for `served`,
`condition::true_because` and `false_because` for `met` and `unmet`; `owns_matching` for `owns_if_served`, `watches_matching` for
`watches_if_served` and `watches_with_store` for `watches_with`, with a `Watch` as their first argument. The upgrade writes them into your files where it recognises the calls.
The compiler's warnings about other deprecated functions name their successors. The next release removes them.
By hand, where the compiler asks for it: `Options` and `Backoff` can no longer be written as literals. Change the fields of
`Options::default()`, and write `Backoff::default().longest(..)`.
By hand: `Manager::run` logs its error and returns it instead of ending the process. If your `main` returns it, too, Rust prints it
again: return `ExitCode::FAILURE` instead, as src/main.rs of a new project does.
The crate in vendor/rustop-manager is as it is published, with the same Cargo.toml; it is no longer a member of the workspace.
Its features are chosen in Cargo.toml: `webhook` is the default one, and tests add `testing`. A release build contains neither `testing` nor
tokio's `test-util`, because the resolver of the edition keeps features of tests apart.
config/prometheus, config/network-policy and the workflows other than test.yml are optional parts of a project now: `rustop create
prometheus`, `network-policy` and `ci`. This project keeps those that it has; PROJECT lists them.
tests/simulation.rs simulates 200 histories of the operator with faults, on the in-memory API server; `rustop simulate` runs more. By hand, if
it fails: take the time from `ctx.now()` and random numbers from `ctx.random()`. Delete the file if the operator cannot run without
other services: no later command writes it again, except `rustop create simulation`.
Every operator has the flags `--shards` and `--shard-by`; the feature `shards` has no effect and can be removed. By hand, if
your operator adds a flag of one of these names: give it another name.
By hand: workflows do not install rustop from crates.io, where it is not published. Set the variables RUSTOP_GIT and RUSTOP_REV of the
repository, or RUSTOP_RELEASES.",
    ),
];

/// Returns the releases after `version`, the newest last: the version and the notes of each.
pub fn since(version: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let after = numbers(version);
    NOTES.into_iter().filter(move |(of, _)| numbers(of) > after)
}
