//! What a project may have besides its kinds: `rustop create devcontainer`, `e2e` and `release`. Dashboards, which follow the
//! kinds, have tests of their own.

use serde_json::Value;

use crate::dsl::{Place, snapshot};

/// Each with its files.
const PARTS: [(&str, &[&str]); 3] = [
    (
        "devcontainer",
        &[".devcontainer/devcontainer.json", "CONTRIBUTING.md"],
    ),
    ("e2e", &[".github/workflows/test-e2e.yml", "tests/e2e.rs"]),
    ("release", &[".github/workflows/release.yml"]),
];

#[test]
fn each_is_there_once_and_delete_takes_it_back() {
    let place = Place::project();
    place.rustop("create api --kind Cow -q").ok();
    let before = snapshot(place.dir());
    for (part, files) in PARTS {
        let create = format!("create {part}");
        place
            .rustop(&format!("{create} --dry-run"))
            .says(&[&format!("Would create {}\n", files[0])])
            .unchanged()
            .ok();
        place.rustop(&create).says(&["\nNext: "]).ok();
        let parts = format!("parts:\n- {part}\n");
        assert!(place.read("PROJECT").contains(&parts), "{part}");
        let mut expected = before.clone();
        for file in files {
            expected.insert((*file).to_owned(), place.read(file));
        }
        let mut made = snapshot(place.dir());
        for all in [&mut expected, &mut made] {
            all.remove("PROJECT");
            all.retain(|path, _| !path.ends_with('/'));
        }
        assert_eq!(made, expected, "{part}");
        place
            .rustop(&create)
            .says(&["this project has ", &format!("rustop delete {part} ")])
            .fails(1);
        place.rustop(&format!("delete {part} -q")).ok();
        assert_eq!(snapshot(place.dir()), before, "{part}");
        place
            .rustop(&format!("delete {part}"))
            .says(&["this project does not have ", &create])
            .fails(1);
    }
}

#[test]
fn all_of_them_are_in_project_in_one_order_and_what_the_user_wrote_stays() {
    let place = Place::project();
    for (part, _) in PARTS.iter().rev() {
        place.rustop(&format!("create {part} -q")).ok();
    }
    place.rustop("create dashboard -q").ok();
    let parts = "parts:\n- dashboard\n- devcontainer\n- e2e\n- release\n";
    assert!(place.read("PROJECT").contains(parts));
    place.write("CONTRIBUTING.md", "Call me.\n");
    place
        .rustop("delete devcontainer")
        .says(&["For you to remove:\n  CONTRIBUTING.md\n"])
        .ok();
    assert_eq!(place.read("CONTRIBUTING.md"), "Call me.\n");
    assert!(!place.has(".devcontainer"));
    place
        .rustop("create devcontainer")
        .says(&["these files are in the way", "CONTRIBUTING.md"])
        .fails(1);
}

#[test]
fn the_development_container_has_what_the_image_is_built_in() {
    let place = Place::project();
    place.rustop("create devcontainer -q").ok();
    let text = place.read(".devcontainer/devcontainer.json");
    let container: Value = serde_json::from_str(&text).unwrap();
    let image = container["image"].as_str().unwrap();
    let builds = format!("FROM --platform=$BUILDPLATFORM {image} AS ");
    assert!(place.read("Dockerfile").contains(&builds), "{image}");
    let installs = container["postCreateCommand"].as_str().unwrap();
    for part in [
        "cargo install rustop-cli --locked",
        "rustop cluster install",
    ] {
        assert!(installs.contains(part), "{installs}");
        assert!(place.read("CONTRIBUTING.md").contains(part), "{part}");
    }
}
