//! `rustop delete api`.

use crate::dsl::Place;

/// A kind with two versions, a controller and webhooks for the older one.
fn place() -> Place {
    let place = Place::project();
    for line in [
        "create api --kind Lolcow -q",
        "create api --kind Lolcow --version v1 -q",
        "create webhook --kind Lolcow --validation --conversion -q",
    ] {
        place.rustop(line).ok();
    }
    place
}

#[test]
fn what_the_version_had_goes_to_the_newest_one_that_is_left() {
    let place = place();
    let mine = place.read("api/src/v1alpha1/lolcow.rs") + "// all mine\n";
    place.write("api/src/v1alpha1/lolcow.rs", &mine);
    place
        .rustop("delete api --kind Lolcow --version v1alpha1")
        .stderr(
            "     Updated PROJECT
     Updated api/src/lib.rs
     Updated config/default/certmanager_names.yaml
     Updated config/samples/kustomization.yaml
     Updated config/webhook/certificate_policy.yaml
     Updated config/webhook/certificate_role.yaml
     Updated src/controllers/mod.rs
     Updated src/webhooks/mod.rs
     Updated tests/harness/mod.rs
     Removed api/src/v1/lolcow_from_v1alpha1.rs
     Removed config/samples/v1alpha1_lolcow.yaml
     Removed tests/lolcow_conversion.rs
warning: objects may be stored as v1alpha1, and an API server rejects a CRD that lacks a stored version; to migrate them first, remove `storage = false` from `api/src/v1/lolcow.rs` and add it to `api/src/v1alpha1/lolcow.rs`, then make deploy and rustop migrate
For you to change, because no version is the storage version: remove `storage = false`:
  api/src/v1/lolcow.rs
For you to remove:
  api/src/v1alpha1/lolcow.rs
For you to change, because they refer to removed items:
  src/controllers/lolcow.rs:3: use api::v1alpha1::lolcow::Lolcow;
  src/controllers/lolcow.rs:44: use api::v1alpha1::lolcow::LolcowSpec;
  src/webhooks/lolcow/validation.rs:12: use api::v1alpha1::lolcow::Lolcow;
  src/webhooks/lolcow/validation.rs:50: use api::v1alpha1::lolcow::LolcowSpec;
  tests/lolcow.rs:6: use api::v1alpha1::lolcow::Lolcow;
  tests/lolcow.rs:7: use api::v1alpha1::lolcow::LolcowSpec;
Then: rustop manifests\n",
        )
        .ok();
    assert_eq!(place.read("api/src/v1alpha1/lolcow.rs"), mine);
    let project = place.read("PROJECT");
    assert!(
        !project.contains("v1alpha1") && !project.contains("conversion"),
        "{project}"
    );
    assert!(project.contains("controller: true"), "{project}");
    assert!(project.contains("validation: true"), "{project}");
    let registry = place.read("src/webhooks/mod.rs");
    assert!(!registry.contains("versions()"), "{registry}");
}

#[test]
fn what_is_stored_is_asked_for_only_where_nothing_is() {
    let place = place();
    place.edit("api/src/v1/lolcow.rs", "    storage = false,\n", "");
    place
        .rustop("delete version --kind Lolcow --version v1alpha1")
        .says(&["Removed api/src/v1alpha1/lolcow.rs"])
        .lacks("no version is stored")
        .ok();
}

#[test]
fn the_versions_around_it_become_neighbours() {
    let place = place();
    place
        .rustop("create api --kind Lolcow --version v2 -q")
        .ok();
    place
        .rustop("delete api --kind Lolcow --version v1")
        .says(&[
            "Created api/src/v2/lolcow_from_v1alpha1.rs",
            "Removed api/src/v2/lolcow_from_v1.rs",
        ])
        .ok();
}

#[test]
fn a_dry_run_writes_nothing() {
    let place = place();
    place
        .rustop("delete api --kind Lolcow --version v1alpha1 --dry-run")
        .says(&["Would update PROJECT"])
        .unchanged()
        .ok();
}

