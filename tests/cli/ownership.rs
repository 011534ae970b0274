//! Ownership of files: rustop keeps user files as the user changed or deleted them, and overwrites
//! generated files.

use crate::dsl::{Place, snapshot};

#[test]
fn the_users_files_stay_as_they_are() {
    let place = Place::project();
    place.rustop("create api --kind Cow -q").ok();
    let mine = [
        "Cargo.toml",
        "Makefile",
        "src/main.rs",
        "src/controllers/cow.rs",
        "api/src/v1alpha1/cow.rs",
        "config/samples/v1alpha1_cow.yaml",
    ];
    for path in mine {
        place.write(path, "mine");
    }
    for path in ["README.md", "config/rbac/cow_roles.yaml"] {
        place.remove(path);
    }
    place.rustop("create api --kind Bull -q").ok();
    place
        .rustop("create api --kind Cow --version v1 -q")
        .says(&["`api/src/v1alpha1/cow.rs` is not Rust"])
        .ok();
    assert!(mine.iter().all(|path| place.read(path) == "mine"));
    assert!(!place.has("README.md") && !place.has("config/rbac/cow_roles.yaml"));
}

#[test]
fn a_users_file_is_in_the_way_of_a_new_one() {
    let place = Place::project();
    place
        .write("tests/cow.rs", "mine")
        .write("src/controllers/cow.rs", "");
    place
        .rustop("create api --kind Cow")
        .stderr(
            "error: these files are in the way, and rustop overwrites nothing that it did not write:
  src/controllers/cow.rs
  tests/cow.rs
help: move them away and run the command again\n",
        )
        .fails(1);
}

#[test]
fn an_edited_tool_file_is_reported_before_it_is_replaced() {
    let place = Place::project();
    let path = "src/controllers/mod.rs";
    let (before, edited) = ("    manager\n}\n", "    manager.mine()\n}\n");
    place.edit(path, before, edited);
    let warning = "warning: rustop overwrites the generated file `src/controllers/mod.rs`; this reverts the edits in it:\n--- a/src/controllers/mod.rs\n+++ b/src/controllers/mod.rs\n";
    let parts = [warning, "-    manager.mine()\n"];
    place
        .rustop("create api --kind Cow --dry-run -q")
        .says(&parts)
        .unchanged()
        .ok();
    place.rustop("create api --kind Cow -q").says(&parts).ok();
    assert!(!place.read(path).contains("mine"));
    place
        .remove(path)
        .rustop("create api --kind Bull")
        .says(&["Created src/controllers/mod.rs\n"])
        .ok();
    assert!(place.read(path).contains("bull::controller()"));
}

#[test]
fn a_tool_file_that_only_the_edit_changed_is_restored() {
    let place = Place::project();
    let original = place.read("config/rbac/role_binding.yaml");
    let header = original.split_inclusive('\n').next().unwrap();
    place.write("config/rbac/role_binding.yaml", format!("{header}mine\n"));
    place
        .rustop("create api --kind Cow -q")
        .says(&[
            "warning: rustop overwrites the generated file `config/rbac/role_binding.yaml`",
            "-mine\n",
        ])
        .ok();
    assert_eq!(place.read("config/rbac/role_binding.yaml"), original);
}

#[test]
fn a_failed_command_after_a_good_one_changes_nothing() {
    let place = Place::project();
    place.rustop("create api --kind Cow -q").ok();
    let before = snapshot(place.dir());
    place
        .rustop("create api --kind Cow")
        .says(&["exists"])
        .fails(1);
    assert_eq!(before, snapshot(place.dir()));
}

/// The repository has a PROJECT file that was written by hand.
#[test]
fn a_file_that_rustop_did_not_write_is_not_replaced() {
    let place = Place::project();
    let path = "src/controllers/mod.rs";
    place.write(path, "mod mine;\n");
    for command in [
        "manifests",
        "manifests --check",
        "create api --kind Cow",
        "edit --domain other.domain",
    ] {
        place
            .rustop(command)
            .says(&["these files are in the way", path])
            .fails(1);
        assert_eq!(place.read(path), "mod mine;\n");
    }
}
