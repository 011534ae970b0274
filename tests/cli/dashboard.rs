//! `rustop create dashboard`, and what becomes of it.

use serde_json::Value;

use crate::dsl::{Place, rustop, snapshot};

const RULES: &str = "config/prometheus/rules.yaml";
const RUNTIME: &str = "grafana/runtime.json";
const COW: &str = "grafana/controllers/cow.json";

/// A project with one kind and dashboards.
fn place() -> Place {
    let place = Place::project();
    place.rustop("create api --kind Cow -q").ok();
    place.rustop("create dashboard -q").ok();
    place
}

#[test]
fn it_is_whole_at_once_and_delete_takes_it_back() {
    let place = Place::project();
    place.rustop("create api --kind Cow -q").ok();
    place.rustop("create prometheus -q").ok();
    let before = snapshot(place.dir());
    place
        .rustop("create dashboard --dry-run")
        .says(&[&format!("Would create {RUNTIME}\n")])
        .unchanged()
        .ok();
    place
        .rustop("create dashboard")
        .says(&[
            &format!("     Created {RULES}\n"),
            "     Created docs/runbooks/OperatorHotLoop.md\n",
            &format!("     Created {COW}\n"),
            &format!("     Created {RUNTIME}\n"),
            "\nNext: uncomment rules.yaml in config/prometheus/kustomization.yaml\n",
        ])
        .ok();
    assert!(
        place
            .read("PROJECT")
            .contains("parts:\n- dashboard\n- prometheus\n")
    );
    place
        .rustop("create dashboard")
        .says(&[
            "this project has dashboards, in grafana/\n",
            "rustop delete dashboard",
        ])
        .fails(1);
    place
        .rustop("delete dashboard --dry-run -q")
        .unchanged()
        .ok();
    place.rustop("delete dashboard -q").ok();
    assert_eq!(snapshot(place.dir()), before);
    place
        .rustop("delete dashboard")
        .says(&[
            "this project does not have dashboards",
            "rustop create dashboard",
        ])
        .fails(1);
}

#[test]
fn each_controller_has_one_that_asks_for_its_figures() {
    let place = place();
    place
        .rustop("create api --group farm --kind Hen -q")
        .says(&[])
        .ok();
    place
        .rustop("create api --kind Egg --no-controller -q")
        .says(&[])
        .ok();
    assert!(!place.has("grafana/controllers/egg.json"));
    for (path, controller) in [
        (COW, "cow"),
        ("grafana/controllers/farm_hen.json", "farm-hen"),
    ] {
        let dashboard: Value = serde_json::from_str(&place.read(path)).unwrap();
        let variables = dashboard["templating"]["list"].as_array().unwrap();
        let fixed = variables.iter().find(|it| it["type"] == "constant");
        assert_eq!(fixed.unwrap()["query"], controller, "{path}");
    }
    place.rustop("delete api --kind Cow -q").says(&[]).ok();
    assert!(!place.has(COW));
}

/// A project without kinds needs no toolchain for its manifests.
#[test]
fn manifests_keeps_it_true_and_check_sees_when_it_is_not() {
    let place = Place::project();
    place.rustop("create dashboard -q").ok();
    place.rustop("manifests -q").ok();
    place.rustop("manifests --check -q").unchanged().ok();
    let good = place.read(RUNTIME);
    place.edit(RUNTIME, "\"30s\"", "\"5s\"");
    let check = rustop(place.dir())
        .args(["manifests", "--check", "-q"])
        .output();
    let check = check.unwrap();
    let diff = String::from_utf8(check.stdout).unwrap();
    assert_eq!(check.status.code(), Some(1));
    assert!(
        diff.contains(RUNTIME) && diff.contains("\n-  \"refresh\": \"5s\",\n"),
        "{diff}"
    );
    place
        .rustop("manifests -q")
        .says(&["warning: rustop overwrites the generated file `grafana/runtime.json`"])
        .ok();
    assert_eq!(place.read(RUNTIME), good);
}

#[test]
fn what_the_user_writes_stays() {
    let place = place();
    let (mine, page) = ("grafana/mine.json", "docs/runbooks/OperatorAbsent.md");
    place.write(mine, "{}\n").write(page, "Call me.\n");
    place.edit(RULES, "> 600", "> 60");
    place.rustop("create api --kind Hen -q").says(&[]).ok();
    assert!(place.read(RULES).contains("> 60\n"));
    place
        .rustop("delete dashboard")
        .says(&[&format!(
            "For you to remove:\n  {RULES}\n  {page}\n  {mine}\n"
        )])
        .ok();
    assert_eq!(place.read(page), "Call me.\n");
    assert!(!place.has(RUNTIME));
}

#[test]
fn a_file_in_the_way_stops_all_of_it() {
    let place = Place::project();
    place
        .write(RUNTIME, "{}\n")
        .rustop("create dashboard")
        .says(&["these files are in the way", RUNTIME])
        .fails(1);
}

#[test]
fn a_part_that_goes_into_the_chart_asks_for_manifests() {
    let place = Place::project();
    place.rustop("create api --kind Cow -q").ok();
    place.rustop("create chart -q").ok();
    let next = "then rustop manifests, which updates the chart\n";
    for part in ["prometheus", "dashboard", "network-policy"] {
        place.rustop(&format!("create {part}")).says(&[next]).ok();
    }
    let created = place.rustop("create e2e");
    created.says(&["\nNext: make test-e2e IMG=...\n"]).ok();
    place
        .rustop("delete dashboard")
        .says(&["\nNext: rustop manifests, which updates the chart\n"])
        .ok();
}
