//! The book in `docs/`: its table of contents, and the parts of its pages that come from the
//! program and from tested files. `RUSTOP_OVERWRITE=1 cargo test --test cli book` updates these
//! parts.
//!
//! A part of a page between `<!-- generated: NAME -->` and `<!-- end -->` is the output of a
//! function of this file. A block of code below `<!-- excerpt: PATH | START | END -->` repeats a
//! file of the repository, from the first line that contains `START` to the next line that is `END`
//! (by default `}`), or the whole file without `START`.

mod commands;
mod generated;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use regex::{Captures, Regex};
use walkdir::WalkDir;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the pages of the book, as paths below `docs/`.
pub fn pages() -> BTreeSet<PathBuf> {
    let docs = root().join("docs");
    WalkDir::new(&docs)
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| path.strip_prefix(&docs).unwrap().to_owned())
        .filter(|path| path != Path::new("SUMMARY.md"))
        .collect()
}

#[test]
fn summary_lists_each_page_once() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let link = Regex::new(r"\]\(([^)]+)\)").unwrap();
    let listed: Vec<PathBuf> = link
        .captures_iter(&summary)
        .map(|found| PathBuf::from(&found[1]))
        .collect();
    let unique: BTreeSet<PathBuf> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), unique.len(), "a page is listed twice");
    assert_eq!(unique, pages());
}

/// `AGENTS.md` of a project only describes the mark.
#[test]
fn every_task_of_the_scaffold_names_a_chapter() {
    let chapter = Regex::new(r"\(book: docs/([a-z/-]+\.md)\)").unwrap();
    let (mut tasks, mut nameless) = (0, Vec::new());
    for entry in WalkDir::new(root().join("templates")).follow_links(false) {
        let path = entry.unwrap().into_path();
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        for line in text.lines().filter(|line| line.contains("TODO(user): ")) {
            tasks += 1;
            let named = chapter.captures(line).map(|found| PathBuf::from(&found[1]));
            if !named.is_some_and(|page| pages().contains(&page)) {
                nameless.push(format!("{}: {line}", path.display()));
            }
        }
    }
    assert!(tasks > 10, "{tasks}");
    assert_eq!(nameless, [""; 0]);
}

#[test]
fn every_page_begins_with_its_title() {
    for page in pages() {
        let text = fs::read_to_string(root().join("docs").join(&page)).unwrap();
        let titles = text.lines().filter(|line| line.starts_with("# "));
        let fenced = in_blocks(&text);
        let titles = titles.filter(|line| !fenced.contains(line));
        assert_eq!(titles.count(), 1, "{}", page.display());
        assert!(text.starts_with("# "), "{}", page.display());
    }
}

/// `SUMMARY.md` lists these pages below the page with their table.
#[test]
fn each_rule_and_each_finding_has_a_page() {
    let (docs, expected) = (root().join("docs"), generated::pages());
    let is_generated = |page: &PathBuf| {
        let mut directories = generated::LISTS.iter().map(|(_, directory)| directory);
        directories.any(|directory| page.starts_with(directory))
    };
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let with_pages = with_listed(&summary, &expected);
    if std::env::var_os("RUSTOP_OVERWRITE").is_some() {
        for (_, directory) in generated::LISTS {
            fs::create_dir_all(docs.join(directory)).unwrap();
        }
        for page in pages().iter().filter(|page| is_generated(page)) {
            fs::remove_file(docs.join(page)).unwrap();
        }
        for (page, text) in &expected {
            fs::write(docs.join(page), text).unwrap();
        }
        fs::write(docs.join("SUMMARY.md"), with_pages).unwrap();
        return;
    }
    let found: BTreeMap<PathBuf, String> = pages()
        .into_iter()
        .filter(is_generated)
        .map(|page| (page.clone(), fs::read_to_string(docs.join(page)).unwrap()))
        .collect();
    assert!(
        found == expected && summary == with_pages,
        "RUSTOP_OVERWRITE=1 cargo test --test cli book"
    );
}

