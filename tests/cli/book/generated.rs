//! The generated parts of the book.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use clap::Args as _;
use serde_json::Value;

use super::root;
use crate::dsl::rustop;
use crate::help::commands;

/// Returns the content of a generated part, or `None` if there is no part of this name.
pub fn part(name: &str) -> Option<String> {
    Some(match name {
        "commands" => command_line(),
        "project" => project(),
        "rules" => table_of("| rule | finds |", "rules", explained_rules()),
        "findings" => table_of("| class | shows that |", "findings", explained_findings()),
        "flags" => flags(),
        "metrics" => metrics(),
        "permissions" => permissions(),
        "reasons" => reasons(),
        "versions" => versions(),
        _ => return None,
    })
}

/// Runs rustop and returns its standard output.
pub fn output(arguments: &[&str]) -> String {
    let output = rustop(&std::env::temp_dir())
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the help of each command. The global options are in the first one only.
fn command_line() -> String {
    let mut text = String::new();
    for command in commands(&[]) {
        let mut words: Vec<&str> = command.iter().map(String::as_str).collect();
        words.push("--help");
        let help = output(&words);
        let help = if command.is_empty() {
            help
        } else {
            without_global_options(&help)
        };
        let name = [&["rustop".to_owned()], &command[..]].concat().join(" ");
        let _ = write!(text, "## `{name}`\n\n```text\n{}\n```\n\n", trimmed(&help));
    }
    text
}

/// Returns the help of a command without the section of the global options.
fn without_global_options(help: &str) -> String {
    let Some((before, rest)) = help.split_once("Global options:\n") else {
        return help.to_owned();
    };
    // The next section begins at the margin.
    let is_next = |line: &&str| !line.is_empty() && !line.starts_with(' ');
    let after: Vec<&str> = rest.lines().skip_while(|line| !is_next(line)).collect();
    format!("{before}{}", after.join("\n"))
}

/// Returns a text without blanks at the ends of its lines, and without empty lines at its end.
fn trimmed(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned()
}

/// The pages that list pages of their own, with the directories of these.
pub const LISTS: [(&str, &str); 2] = [
    ("reference/rules.md", "reference/rules"),
    ("reference/findings.md", "reference/findings"),
];

/// Returns a page for each rule and each class of finding of `rustop explain`, by its path below
/// `docs/`.
pub fn pages() -> BTreeMap<PathBuf, String> {
    let rules = explained_rules().into_iter().map(|rule| {
        let Explained { name, short, rest } = rule;
        (
            PathBuf::from(format!("reference/rules/{name}.md")),
            format!("# {name}\n\nFinds {short}\n\n{rest}\n"),
        )
    });
    let findings = explained_findings().into_iter().map(|finding| {
        let Explained { name, short, rest } = finding;
        (
            PathBuf::from(format!("reference/findings/{name}.md")),
            format!("# {name}\n\nShows that {short}\n\n{rest}\n"),
        )
    });
    rules.chain(findings).collect()
}

/// The text of `rustop explain` about a rule or a class of finding.
struct Explained {
    name: String,
    /// The rest of a sentence: `a kind with many objects, watched without a selector.`
    short: String,
    /// The other paragraphs.
    rest: String,
}

fn explained_rules() -> Vec<Explained> {
    let states = output(&["lint", "--list"]);
    let is_off = |rule: &str| {
        states
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>())
            .any(|words| words.first() == Some(&rule) && words.get(1) == Some(&"off"))
    };
    names_of("RULE")
        .into_iter()
        .map(|name| {
            let explanation = output(&["explain", &name]);
            let (finds, rest) = explanation.split_once("\n\n").unwrap();
            let finds = finds.split_once(": ").unwrap().1;
            let (why, comment) = rest.rsplit_once("\n\n    ").unwrap();
            let off = if is_off(&name) {
                " Off by default."
            } else {
                ""
            };
            Explained {
                name,
                short: format!("{finds}.{off}"),
                rest: format!("{why}\n\n```text\n{}\n```", comment.trim_end()),
            }
        })
        .collect()
}

fn explained_findings() -> Vec<Explained> {
    names_of("FINDING")
        .into_iter()
        .map(|name| {
            let explanation = output(&["explain", &name]);
            let paragraphs: Vec<_> = explanation.trim_end().split("\n\n").collect();
            // Some classes say between the two why they are bugs.
            let [shows, rest @ .., reported_by] = &paragraphs[..] else {
                panic!("{explanation}");
            };
            let shows = shows.split_once(": ").unwrap().1;
            Explained {
                name,
                short: format!("{shows}. {reported_by}"),
                rest: rest.join("\n\n"),
            }
        })
        .collect()
}

