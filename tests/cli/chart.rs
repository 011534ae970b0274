//! `rustop create chart`, and what becomes of it. A project without kinds needs no toolchain for
//! its manifests.

use crate::dsl::{Place, rustop, snapshot};

const CHART: &str = "charts/lolcow-operator";

fn place() -> Place {
    let place = Place::project();
    place.rustop("manifests -q").ok();
    place.rustop("create chart -q").ok();
    place
}

fn template(path: &str) -> String {
    format!("{CHART}/templates/{path}")
}

#[test]
fn it_is_whole_at_once_and_delete_takes_it_back() {
    let place = Place::project();
    place.rustop("manifests -q").ok();
    let before = snapshot(place.dir());
    place
        .rustop("create chart --dry-run")
        .says(&["Would create charts/lolcow-operator/values.yaml\n"])
        .unchanged()
        .ok();
    place
        .rustop("create chart")
        .says(&[
            "     Updated PROJECT
     Created charts/lolcow-operator/.helmignore
     Created charts/lolcow-operator/Chart.yaml
",
            "     Created charts/lolcow-operator/templates/rbac/role_binding.yaml\n",
            "\nNext: rustop manifests\n",
        ])
        .ok();
    assert!(place.read("PROJECT").contains("chart: lolcow-operator\n"));
    place.rustop("manifests --check -q").unchanged().ok();
    place
        .rustop("create chart")
        .says(&[
            "this project has a chart, charts/lolcow-operator\n",
            "rustop delete chart",
        ])
        .fails(1);
    place.rustop("delete chart --dry-run -q").unchanged().ok();
    place.rustop("delete chart -q").ok();
    assert_eq!(snapshot(place.dir()), before);
    place
        .rustop("delete chart")
        .says(&["this project has no chart", "rustop create chart"])
        .fails(1);
}

#[test]
fn manifests_keeps_it_true_and_check_sees_when_it_is_not() {
    let place = place();
    let generated = ["rbac/role_binding.yaml", "deployment.yaml", "_helpers.tpl"];
    for path in generated.map(template) {
        let good = place.read(&path);
        place.write(&path, format!("{}\n# mine\n", good.trim_end()));
        let check = rustop(place.dir())
            .args(["manifests", "--check", "-q"])
            .output();
        let check = check.unwrap();
        let diff = String::from_utf8(check.stdout).unwrap();
        assert_eq!(check.status.code(), Some(1), "{path}");
        assert!(
            diff.contains(&path) && diff.contains("\n-# mine\n"),
            "{diff}"
        );
        place.rustop("manifests -q").says(&[]).ok();
        assert_eq!(place.read(&path), good);
        place.remove(&path).rustop("manifests -q").ok();
        assert_eq!(place.read(&path), good);
    }
}

#[test]
fn what_the_user_changes_in_config_changes_in_the_chart() {
    let place = place();
    place.rustop("create prometheus -q").ok();
    let metrics = "path: /metrics\n";
    let longer = "path: /metrics\n    interval: 7s\n";
    place.edit("config/prometheus/monitor.yaml", metrics, longer);
    let path = template("prometheus/monitor.yaml");
    place
        .rustop("manifests")
        .stderr(&format!("     Updated {path}\n"))
        .ok();
    assert!(place.read(&path).contains("  - bearerTokenFile: "));
    let interval =
        "    interval: {{ $.Values.metrics.serviceMonitor.interval | default \"7s\" }}\n";
    assert!(place.read(&path).contains(interval));
}

#[test]
fn what_goes_from_config_goes_from_the_chart() {
    let place = place();
    let roles = "config/rbac/cow_roles.yaml";
    place.rustop("create api --kind Cow -q").ok();
    let path = template("rbac/cow_roles.yaml");
    place.rustop("delete chart -q").ok();
    place.rustop("create chart -q").ok();
    assert!(place.read(&path).contains("-cow-admin-role"), "{roles}");
    // No roles for people: the file is theirs to take away.
    place.rustop("delete api --kind Cow -q").says(&[]).ok();
    assert!(!place.has(roles) && place.has(&path));
    place
        .rustop("manifests")
        .stderr(&format!("     Removed {path}\n"))
        .ok();
}

