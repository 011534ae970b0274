//! `rustop edit`.

use crate::dsl::{Place, rustop, snapshot, words};

const MANAGER: &str = "vendor/rustop-manager";

/// A project with a kind, with its manager from `source`.
fn project(source: &str) -> Place {
    let place = Place::empty();
    let init = format!("init --domain my.domain --manager {source} -q");
    place.rustop(&init).ok();
    place.rustop("create api --kind Lolcow -q").ok();
    place
}

#[test]
fn a_project_can_have_the_manager_as_a_line_in_cargo_toml() {
    let place = project("registry");
    assert!(!place.has("vendor"));
    let cargo = place.read("Cargo.toml");
    assert!(cargo.contains("\nrustop-manager = \"0.1.0\"\n"), "{cargo}");
    assert!(cargo.contains("members = [\"api\"]\n"), "{cargo}");
    assert!(place.read("PROJECT").contains("\nmanager: registry\n"));
    assert!(!place.read("README.md").contains("vendor"));
    place
        .rustop("create webhook --kind Lolcow --validation -q")
        .ok();
    assert!(!place.has("vendor"));
}

#[test]
fn a_switch_is_as_if_the_project_had_begun_so_and_back_again() {
    let (vendored, registry) = (project("vendored"), project("registry"));
    let place = vendored.copy();
    place
        .rustop("edit --manager registry")
        .says(&["Updated Cargo.toml\n", "Removed vendor/rustop-manager/ ("])
        .ok();
    assert_eq!(snapshot(place.dir()), snapshot(registry.dir()));
    place.rustop("edit --manager registry").unchanged().ok();
    place.rustop("edit --manager vendored -q").ok();
    assert_eq!(snapshot(place.dir()), snapshot(vendored.dir()));
}

#[test]
fn a_feature_of_the_manager_comes_and_goes() {
    for (source, line) in [
        (
            "vendored",
            "rustop-manager = { path = \"vendor/rustop-manager\", features = [\"inspect\"] }\n",
        ),
        (
            "registry",
            "rustop-manager = { version = \"0.1.0\", features = [\"inspect\"] }\n",
        ),
    ] {
        let place = project(source);
        let before = snapshot(place.dir());
        place.rustop("edit --manager-features inspect -q").ok();
        assert!(
            place
                .read("PROJECT")
                .contains("managerFeatures:\n- inspect\n")
        );
        let cargo = place.read("Cargo.toml");
        assert!(cargo.contains(line), "{cargo}");
        place.rustop("edit --manager-features -q").ok();
        assert_eq!(snapshot(place.dir()), before);
    }
}

#[test]
fn the_former_feature_for_shards_is_accepted_but_not_offered() {
    let place = project("vendored");
    let edit = "edit --manager-features";
    place.rustop(&format!("{edit} shards -q")).ok();
    place.rustop(&format!("{edit} inspect,shards -q")).ok();
    let cargo = place.read("Cargo.toml");
    assert!(
        cargo.contains("features = [\"inspect\", \"shards\"]"),
        "{cargo}"
    );
    place
        .rustop(&format!("{edit} unknown"))
        .says(&["possible values: ", "inspect"])
        .lacks("shards")
        .fails(2);
}

#[test]
fn a_limit_of_descriptions_is_set_and_removed() {
    let place = project("registry");
    let before = snapshot(place.dir());
    place.rustop("edit --max-description-length 80 -q").ok();
    let project = place.read("PROJECT");
    assert!(
        project.contains("\ncrd:\n  maxDescriptionLength: 80\n"),
        "{project}"
    );
    place
        .rustop("edit --max-description-length many")
        .says(&["expected a number of characters, or `none`"])
        .unchanged()
        .fails(2);
    place.rustop("edit --max-description-length none -q").ok();
    assert_eq!(snapshot(place.dir()), before);
}

#[test]
fn what_the_user_wrote_stays() {
    let place = project("vendored");
    let mine = "[dependencies]\nregex = \"1\"\n";
    place
        .edit("Cargo.toml", "[dependencies]\n", mine)
        .write("vendor/other/Cargo.toml", "# not rustop's\n")
        .remove("README.md");
    place.rustop("edit --manager registry -q").ok();
    let cargo = place.read("Cargo.toml");
    assert!(cargo.contains(mine) && !cargo.contains("vendor"), "{cargo}");
    assert!(place.has("vendor/other/Cargo.toml") && !place.has(MANAGER));
    assert!(!place.has("README.md"), "deleted is deleted");
}

#[test]
fn where_both_changed_a_line_both_are_marked_as_an_upgrade_does() {
    let place = project("vendored");
    place.edit("README.md", "# lolcow-operator\n", "# Cows\n");
    let edit = "edit --project-name cow-operator";
    place
        .rustop(&format!("{edit} --dry-run"))
        .says(&["Conflicts that you would have to resolve", "README.md:1"])
        .unchanged()
        .ok();
    let output = rustop(place.dir()).args(words(edit)).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("both are marked") && said.contains("README.md:1"));
    let marked = "<<<<<<< ours\n# Cows\n=======\n# cow-operator\n>>>>>>> theirs\n";
    assert!(place.read("README.md").starts_with(marked));
    assert!(place.read("PROJECT").contains("projectName: cow-operator"));
    // Until that is settled nothing else is merged.
    place
        .rustop("edit --license mit")
        .says(&["a merge is not finished", "README.md:1"])
        .unchanged()
        .fails(1);
    place.edit("README.md", marked, "# Cows\n");
    place.rustop("edit --license mit -q").ok();
}