/// Returns a table with links to the pages of rules or findings in a directory next to the table.
fn table_of(head: &str, directory: &str, explained: Vec<Explained>) -> String {
    let mut table = format!("{head}\n|---|---|\n");
    for Explained { name, short, .. } in explained {
        let short = short.replace('|', "\\|");
        let _ = writeln!(table, "| [`{name}`]({directory}/{name}.md) | {short} |");
    }
    table
}

/// Returns the names in one of the tables of `rustop explain`.
fn names_of(head: &str) -> Vec<String> {
    let lists = output(&["explain"]);
    let table = lists.split("\n\n").find(|table| table.starts_with(head));
    let rows = table.unwrap().lines().skip(1);
    rows.map(|row| row.split_whitespace().next().unwrap().to_owned())
        .collect()
}

/// Returns a table of the fields of `PROJECT`, and one for each of its objects.
fn project() -> String {
    let schema: Value = serde_json::from_str(&output(&["schema"])).unwrap();
    let mut text = String::from("## PROJECT\n\n");
    text += &fields(&schema, &schema);
    for (name, of) in schema["$defs"].as_object().unwrap() {
        if of["properties"].is_object() {
            let about = one_line(&of["description"]);
            let _ = write!(text, "\n## {name}\n\n{about}\n\n{}", fields(of, &schema));
        }
    }
    text
}

/// Returns a table of the fields of an object.
fn fields(of: &Value, schema: &Value) -> String {
    let required = of["required"].as_array();
    let mut table = "| field | value | meaning |\n|---|---|---|\n".to_owned();
    for (name, field) in of["properties"].as_object().unwrap() {
        let is_required = required.is_some_and(|names| names.iter().any(|known| known == name));
        let meaning = match one_line(&field["description"]) {
            text if text.is_empty() => one_line(&definition(field, schema)["description"]),
            text => text,
        };
        let default = match &field["default"] {
            Value::String(text) if !text.is_empty() => format!(" Default: `{text}`."),
            Value::Bool(value) => format!(" Default: `{value}`."),
            _ => String::new(),
        };
        let required = if is_required { " Required." } else { "" };
        let value = value(field, schema);
        let _ = writeln!(
            table,
            "| `{name}` | {value} | {meaning}{default}{required} |"
        );
    }
    table
}

/// Returns the definition that a field refers to, or the field itself.
fn definition<'a>(field: &'a Value, schema: &'a Value) -> &'a Value {
    let alternatives = field["anyOf"].as_array();
    let field = alternatives.map_or(field, |all| &all[0]);
    match field["$ref"].as_str() {
        Some(path) => &schema["$defs"][path.rsplit('/').next().unwrap()],
        None => field,
    }
}

/// Returns the values that a field accepts.
fn value(field: &Value, schema: &Value) -> String {
    let target = definition(field, schema);
    if target["properties"].is_object() {
        let alternatives = field["anyOf"].as_array();
        let path = alternatives.map_or(field, |all| &all[0])["$ref"].as_str();
        let name = path.unwrap().rsplit('/').next().unwrap();
        return format!("[{name}](#{})", name.to_lowercase());
    }
    let words = |values: &[Value]| {
        let words = values
            .iter()
            .map(|value| format!("`{}`", value.as_str().unwrap()));
        words.collect::<Vec<_>>().join(", ")
    };
    if let Some(values) = target["enum"].as_array() {
        return words(values);
    }
    if let Some(values) = target["oneOf"].as_array() {
        let values: Vec<Value> = values.iter().map(|value| value["const"].clone()).collect();
        return words(&values);
    }
    if target["type"] == "array" {
        return format!("list: {}", value(&target["items"], schema));
    }
    match &target["type"] {
        Value::Array(types) => types[0].as_str().unwrap().to_owned(),
        other => other.as_str().unwrap_or("any").to_owned(),
    }
}

/// Returns a description on one line.
fn one_line(text: &Value) -> String {
    text.as_str()
        .unwrap_or_default()
        .replace('\n', " ")
        .replace('|', "\\|")
}

/// Returns a table of the operator's flags.
fn flags() -> String {
    let command = rustop_manager::Options::augment_args(clap::Command::new("operator"));
    let mut table = "| flag | environment | default | meaning |\n|---|---|---|---|\n".to_owned();
    for argument in command.get_arguments() {
        let name = argument.get_long().unwrap();
        let variable = argument.get_env().unwrap().to_string_lossy();
        let default: Vec<_> = argument
            .get_default_values()
            .iter()
            .map(|value| format!("`{}`", value.to_string_lossy()))
            .collect();
        let help = argument.get_help().unwrap();
        let default = default.join(", ");
        let _ = writeln!(table, "| `--{name}` | `{variable}` | {default} | {help} |");
    }
    table
}

