//! The words of comments, help texts, documentation and templates: `prose/rules.yaml` lists those
//! that a reader would have to translate.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use walkdir::WalkDir;

/// The files whose text is checked, as directories and files of the repository.
const CHECKED: [&str; 6] = [
    "src",
    "manager",
    "templates",
    "docs",
    "README.md",
    "CONTRIBUTING.md",
];

/// A string literal.
static STRING: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#""((?:[^"\\]|\\.)*)""#).unwrap());

/// The file of rules.
#[derive(Deserialize)]
struct Rules {
    starts: Vec<Rule>,
    anywhere: Vec<Rule>,
    /// Texts that files and ids of findings contain, so that they cannot change.
    stable: Vec<String>,
}

#[derive(Deserialize)]
struct Rule {
    #[serde(deserialize_with = "pattern")]
    pattern: Regex,
    instead: String,
}

/// A line of text for people.
struct Line {
    number: usize,
    text: String,
    /// True if a doc comment starts here.
    starts: bool,
}

#[test]
fn no_text_uses_a_word_that_a_rule_replaces() {
    let rules: Rules = serde_yaml::from_str(include_str!("prose/rules.yaml")).unwrap();
    let findings: Vec<String> = files()
        .iter()
        .flat_map(|path| {
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            let text = fs::read_to_string(path).unwrap();
            findings(&name, &text, &rules)
        })
        .collect();
    assert!(findings.is_empty(), "\n{}", findings.join("\n"));
}

#[test]
fn comments_end_at_100_columns() {
    let is_rust = |path: &&PathBuf| path.extension() == Some(OsStr::new("rs"));
    let sources = files();
    let found: Vec<String> = sources
        .iter()
        .filter(is_rust)
        .flat_map(|path| {
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            let lines = wide_comments(&fs::read_to_string(path).unwrap());
            lines.into_iter().map(move |line| format!("{name}:{line}"))
        })
        .collect();
    assert!(found.is_empty(), "wrap:\n{}", found.join("\n"));
}

#[test]
fn wide_comments_are_found_outside_of_code_tables_and_links() {
    let wide = "word ".repeat(30);
    let long = "x".repeat(120);
    let text = format!(
        "/// {wide}\nlet a = 1; // {wide}\n/// ```\n/// {wide}\n/// ```\n/// | {wide} |\n/// <https://{long}>\n"
    );
    assert_eq!(wide_comments(&text), [1]);
}

/// Returns the numbers of the lines with a comment that could be wrapped at 100 columns.
fn wide_comments(text: &str) -> Vec<usize> {
    let mut in_code = false;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            in_code = false;
            continue;
        };
        let comment = comment.trim_start_matches(['/', '!']).trim();
        in_code ^= comment.starts_with("```");
        let is_table = comment.starts_with('|');
        // A single word cannot be wrapped, and neither can the address of a link.
        let is_word = !comment.contains(' ') || comment.starts_with('[');
        if line.chars().count() > 100 && !in_code && !is_table && !is_word {
            found.push(number + 1);
        }
    }
    found
}

#[test]
fn rules_find_comments_messages_and_prose() {
    let rules: Rules = serde_yaml::from_str(include_str!("prose/rules.yaml")).unwrap();
    let found = |name: &str, text: &str| {
        findings(name, text, &rules)
            .iter()
            .map(|finding| finding.split(": ").next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let rust = "/// Whether it ends.\n/// As long as it runs.\nfn told() {\n    // Mend it.\n    fail(\"nobody serves it\");\n}\n";
    assert_eq!(found("a.rs", rust), ["a.rs:1", "a.rs:4", "a.rs:5"]);
    let markdown = "Whoever reads this.\n```sh\necho told\n```\nCall `told`.\n";
    assert_eq!(found("a.md", markdown), ["a.md:1"]);
    let template = "# Said once.\nsaid: true\n{# told #}\n";
    assert_eq!(
        found("a.yaml.tera", template),
        ["a.yaml.tera:1", "a.yaml.tera:3"]
    );
}

fn pattern<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Regex, D::Error> {
    let pattern = String::deserialize(deserializer)?;
    RegexBuilder::new(&pattern)
        .case_insensitive(true)
        .build()
        .map_err(serde::de::Error::custom)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the files to check, without test data and what other programs wrote.
fn files() -> Vec<PathBuf> {
    const TEXT: [&str; 8] = ["rs", "tera", "md", "yaml", "html", "js", "css", "sh"];
    CHECKED
        .iter()
        .flat_map(|path| WalkDir::new(root().join(path)).sort_by_file_name())
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| TEXT.iter().any(|text| extension == *text))
        })
        .filter(|path| {
            !path.components().any(|part| {
                ["testdata", "releases"]
                    .iter()
                    .any(|name| part.as_os_str() == *name)
            })
        })
        .collect()
}

/// Returns the places in a file that a rule replaces, each with its line and the better words.
fn findings(name: &str, text: &str, rules: &Rules) -> Vec<String> {
    let file = name.trim_end_matches(".tera");
    let extension = Path::new(file).extension().and_then(OsStr::to_str);
    let lines = match extension {
        Some("md") => prose(text),
        Some("rs" | "js") => comments_and_strings(text),
        _ => comments(text),
    };
    let mut findings = Vec::new();
    let is_stable = |line: &&Line| rules.stable.contains(&line.text);
    for line in lines.iter().filter(|line| !is_stable(line)) {
        let starts = rules.starts.iter().filter(|rule| {
            let start = rule.pattern.find(&line.text);
            line.starts && start.is_some_and(|found| found.start() == 0)
        });
        let anywhere = rules.anywhere.iter();
        let anywhere = anywhere.filter(|rule| rule.pattern.is_match(&line.text));
        for rule in starts.chain(anywhere) {
            findings.push(format!(
                "{name}:{}: {}\n    write: {}",
                line.number, line.text, rule.instead
            ));
        }
    }
    findings
}

/// Returns the text of Markdown outside of code.
fn prose(text: &str) -> Vec<Line> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push(Line {
                number: index + 1,
                text: without_code(line),
                starts: false,
            });
        }
    }
    lines
}

/// Returns the comments and the string literals of Rust or JavaScript, line by line.
fn comments_and_strings(text: &str) -> Vec<Line> {
    let mut in_comment = false;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        let comment = trimmed.strip_prefix("//");
        let doc = comment.and_then(|comment| comment.strip_prefix(['/', '!']));
        let text = match (doc, comment) {
            (Some(text), _) | (None, Some(text)) => without_code(text.trim()),
            (None, None) => STRING
                .captures_iter(line)
                .map(|found| found[1].to_owned())
                .collect::<Vec<_>>()
                .join(" "),
        };
        lines.push(Line {
            number: index + 1,
            starts: doc.is_some() && !in_comment,
            text,
        });
        in_comment = comment.is_some();
    }
    lines
}

/// Returns the comments of YAML, Makefiles, shell and Tera.
fn comments(text: &str) -> Vec<Line> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| line.trim_start().starts_with(['#', '{', '<', '/']))
        .filter(|(_, line)| line.contains("{#") || !line.trim_start().starts_with('{'))
        .map(|(index, line)| Line {
            number: index + 1,
            text: without_code(line),
            starts: false,
        })
        .collect()
}

/// Returns a line without what stands in backticks, which quotes code.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}
