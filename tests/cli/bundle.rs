//! `rustop create bundle`, and what becomes of it. A project without kinds needs no toolchain for
//! its manifests.

use serde_json::Value;

use crate::dsl::{Place, rustop, snapshot};

const BASE: &str = "config/manifests/clusterserviceversion.yaml";
const CSV: &str = "bundle/manifests/lolcow-operator.clusterserviceversion.yaml";

fn place() -> Place {
    let place = Place::project();
    place.rustop("manifests -q").ok();
    place.rustop("create bundle -q").ok();
    place
}

fn csv(place: &Place) -> Value {
    serde_yaml::from_str(&place.read(CSV)).unwrap()
}

#[test]
fn it_is_whole_at_once_and_delete_takes_it_back() {
    let place = Place::project();
    place.rustop("manifests -q").ok();
    let before = snapshot(place.dir());
    place
        .rustop("create bundle --dry-run")
        .says(&[&format!("Would create {CSV}\n")])
        .unchanged()
        .ok();
    place
        .rustop("create bundle")
        .says(&[
            "     Created bundle.Dockerfile\n",
            &format!("     Created {CSV}\n"),
            &format!("     Created {BASE}\n"),
            "\nNext: rustop manifests\n",
        ])
        .ok();
    assert!(place.read("PROJECT").contains("bundle: true\n"));
    // Without kinds there are no samples.
    assert_eq!(csv(&place)["metadata"]["annotations"]["alm-examples"], "[]");
    place.rustop("manifests --check -q").unchanged().ok();
    place
        .rustop("create bundle")
        .says(&[
            "this project has a bundle, in bundle/\n",
            "rustop delete bundle",
        ])
        .fails(1);
    place.rustop("delete bundle --dry-run -q").unchanged().ok();
    place.rustop("delete bundle -q").ok();
    assert_eq!(snapshot(place.dir()), before);
    place
        .rustop("delete bundle")
        .says(&["this project has no bundle", "rustop create bundle"])
        .fails(1);
}

#[test]
fn manifests_keeps_it_true_and_check_sees_when_it_is_not() {
    let place = place();
    let good = place.read(CSV);
    place.write(CSV, format!("{good}# mine\n"));
    let check = rustop(place.dir())
        .args(["manifests", "--check", "-q"])
        .output();
    let check = check.unwrap();
    let diff = String::from_utf8(check.stdout).unwrap();
    assert_eq!(check.status.code(), Some(1));
    assert!(diff.contains(CSV) && diff.contains("\n-# mine\n"), "{diff}");
    place.rustop("manifests -q").says(&[]).ok();
    assert_eq!(place.read(CSV), good);
    place.remove(CSV).rustop("manifests -q").ok();
    assert_eq!(place.read(CSV), good);
}

#[test]
fn what_the_user_changes_in_the_project_changes_in_the_bundle() {
    let place = place();
    place.edit("Cargo.toml", "version = \"0.1.0\"", "version = \"0.2.0\"");
    place.edit(
        "config/manager/manager.yaml",
        "  replicas: 1\n",
        "  replicas: 3\n",
    );
    place.edit(
        "config/manager/kustomization.yaml",
        "newTag: latest",
        "newTag: v2",
    );
    place
        .rustop("manifests")
        .stderr(&format!("     Updated {CSV}\n"))
        .ok();
    let csv = csv(&place);
    assert_eq!(csv["metadata"]["name"], "lolcow-operator.v0.2.0");
    assert_eq!(csv["spec"]["version"], "0.2.0");
    assert_eq!(
        csv["metadata"]["annotations"]["containerImage"],
        "controller:v2"
    );
    let deployment = &csv["spec"]["install"]["spec"]["deployments"][0];
    assert_eq!(deployment["spec"]["replicas"], 3);
}

#[test]
fn what_the_user_writes_stays() {
    let place = place();
    let annotations = "bundle/metadata/annotations.yaml";
    let mine = "bundle/manifests/mine.configmap.yaml";
    place.write(mine, "kind: ConfigMap\n");
    place.edit(annotations, "channels.v1: candidate", "channels.v1: stable");
    place.edit(
        BASE,
        "  #replaces: lolcow-operator.v0.0.1\n",
        "  replaces: lolcow-operator.v0.0.9\n",
    );
    place.edit(BASE, "  maturity: alpha\n", "  maturity: stable\n");
    let is_there = || {
        assert!(place.read(annotations).contains("channels.v1: stable"));
        assert_eq!(place.read(mine), "kind: ConfigMap\n");
        assert!(place.read(BASE).contains("maturity: stable\n"));
    };
    for line in [
        "manifests",
        "create api --kind Cow",
        "delete api --kind Cow",
        "manifests",
    ] {
        place.rustop(&format!("{line} -q")).says(&[]).ok();
        is_there();
    }
    let spec = &csv(&place)["spec"];
    assert_eq!(spec["replaces"], "lolcow-operator.v0.0.9");
    assert_eq!(spec["maturity"], "stable");
    place
        .rustop("delete bundle")
        .says(&[&format!(
            "For you to remove:\n  {mine}\n  {annotations}\n  {BASE}\n"
        )])
        .ok();
    is_there();
    assert!(!place.has(CSV));
}

#[test]
fn an_operator_of_namespaces_is_one_in_all_install_modes() {
    let place = place();
    let supported = || {
        let csv = csv(&place);
        let modes = csv["spec"]["installModes"].as_array().unwrap().clone();
        modes.iter().filter(|it| it["supported"] == true).count()
    };
    assert_eq!(supported(), 1);
    place.rustop("edit --namespaced -q").says(&[]).ok();
    place.rustop("manifests -q").says(&[]).ok();
    assert_eq!(supported(), 4);
    assert!(place.read(CSV).contains("olm.targetNamespaces"));
}

#[test]
fn what_no_bundle_can_be_made_of_is_named() {
    let place = place();
    let cargo = place.read("Cargo.toml");
    place
        .write("Cargo.toml", "[package]\nname = \"a\"\n")
        .rustop("manifests")
        .says(&["has no version", "help: "])
        .fails(1);
    place.write("Cargo.toml", cargo);
    for (path, text, says) in [
        (BASE, "a: [", "is not valid YAML"),
        (BASE, "a: b\n", "has no `spec`"),
        (
            "config/manager/manager.yaml",
            "kind: Namespace\n",
            "has no Deployment",
        ),
    ] {
        let good = place.read(path);
        place
            .write(path, text)
            .rustop("manifests")
            .says(&[says, path, "help: "])
            .fails(1);
        place.write(path, good);
    }
    place.remove(BASE).rustop("manifests -q").says(&[]).ok();
}

#[test]
fn a_file_in_the_way_stops_all_of_it() {
    let place = Place::project();
    place.rustop("manifests -q").ok();
    place
        .write(CSV, "mine")
        .rustop("create bundle")
        .says(&["these files are in the way", CSV])
        .fails(1);
}

/// A file that follows from the types and `config/` only is checked even if one that follows from
/// PROJECT is stale.
#[test]
fn check_names_every_stale_file() {
    let place = place();
    place.rustop("create chart -q").ok();
    let deployment = "charts/lolcow-operator/templates/deployment.yaml";
    for path in [CSV, deployment] {
        place.write(path, place.read(path) + "# mine\n");
    }
    place
        .rustop("manifests --check --output json")
        .shows(&[CSV, deployment])
        .says(&["2 files"])
        .fails(1);
}
