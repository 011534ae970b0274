//! `rustop manifests` follows the sources.

use std::fs;

use crate::story::{replay, rustop, turn};

fn manifests(dir: &std::path::Path) -> String {
    let ran = rustop(dir, &["manifests"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stderr
}

#[test]
fn a_file_changes_with_its_type_and_no_other_does() {
    let _turn = turn("edited");
    let dir = replay("edited");
    let types = dir.join("api/src/v1alpha1/lolcow.rs");
    let text = fs::read_to_string(&types).unwrap();
    // One after the other as fast as can be: no edit may be missed.
    for word in ["shout", "whisper", "sing"] {
        fs::write(
            &types,
            text.replace("What to say", &format!("What to {word}")),
        )
        .unwrap();
        let said = manifests(&dir);
        assert_eq!(said.matches("Updated").count(), 1, "{said}");
        let crd = fs::read_to_string(dir.join("config/crd/bases/my.domain_lolcows.yaml")).unwrap();
        assert!(crd.contains(&format!("What to {word}, up to 100")), "{crd}");
        assert!(!manifests(&dir).contains("dated"), "nothing changed");
    }
}

#[test]
fn the_crd_of_a_kind_that_is_gone_goes() {
    let _turn = turn("two-kinds");
    let dir = replay("two-kinds");
    assert!(
        dir.join("config/crd/bases/my.domain_pastures.yaml")
            .exists()
    );
    let project = fs::read_to_string(dir.join("PROJECT")).unwrap();
    let pasture = project
        .find("- api:\n    crdVersion: v1\n  domain: my.domain\n  kind: Pasture")
        .unwrap();
    let end = project.find("version: \"3\"").unwrap();
    fs::write(
        dir.join("PROJECT"),
        project[..pasture].to_owned() + &project[end..],
    )
    .unwrap();
    fs::remove_file(dir.join("api/src/v1alpha1/pasture.rs")).unwrap();
    let said = manifests(&dir);
    assert!(
        said.contains("Removed config/crd/bases/my.domain_pastures.yaml"),
        "{said}"
    );
    let check = rustop(&dir, &["manifests", "--check"]);
    assert_eq!(check.code, Some(0), "{}{}", check.stdout, check.stderr);
}

#[test]
fn where_the_version_that_was_stored_is_gone_the_advice_is_to_store_another() {
    let _turn = turn("versions");
    let dir = replay("versions");
    let gone = rustop(
        &dir,
        &["delete", "api", "--kind", "Lolcow", "--version", "v1alpha1"],
    );
    assert_eq!(gone.code, Some(0), "{}", gone.stderr);
    let ran = rustop(&dir, &["manifests"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let advice = "Lolcow: no storage version; remove `storage = false` from the `#[kube(..)]` of one version";
    assert!(ran.stderr.contains(advice), "{}", ran.stderr);
    let types = dir.join("api/src/v1/lolcow.rs");
    let text = fs::read_to_string(&types).unwrap();
    fs::write(&types, text.replace("    storage = false,\n", "")).unwrap();
    manifests(&dir);
}
