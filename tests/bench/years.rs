//! The commands for which a long-lived project waits: the upgrade of a project with many kinds, and
//! the comparison of many CRDs with earlier ones.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::Value;

use super::{Bench, print, timed};

const KINDS: usize = 50;
const CRDS: usize = 500;
/// A project of rustop 0.1.0 with one kind, in every file of which its user wrote.
const EARLIER: &[u8] = include_bytes!("../projects/upgraded/lolcow-0.1.0.tar.gz");
/// A CRD of two versions with most of what a CRD can say, in 400 lines.
const CRD: &str = include_str!("../golden/imported/config/crd/bases/farm.example.org_herds.yaml");

pub fn upgrade(bench: &Bench) {
    let files = earlier();
    let run = |n| {
        let dir = bench.dir.path().join(format!("upgrade-{n}"));
        for (path, text) in &files {
            write(&dir.join(path), text);
        }
        let time = bench.ok(&dir, "-q upgrade");
        assert!(dir.join("src/controllers/kind49.rs").exists());
        fs::remove_dir_all(&dir).unwrap();
        time
    };
    let what = format!("rustop upgrade, {KINDS} kinds that were edited");
    print(&what, (0..11).map(run).collect());
}

/// The files of the earlier project, as if its user had written as much for many kinds.
fn earlier() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut archive = tar::Archive::new(GzDecoder::new(EARLIER));
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path().unwrap().to_string_lossy().into_owned();
        let (_, path) = path.split_once('/').unwrap();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        files.insert(path.to_owned(), text);
    }
    let renamed = |text: &str, n: usize| {
        let text = text.replace("lolcow", &format!("kind{n}"));
        text.replace("Lolcow", &format!("Kind{n}"))
    };
    let of_kind = |path: &str| path.contains("lolcow") && path != "config/crd/kustomization.yaml";
    let (kinds, mut all): (BTreeMap<_, _>, BTreeMap<_, _>) =
        files.into_iter().partition(|(path, _)| of_kind(path));
    for (path, text) in &kinds {
        for n in 0..KINDS {
            all.insert(renamed(path, n), renamed(text, n));
        }
    }
    let project = all.get_mut("PROJECT").unwrap();
    let (head, kind) = project.split_once("resources:\n").unwrap();
    let (kind, tail) = kind.split_once("version: \"3\"").unwrap();
    let kinds: String = (0..KINDS).map(|n| renamed(kind, n)).collect();
    *project = format!("{head}resources:\n{kinds}version: \"3\"{tail}");
    all
}

pub fn compat(bench: &Bench) {
    let dir = bench.project("compat");
    let crds: Vec<_> = (0..CRDS).map(crd).collect();
    let lolcow = serde_json::json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "lolcows.my.domain" },
        "spec": {
            "group": "my.domain", "scope": "Namespaced",
            "names": { "kind": "Lolcow", "plural": "lolcows", "singular": "lolcow" },
            "versions": [{
                "name": "v1alpha1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object" } },
            }],
        },
    });
    let before = bench.dir.path().join("compat-before");
    for (n, crd) in crds.iter().enumerate() {
        write(
            &before.join(format!("{n}.yaml")),
            &serde_yaml::to_string(crd).unwrap(),
        );
    }
    let after: Vec<_> = crds.into_iter().map(changed).chain([lolcow]).collect();
    let cargo = without_cargo(&dir, &Value::from(after));
    let run = |line: &str| -> Duration {
        let mut command = bench.rustop(&dir, line);
        command.env("CARGO", &cargo);
        timed(&mut command)
    };
    run("-q manifests");
    let alone = (0..5).map(|_| run("-q manifests --check"));
    print(
        &format!("rustop manifests --check, {CRDS} CRDs"),
        alone.collect(),
    );
    let against = format!("-q manifests --check --against {}", before.display());
    let compared = (0..5).map(|_| run(&against));
    print("the same --against a directory of them", compared.collect());
}

fn crd(n: usize) -> Value {
    let text = CRD.replace("herds", &format!("herd{n}s"));
    let text = text.replace("kind: Herd", &format!("kind: Herd{n}"));
    serde_yaml::from_str(&text).unwrap()
}

/// Returns the CRD with a change that causes a warning but no error: with an error the command
/// would end early.
fn changed(mut crd: Value) -> Value {
    for version in crd["spec"]["versions"].as_array_mut().unwrap() {
        version["additionalPrinterColumns"] = Value::Array(Vec::new());
        let fields = version.pointer_mut("/schema/openAPIV3Schema/properties/spec/properties");
        if let Some(fields) = fields {
            fields["another"] = serde_json::json!({ "type": "string" });
        }
    }
    crd
}

/// In the place of cargo, which takes its own time: what says where `crdgen` is, and a `crdgen`
/// that prints these CRDs.
fn without_cargo(dir: &Path, crds: &Value) -> PathBuf {
    let bin = dir.join("target/bench");
    let crdgen = bin.join("crdgen");
    write(&bin.join("crds.json"), &crds.to_string());
    program(&crdgen, &format!("exec cat {}/crds.json", bin.display()));
    let built = serde_json::json!({ "target": { "name": "crdgen" }, "executable": crdgen });
    let cargo = bin.join("cargo");
    let script = format!("[ \"$1\" = build ] || exec cargo \"$@\"\necho '{built}'");
    program(&cargo, &script);
    cargo
}

fn program(path: &Path, script: &str) {
    write(path, &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