/// Returns the table of contents with `pages` below the page of their directory.
fn with_listed(summary: &str, pages: &BTreeMap<PathBuf, String>) -> String {
    let mut text = String::new();
    let is_listed = |line: &str| {
        let mut directories = generated::LISTS.iter().map(|(_, directory)| directory);
        directories.any(|directory| line.contains(&format!("({directory}/")))
    };
    for line in summary.lines().filter(|line| !is_listed(line)) {
        let _ = writeln!(text, "{line}");
        for (list, directory) in generated::LISTS {
            if !line.ends_with(&format!("({list})")) {
                continue;
            }
            for page in pages.keys().filter(|page| page.starts_with(directory)) {
                let name = page.file_stem().unwrap().to_string_lossy();
                let _ = writeln!(text, "  - [{name}]({})", page.display());
            }
        }
    }
    text
}

#[test]
fn generated_parts_and_excerpts_are_current() {
    let overwrite = std::env::var_os("RUSTOP_OVERWRITE").is_some();
    let mut outdated = String::new();
    let mut parts = 0;
    for page in pages() {
        let path = root().join("docs").join(&page);
        let text = fs::read_to_string(&path).unwrap();
        let current = with_excerpts(&with_generated_parts(&text, &mut parts), &mut parts);
        if current == text {
            continue;
        }
        if overwrite {
            fs::write(&path, current).unwrap();
        } else {
            let difference = similar::TextDiff::from_lines(&text, &current);
            let _ = writeln!(
                outdated,
                "{}\n{}",
                page.display(),
                difference.unified_diff()
            );
        }
    }
    assert!(
        outdated.is_empty(),
        "RUSTOP_OVERWRITE=1 cargo test --test cli book\n{outdated}"
    );
    assert!(parts > 5, "{parts} parts");
}

/// The blocks of the tutorials are files of their project, which `tests/projects` builds.
#[test]
fn every_block_of_rust_is_compiled() {
    let block = Regex::new(r"(?m)^(.*)\n+```rust\n").unwrap();
    let is_tutorial = |page: &PathBuf| page.starts_with("tutorial");
    for page in pages().into_iter().filter(|page| !is_tutorial(page)) {
        let text = fs::read_to_string(root().join("docs").join(&page)).unwrap();
        for found in block.captures_iter(&text) {
            let is_excerpt = found[1].starts_with("<!-- excerpt: ");
            assert!(is_excerpt, "{}: below `{}`", page.display(), &found[1]);
        }
    }
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, code) = readme.split_once("```rust\n").unwrap();
    let (code, rest) = code.split_once("```").unwrap();
    let tested = fs::read_to_string(root().join("tests/book/readme.rs")).unwrap();
    assert!(tested.contains(code), "{code}");
    assert!(!rest.contains("```rust"), "README has another block");
}

/// A reader copies a block into a file.
#[test]
fn every_block_of_yaml_is_valid() {
    let block = Regex::new(r"(?s)\n```yaml\n(.*?)\n```").unwrap();
    let mut seen = 0;
    for page in pages() {
        let text = fs::read_to_string(root().join("docs").join(&page)).unwrap();
        for found in block.captures_iter(&text) {
            for document in found[1].split("\n---\n") {
                seen += 1;
                let value: Result<serde_json::Value, _> = serde_yaml::from_str(document);
                let value = value.unwrap_or_else(|error| {
                    panic!("{}: {error}\n{document}", page.display());
                });
                assert!(
                    value["kind"].is_null() || value["apiVersion"].is_string(),
                    "{}: no apiVersion\n{document}",
                    page.display()
                );
            }
        }
    }
    assert!(seen > 10, "{seen} documents");
}

#[test]
fn readme_is_short() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.lines().count() <= 150);
}

#[test]
fn examples_of_the_manager_are_short() {
    let mut examples = 0;
    for file in fs::read_dir(root().join("manager/examples")).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            examples += 1;
            let lines = fs::read_to_string(&path).unwrap().lines().count();
            assert!(lines <= 80, "{}: {lines}", path.display());
        }
    }
    assert_eq!(examples, 5);
}

#[test]
fn an_excerpt_ends_at_its_last_line_and_is_not_indented() {
    let file = "mod a {\n    fn first() {\n        1\n    }\n    fn second() {}\n}\n";
    assert_eq!(
        lines_between(file, "fn first", "    }"),
        Some("fn first() {\n    1\n}\n".to_owned())
    );
    assert_eq!(lines_between(file, "fn third", "}"), None);
}

