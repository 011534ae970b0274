//! Tests of operations that are called without a command line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::delete::kind::DeletedKind;
use super::scratch::scratch;
use super::*;
use crate::error::Failure as _;
use crate::project::{FILE, KubernetesVersion, License, ManagerSource};
use crate::terminal::Terminal;

fn session(dir: &Path) -> Session {
    Session::new(dir, Terminal::new(-1, anstream::ColorChoice::Never))
}

fn init(dir: &Path) -> Session {
    let init = Init {
        dir: None,
        domain: "my.domain".parse().unwrap(),
        project_name: Some("lolcow-operator".parse().unwrap()),
        license: License::None,
        owner: None,
        namespaced: false,
        kubernetes_version: KubernetesVersion::default(),
        manager: ManagerSource::default(),
        dry_run: false,
    };
    init.run(&session(dir)).unwrap();
    session(dir)
}

fn lolcow(dry_run: bool) -> CreateApi {
    CreateApi {
        kind: "Lolcow".parse().unwrap(),
        group: None,
        version: None,
        plural: None,
        cluster_scoped: false,
        workload: None,
        controller: true,
        resource: true,
        dry_run,
    }
}

fn delete(kind: &str) -> DeleteApi {
    DeleteApi {
        target: DeletedKind {
            kind: kind.parse().unwrap(),
            group: None,
            dry_run: false,
        },
        version: None,
        no_resource: false,
    }
}

fn files(dir: &Path) -> BTreeMap<String, String> {
    let entries = walkdir::WalkDir::new(dir)
        .into_iter()
        .map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().is_file());
    let file = |entry: walkdir::DirEntry| {
        let text = fs::read_to_string(entry.path()).unwrap();
        (entry.path().display().to_string(), text)
    };
    files.map(file).collect()
}

#[test]
fn delete_undoes_create_and_keeps_user_edits() {
    let dir = scratch();
    let session = init(dir.path());
    let before = files(dir.path());
    lolcow(true).run(&session).unwrap();
    assert_eq!(files(dir.path()), before, "nothing is written");

    lolcow(false).run(&session).unwrap();
    let with = files(dir.path());
    let project = dir.path().join(FILE).display().to_string();
    assert!(
        with[&project].contains("kind: Lolcow"),
        "{}",
        with[&project]
    );

    delete("Lolcow").run(&session).unwrap();
    assert_eq!(files(dir.path()), before);

    lolcow(false).run(&session).unwrap();
    let types = dir.path().join("api/src/v1alpha1/lolcow.rs");
    let mine = fs::read_to_string(&types).unwrap() + "// all mine\n";
    fs::write(&types, &mine).unwrap();
    delete("Lolcow").run(&session).unwrap();
    assert_eq!(fs::read_to_string(&types).unwrap(), mine);
}

#[test]
fn a_rejected_operation_has_a_help_and_changes_nothing() {
    let dir = scratch();
    let error = lolcow(false).run(&session(dir.path())).unwrap_err();
    assert!(matches!(error, Error::Project(_)), "{error:?}");
    assert!(error.help().unwrap().starts_with("rustop init "));

    let session = init(dir.path());
    lolcow(false).run(&session).unwrap();
    let before = files(dir.path());
    let twice = lolcow(false).run(&session).unwrap_err();
    assert!(matches!(twice, Error::Refusal(Refusal::KindExists { .. })));
    let meant = delete("Lolkow").run(&session).unwrap_err();
    let help = meant.help().unwrap();
    assert_eq!(help, "rustop delete api --kind Lolcow");
    assert_eq!((twice.exit_code(), meant.exit_code()), (1, 2));
    assert_eq!(files(dir.path()), before);
}

#[test]
fn a_foreign_crd_with_two_versions_is_listed_once() {
    let dir = scratch();
    let session = init(dir.path());
    let crds = include_str!("../../tests/golden/imported.yaml");
    fs::write(dir.path().join("crds.yaml"), crds).unwrap();
    let import = |kind: &str, resource| CreateApiFromCrd {
        from: "crds.yaml".to_owned(),
        kind: Some(kind.to_owned()),
        controller: false,
        resource,
        allow: Vec::new(),
        dry_run: false,
    };
    import("shepherd", true).run(&session).unwrap();
    import("Herd", false).run(&session).unwrap();
    let project = project::Project::load(dir.path()).unwrap();
    let foreign = imported::foreign(dir.path(), &project).unwrap();
    let names: Vec<_> = foreign
        .iter()
        .map(|crd| crd.metadata.name.as_deref())
        .collect();
    // The CRD has two versions, but is listed once.
    assert_eq!(names, [Some("herds.farm.example.org")]);
}
