//! `rustop create api --no-resource`: controllers for kinds of others. That every built-in kind
//! works is shown next to the table of them, in rustop's own source.

use crate::dsl::Place;

#[test]
fn kinds_of_kubernetes() {
    let cases = [
        (
            "--group apps --version v1 --kind Deployment",
            "apps_deployment",
            "k8s_openapi::api::apps::v1::Deployment",
            "apps",
        ),
        (
            "--group core --kind Pod",
            "core_pod",
            "k8s_openapi::api::core::v1::Pod",
            "\"\"",
        ),
        (
            "--group networking.k8s.io --version v1 --kind Ingress",
            "networking_ingress",
            "k8s_openapi::api::networking::v1::Ingress",
            "networking.k8s.io",
        ),
        (
            "--group networking --kind NetworkPolicy",
            "networking_network_policy",
            "k8s_openapi::api::networking::v1::NetworkPolicy",
            "networking.k8s.io",
        ),
        (
            "--group autoscaling --kind HorizontalPodAutoscaler",
            "autoscaling_horizontal_pod_autoscaler",
            "k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler",
            "autoscaling",
        ),
        (
            "--group core --kind Node",
            "core_node",
            "k8s_openapi::api::core::v1::Node",
            "\"\"",
        ),
    ];
    let place = Place::project();
    for (line, name, path, group) in cases {
        let before = place.files();
        place
            .rustop(&format!("create api {line} --no-resource -q"))
            .ok();
        let mut after = place.files();
        after.retain(|path| !before.contains(path));
        assert_eq!(after, [format!("src/controllers/{name}.rs")]);
        let controller = place.read(&after[0]);
        assert!(
            controller.contains(&format!("use {path};\n")),
            "{controller}"
        );
        assert!(
            controller.contains(&format!("+kubebuilder:rbac:groups={group},resources=")),
            "{controller}"
        );
    }
    place
        .rustop("create api --group core --kind Pod --no-resource")
        .says(&["error: v1 Pod exists"])
        .fails(1);
}

#[test]
fn the_version_is_the_best_that_the_projects_kubernetes_has() {
    for (minor, version) in [(33, "v1beta1"), (36, "v1beta1"), (37, "v1")] {
        let place = Place::empty();
        place
            .rustop(&format!(
                "init --domain a.b --kubernetes-version 1.{minor} -q"
            ))
            .ok();
        place
            .rustop("create api --group certificates --kind ClusterTrustBundle --no-resource -q")
            .ok();
        let controller = place.read("src/controllers/certificates_cluster_trust_bundle.rs");
        assert!(
            controller.contains(&format!("k8s_openapi::api::certificates::{version}::")),
            "{controller}"
        );
    }
    let place = Place::empty();
    place
        .rustop("init --domain a.b --kubernetes-version 1.33 -q")
        .ok();
    place
        .rustop("create api --group scheduling --kind Workload --no-resource")
        .stderr(
            "error: scheduling.k8s.io/v1beta1 Workload does not exist in Kubernetes 1.33, the version of this project
help: set `kubernetesVersion` in PROJECT, and the feature of k8s-openapi in Cargo.toml to match\n",
        )
        .fails(1);
}

#[test]
fn what_kubernetes_says_of_its_kinds_is_not_the_users_to_say() {
    let place = Place::project();
    for flag in ["--plural x", "--cluster-scoped"] {
        place
            .rustop(&format!("create api --group core --kind Pod --no-resource {flag}"))
            .stderr(
                "error: `--plural` and `--cluster-scoped` cannot be set for v1 Pod, which belongs to Kubernetes
help: leave them out\n",
            )
            .fails(2);
    }
}

#[test]
fn a_kind_that_nobody_has_is_met_with_those_that_exist() {
    let place = Place::project();
    place
        .rustop("create api --kind Event --no-resource")
        .stderr(
            "error: no kind Event is known, neither in this project nor in Kubernetes
help: rustop create api --group core --version v1 --kind Event --no-resource
      rustop create api --group events.k8s.io --version v1 --kind Event --no-resource\n",
        )
        .fails(2);
    place
        .rustop("create api --group apps --kind Deploymnt --no-resource")
        .says(&[
            "help: rustop create api --group apps --version v1 --kind Deployment --no-resource",
        ])
        .fails(2);
    place
        .rustop("create api --group farm --kind Cow --no-resource")
        .stderr(
            "error: no kind Cow in group `farm` is known, neither in this project nor in Kubernetes
help: leave out `--no-resource` to create it, or pass the full group of a kind of another project: `--group cert-manager.io`\n",
        )
        .fails(2);
    place
        .rustop("create api --group apps --version v7 --kind Deployment --no-resource")
        .says(&["--version v1 --kind Deployment"])
        .fails(2);
}

#[test]
fn kinds_of_other_projects() {
    let place = Place::project();
    let line = "create api --group cert-manager.io --version v1 --kind Certificate --no-resource";
    place
        .rustop(line)
        .stderr(
            "     Updated PROJECT
     Created api/src/cert_manager/v1/certificate.rs
     Updated api/src/lib.rs
     Created src/controllers/cert_manager_certificate.rs
     Updated src/controllers/mod.rs
     Guessed the plural `certificates`; `--plural` names another
Next: edit src/controllers/cert_manager_certificate.rs, then rustop manifests\n",
        )
        .ok();
    let project = place.read("PROJECT");
    assert!(
        project.contains("external: true\n  group: cert-manager\n"),
        "{project}"
    );
    assert!(!place.read("api/src/lib.rs").contains("::crd()"));
    place
        .rustop(line)
        .says(&["error: cert-manager.io/v1 Certificate exists"])
        .fails(1);
}

#[test]
fn an_imported_kind_of_another_domain_is_found_by_its_short_group() {
    for group in ["farm", "farm.example.org"] {
        let place = Place::project();
        place.write("crds.yaml", include_str!("../golden/imported.yaml"));
        place
            .rustop("create api --from-crd crds.yaml --kind Herd --no-resource --no-controller -q")
            .says(&["the Rust type reads null as a missing value"])
            .ok();
        place
            .rustop(&format!(
                "create api --group {group} --kind Herd --no-resource"
            ))
            .says(&["Created src/controllers/farm_herd.rs"])
            .ok();
        let project = place.read("PROJECT");
        assert_eq!(project.matches("kind: Herd").count(), 2, "{project}");
        assert_eq!(project.matches("controller: true").count(), 1, "{project}");
    }
}