/// Returns the page with the current text of each generated part.
fn with_generated_parts(text: &str, parts: &mut usize) -> String {
    let part = Regex::new(r"(?s)<!-- generated: ([a-z-]+) -->\n.*?<!-- end -->").unwrap();
    part.replace_all(text, |found: &Captures| {
        *parts += 1;
        let name = &found[1];
        let content = generated::part(name).unwrap_or_else(|| panic!("no part is called `{name}`"));
        format!(
            "<!-- generated: {name} -->\n\n{}\n\n<!-- end -->",
            content.trim()
        )
    })
    .into_owned()
}

/// Returns the page with the current text of each excerpt.
fn with_excerpts(text: &str, parts: &mut usize) -> String {
    let block = Regex::new(r"(?s)<!-- excerpt: ([^>\n]+) -->\n+```([a-z]*)\n.*?```").unwrap();
    let all = text.matches("<!-- excerpt:").count();
    let mut seen = 0;
    let current = block.replace_all(text, |found: &Captures| {
        seen += 1;
        let place = found[1].trim();
        let content = excerpt(place).unwrap_or_else(|| panic!("nothing is at `{place}`"));
        format!(
            "<!-- excerpt: {place} -->\n\n```{}\n{content}```",
            &found[2]
        )
    });
    assert_eq!(seen, all, "an excerpt without a block of code:\n{text}");
    *parts += seen;
    current.into_owned()
}

/// Returns the lines that `PATH | START | END` names.
fn excerpt(place: &str) -> Option<String> {
    let mut words = place.split(" | ");
    let file = fs::read_to_string(root().join(words.next()?)).ok()?;
    match (words.next(), words.next()) {
        (None, _) => Some(file),
        (Some(start), end) => lines_between(&file, start, end.unwrap_or("}")),
    }
}

/// Returns the lines from the first that contains `start` to the next that is `end`, without their
/// common indentation.
fn lines_between(file: &str, start: &str, end: &str) -> Option<String> {
    let lines: Vec<&str> = file.lines().collect();
    let first = lines.iter().position(|line| line.contains(start))?;
    let length = lines[first..].iter().position(|line| *line == end)? + 1;
    let lines = &lines[first..first + length];
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let common = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(indent)
        .min()?;
    Some(lines.iter().fold(String::new(), |text, line| {
        text + line.get(common..).unwrap_or_default() + "\n"
    }))
}

/// Returns the lines of a page's blocks of code.
fn in_blocks(text: &str) -> BTreeSet<&str> {
    text.split("```")
        .skip(1)
        .step_by(2)
        .flat_map(str::lines)
        .collect()
}

/// Returns the names in the first column of the tables of a page.
fn first_column(page: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("docs").join(page)).unwrap();
    let name = Regex::new(r"(?m)^\| `([^`]+)`").unwrap();
    name.captures_iter(&text)
        .map(|found| found[1].to_owned())
        .collect()
}

/// Returns the first group of each match in the Rust files below a directory or in a file, without
/// tests.
fn in_sources(place: &str, pattern: &str) -> BTreeSet<String> {
    let pattern = Regex::new(pattern).unwrap();
    WalkDir::new(root().join(place))
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter(|path| !path.to_string_lossy().contains("tests"))
        .flat_map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let found: Vec<_> = pattern
                .captures_iter(&text)
                .map(|found| found[1].to_owned())
                .collect();
            found
        })
        .collect()
}

