//! `rustop create webhook`.

use crate::dsl::Place;

fn place() -> Place {
    let place = Place::project();
    place.rustop("create api --kind Lolcow -q").ok();
    place
}

#[test]
fn the_first_one_brings_all_that_webhooks_need() {
    let place = place();
    place
        .rustop("create webhook --kind Lolcow --defaulting")
        .stderr(
            "     Updated PROJECT
     Created config/certmanager/certificate.yaml
     Created config/certmanager/kustomization.yaml
     Created config/certmanager/names.yaml
     Created config/default/certmanager_names.yaml
     Created config/network-policy/allow-webhook-traffic.yaml
     Updated config/network-policy/kustomization.yaml
     Created config/webhook/certificate.yaml
     Created config/webhook/certificate_role.yaml
     Created config/webhook/certificate_role_binding.yaml
     Updated config/webhook/kustomization.yaml
     Created config/webhook/names.yaml
     Created config/webhook/service.yaml
     Created src/webhooks/lolcow/defaulting.rs
     Updated src/webhooks/mod.rs
Next: edit src/webhooks/lolcow/defaulting.rs, then rustop manifests\n",
        )
        .ok();
    let project = place.read("PROJECT");
    let webhooks = "  webhooks:\n    webhookVersion: v1\n    defaulting: true\n";
    assert!(project.contains(webhooks), "{project}");
}

#[test]
fn another_one_leaves_every_file_of_the_user_as_it_is() {
    let place = place();
    place
        .rustop("create webhook --kind Lolcow --validation -q")
        .ok();
    let mine = "src/webhooks/lolcow/validation.rs";
    place.write(mine, "// all mine\n");
    place
        .rustop("create webhook --kind Lolcow --defaulting --validation")
        .stderr(
            "     Updated PROJECT
     Updated config/default/certmanager_names.yaml
     Updated config/webhook/certificate_role.yaml
     Updated config/webhook/kustomization.yaml
     Created src/webhooks/lolcow/defaulting.rs
     Updated src/webhooks/mod.rs
Next: edit src/webhooks/lolcow/defaulting.rs and src/webhooks/lolcow/validation.rs, then rustop manifests\n",
        )
        .ok();
    assert_eq!(place.read(mine), "// all mine\n");
    let registry = place.read("src/webhooks/mod.rs");
    for line in [
        ".defaulter(lolcow::defaulting::Defaults)",
        ".validator(lolcow::validation::Rules)",
    ] {
        assert!(registry.contains(line), "{registry}");
    }
    place
        .rustop("create webhook --kind Lolcow --validation")
        .says(&[
            "my.domain/v1alpha1 Lolcow has this webhook already",
            "help: edit src/webhooks/lolcow/validation.rs",
        ])
        .fails(1);
}

#[test]
fn kinds_of_kubernetes_have_webhooks_too() {
    let place = Place::project();
    place
        .rustop("create webhook --group core --version v1 --kind Pod --validation -q")
        .ok();
    let text = place.read("src/webhooks/core_pod/validation.rs");
    assert!(
        text.contains("use k8s_openapi::api::core::v1::Pod;"),
        "{text}"
    );
    assert!(text.contains("path=/validate--v1-pod,"), "{text}");
    place
        .rustop("create webhook --group apps --kind Deployment --defaulting -q")
        .ok();
    let text = place.read("src/webhooks/apps_deployment/defaulting.rs");
    assert!(text.contains("path=/mutate-apps-v1-deployment,"), "{text}");
}

#[test]
fn a_kind_that_is_nowhere_is_answered_with_commands() {
    let place = Place::project();
    place
        .rustop("create webhook --kind Pod --validation")
        .says(&[
            "no kind Pod is known",
            "rustop create api --kind Pod",
            "rustop create webhook --group core --version v1 --kind Pod --validation",
        ])
        .fails(2);
    place
        .rustop("create webhook --kind Lolcow")
        .says(&["--defaulting"])
        .fails(2);
}

#[test]
fn two_versions_share_their_webhooks() {
    let place = place();
    place
        .rustop("create api --kind Lolcow --version v1 -q")
        .ok();
    place
        .rustop("create webhook --kind Lolcow --validation -q")
        .ok();
    place
        .rustop("create webhook --kind Lolcow --version v1 --validation")
        .says(&["has the same webhook in two versions"])
        .fails(1);
}
