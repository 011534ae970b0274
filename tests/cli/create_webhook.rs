//! `rustop create webhook`.

use crate::dsl::{Place, snapshot};

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
        .says(&["     Updated PROJECT
     Created config/certmanager/certificate.yaml
     Created config/certmanager/kustomization.yaml
     Created config/certmanager/names.yaml
     Created config/default/certmanager_names.yaml
     Created config/webhook/certificate.yaml
     Created config/webhook/certificate_policy.yaml
     Created config/webhook/certificate_role.yaml
     Created config/webhook/certificate_role_binding.yaml
     Updated config/webhook/kustomization.yaml
     Created config/webhook/names.yaml
     Created config/webhook/service.yaml
     Created src/webhooks/lolcow/defaulting.rs
     Updated src/webhooks/mod.rs
     Updated tests/harness/mod.rs
Next: edit src/webhooks/lolcow/defaulting.rs, then rustop manifests\n"])
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

/// On the way from one version to the next, both have them: each in a file of its own.
#[test]
fn a_newer_version_gets_webhooks_beside_those_of_the_old_one() {
    let place = place();
    place
        .rustop("create webhook --kind Lolcow --defaulting --validation -q")
        .ok();
    let mine = "src/webhooks/lolcow/validation.rs";
    place.write(mine, "// all mine\n");
    place
        .rustop("create api --kind Lolcow --version v1")
        .says(&["rustop create webhook --kind Lolcow --version v1 --defaulting --validation, and move the code of the old webhooks there\n"])
        .ok();
    place
        .rustop("create webhook --kind Lolcow --validation")
        .says(&[
            "my.domain/v1alpha1 Lolcow has this webhook already",
            "help: edit src/webhooks/lolcow/validation.rs, or: rustop create webhook --kind Lolcow --version v1 --validation\n",
        ])
        .fails(1);
    place
        .rustop("create webhook --kind Lolcow --version v1 --validation")
        .stderr(
            "     Updated PROJECT
     Created src/webhooks/lolcow/v1/validation.rs
     Updated src/webhooks/mod.rs
Next: edit src/webhooks/lolcow/v1/validation.rs, then rustop manifests
The API server also calls the webhook of v1alpha1, for objects of any version; deleting that version deletes the webhook\n",
        )
        .ok();
    assert_eq!(place.read(mine), "// all mine\n");
    let rules = place.read("src/webhooks/lolcow/v1/validation.rs");
    for part in [
        "use api::v1::lolcow::Lolcow;",
        "path=/validate-my-domain-v1-lolcow,",
        "versions=v1,name=vlolcow-v1.",
    ] {
        assert!(rules.contains(part), "{rules}");
    }
    let registry = place.read("src/webhooks/mod.rs");
    for part in [
        "        .defaulter(lolcow::defaulting::Defaults)
        .validator(lolcow::validation::Rules)
        .validator(lolcow::v1::validation::Rules)\n",
        "pub mod lolcow {
    pub mod defaulting;
    pub mod validation;

    /// Webhooks of `v1`.
    pub mod v1 {
        pub mod validation;
    }
}\n",
    ] {
        assert!(registry.contains(part), "{registry}");
    }
    // The old version and its webhooks are removed; the new one is not changed.
    place
        .rustop("delete api --kind Lolcow --version v1alpha1")
        .says(&[
            "For you to remove:",
            "  src/webhooks/lolcow/validation.rs\n",
        ])
        .ok();
    let registry = place.read("src/webhooks/mod.rs");
    assert!(
        registry.contains(".validator(lolcow::v1::validation::Rules)"),
        "{registry}"
    );
    assert_eq!(registry.matches(".validator(").count(), 1, "{registry}");
    assert_eq!(
        registry.matches(".defaulter(").count(),
        1,
        "what nobody else had is inherited: {registry}"
    );
}

/// A kind with two versions.
fn two_versions() -> Place {
    let place = place();
    place
        .rustop("create api --kind Lolcow --version v1 -q")
        .ok();
    place
}

#[test]
fn a_conversion_leaves_every_file_of_the_user_as_it_is() {
    let place = two_versions();
    place
        .rustop("create webhook --kind Lolcow --validation -q")
        .ok();
    for mine in [
        "src/webhooks/lolcow/validation.rs",
        "api/src/v1/lolcow.rs",
        "api/src/v1alpha1/lolcow.rs",
    ] {
        place.write(mine, "// all mine\n");
    }
    place
        .rustop("create webhook --kind Lolcow --conversion")
        .stderr(
            "     Updated PROJECT
     Updated api/src/lib.rs
     Created api/src/v1/lolcow_from_v1alpha1.rs
     Updated config/default/certmanager_names.yaml
     Updated config/webhook/certificate_policy.yaml
     Updated config/webhook/certificate_role.yaml
     Updated src/webhooks/mod.rs
     Updated tests/harness/mod.rs
     Created tests/lolcow_conversion.rs
Next: edit api/src/v1/lolcow_from_v1alpha1.rs, then rustop manifests\n",
        )
        .ok();
    for mine in [
        "src/webhooks/lolcow/validation.rs",
        "api/src/v1/lolcow.rs",
        "api/src/v1alpha1/lolcow.rs",
    ] {
        assert_eq!(place.read(mine), "// all mine\n");
    }
    let registry = place.read("src/webhooks/mod.rs");
    for line in [
        "of::<::api::v1alpha1::lolcow::Lolcow>()",
        ".then::<::api::v1::lolcow::Lolcow>()",
        ".converter(lolcow::versions())",
        ".validator(lolcow::validation::Rules)",
    ] {
        assert!(registry.contains(line), "{registry}");
    }
    place
        .rustop("create webhook --kind Lolcow --conversion")
        .says(&[
            "my.domain/v1alpha1 Lolcow has this webhook already",
            "help: edit api/src/v1/lolcow_from_v1alpha1.rs",
        ])
        .fails(1);
    place
        .rustop("create webhook --kind Lolcow --version v1 --conversion")
        .says(&[
            "my.domain/v1 Lolcow has this webhook already",
            "help: edit api/src/v1/lolcow_from_v1alpha1.rs",
        ])
        .fails(1);
}

#[test]
fn versions_are_converted_in_the_order_of_their_age() {
    let place = two_versions();
    place
        .rustop("create webhook --kind Lolcow --conversion -q")
        .ok();
    place.write("api/src/v1/lolcow_from_v1alpha1.rs", "// all mine\n");
    place
        .rustop("create api --kind Lolcow --version v2alpha1")
        .stderr(
            "     Updated PROJECT
     Updated api/src/lib.rs
     Created api/src/v2alpha1/lolcow.rs
     Created api/src/v2alpha1/lolcow_from_v1.rs
     Updated config/samples/kustomization.yaml
     Created config/samples/v2alpha1_lolcow.yaml
     Updated src/webhooks/mod.rs
Next:
  1. edit api/src/v2alpha1/lolcow.rs, a copy of v1, and api/src/v2alpha1/lolcow_from_v1.rs with it
  2. make test, and make deploy: both versions can be read and written
  3. in src/controllers/lolcow.rs and tests/lolcow.rs, write `api::v2alpha1::lolcow` for `api::v1alpha1::lolcow`
  4. move `storage = false` from api/src/v2alpha1/lolcow.rs to the others; make deploy, and rustop migrate
  5. rustop delete version --kind Lolcow --version v1alpha1\n",
        )
        .ok();
    let mine = place.read("api/src/v1/lolcow_from_v1alpha1.rs");
    assert_eq!(mine, "// all mine\n");
    let registry = place.read("src/webhooks/mod.rs");
    let versions: Vec<_> = registry.matches("::api::v").collect();
    assert_eq!(versions.len(), 4, "{registry}");
    let place_of = |version: &str| registry.find(&format!("<::api::{version}::lolcow::Lolcow>()"));
    assert!(place_of("v1alpha1") < place_of("v1") && place_of("v1") < place_of("v2alpha1"));
}

#[test]
fn a_version_between_two_others_parts_them() {
    let place = two_versions();
    place
        .rustop("create webhook --kind Lolcow --conversion -q")
        .ok();
    place
        .rustop("create api --kind Lolcow --version v1beta1")
        .says(&[
            "Created api/src/v1/lolcow_from_v1beta1.rs",
            "Created api/src/v1beta1/lolcow_from_v1alpha1.rs",
            "For you to remove:\n  api/src/v1/lolcow_from_v1alpha1.rs\n",
        ])
        .ok();
}

#[test]
fn what_cannot_be_converted_is_answered_with_what_helps() {
    let place = place();
    place
        .rustop("create webhook --kind Lolcow --conversion")
        .says(&[
            "my.domain/v1alpha1 Lolcow is the only version of its kind",
            "help: rustop create api --version v1 --kind Lolcow",
        ])
        .fails(1);
    place
        .rustop("create webhook --group core --kind Pod --conversion")
        .says(&["the project that owns its CRD converts it"])
        .fails(1);
    let place = two_versions();
    let types = "api/src/v1alpha1/lolcow.rs";
    place.edit(types, "    status = \"LolcowStatus\",\n", "");
    let before = snapshot(place.dir());
    place
        .rustop("create webhook --kind Lolcow --conversion")
        .says(&[
            "`api/src/v1alpha1/lolcow.rs`: my.domain/v1alpha1 Lolcow has no status, and a conversion needs one",
            "help: add `status = \"..\"` to its `#[kube(..)]`",
        ])
        .fails(1);
    assert_eq!(snapshot(place.dir()), before);
}

#[test]
fn webhooks_of_several_versions_are_in_one_module() {
    let place = two_versions();
    place
        .rustop("create webhook --kind Lolcow --defaulting -q")
        .ok();
    place
        .rustop("create webhook --kind Lolcow --version v1 --validation -q")
        .ok();
    let registry = place.read("src/webhooks/mod.rs");
    assert_eq!(
        registry.matches("pub mod lolcow {").count(),
        1,
        "{registry}"
    );
    let validation = place.read("src/webhooks/lolcow/validation.rs");
    assert!(
        validation.contains("use api::v1::lolcow::Lolcow;"),
        "{validation}"
    );
}

#[test]
fn a_kind_is_not_called_as_the_conversion_of_another() {
    let place = two_versions();
    place
        .rustop("create webhook --kind Lolcow --conversion -q")
        .ok();
    for (line, name) in [
        (
            "create api --kind LolcowConversion",
            "tests/lolcow_conversion.rs",
        ),
        (
            "create api --kind LolcowFromV1alpha1 --version v1",
            "v1::lolcow_from_v1alpha1",
        ),
    ] {
        place.rustop(line).says(&[name]).fails(1);
    }
}

/// The conversion is made of the types as they are, so that it builds before anything is changed.
#[test]
fn a_conversion_is_made_of_the_types_that_are_there() {
    let place = place();
    let types = "api/src/v1alpha1/lolcow.rs";
    let text = place.read(types) + "\n/// Where.\npub struct Pen {\n    pub size: u8,\n}\n";
    place
        .write(types, text)
        .edit(types, "pub message: Option<String>", "pub pens: Vec<Pen>");
    for line in [
        "create api --kind Lolcow --version v1 -q",
        "create webhook --kind Lolcow --conversion -q",
    ] {
        place.rustop(line).ok();
    }
    let conversion = place.read("api/src/v1/lolcow_from_v1alpha1.rs");
    for part in [
        "use crate::v1alpha1::lolcow as old;\n",
        "        let OldSpec { pens } = old;\n",
        "pens: pens.into_iter().map(Into::into).collect(),\n",
        "impl From<new::Pen> for old::Pen {\n",
        "impl From<OldStatus> for NewStatus {\n",
    ] {
        assert!(conversion.contains(part), "{part}{conversion}");
    }
    // A version between two others is converted from its own types and into them.
    place
        .rustop("create api --kind Lolcow --version v1beta1 -q")
        .ok();
    for file in ["v1beta1/lolcow_from_v1alpha1", "v1/lolcow_from_v1beta1"] {
        let conversion = place.read(&format!("api/src/{file}.rs"));
        assert!(
            conversion.contains("let OldSpec { pens } = old;"),
            "{conversion}"
        );
    }
}

#[test]
fn one_of_the_three_has_to_be_asked_for() {
    let place = Place::project();
    for line in [
        "create webhook --kind Lolcow",
        "delete webhook --kind Lolcow",
    ] {
        let asks = "<--defaulting|--validation|--conversion>";
        place.rustop(line).says(&[asks]).fails(2);
    }
}

#[test]
fn a_suggestion_repeats_the_webhooks_that_were_asked_for() {
    let place = Place::project();
    place.rustop("create api --group g --kind Doc -q").ok();
    place
        .rustop("create webhook --kind Doc --conversion")
        .says(&[
            "error: no kind Doc is known; this project has g.my.domain/v1alpha1 Doc\n",
            "help: rustop create webhook --group g --kind Doc --conversion\n",
        ])
        .fails(2);
    place
        .rustop("create webhook --kind Doc --defaulting --programmatic-validation")
        .says(&["help: rustop create webhook --group g --kind Doc --defaulting --validation\n"])
        .fails(2);
    place
        .rustop("create webhook --kind Doc --version v1alpha1 --validation --dry-run")
        .says(&[
            "help: rustop create webhook --group g --kind Doc --version v1alpha1 --validation --dry-run\n",
            "rustop create api --kind Doc --version v1alpha1 --dry-run\n",
        ])
        .fails(2);
    place
        .rustop("create webhook --kind Doc --version v2 --validation")
        .says(&[
            "help: rustop create webhook --group g --kind Doc --version v1alpha1 --validation\n",
        ])
        .fails(2);
    place
        .rustop("create api --kind Doc --version v1alpha1 --no-resource --dry-run")
        .says(&["help: rustop create api --group g --kind Doc --version v1alpha1 --no-resource --dry-run\n"])
        .fails(2);
    place
        .rustop("delete api --kind Doc --no-resource --dry-run")
        .says(&["help: rustop delete api --group g --kind Doc --no-resource --dry-run\n"])
        .fails(2);
    place
        .rustop("delete webhook --kind Doc --validation")
        .says(&["help: no kind of this project has a webhook: there is nothing to delete\n"])
        .fails(2);
    place
        .rustop("create webhook --group g --kind Doc --defaulting --validation -q")
        .ok();
    place
        .rustop("delete webhook --kind Doc --validation --dry-run")
        .says(&["help: rustop delete webhook --group g --kind Doc --version v1alpha1 --validation --dry-run\n"])
        .fails(2);
}