/// Each argument of a marker has a row, which says if it is a list, if it is required, and which
/// values it has.
#[test]
fn markers_page_describes_the_arguments_that_rustop_parses() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let page = read("docs/reference/markers.md");
    let argument = Regex::new(r#"Argument::(one|list)\("(\w+)"\),"#).unwrap();
    let required = Regex::new(r#"(?m)^    \("(\w+)", ""#).unwrap();
    let row = Regex::new(r"(?m)^\| `(\w+)` \| (.*) \|$").unwrap();
    for (marker, source) in [
        ("rbac", "src/rbac/rule.rs"),
        ("webhook", "src/webhook/read/arguments.rs"),
    ] {
        let source = read(source);
        let required: BTreeSet<_> = required
            .captures_iter(&source)
            .map(|found| found[1].to_owned())
            .collect();
        let parsed: BTreeSet<_> = argument
            .captures_iter(&source)
            .map(|found| {
                (
                    found[2].to_owned(),
                    &found[1] == "list",
                    required.contains(&found[2]),
                )
            })
            .collect();
        let (_, section) = page
            .split_once(&format!("## `+kubebuilder:{marker}`"))
            .unwrap();
        let section = section.split("\n## ").next().unwrap();
        let described: BTreeSet<_> = row
            .captures_iter(section)
            .map(|found| {
                let text = &found[2];
                let is_required = text.ends_with("; required");
                (found[1].to_owned(), text.starts_with("list"), is_required)
            })
            .collect();
        assert!(parsed.len() > 5, "{parsed:?}");
        assert_eq!(described, parsed, "{marker}");
    }
    let check = read("src/webhook/check.rs");
    for (argument, values) in [
        ("failurePolicy", "FAILURE_POLICIES"),
        ("matchPolicy", "MATCH_POLICIES"),
        ("reinvocationPolicy", "REINVOCATION_POLICIES"),
        ("sideEffects", "SIDE_EFFECTS"),
        ("verbs", "OPERATIONS"),
    ] {
        let (_, webhook) = page.split_once("## `+kubebuilder:webhook`").unwrap();
        let mut rows = row.captures_iter(webhook);
        let text = rows.find(|found| &found[1] == argument).unwrap()[2].to_lowercase();
        let (_, values) = check.split_once(&format!("const {values}: ")).unwrap();
        let (_, values) = values.split(';').nth(1).unwrap().split_once("= ").unwrap();
        for value in values.split('"').skip(1).step_by(2) {
            let value = format!("`{}`", value.to_lowercase());
            assert!(text.contains(&value), "{argument}: {value}");
        }
    }
}

#[test]
fn environment_page_lists_the_variables_that_rustop_reads() {
    // Variables by which rustop recognizes or instructs its own child processes.
    let internal = [
        "RUSTOP_BUILD_IN",
        "RUSTOP_COMPONENT_OF",
        "RUSTOP_DEV_OF",
        "RUSTOP_EXEC_OF",
        "RUSTOP_OVERWRITE",
        "RUSTOP_SIMULATION",
    ];
    let mut read = in_sources("src", r#""(RUSTOP_[A-Z_]+)""#);
    read.retain(|name| !internal.contains(&name.as_str()) && !name.starts_with("RUSTOP_TEST"));
    let mut listed = first_column("reference/environment.md");
    listed.retain(|name| name.starts_with("RUSTOP_"));
    assert_eq!(listed, read);
    let page = fs::read_to_string(root().join("docs/reference/environment.md")).unwrap();
    let mut others = in_sources("src", r#"\bvariable\("([A-Z_]+)"\)"#);
    others.extend(in_sources("src/dirs.rs", r#"xdg: "([A-Z_]+)""#));
    assert!(others.len() > 3, "{others:?}");
    for name in others.iter().filter(|name| *name != "HOME") {
        assert!(page.contains(name.as_str()), "{name}");
    }
}

/// Counts in the prose become stale without a change near them.
#[test]
fn counts_in_the_book_are_those_of_the_sources() {
    let changes = fs::read_to_string(root().join("src/compat/testdata/changes.yaml")).unwrap();
    let changes: Vec<serde_json::Value> = serde_yaml::from_str(&changes).unwrap();
    let rules = generated::output(&["lint", "--list"]);
    let rules = rules.lines().count() - 1;
    let (mut files, mut lines) = (0, 0);
    for place in ["src", "examples"] {
        for entry in WalkDir::new(root().join("manager").join(place)) {
            let path = entry.unwrap().into_path();
            files += usize::from(path.is_file());
            if path.extension().is_some_and(|extension| extension == "rs") {
                lines += fs::read_to_string(path).unwrap().lines().count();
            }
        }
    }
    let comparison = "comparison.md";
    for (page, pattern, actual, rounded_to) in [
        (
            "compatibility.md",
            r"has\s([0-9,]+) changes, each",
            changes.len(),
            1,
        ),
        (comparison, r"same binary: ([0-9,]+) rules", rules, 1),
        (
            comparison,
            r"about ([0-9,]+) files, [0-9,]+ lines of Rust",
            files,
            20,
        ),
        (
            comparison,
            r"about [0-9,]+ files, ([0-9,]+) lines of Rust",
            lines,
            2_000,
        ),
    ] {
        let text = fs::read_to_string(root().join("docs").join(page)).unwrap();
        let found = Regex::new(pattern).unwrap().captures(&text);
        let found = found.unwrap_or_else(|| panic!("no {pattern} in {page}"))[1].replace(',', "");
        let stated: usize = found.parse().unwrap();
        assert!(
            stated.abs_diff(actual) < rounded_to,
            "{page}: {pattern}: {actual} instead of {stated}"
        );
    }
}

/// Returns the default value of a flag in the help of a command.
fn default_of(command: &str, flag: &str) -> String {
    let help = generated::output(&[command, "--help"]);
    let (_, flag) = help.split_once(&format!("--{flag} <")).unwrap();
    let (_, default) = flag.split_once("[default: ").unwrap();
    default.split(']').next().unwrap().to_owned()
}

#[test]
fn defaults_in_the_book_are_those_of_the_programs() {
    let backoff = rustop_manager::Backoff::default();
    let backoff = format!(
        "{} ms {} minutes",
        backoff.first.as_millis(),
        backoff.longest.as_secs() / 60
    );
    let builder = fs::read_to_string(root().join("manager/src/controller/builder.rs")).unwrap();
    assert!(builder.contains("const TIMEOUT: Duration = Duration::from_secs(300);"));
    let five_minutes = "five minutes".to_owned();
    let delays = r"([0-9]+ ms),? (?:and|doubled)[a-z ,]* up to ([0-9]+ minutes)";
    for (page, pattern, actual) in [
        (
            "torture.md",
            r"- `--budget (\w+)`",
            default_of("torture", "budget"),
        ),
        (
            "simulation.md",
            r"- `--budget (\w+)`",
            default_of("simulate", "budget"),
        ),
        (
            "from-kopf.md",
            r"`--list-page-size` \(([0-9]+) by default\)",
            rustop_manager::Options::default()
                .list_page_size
                .to_string(),
        ),
        (
            "faq.md",
            r"control plane is (\S+) by default",
            generated::control_plane(),
        ),
        ("from-kopf.md", delays, backoff.clone()),
        ("from-java.md", delays, backoff.clone()),
        ("reconciling.md", delays, backoff),
        (
            "manager.md",
            r"hangs is cancelled after ([a-z ]+) \(",
            five_minutes.clone(),
        ),
        (
            "from-java.md",
            r"is cancelled after ([a-z ]+)\*",
            five_minutes.clone(),
        ),
        (
            "from-kubebuilder.md",
            r"the default is ([a-z ]+) \|",
            five_minutes.clone(),
        ),
        (
            "comparison.md",
            r"timeout of a reconcile \| ([a-z ]+) \|",
            five_minutes,
        ),
    ] {
        let text = fs::read_to_string(root().join("docs").join(page)).unwrap();
        let found = Regex::new(pattern).unwrap().captures(&text);
        let found = found.unwrap_or_else(|| panic!("no {pattern} in {page}"));
        let stated: Vec<_> = found
            .iter()
            .skip(1)
            .flatten()
            .map(|part| part.as_str())
            .collect();
        let stated = stated.join(" ");
        // The book names a minor version of Kubernetes.
        let is_version = actual.starts_with(&format!("{stated}."));
        assert!(
            stated == actual || is_version,
            "{page}: {pattern}: {actual} instead of {stated}"
        );
    }
}

#[test]
fn troubleshooting_page_lists_every_reason_of_the_runtime() {
    // Reasons of examples in the documentation, and of test support.
    let others = [
        "InvalidRequest",
        "NeedsIo",
        "NoPassword",
        "NoSecret",
        "NoService",
        "NotDeterministic",
        "Rejected",
        "TooMany",
    ];
    let mut given = in_sources("manager/src", r#"Error::new\(\s*"([A-Z]\w+)""#);
    given.retain(|reason| !others.contains(&reason.as_str()));
    assert!(given.len() > 20, "{given:?}");
    let listed = first_column("troubleshooting.md");
    let missing: Vec<_> = given.difference(&listed).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn messages_on_the_troubleshooting_page_are_those_of_the_sources() {
    let mut sources = String::new();
    for place in ["src", "manager/src"] {
        for entry in WalkDir::new(root().join(place)) {
            let path = entry.unwrap().into_path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                sources += &fs::read_to_string(path).unwrap();
            }
        }
    }
    // A string literal may continue on the next line.
    let sources = Regex::new(r"\\\n\s*").unwrap().replace_all(&sources, "");
    let messages = first_column("troubleshooting.md");
    assert!(messages.len() > 30, "{messages:?}");
    let unknown: Vec<_> = messages
        .iter()
        .flat_map(|message| message.split(".."))
        .filter(|part| !sources.contains(part.trim()))
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