#[test]
fn a_key_of_cargo_toml_that_both_changed_stays_and_is_told() {
    let place = project("vendored");
    let before = "rustop-manager = { path = \"vendor/rustop-manager\" }";
    let mine = "rustop-manager = { path = \"vendor/rustop-manager\", features = [] }";
    place.edit("Cargo.toml", before, mine);
    place
        .rustop("edit --manager registry")
        .says(&["Kept as you have it", "rustop would have \"0.1.0\""])
        .ok();
    assert!(place.read("Cargo.toml").contains(mine));
}

#[test]
fn another_domain_and_name_are_as_if_the_project_had_begun_so_and_back_again() {
    let place = project("vendored");
    place
        .rustop("create webhook --kind Lolcow --defaulting --validation -q")
        .ok();
    let before = snapshot(place.dir());
    place
        .rustop(
            "edit --domain other.org --project-name cows --namespaced --license none --owner=Me",
        )
        .says(&[
            "Removed LICENSE\n",
            "lolcows.my.domain: its objects do not move",
            "kubectl delete crd lolcows.my.domain",
            "lolcow-operator-system",
        ])
        .ok();
    let fresh = Place::empty();
    fresh
        .rustop(
            "init --domain other.org --project-name cows --namespaced --license none --owner Me -q",
        )
        .ok();
    fresh.rustop("create api --kind Lolcow -q").ok();
    fresh
        .rustop("create webhook --kind Lolcow --defaulting --validation -q")
        .ok();
    assert_eq!(snapshot(place.dir()), snapshot(fresh.dir()));
    let back = "edit --domain my.domain --project-name lolcow-operator --namespaced=false --license apache2 --owner= -q";
    place.rustop(back).ok();
    assert_eq!(snapshot(place.dir()), before);
}

#[test]
fn what_still_names_the_old_domain_is_named_with_its_line() {
    let place = project("vendored");
    place.write(
        "docs/use.md",
        "# Cows\n\nkubectl get lolcows.my.domain\nkubectl get x.not-my.domains\n",
    );
    place
        .rustop("edit --domain other.org")
        .says(&[
            "For you to change, because they contain the old domain or project name",
            "docs/use.md:3: kubectl get lolcows.my.domain",
        ])
        .ok();
    let types = place.read("api/src/v1alpha1/lolcow.rs");
    assert!(types.contains("group = \"other.org\""), "{types}");
}

#[test]
fn an_imported_kind_keeps_the_group_of_its_crd() {
    let place = Place::empty();
    place.write("crds.yaml", include_str!("../golden/imported.yaml"));
    for line in [
        "init --domain example.org --project-name cows -q",
        "create api --from-crd crds.yaml --kind Wolf --no-resource --no-controller -q",
        "create api --from-crd crds.yaml --kind shepherd -q",
        "create api --kind Barn -q",
    ] {
        place.rustop(line).ok();
    }
    let before = snapshot(place.dir());
    place
        .rustop("edit --domain zoo.io")
        .says(&["barns.example.org: its objects do not move"])
        .lacks("farm.example.org")
        .ok();
    let project = place.read("PROJECT");
    assert!(
        project.contains("  domain: example.org\n  group: farm\n"),
        "{project}"
    );
    assert!(
        project.contains("  domain: zoo.io\n  kind: Barn\n"),
        "{project}"
    );
    for path in [
        "api/src/farm/v1alpha1/shepherd.rs",
        "api/tests/crds/farm.example.org_shepherds.json",
        "config/samples/farm_v1alpha1_shepherd.yaml",
        "src/controllers/farm_shepherd.rs",
    ] {
        assert_eq!(place.read(path), before[path], "{path}");
    }
    place.rustop("edit --domain example.org -q").ok();
    assert_eq!(snapshot(place.dir()), before);
}

#[test]
fn a_file_with_dos_line_breaks_keeps_them() {
    let place = project("vendored");
    let dos = place.read("Makefile").replace('\n', "\r\n");
    place.write("Makefile", &dos);
    place.rustop("edit --project-name cows -q").ok();
    let now = place.read("Makefile");
    assert!(now.contains("inspect cows >") && !now.replace("\r\n", "").contains('\n'));
    place.rustop("edit --project-name lolcow-operator -q").ok();
    assert_eq!(place.read("Makefile"), dos);
}

#[test]
fn a_dry_run_says_what_would_change() {
    let place = project("vendored");
    place
        .rustop("edit --manager registry --dry-run")
        .says(&["Would update Cargo.toml\n", "Would remove vendor/"])
        .unchanged()
        .ok();
}

#[test]
fn bad_input() {
    let place = project("vendored");
    place.rustop("edit").says(&["--manager <SOURCE>"]).fails(2);
    place
        .rustop("edit --domain No_Domain")
        .says(&["domain"])
        .fails(2);
    place
        .rustop("edit --namespaced=perhaps")
        .says(&["[possible values: true, false]"])
        .fails(2);
    place
        .rustop("edit --manager cargo")
        .says(&["[possible values: vendored, registry]"])
        .fails(2);
    Place::empty()
        .rustop("edit --manager registry")
        .says(&["rustop init"])
        .fails(1);
}
