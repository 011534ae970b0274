//! README.md, CONTRIBUTING.md and the pages under docs/ speak of what there is: files, commands,
//! flags.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use walkdir::WalkDir;

use crate::book::pages as pages_of_the_book;
use crate::dsl::rustop;
use crate::help::commands;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns each page of the repository with its text.
fn pages() -> BTreeMap<PathBuf, String> {
    let book = pages_of_the_book()
        .into_iter()
        .map(|page| root().join("docs").join(page));
    let others = ["README.md", "CONTRIBUTING.md", "docs/SUMMARY.md"].map(|name| root().join(name));
    book.chain(others)
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect()
}

/// Returns the anchor of a heading in links, as GitHub derives it.
fn anchor(heading: &str) -> String {
    let plain = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = plain
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// rustop escapes line feeds of other programs, and once escaped its own.
#[test]
fn the_recording_has_no_escaped_line_feed() {
    let recording = fs::read_to_string(root().join("docs/recording.svg")).unwrap();
    let texts = recording.lines().filter(|line| line.starts_with("<text"));
    let texts: Vec<_> = texts.collect();
    assert!(texts.len() > 20);
    let escaped: Vec<_> = texts.iter().filter(|text| text.contains(r"\n")).collect();
    assert!(escaped.is_empty(), "{escaped:#?}");
}

#[test]
fn every_link_leads_somewhere() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let (mut dead, mut seen) = (Vec::new(), 0);
    for (page, text) in pages() {
        for target in link.captures_iter(&text).map(|found| found[1].to_owned()) {
            if target.starts_with("https://") {
                continue;
            }
            seen += 1;
            let (path, place) = target.split_once('#').unwrap_or((&target, ""));
            let path = match path {
                "" => page.clone(),
                path => page.with_file_name("").join(path),
            };
            let leads = match (path.exists(), place) {
                (there, "") => there,
                (false, _) => false,
                (true, place) => {
                    let text = fs::read_to_string(&path).unwrap();
                    let mut headings = text.lines().filter(|line| line.starts_with('#'));
                    headings.any(|heading| anchor(heading) == place)
                }
            };
            if !leads {
                dead.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(seen > 20, "{seen} links");
    assert!(dead.is_empty(), "{dead:#?}");
}

/// The commands in a text: in its blocks each line of them, elsewhere what stands between
/// backquotes.
fn calls(text: &str) -> Vec<String> {
    let in_blocks = Regex::new(r"(?m)(?:^|&& )rustop ([^\n&#]+)").unwrap();
    let in_prose = Regex::new(r"`rustop ([^`\n]+)`").unwrap();
    let parts = text
        .split("```")
        .zip([&in_prose, &in_blocks].into_iter().cycle());
    let found = parts.flat_map(|(part, call)| call.captures_iter(part));
    found.map(|found| found[1].trim().to_owned()).collect()
}

#[test]
fn every_command_and_flag_is_one_of_rustop() {
    let all = commands(&[]);
    let mut helps: BTreeMap<Vec<String>, String> = BTreeMap::new();
    let (mut unknown, mut seen) = (Vec::new(), 0);
    // The page of all commands is the help itself.
    for (page, text) in pages()
        .into_iter()
        .filter(|(page, _)| !page.ends_with("command-line.md"))
    {
        for call in calls(&text) {
            let ours = call.split(" -- ").next().unwrap_or_default();
            let words: Vec<&str> = ours.split_whitespace().collect();
            let named = |command: &&Vec<String>| {
                command.len() <= words.len() && command.iter().eq(&words[..command.len()])
            };
            let command = all.iter().filter(named).max_by_key(|command| command.len());
            let command = command.cloned().unwrap_or_default();
            let help = helps.entry(command.clone()).or_insert_with(|| {
                let output = rustop(&std::env::temp_dir())
                    .args(&command)
                    .arg("--help")
                    .output();
                String::from_utf8(output.unwrap().stdout).unwrap()
            });
            let flags = words.iter().filter(|word| word.starts_with("--"));
            let mut flags = flags.map(|flag| flag.split('=').next().unwrap_or(flag));
            seen += 1;
            if command.is_empty() || flags.any(|flag| !help.contains(flag)) {
                unknown.push(format!("{}: rustop {call}", page.display()));
            }
        }
    }
    assert!(seen > 50, "{seen} commands");
    assert!(unknown.is_empty(), "{unknown:#?}");
}

/// Returns the functions of the runtime, and those of the harness that generated tests use.
fn functions() -> BTreeSet<String> {
    let function = Regex::new(r"(?m)^\s*(?:pub )?(?:const )?(?:async )?fn (\w+)").unwrap();
    let files = ["manager/src", "templates/tests"];
    files
        .iter()
        .flat_map(|place| WalkDir::new(root().join(place)))
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.is_file())
        .flat_map(|path| names(&function, &fs::read_to_string(path).unwrap()))
        .collect()
}

/// Returns the first group of each match.
fn names(pattern: &Regex, text: &str) -> BTreeSet<String> {
    let found = pattern.captures_iter(text);
    found.map(|found| found[1].to_owned()).collect()
}

/// Returns the text in backquotes outside of blocks.
fn quoted(text: &str) -> BTreeSet<String> {
    let quoted = Regex::new(r"`([^`\n]+)`").unwrap();
    let prose = text.split("```").step_by(2);
    prose.flat_map(|prose| names(&quoted, prose)).collect()
}

#[test]
fn functions_metrics_flags_and_targets_in_the_book_exist() {
    let table = |page: &str| fs::read_to_string(root().join("docs/reference").join(page)).unwrap();
    let row = Regex::new(r"`([a-z_]+)`").unwrap();
    let flag = Regex::new(r"(--[a-z-]+)").unwrap();
    let target = Regex::new(r"(?m)^([a-z0-9-]+):").unwrap();
    let operator = table("operator.md");
    let makefile = fs::read_to_string(root().join("templates/Makefile.tera")).unwrap();
    let functions = functions();
    // A pattern of names, and all names that exist.
    let kinds = [
        (r"\bctx\.(\w+)", functions.clone()),
        (r"^\.(\w+)(?:::<[^>]*>)?\(", functions.clone()),
        (
            r"\b(?:Action|Children|Cluster|Controller|Manager|Operator|Sequence|Simulation|Watch)(?:::<[^>]*>)?::([a-z]\w*)",
            functions,
        ),
        (
            r"^([a-z]+(?:_[a-z]+)*_(?:total|seconds|bytes|held|depth|conditions))$",
            names(&row, &operator),
        ),
        (
            r"^(--[a-z-]+)(?:[= ].*)?$",
            names(&flag, &(operator.clone() + &table("command-line.md"))),
        ),
        (r"^make ([a-z0-9-]+)", names(&target, &makefile)),
    ]
    .map(|(pattern, known)| (Regex::new(pattern).unwrap(), known));
    // Names of other tools, and of an example on its page.
    let others = [
        "--liveness",
        "--max-concurrent-reconciles",
        "--plugins",
        "--priority",
        "--reconcile-period",
        "--server-side",
        "--ssa",
        "--to",
        "ansible-operator",
        "app_domain_checks_total",
        "bundle",
        "generate",
        "helm-operator",
        "lint",
        "rescheduleAfter",
    ];
    let (mut unknown, mut seen) = (Vec::new(), 0);
    for (page, text) in pages() {
        for code in quoted(&text) {
            for (pattern, known) in &kinds {
                for name in names(pattern, &code) {
                    seen += 1;
                    if !known.contains(&name) && !others.contains(&name.as_str()) {
                        unknown.push(format!("{}: `{code}`", page.display()));
                    }
                }
            }
        }
    }
    assert!(seen > 300, "{seen} names");
    assert!(unknown.is_empty(), "{unknown:#?}");
}
