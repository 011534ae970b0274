//! The optional parts of a project, which `rustop create` adds by name. Dashboards, which are
//! rendered for each kind, have tests of their own.

use serde_json::Value;

use crate::dsl::{Place, snapshot};

/// Each with its files.
const PARTS: [(&str, &[&str]); 6] = [
    (
        "ci",
        &[
            ".github/actions/setup-rustop/action.yml",
            ".github/deny.toml",
            ".github/dependabot.yml",
            ".github/workflows/lint.yml",
            ".github/workflows/nightly.yml",
            ".github/workflows/upgrade.yml",
        ],
    ),
    (
        "devcontainer",
        &[".devcontainer/devcontainer.json", "CONTRIBUTING.md"],
    ),
    (
        "e2e",
        &[
            ".github/actions/setup-rustop/action.yml",
            ".github/workflows/test-e2e.yml",
            "tests/e2e.rs",
        ],
    ),
    (
        "network-policy",
        &[
            "config/network-policy/allow-metrics-traffic.yaml",
            "config/network-policy/kustomization.yaml",
        ],
    ),
    (
        "prometheus",
        &[
            "config/prometheus/kustomization.yaml",
            "config/prometheus/metrics_reader_role_binding.yaml",
            "config/prometheus/monitor.yaml",
        ],
    ),
    (
        "release",
        &[
            ".github/actions/setup-rustop/action.yml",
            ".github/workflows/release.yml",
        ],
    ),
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
    let parts = "parts:\n- ci\n- dashboard\n- devcontainer\n- e2e\n- network-policy\n- prometheus\n- release\n";
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
fn a_project_without_optional_parts_has_at_most_40_files() {
    let place = Place::project();
    place.rustop("create api --kind Cow -q").ok();
    let files = place.files();
    let own: Vec<_> = files
        .iter()
        .filter(|it| !it.starts_with("vendor/"))
        .collect();
    assert!(own.len() <= 40, "{}: {own:#?}", own.len());
}

#[test]
fn a_kind_and_the_part_e2e_do_not_share_a_test() {
    let place = Place::project();
    place.rustop("create api --kind E2e -q").ok();
    place
        .rustop("create e2e")
        .says(&[
            "the test of my.domain/v1alpha1 E2e and that of the part `e2e` would both be tests/e2e.rs",
            "help: a project can have only one of the two",
        ])
        .unchanged()
        .fails(1);
    let place = Place::project();
    place.rustop("create e2e -q").ok();
    place
        .rustop("create api --kind E2e")
        .says(&["would both be tests/e2e.rs", "run `rustop delete e2e`"])
        .unchanged()
        .fails(1);
}

#[test]
fn the_action_stays_as_long_as_a_workflow_uses_it() {
    let place = Place::project();
    let action = ".github/actions/setup-rustop/action.yml";
    for part in ["ci", "release"] {
        place.rustop(&format!("create {part} -q")).ok();
    }
    place.rustop("delete ci -q").ok();
    assert!(place.has(action));
    place.rustop("delete release -q").ok();
    assert!(!place.has(action));
}

#[test]
fn a_part_that_another_one_extends_is_not_deleted() {
    let place = Place::project();
    place.rustop("create dashboard -q").ok();
    place
        .rustop("delete prometheus")
        .says(&[
            "error: the part `dashboard` adds files to `prometheus`",
            "rustop delete dashboard",
        ])
        .unchanged()
        .fails(1);
    place.rustop("delete dashboard -q").ok();
    place.rustop("delete prometheus -q").ok();
    assert!(!place.has("config/prometheus"));
}

#[test]
fn delete_lists_the_lines_that_use_the_removed_directory() {
    let place = Place::project();
    place.rustop("create network-policy -q").ok();
    let default = "config/default/kustomization.yaml";
    place.edit(default, "#- ../network-policy\n", "- ../network-policy\n");
    place
        .rustop("delete network-policy")
        .says(&[
            "For you to change, because they refer to removed items:\n",
            default,
            ": - ../network-policy\n",
        ])
        .lacks("../prometheus")
        .ok();
}

#[test]
fn webhooks_get_a_network_policy_with_that_part_only() {
    let place = Place::project();
    place.rustop("create api --kind Cow -q").ok();
    place
        .rustop("create webhook --kind Cow --validation -q")
        .ok();
    let policy = "config/network-policy/allow-webhook-traffic.yaml";
    assert!(!place.has(policy));
    place.rustop("create network-policy -q").ok();
    let all = place.read("config/network-policy/kustomization.yaml");
    assert!(place.has(policy) && all.contains("- allow-webhook-traffic.yaml\n"));
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
    let git = "cargo install rustop-cli --locked --git \"${RUSTOP_GIT:";
    assert!(installs.contains(git), "{installs}");
    let environment = container["containerEnv"].as_object().unwrap();
    for name in ["RUSTOP_GIT", "RUSTOP_REV"] {
        assert_eq!(environment[name], format!("${{localEnv:{name}}}"));
        assert!(place.read("CONTRIBUTING.md").contains(name), "{name}");
    }
    assert!(installs.contains("rustop cluster install"), "{installs}");
}

/// The permissions beyond reading the sources that a job of a workflow has.
#[test]
fn no_job_of_a_workflow_has_more_permissions_than_it_needs() {
    let place = Place::project();
    for part in ["ci", "e2e", "release"] {
        place.rustop(&format!("create {part} -q")).ok();
    }
    let mut beyond = Vec::new();
    let files = place.files();
    let workflows = files
        .iter()
        .filter(|path| path.starts_with(".github/workflows/"));
    for path in workflows {
        let workflow: Value = serde_yaml::from_str(&place.read(path)).unwrap();
        assert_eq!(
            workflow["permissions"],
            serde_json::json!({"contents": "read"}),
            "{path}"
        );
        for job in workflow["jobs"].as_object().unwrap().values() {
            let permissions = job["permissions"].as_object().into_iter().flatten();
            let file = path.rsplit('/').next().unwrap();
            beyond.extend(
                permissions.map(|(name, it)| format!("{file} {name}: {}", it.as_str().unwrap())),
            );
        }
    }
    beyond.sort();
    let expected = [
        "release.yml attestations: write",
        "release.yml contents: write",
        "release.yml id-token: write",
        "release.yml packages: write",
        "upgrade.yml contents: write",
        "upgrade.yml pull-requests: write",
    ];
    assert_eq!(beyond, expected);
}