/// Returns a table of the roles that a project has in addition to those of its markers.
fn permissions() -> String {
    let config = root().join("tests/golden/webhooks/config");
    let mut table =
        "| file | role | API group | resource | names | verbs |\n|---|---|---|---|---|---|\n"
            .to_owned();
    for file in [
        "rbac/leader_election.yaml",
        "rbac/metrics.yaml",
        "webhook/certificate_role.yaml",
    ] {
        let text = fs::read_to_string(config.join(file)).unwrap();
        for document in text.split("\n---\n") {
            let object: Value = serde_yaml::from_str(document).unwrap();
            let rules = object["rules"].as_array();
            for rule in rules.into_iter().flatten() {
                let row = ["apiGroups", "resources", "resourceNames", "verbs"]
                    .map(|field| words_of(&rule[field]));
                let resource = match row[1].as_str() {
                    "" => words_of(&rule["nonResourceURLs"]),
                    resource => resource.to_owned(),
                };
                let [group, _, names, verbs] = row;
                let kind = object["kind"].as_str().unwrap();
                let name = object["metadata"]["name"].as_str().unwrap();
                let _ = writeln!(
                    table,
                    "| `config/{file}` | {kind} `{name}` | {group} | {resource} | {names} | {verbs} |"
                );
            }
        }
    }
    table
}

/// Returns the texts of a list as code. The core group has no name.
fn words_of(list: &Value) -> String {
    let texts = list.as_array().into_iter().flatten();
    let words = texts.map(|text| match text.as_str().unwrap() {
        "" => "core".to_owned(),
        text => format!("`{text}`"),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Returns the table of metrics in the documentation of the runtime.
fn metrics() -> String {
    let source = fs::read_to_string(root().join("manager/src/lib.rs")).unwrap();
    let (_, rest) = source.split_once("//! | metric | labels |\n").unwrap();
    let rows = rest.lines().map_while(|line| line.strip_prefix("//! |"));
    let rows = rows.filter(|row| !row.starts_with("---"));
    rows.map(|row| row.replace("[`Error`]", "error")).fold(
        "| metric | labels |\n|---|---|\n".to_owned(),
        |table, row| format!("{table}|{row}\n"),
    )
}

/// Returns a table of the reasons of errors in the runtime.
fn reasons() -> String {
    let source = fs::read_to_string(root().join("manager/src/reason.rs")).unwrap();
    let (_, list) = source.split_once("pub enum Reason {\n").unwrap();
    let (list, _) = list.split_once("\n}\n").unwrap();
    let link = regex::Regex::new(r"\[(`[^`]+`)\](?:\([^)]*\))?").unwrap();
    let mut table = "| reason | meaning |\n|---|---|\n".to_owned();
    let mut meaning = Vec::new();
    for line in list.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("/// ") {
            meaning.push(text);
        } else {
            let text = std::mem::take(&mut meaning).join(" ");
            let text = link.replace_all(&text, "$1");
            let _ = writeln!(table, "| `{}` | {text} |", line.trim_end_matches(','));
        }
    }
    table
}

/// Returns a table of the versions that a new project, the local control plane and a build of
/// rustop have.
fn versions() -> String {
    let project = fs::read_to_string(root().join("tests/golden/lolcow/Cargo.toml")).unwrap();
    let crate_version = |name: &str| {
        let pattern = format!(r#"(?m)^{name} = (?:\{{ version = )?"([^"]+)""#);
        let found = regex::Regex::new(&pattern).unwrap().captures(&project);
        format!("{name} {}", &found.unwrap()[1])
    };
    let rust = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, rust) = rust.split_once("\nrust-version = \"").unwrap();
    let (rust, _) = rust.split_once('"').unwrap();
    let schema: Value = serde_json::from_str(&output(&["schema"])).unwrap();
    let types = value(&schema["properties"]["kubernetesVersion"], &schema);
    let default = &schema["properties"]["kubernetesVersion"]["default"];
    let crates = ["kube", "k8s-openapi", "schemars"].map(crate_version);
    format!(
        "| of what | versions |\n|---|---|\n\
         | Rust, to build rustop or a project | {rust} and newer |\n\
         | crates of a new project | {} |\n\
         | types of Kubernetes in a project | {types}; default: `{}` |\n\
         | local control plane (`dev`, `cluster`, `torture`) | Kubernetes {}; `--kubernetes-version` selects another, tested are 1.36 and 1.35 |\n",
        crates.join(", "),
        default.as_str().unwrap(),
        control_plane()
    )
}

/// Returns the version of Kubernetes that `rustop cluster install` installs by default.
pub fn control_plane() -> String {
    let source = fs::read_to_string(root().join("src/cluster/version.rs")).unwrap();
    let (_, version) = source.split_once("pub const DEFAULT: &str = \"").unwrap();
    version.split_once('"').unwrap().0.to_owned()
}