#[test]
fn a_version_that_is_not_there_is_answered_with_those_that_are() {
    let place = place();
    for command in ["delete api", "delete version"] {
        place
            .rustop(&format!("{command} --kind Lolcow --version v2"))
            .says(&[
                "this project has no Lolcow in version v2",
                "rustop delete version --kind Lolcow --version v1alpha1",
                "rustop delete version --kind Lolcow --version v1\n",
            ])
            .fails(2);
    }
}

#[test]
fn a_kind_without_a_controller_keeps_its_types() {
    let place = Place::project();
    place
        .rustop("create api --kind Cow --no-controller -q")
        .ok();
    for (flags, what) in [
        ("", "Cow"),
        (" --version v1alpha1", "Cow in version v1alpha1"),
    ] {
        place
            .rustop(&format!("delete api --kind Cow --no-resource{flags}"))
            .stderr(&format!(
                "error: {what} has no controller in this project
help: there is nothing to delete; without `--no-resource`, the command deletes the types and the CRD\n"
            ))
            .fails(2);
    }
}

/// Returns the output of the deletion of a version.
fn said(place: &Place, version: &str) -> String {
    let mut command = crate::dsl::rustop(place.dir());
    let line = format!("delete api --kind Lolcow --version {version} --dry-run");
    command.args(line.split(' '));
    String::from_utf8(command.output().unwrap().stderr).unwrap()
}

#[test]
fn the_newest_version_and_the_stored_one_go_with_a_warning() {
    let newest = "warning: v1 is the newest version of Lolcow: fields that only v1 has are lost in v1alpha1\n";
    let stored = |version: &str| {
        format!(
            "warning: objects may be stored as {version}, and an API server rejects a CRD that lacks a stored version"
        )
    };
    let place = place();
    let new = said(&place, "v1");
    assert!(
        new.contains(newest) && !new.contains("are stored as"),
        "{new}"
    );
    let old = said(&place, "v1alpha1");
    assert!(
        old.contains(&stored("v1alpha1")) && !old.contains("newest"),
        "{old}"
    );
    assert!(old.contains("remove `storage = false` from `api/src/v1/lolcow.rs` and add it to `api/src/v1alpha1/lolcow.rs`"), "{old}");
    let plural = "plural = \"lolcows\",";
    place
        .edit("api/src/v1/lolcow.rs", "    storage = false,\n", "")
        .edit(
            "api/src/v1alpha1/lolcow.rs",
            plural,
            &format!("{plural}\n    storage = false,"),
        );
    let new = said(&place, "v1");
    assert!(new.contains(newest) && new.contains(&stored("v1")), "{new}");
    let old = said(&place, "v1alpha1");
    assert!(!old.contains("warning"), "{old}");
}

#[test]
fn a_version_between_others_goes_with_a_warning() {
    let place = place();
    place
        .rustop("create api --kind Lolcow --version v1beta1 -q")
        .ok();
    let between = "warning: v1beta1 is between v1alpha1 and v1: fields that v1 does not have are stored for v1beta1, \
                   and are lost in v1alpha1 when v1beta1 is deleted; delete the oldest version first\n";
    let said = ["v1alpha1", "v1beta1", "v1"].map(|version| said(&place, version));
    assert!(said[1].contains(between), "{}", said[1]);
    assert!(
        !said[0].contains("between") && !said[2].contains("between"),
        "{said:?}"
    );
}

#[test]
fn the_crd_that_a_kind_was_imported_from_needs_no_change() {
    let place = Place::project();
    place.write("crds.yaml", include_str!("../golden/imported.yaml"));
    place.write("docs/use.yaml", "name: shepherds.farm.example.org\n");
    place
        .rustop("create api --from-crd ./crds.yaml --kind shepherd -q")
        .ok();
    place
        .rustop("delete api --group farm --kind shepherd")
        .says(&["docs/use.yaml:1: name: shepherds.farm.example.org"])
        .lacks("crds.yaml")
        .ok();
    assert!(place.has("crds.yaml"));
}
