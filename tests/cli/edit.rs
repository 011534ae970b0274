//! `rustop edit`.

use crate::dsl::{Place, snapshot};

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
    assert!(cargo.contains("members = [\".\", \"api\"]\n"), "{cargo}");
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
fn where_both_changed_a_line_nothing_is_written_and_the_change_is_shown() {
    let place = project("vendored");
    let before = "rustop-manager = { path = \"vendor/rustop-manager\" }";
    let mine = "rustop-manager = { path = \"vendor/rustop-manager\", features = [] }";
    place.edit("Cargo.toml", before, mine);
    let shown = format!("-{before}\n+rustop-manager = \"0.1.0\"\n");
    place
        .rustop("edit --manager registry")
        .says(&[
            "--- a/Cargo.toml",
            &shown,
            "help: make these changes by hand",
        ])
        .fails(1);
    // As it was told to.
    place
        .edit("Cargo.toml", mine, "rustop-manager = \"0.1.0\"")
        .edit("Cargo.toml", ", \"vendor/rustop-manager\"]", "]");
    place.rustop("edit --manager registry -q").ok();
    assert!(!place.has(MANAGER));
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
        .rustop("edit --manager cargo")
        .says(&["[possible values: vendored, registry]"])
        .fails(2);
    Place::empty()
        .rustop("edit --manager registry")
        .says(&["rustop init"])
        .fails(1);
}
