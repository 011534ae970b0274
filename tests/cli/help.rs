//! `--help`, `--version` and the options of every command.

use crate::dsl::{Place, rustop};

fn help(command: &[String], flag: &str) -> String {
    let output = rustop(&std::env::temp_dir())
        .args(command)
        .arg(flag)
        .output()
        .unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{command:?}"
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Every command with its subcommands, as the help lists them.
pub fn commands(parent: &[String]) -> Vec<Vec<String>> {
    let text = help(parent, "-h");
    let mut all = vec![parent.to_vec()];
    let list = text.split_once("Commands:\n").map_or("", |(_, rest)| rest);
    for line in list.lines().take_while(|line| !line.is_empty()) {
        if let Some(name) = line
            .strip_prefix("  ")
            .filter(|line| !line.starts_with(' '))
        {
            let name = name.split(' ').next().unwrap();
            if name != "help" {
                all.extend(commands(&[parent, &[name.to_owned()]].concat()));
            }
        }
    }
    all
}

#[test]
fn every_command_has_help_with_examples_that_fits_a_terminal() {
    let all = commands(&[]);
    assert!(
        all.contains(&vec!["create".to_owned(), "api".to_owned()]),
        "{all:?}"
    );
    for command in all {
        let (short, long) = (help(&command, "-h"), help(&command, "--help"));
        let wide = short.lines().find(|line| line.chars().count() > 100);
        assert_eq!(wide, None, "{command:?}");
        // A command that only leads to others has theirs.
        assert!(
            long.contains("\nExample") || long.contains("\nCommands:"),
            "{command:?} has no examples"
        );
        assert_eq!(broken(&long), None, "{command:?}");
    }
}

#[test]
fn commands_that_compile_the_project_say_so() {
    for command in ["lint", "manifests"] {
        let text = help(&[command.to_owned()], "--help");
        assert!(text.contains("Builds the types"), "{text}");
    }
}

/// An example that is wider than the help, whose rest is on a line of its own.
fn broken(help: &str) -> Option<&str> {
    let programs = [
        "cargo",
        "cosign",
        "devcontainer",
        "docker",
        "export",
        "git",
        "helm",
        "kubectl",
        "make",
        "man",
        "mkdir",
        "rustop",
        "source",
    ];
    let (_, examples) = help.split_once("\nExample")?;
    let mut lines = examples
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with(' '));
    let is_call = |line: &&str| {
        line.split_whitespace()
            .next()
            .is_some_and(|word| programs.contains(&word))
    };
    let mut goes_on = false;
    lines.find(|line| {
        let is_whole = goes_on || is_call(line);
        goes_on = line.ends_with('\\');
        !is_whole
    })
}

#[test]
fn version() {
    let version = concat!("rustop ", env!("CARGO_PKG_VERSION"), "\n");
    Place::empty()
        .rustop("--version")
        .stdout(version)
        .unchanged()
        .ok();
    Place::empty().rustop("-V").stdout(version).unchanged().ok();
}

#[test]
fn quiet_and_verbose() {
    let place = Place::empty();
    place.rustop("-q init --domain my.domain").ok();
    place
        .rustop("create api --kind Cow -v")
        .says(&["     Created tests/cow.rs\n", "+++ b/tests/cow.rs\n"])
        .ok();
    place
        .rustop("create api --kind Cow -q")
        .says(&["error: "])
        .fails(1);
}

#[test]
fn colors() {
    let place = Place::project();
    place
        .rustop("--color always create api --kind A")
        .says(&["\u{1b}[1m\u{1b}[32m     Updated\u{1b}[0m PROJECT\n"])
        .ok();
    place
        .rustop("create api --kind A --color always")
        .says(&["\u{1b}[1m\u{1b}[31merror:\u{1b}[0m "])
        .fails(1);
    place
        .rustop("create api --kind A --color never")
        .says(&["error: "])
        .fails(1);
}
