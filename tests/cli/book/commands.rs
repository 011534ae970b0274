//! The shell blocks of the book. The commands that only change files are run here, in the order of
//! their page. Every other command is run by another test, or needs something that tests lack.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::{Regex, RegexSet};

use super::{pages, root};
use crate::docs::CRD;
use crate::dsl::{Place, state, toolchain};
use crate::golden::{crds, stand_in};

/// The pages, and the directories of pages, whose blocks `tests/projects` runs.
const FOLLOWED: [&str; 2] = ["quick-start.md", "tutorial"];

/// Commands that only change files.
const RUN_HERE: &str = r"^(rustop (completions|create|delete|docs|edit|explain|init|lint|man|manifests)\b|sed -i |cd my-operator$)";

/// The pages whose commands need a change of the project, with the command that makes it.
const BEFORE: [(&str, &str); 1] = [(
    "versions.md",
    "rustop create webhook --kind Lolcow --validation",
)];

/// Commands that are not run here, by what they need.
const NOT_RUN: [(&str, &[&str]); 7] = [
    (
        "a control plane: `.ci/commands` and other tests run these",
        &[
            r"^rustop (adopt|cluster|dev|migrate|rbac report|run|show|simulate|torture|upgrade)\b",
            r"^rustop import ",
            r"^make (install|rehearse-upgrade|test|torture)\b",
            r"^cargo (clippy|fmt)\b",
            r"^export KUBECONFIG=",
        ],
    ),
    (
        "a cluster with the deployed operator",
        &[
            r"^make (deploy|test-e2e)\b",
            r"^(kubectl|helm|curl) ",
            r"^  (--as |grep )",
            r"^done \| kubectl ",
        ],
    ),
    (
        "a container engine or a registry",
        &[r"^(docker|kind) ", r"^make docker-"],
    ),
    ("commits and tags", &[r"^git ", "--against "]),
    ("the network", &["https://", r"^cargo add "]),
    (
        "profilers",
        &[
            r"^(perf|heaptrack|tokio-console)\b",
            r"^(CARGO_PROFILE|RUSTFLAGS=)",
            r"^\s*(for n in|sed .*cow-\$n|echo ---)",
        ],
    ),
    (
        "an operator of another framework, or of the reader",
        &[
            r"^(#!/bin/sh|EOF$|cat > old\.sh|chmod \+x old\.sh)",
            r"^cd (\.\./|controller-rs)",
            r"^(cargo install|exec) ",
        ],
    ),
];

/// The patterns of commands.
struct Patterns {
    run_here: Regex,
    not_run: RegexSet,
}

impl Patterns {
    fn new() -> Self {
        let not_run = NOT_RUN.iter().flat_map(|(_, patterns)| *patterns);
        Self {
            run_here: Regex::new(RUN_HERE).unwrap(),
            not_run: RegexSet::new(not_run).unwrap(),
        }
    }

    /// Returns true if a command only changes files.
    fn is_run_here(&self, command: &str) -> bool {
        self.run_here.is_match(command) && !self.not_run.is_match(command)
    }
}

/// Returns the pages that no test of `tests/projects` follows, each with the commands of its shell
/// blocks, without comments.
fn pages_with_commands() -> impl Iterator<Item = (PathBuf, Vec<String>)> {
    let block = Regex::new(r"(?s)(?:^|\n)```sh\n(.*?)```").unwrap();
    let is_followed = |page: &PathBuf| FOLLOWED.iter().any(|start| page.starts_with(start));
    pages()
        .into_iter()
        .filter(move |page| !is_followed(page))
        .map(move |page| {
            let text = fs::read_to_string(root().join("docs").join(&page)).unwrap();
            let commands = block
                .captures_iter(&text)
                .flat_map(|found| found.get(1).unwrap().as_str().lines())
                .filter(|line| !line.starts_with("# "))
                .flat_map(|line| line.split("  # ").next().unwrap().split(" && "))
                .map(|command| command.trim_end().to_owned())
                .collect();
            (page, commands)
        })
}

/// Creates a project with the kind `Lolcow`, next to CRDs of other projects.
fn project() -> Place {
    let place = Place::project();
    for path in ["crd.yaml", "crds/cow.yaml", "yaml/crd.yaml"] {
        place.write(path, CRD);
    }
    let monitor = CRD
        .replace("cow", "servicemonitor")
        .replace("Cow", "ServiceMonitor")
        .replace("farm.example", "monitoring.coreos.com");
    place.write("servicemonitors.yaml", monitor);
    place.rustop("create api --kind Lolcow -q").ok();
    place
}

#[test]
fn commands_that_only_change_files_work_in_order() {
    let patterns = Patterns::new();
    let program = Path::new(env!("CARGO_BIN_EXE_rustop")).parent().unwrap();
    let inherited = env::var_os("PATH").unwrap_or_default();
    let path = [program.to_owned()]
        .into_iter()
        .chain(env::split_paths(&inherited));
    let path = env::join_paths(path).unwrap();
    let mut seen = 0;
    for (page, mut commands) in pages_with_commands() {
        commands.retain(|command| patterns.is_run_here(command));
        if commands.is_empty() {
            continue;
        }
        seen += commands.len();
        let page = page.to_string_lossy();
        let before = BEFORE.iter().filter(|(of, _)| *of == page);
        let before = before.map(|(_, command)| (*command).to_owned());
        let script: Vec<String> = ["rustop manifests".to_owned()]
            .into_iter()
            .chain(before)
            .chain(commands)
            .collect();
        let place = project();
        let cargo = stand_in(place.dir().parent().unwrap(), &crds("lolcow"));
        let output = Command::new("sh")
            .args(["-exc", &script.join("\n")])
            .current_dir(place.dir())
            .env_clear()
            .envs(toolchain())
            .env("CARGO", &cargo)
            .env("PATH", &path)
            .env("RUSTOP_STATE", state(place.dir()))
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{page}\n{stderr}");
    }
    assert!(seen > 40, "{seen} commands");
}

#[test]
fn each_command_is_run_or_needs_what_tests_lack() {
    let patterns = Patterns::new();
    let is_unknown =
        |command: &String| !patterns.is_run_here(command) && !patterns.not_run.is_match(command);
    let unknown: Vec<(PathBuf, Vec<String>)> = pages_with_commands()
        .map(|(page, commands)| (page, commands.into_iter().filter(is_unknown).collect()))
        .filter(|(_, unknown): &(_, Vec<String>)| !unknown.is_empty())
        .collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
}
