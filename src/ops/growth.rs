//! Tests that the time of parsers and of the diff grows in proportion to the size of their input.

use std::time::{Duration, Instant};

use crate::import;
use crate::project::Project;
use crate::tree::unified;

/// Fails if an input of twice the size takes three times as long, in each of several tries: a busy
/// machine slows down one try or the other.
fn grows_in_proportion(size: usize, input: impl Fn(usize) -> String, read: impl Fn(&str)) {
    let took = |size| -> Duration {
        let input = input(size);
        let start = Instant::now();
        read(&input);
        start.elapsed()
    };
    let mut tries = Vec::new();
    for _ in 0..5 {
        let [once, twice] = [took(size), took(2 * size)];
        if twice < 3 * once {
            return;
        }
        tries.push((once, twice));
    }
    panic!("{size} and twice as many took {tries:?}");
}

fn crd(plural: &str, description: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {plural}.b.org}}\nspec:\n\
         \x20 group: b.org\n  scope: Namespaced\n  names: {{kind: Cow, plural: {plural}}}\n  versions:\n\
         \x20 - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n\
         \x20       type: object\n        description: {description}\n"
    )
}

#[test]
fn a_file_of_many_crds() {
    let crds = |n| {
        let crds = (0..n).map(|n| crd(&format!("cows{n}"), "a"));
        crds.collect::<Vec<_>>().join("---\n")
    };
    grows_in_proportion(1_500, crds, |text| {
        assert!(import::read_crds(text, "x").unwrap().len() >= 1_500);
    });
}

/// Lines of a quoted scalar that are indented less than the block need another indentation before
/// they can be read.
#[test]
fn a_file_of_many_quoted_lines() {
    let line = "words ".repeat(700);
    let quoted = |n| {
        crd(
            "cows",
            &format!("\"{}\"", vec![line.as_str(); n].join("\n  ")),
        )
    };
    grows_in_proportion(950, quoted, |text| {
        assert_eq!(import::read_crds(text, "x").unwrap().len(), 1);
    });
}

#[test]
fn a_project_of_many_kinds() {
    let kind = |n: usize| {
        format!(
            "- {{kind: Kind{n}z, plural: kind{n}z, version: v1, group: x, domain: my.domain, api: {{crdVersion: v1}}}}\n"
        )
    };
    let project = |n| {
        let head = "cliVersion: 0.0.1\ndomain: my.domain\nlayout: [rustop.dev/v1]\nprojectName: a\nversion: \"3\"\n";
        format!("{head}resources:\n{}", (0..n).map(kind).collect::<String>())
    };
    grows_in_proportion(1_000, project, |text| {
        assert!(Project::parse(text).unwrap().resources.len() >= 1_000);
    });
}

#[test]
fn a_file_of_which_every_line_changes() {
    let lines = |n| {
        let lines = (0..n).map(|line: usize| line.to_string());
        lines.collect::<Vec<_>>().join("\n") + "\n"
    };
    grows_in_proportion(4_000, lines, |text| {
        let other = text.replace('\n', " \n");
        let diff = unified("x", Some(text), Some(&other));
        assert!(diff.contains("-3999\n") && diff.contains("+3999 \n"));
    });
}
