//! Tests with a `PROJECT` file from an untrusted author: each text is rejected, or appears in the project as plain
//! text.

use std::path::Path;
use std::str::FromStr as _;

use proc_macro2::{TokenStream, TokenTree};
use serde_json::Value;

use super::{projects, resource};
use crate::project::Project;
use crate::scaffold::render::render;
use crate::sources::comments::scan;
use crate::tree::Tree;

/// Texts that would end a string, a comment or a line in one of the languages of the generated files.
const TEXTS: &[&str] = &[
    "x\"]); } #[test] fn pwn() { loop {} }",
    "x\"; fn pwn() {} //",
    "x\"#; fn pwn() {} //",
    "x\\",
    "x */ fn pwn() {}",
    "x\nfn pwn() {}",
    "x\npwn: y",
    "x\r\npwn: y",
    "x\u{85}pwn: y",
    "x\u{2028}pwn: y",
    "x\", pwn: \"y",
    "x\", \"pwn\": \"y",
    "x', pwn: 'y",
    "x: {pwn: y}",
    "x #",
    "{{ pwn }}",
    "{% pwn %}",
    "$(pwn)",
    "../pwn",
    "/pwn",
    "+kubebuilder:rbac:groups=pwn,resources=pwn,verbs=*",
    "x\n+kubebuilder:rbac:groups=pwn,resources=pwn,verbs=*",
];

/// Returns a project with every optional part, in which every text of `PROJECT` is set.
fn complete() -> Project {
    let mut project = projects()
        .into_iter()
        .find(|it| it.chart.is_some() && it.owner.is_some())
        .unwrap();
    let mut imported = resource(Some("foreign"), "v1", "Wolf");
    imported.imported =
        serde_yaml::from_str("{allowed: [v1.spec.x], from: crd.yaml, sha256: '0'}").unwrap();
    let mut workload = resource(Some("batch"), "v1", "Page");
    workload.workload = serde_yaml::from_str(
        "{containerCommand: [serve], containerPort: 80, image: 'nginx:1.29', runAsUser: 1000}",
    )
    .unwrap();
    project.resources.truncate(2);
    project.resources.extend([imported, workload]);
    project
}

#[test]
fn a_hostile_text_in_project_is_refused_or_arrives_as_text() {
    let base = serde_json::to_value(complete()).unwrap();
    let mut pointers = Vec::new();
    texts(&base, &mut String::new(), &mut pointers);
    assert!(pointers.len() > 20, "{pointers:?}");
    let clean = render(&complete());
    let mut failures = Vec::new();
    let mut accepted = 0;
    for pointer in &pointers {
        for text in TEXTS {
            let mut changed = base.clone();
            *changed.pointer_mut(pointer).unwrap() = Value::from(*text);
            let Ok(project) = Project::parse(&changed.to_string()) else {
                continue;
            };
            if project.check_after(None).is_err() {
                continue;
            }
            accepted += 1;
            let found = injected(&render(&project), &clean);
            failures.extend(found.map(|path| format!("{pointer} = {text:?} gets into {path}")));
        }
    }
    assert!(
        accepted > 0,
        "no text is accepted anywhere, so nothing was tested"
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Collects the JSON pointers of all strings.
fn texts(value: &Value, pointer: &mut String, found: &mut Vec<String>) {
    let mut below = |name: &str, value: &Value| {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(name);
        texts(value, pointer, found);
        pointer.truncate(length);
    };
    match value {
        Value::String(_) => found.push(pointer.clone()),
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                below(&n.to_string(), item);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                below(name, field);
            }
        }
        _ => {}
    }
}

/// Returns the first file that differs from the clean tree and is injected: it does not parse, or `pwn` is code, a key,
/// or a path in it.
fn injected(tree: &Tree, clean: &Tree) -> Option<String> {
    let is_injected = |path: &str, text: &str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_template = path.starts_with("charts/") && path.contains("/templates/");
        if path.contains("pwn") || path.contains("..") {
            return true;
        }
        match name.rsplit_once('.').map(|(_, ending)| ending) {
            None if name == "PROJECT" => {
                serde_yaml::from_str(text).map_or(true, |project| has_key(&project))
            }
            Some("rs") => {
                syn::parse_file(text).is_err()
                    || text.parse().map_or(true, is_code)
                    || scan(Path::new(path), text)
                        .markers
                        .iter()
                        .any(|marker| format!("{marker:?}").contains("pwn"))
            }
            Some("yaml" | "yml") if !is_template => serde_yaml::from_multiple::<Value>(text)
                .map_or(true, |documents| documents.iter().any(has_key)),
            Some("toml") => toml_edit::DocumentMut::from_str(text)
                .map_or(true, |document| document.to_string().contains("\npwn")),
            _ => text
                .lines()
                .any(|line| line.trim_start().starts_with("pwn") || line.starts_with("fn pwn")),
        }
    };
    tree.iter()
        .filter(|(path, file)| clean.get(path) != Some(file))
        .find(|(path, file)| is_injected(path, &file.text))
        .map(|(path, _)| path.to_owned())
}

fn has_key(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields
            .iter()
            .any(|(name, field)| name == "pwn" || has_key(field)),
        Value::Array(items) => items.iter().any(has_key),
        _ => false,
    }
}

/// Reports whether `pwn` is an identifier of the code.
fn is_code(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => is_code(group.stream()),
        TokenTree::Ident(ident) => ident == "pwn",
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
