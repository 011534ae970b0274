//! Tests with a `PROJECT` file or a CRD from an untrusted author: each text is rejected, or appears
//! in the project as plain text.

use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr as _;

use proc_macro2::{TokenStream, TokenTree};
use serde_json::Value;

use super::{project, projects, resource};
use crate::import::{self, ImportError};
use crate::ops::imported::{self, ImportSettings};
use crate::project::{Project, Spellings};
use crate::resource::{Reported, Source};
use crate::scaffold::render::render;
use crate::sources::comments::scan;
use crate::tree::Tree;

/// Texts that would end a string, a comment or a line in one of the languages of the generated
/// files.
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

/// Returns a project with every optional part: one of [`projects`], with two of its kinds, an
/// imported kind, a kind that runs an image, and settings of `lint`. Each text that its `PROJECT`
/// contains is replaced by each of [`TEXTS`] once. The other fields are numbers and names of a
/// fixed set (`crd`, `manager`), or absent.
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
    project.lint = serde_yaml::from_str(
        "{disable: [conditions], enable: [comment-start], forbiddenNames: [{instead: IP, pattern: Ip}]}",
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

/// A CRD in which each word `heren` is a text that its author chooses.
const CRD: &str = r"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: wolves.wood.example.org
  annotations: {here1: here2}
  labels: {here3: here4}
spec:
  group: wood.example.org
  names: {kind: Wolf, listKind: here5, plural: wolves, singular: here6, shortNames: [here7], categories: [here8]}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    deprecated: true
    deprecationWarning: here9
    subresources: {status: {}}
    additionalPrinterColumns:
    - {name: here10, type: string, jsonPath: .spec.text, description: here11}
    - {name: Path, type: here12, jsonPath: here13, format: here14}
    selectableFields: [{jsonPath: here15}]
    schema:
      openAPIV3Schema:
        type: object
        description: here16
        properties:
          spec:
            type: object
            description: here17
            title: here18
            externalDocs: {description: here19, url: here20}
            required: [text, choice, here21]
            x-kubernetes-validations:
            - {rule: here22, message: here23, messageExpression: here24, reason: here25, fieldPath: here26}
            properties:
              here21: {type: string, description: here27, default: here28}
              text: {type: string, pattern: here29, format: here30, example: here31}
              choice: {type: string, enum: [a, here32], default: here33}
              given: {type: string, default: here34}
              map: {type: object, additionalProperties: {type: string}, default: {here35: here36}}
              list:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [here37]
                items:
                  type: object
                  description: here38
                  required: [here37]
                  properties: {here37: {type: string}, here39: {type: object, properties: {here40: {type: integer}}}}
              odd: {type: string, not: {enum: [here41]}, here42: here43}
              any: {x-kubernetes-preserve-unknown-fields: true, default: {here44: [here45]}}
          status: {type: object, properties: {here46: {type: string, description: here47}}}
";

/// The number of texts in [`CRD`].
const PLACES: usize = 47;

/// Replaces a word in all keys and texts of a value.
fn replaced(value: &Value, word: &str, text: &str) -> Value {
    let of = |it: &str| if it == word { text } else { it }.to_owned();
    match value {
        Value::String(it) => of(it).into(),
        Value::Array(items) => items.iter().map(|it| replaced(it, word, text)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, it)| (of(key), replaced(it, word, text)))
            .collect(),
        other => other.clone(),
    }
}

/// Returns the files of a project with the kind of a CRD, or `None` if the CRD is rejected. Parts
/// that types cannot express are allowed, as the error recommends. `rendered` has the files of
/// earlier projects, by their `PROJECT`.
fn of_crd(crd: &Value, rendered: &mut HashMap<String, Tree>) -> Option<Tree> {
    let crds = import::read_crds(&crd.to_string(), "crd.yaml").ok()?;
    let allowed: Vec<_> = match import::check_expressible(&crds, &[]) {
        Err(ImportError::Inexpressible { crds }) => {
            let places = crds.into_iter().flat_map(|crd| crd.places);
            places.map(|place| place.path).collect()
        }
        other => {
            other.ok()?;
            Vec::new()
        }
    };
    import::check_expressible(&crds, &allowed).ok()?;
    let mut project = project();
    let source = Source {
        allowed,
        from: "crd.yaml".to_owned(),
        reported: Reported::default(),
        sha256: "0".to_owned(),
    };
    let settings = ImportSettings {
        controller: true,
        domain: &project.domain.clone(),
        external: false,
    };
    let parts = settings.parts(&crds[0], &source, &mut Spellings::default());
    for part in parts.ok()? {
        imported::add(part.resource, &mut project);
    }
    let text = project.to_text();
    let project = Project::parse(&text).ok()?;
    project.check_after(None).ok()?;
    let kinds: Vec<_> = project.resources.iter().map(|it| (&crds[0], it)).collect();
    let mut tree = rendered
        .entry(text)
        .or_insert_with(|| render(&project))
        .clone();
    imported::render(&kinds, &project, &mut tree);
    Some(tree)
}

#[test]
fn a_hostile_text_in_a_crd_is_refused_or_arrives_as_text() {
    let base: Value = serde_yaml::from_str(CRD).unwrap();
    let mut rendered = HashMap::new();
    let clean = of_crd(&base, &mut rendered).expect("the CRD can be imported");
    let mut failures = Vec::new();
    let mut accepted = vec![0; PLACES];
    for (place, accepted) in (1..).zip(&mut accepted) {
        for text in TEXTS {
            // The name `pwn` is not an injection if nothing else is left of the text.
            let letters = text.chars().filter(|c| c.is_alphanumeric());
            if letters.eq("pwn".chars()) {
                continue;
            }
            let crd = replaced(&base, &format!("here{place}"), text);
            assert_ne!(crd, base, "{place}");
            let Some(tree) = of_crd(&crd, &mut rendered) else {
                continue;
            };
            *accepted += 1;
            let found = injected(&tree, &clean);
            failures.extend(found.map(|path| format!("here{place} = {text:?} gets into {path}")));
        }
    }
    let tried = accepted.iter().filter(|count| **count > 0).count();
    assert!(tried > PLACES / 2, "{accepted:?}");
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

/// Returns the first file that differs from the clean tree and is injected: Rust, YAML or TOML does
/// not parse, or `pwn` is code, a key, or a path in it. Templates of the chart and other files are
/// not parsed: no line of them may start with `pwn`.
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
