//! `rustop completions`. The files under `completions/` are the output of the command;
//! `RUSTOP_OVERWRITE=1 cargo test --test cli completions` writes them again.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use crate::dsl::{Place, rustop};

const FILES: [(&str, &str); 5] = [
    ("bash", "rustop.bash"),
    ("elvish", "rustop.elv"),
    ("fish", "rustop.fish"),
    ("powershell", "_rustop.ps1"),
    ("zsh", "_rustop"),
];

#[test]
fn the_checked_in_files_are_what_the_command_prints() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
    let overwrite = env::var_os("RUSTOP_OVERWRITE").is_some_and(|value| value == "1");
    for (shell, file) in FILES {
        let output = rustop(&env::temp_dir())
            .args(["completions", shell])
            .output()
            .unwrap();
        assert!(output.status.success() && output.stderr.is_empty());
        let path = dir.join(file);
        if overwrite {
            fs::create_dir_all(&dir).unwrap();
            fs::write(&path, &output.stdout).unwrap();
        }
        let there = fs::read(&path).unwrap_or_default();
        let help = "RUSTOP_OVERWRITE=1 cargo test --test cli completions";
        assert!(
            there == output.stdout,
            "completions/{file} is outdated: {help}"
        );
    }
    let mut names: Vec<_> = fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    let mut files = FILES.map(|(_, file)| file);
    files.sort_unstable();
    assert_eq!(names, files);
}

#[test]
fn an_unknown_shell_is_an_error() {
    let place = Place::empty();
    place
        .rustop("completions tcsh")
        .says(&["[possible values: bash, elvish, fish, powershell, zsh]"])
        .fails(2);
    place.rustop("completions").says(&["<SHELL>"]).fails(2);
}

#[test]
fn bash_completes_commands_and_values() {
    let script = r#"
        source "$1"
        complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rustop rustop "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; echo "${COMPREPLY[*]}"; }
        complete_words rustop cre
        complete_words rustop create api --no-r
        complete_words rustop init --license m"#;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions/rustop.bash");
    let output = Command::new("bash")
        .args(["--norc", "-c", script, "bash"])
        .arg(file)
        .output()
        .expect("this test needs bash");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "create\n--no-resource\nmit\n"
    );
}