#[test]
fn what_the_user_writes_stays() {
    let place = place();
    let mine = format!("{CHART}/templates/mine.yaml");
    let [values, chart] = ["values.yaml", "Chart.yaml"].map(|file| format!("{CHART}/{file}"));
    place.write(&mine, "a: {{ .Values.mine }}\n");
    place.edit(&values, "replicas: 1\n", "replicas: 3\n");
    place.edit(&chart, "version: 0.1.0\n", "version: 7.0.0\n");
    let is_there = || {
        assert!(place.read(&values).contains("replicas: 3\n"));
        assert!(place.read(&chart).contains("version: 7.0.0\n"));
        assert_eq!(place.read(&mine), "a: {{ .Values.mine }}\n");
    };
    place.rustop("manifests -q").ok();
    place.rustop("create api --kind Cow -q").ok();
    place.rustop("delete api --kind Cow -q").says(&[]).ok();
    is_there();
    // An edit of a setting of `init` changes the text around the user's edit, and keeps that edit.
    place.rustop("edit --namespaced -q").says(&[]).ok();
    assert!(place.read(&values).contains("each gets a Role"));
    is_there();
    place.rustop("manifests -q").says(&[]).ok();
    assert!(
        place
            .read(&template("rbac/role.yaml"))
            .contains("{{- range ")
    );
    is_there();
    // Another name of the project is none of the chart.
    place.rustop("edit --project-name other -q").says(&[]).ok();
    is_there();
    place
        .rustop("delete chart")
        .says(&[&format!(
            "For you to remove:\n  {chart}\n  {mine}\n  {values}\n"
        )])
        .ok();
    is_there();
}

#[test]
fn a_file_in_the_way_stops_all_of_it() {
    let place = Place::project();
    place.rustop("manifests -q").ok();
    let path = template("rbac/role_binding.yaml");
    place
        .write(&path, "mine")
        .rustop("create chart")
        .says(&["these files are in the way", &path])
        .fails(1);
}

#[test]
fn a_file_that_no_chart_can_take_is_named() {
    let place = place();
    place.rustop("create prometheus -q").ok();
    let monitor = "config/prometheus/monitor.yaml";
    for (text, says) in [("a: [", "is not YAML"), ("kind: A\n", "document 1 of")] {
        place
            .write(monitor, text)
            .rustop("manifests")
            .says(&[says, monitor, "help: "])
            .fails(1);
    }
    place.remove(monitor).rustop("manifests -q").ok();
    assert!(!place.has(&template("prometheus/monitor.yaml")));
}

#[test]
fn values_can_enable_parts_that_the_project_lacks() {
    let place = place();
    let parts = [
        ("prometheus", "prometheus/monitor.yaml"),
        (
            "network-policy",
            "network-policy/allow-metrics-traffic.yaml",
        ),
    ];
    for (part, path) in parts {
        let path = template(path);
        let text = place.read(&path);
        assert!(!place.has(&format!("config/{part}")), "{part}");
        place.rustop(&format!("create {part} -q")).ok();
        place.rustop("manifests -q").ok();
        assert_eq!(place.read(&path), text, "{part}");
    }
}

#[test]
fn files_of_config_that_the_chart_lacks_are_named() {
    let place = place();
    place.rustop("manifests").says(&[]).lacks("warning").ok();
    place.write("config/extra/quota.yaml", "kind: ResourceQuota\n");
    place.write("config/rbac/people.yaml", "kind: Role\n");
    place
        .rustop("manifests")
        .says(&["warning: the chart does not contain config/extra/quota.yaml, config/rbac/people.yaml: add"])
        .ok();
}

#[test]
fn a_chart_that_helm_cannot_store_is_named() {
    let place = place();
    // Without a pattern, so that Helm's compression does not help.
    let mut state = 1_u64;
    let mut words = (0..60_000).map(|_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        format!("{:016x}", state ^ (state >> 29))
    });
    let text: String = words.by_ref().collect();
    let values = format!("{CHART}/values.yaml");
    place.rustop("create prometheus -q").ok();
    place.write("config/prometheus/monitor.yaml", format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata:\n  name: metrics\nspec:\n  a: {text}\n"
    ));
    assert!(place.has(&values));
    place
        .rustop("manifests")
        .says(&["warning: Helm cannot install the chart lolcow-operator: it would store a release in a Secret of about ", " KiB, and the API server accepts 1024 KiB"])
        .ok();
}
