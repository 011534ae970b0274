//! `rustop create api --from-crd`.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use crate::dsl::Place;
use crate::tls::serve;

/// Returns a project with files of CRDs to import.
fn project() -> Place {
    let place = Place::project();
    place.write("crds.yaml", include_str!("../golden/imported.yaml"));
    place
}

#[test]
fn the_kinds_of_a_file_get_types_and_tests() {
    let place = project();
    place
        .rustop("create api --from-crd crds.yaml")
        .says(&[
            "Created api/src/farm/v1/herd.rs",
            "Created api/src/farm/match_/herd.rs",
            "Created api/tests/crds/farm.example.org_herds.json",
        ])
        .ok();
    for (path, text) in [
        ("PROJECT", "  imported:\n    from: crds.yaml\n    sha256: "),
        ("PROJECT", "  domain: example.org\n  group: farm\n"),
        ("api/src/lib.rs", "pub mod match_ {\n        pub mod herd;"),
        ("api/src/farm/v1alpha1/shepherd.rs", "root = \"Shepherd\""),
        ("api/tests/imported.rs", "::api::farm::match_::herd::crd(),"),
        ("config/samples/farm_v1_herd.yaml", "breed: highland"),
    ] {
        assert!(
            place.read(path).contains(text),
            "{path}: {text}\n{}",
            place.read(path)
        );
    }
    // The same again changes nothing.
    place
        .rustop("create api --from-crd crds.yaml")
        .says(&["The project already has all of it"])
        .unchanged()
        .ok();
}

#[test]
fn one_kind_of_two_groups_is_two_kinds() {
    let place = Place::project();
    place.write("crds.yaml", include_str!("../golden/groups.yaml"));
    place
        .rustop("create api --from-crd crds.yaml -q")
        .says(&["null as"])
        .ok();
    for path in [
        "api/src/stamp/v1/issuer.rs",
        "api/src/stamp_example_com/v1/issuer.rs",
        "src/controllers/stamp_issuer.rs",
        "src/controllers/stamp_example_com_issuer.rs",
        "config/rbac/stamp_example_com_issuer_roles.yaml",
        "config/samples/stamp.example.com_v1_issuer.yaml",
    ] {
        assert!(place.has(path), "{path}");
    }
    // The same again changes nothing, and each kind is found by its group.
    place
        .rustop("create api --from-crd crds.yaml")
        .says(&["The project already has all of it"])
        .unchanged()
        .ok();
    for (group, name) in [
        ("stamp", "stamp_issuer"),
        ("stamp.example.com", "stamp_example_com_issuer"),
    ] {
        place
            .rustop(&format!(
                "create webhook --group {group} --version v1 --kind Issuer --validation -q"
            ))
            .ok();
        assert!(place.has(&format!("src/webhooks/{name}/validation.rs")));
    }
    place
        .rustop("delete api --group stamp.example.com --kind Issuer")
        .says(&["src/controllers/stamp_example_com_issuer.rs"])
        .ok();
    assert!(place.has("api/src/stamp/v1/issuer.rs"));
}

#[test]
fn a_kind_that_is_only_controlled_is_named_after_its_whole_group_as_well() {
    let place = Place::project();
    for domain in ["io", "containo.us"] {
        place
            .rustop(&format!(
                "create api --group traefik.{domain} --version v1 --kind IngressRoute --no-resource -q"
            ))
            .ok();
    }
    assert!(place.has("src/controllers/traefik_ingress_route.rs"));
    assert!(place.has("src/controllers/traefik_containo_us_ingress_route.rs"));
    // A kind of Kubernetes is one of two such kinds as well, whichever comes first.
    for group in ["apps.example.io", "networking.example.io"] {
        let kind = if group.starts_with("apps") {
            "Deployment"
        } else {
            "Ingress"
        };
        place
            .rustop(&format!(
                "create api --group {group} --version v1 --kind {kind} --no-resource -q"
            ))
            .ok();
    }
    for line in [
        "--group apps --kind Deployment",
        "--group networking.k8s.io --kind Ingress",
    ] {
        place
            .rustop(&format!("create api {line} --no-resource -q"))
            .ok();
    }
    for name in [
        "apps_example_io_deployment",
        "apps_deployment",
        "networking_ingress",
        "networking_k8s_io_ingress",
    ] {
        assert!(place.has(&format!("src/controllers/{name}.rs")), "{name}");
    }
}

#[test]
fn a_newer_crd_is_merged_into_what_became_of_the_types() {
    const TYPES: &str = "api/src/farm/v1/herd.rs";
    let place = project();
    place
        .rustop("create api --from-crd crds.yaml -q")
        .says(&["null as"])
        .ok();
    // Unedited types are replaced by those of the newer CRD, and edits elsewhere are kept.
    place.edit(
        TYPES,
        "pub window: Option<Window>,",
        "pub window: Option<Window>, // mine",
    );
    place.edit("crds.yaml", "maximum: 5000", "maximum: 6000");
    place
        .rustop("create api --from-crd crds.yaml -q")
        .says(&["null as"])
        .ok();
    let types = place.read(TYPES);
    assert!(
        types.contains("max = 6000") && types.contains("// mine"),
        "{types}"
    );
    assert!(
        place
            .read("api/tests/crds/farm.example.org_herds.json")
            .contains("6000")
    );
    place
        .rustop("create api --from-crd crds.yaml")
        .says(&["The project already has all of it"])
        .unchanged()
        .ok();
    // A field next to an edited one is updated.
    place.edit(
        TYPES,
        "pub weight: Option<i64>,",
        "pub weight: Option<i64>, // mine",
    );
    let price = "              price:\n";
    let crds = place.read("crds.yaml");
    assert!(crds.contains(price), "{crds}");
    place.edit(
        "crds.yaml",
        price,
        &format!("              prize: {{ type: string }}\n{price}"),
    );
    place
        .rustop("create api --from-crd crds.yaml -q")
        .says(&["null as"])
        .ok();
    let types = place.read(TYPES);
    assert!(
        types.contains("// mine\n\n    #[serde(skip_serializing_if = \"Option::is_none\")]\n    pub prize: Option<String>,"),
        "{types}"
    );
    // The same field edited on both sides is the user's to settle.
    place.edit(TYPES, "max = 6000", "max = 6500");
    place.edit("crds.yaml", "maximum: 6000", "maximum: 7000");
    place
        .rustop("create api --from-crd crds.yaml")
        .says(&[
            "\napi/src/farm/v1/herd.rs:",
            ": `size` of `HerdSpec` is to be\n",
            "range(min = 0, max = 7000)",
            "make these changes by hand",
        ])
        .unchanged()
        .fails(1);
    place.edit(TYPES, "max = 6500", "max = 7000");
    place
        .rustop("create api --from-crd crds.yaml -q")
        .says(&["null as"])
        .ok();
    // A new version of the CRD is added; a removed one is reported and not deleted.
    place.edit("crds.yaml", "- name: match", "- name: v2");
    place
        .rustop("create api --from-crd crds.yaml")
        .says(&[
            "no longer has version match",
            "rustop delete version --group farm --kind Herd --version match",
        ])
        .unchanged()
        .fails(1);
    place
        .rustop("delete version --group farm --kind Herd --version match -q")
        .says(&[])
        .ok();
    place
        .rustop("create api --from-crd crds.yaml -q")
        .says(&["null as"])
        .ok();
    assert!(place.has("api/src/farm/v2/herd.rs") && !place.has("api/src/farm/match_/herd.rs"));
    assert_eq!(place.read("PROJECT").matches("controller: true").count(), 4);
}

#[test]
fn a_kind_is_chosen_and_a_foreign_one_has_no_crd_of_ours() {
    let place = project();
    place
        .rustop("create api --from-crd crds.yaml --kind Wolf --no-resource --no-controller -q")
        .ok();
    assert!(
        place.has("api/src/wild/v1/wolf.rs") && place.has("api/tests/crds/wild.k8s.io_wolves.json")
    );
    assert!(
        !place.has("src/controllers/wild_wolf.rs")
            && !place.has("config/samples/wild_v1_wolf.yaml")
    );
    assert!(!place.read("api/src/lib.rs").contains("wolf::crd()"));
    place
        .rustop("create api --from-crd crds.yaml --kind Bear")
        .says(&["it has Herd, shepherd, Drover, Wolf"])
        .fails(1);
}

#[test]
fn what_is_no_crd_changes_nothing() {
    let place = project();
    place.write("page.html", "<!DOCTYPE html>\n<html></html>\n");
    place.write(
        "half.yaml",
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {group: [\n",
    );
    for (from, says) in [
        ("page.html", "is a web page"),
        ("half.yaml", "cannot be read as YAML or JSON"),
        ("none.yaml", "cannot be read"),
        (
            "api",
            "help: a file is needed there: name one in this directory",
        ),
        ("http://example.org/crd.yaml", "only https:// URLs are read"),
        ("PROJECT", "contains no CustomResourceDefinition"),
    ] {
        place
            .rustop(&format!("create api --from-crd {from}"))
            .says(&[says])
            .unchanged()
            .fails(1);
    }
    let types = "// api/src/farm/v1/herd.rs\n//! Herd of farm.example.org";
    place
        .rustop("create api --from-crd crds.yaml --dry-run")
        .shows(&[types])
        .says(&["Would create api/src/farm/v1/herd.rs"])
        .unchanged()
        .ok();
    place.edit(
        "crds.yaml",
        "                  format: password\n",
        "                  format: password\n                  $ref: '#/x'\n",
    );
    place
        .rustop("create api --from-crd crds.yaml")
        .says(&[
            "v1.spec.words[]: $ref: a CRD has no references",
            "--allow 'v1.spec.words[]'",
        ])
        .unchanged()
        .fails(1);
    place
        .rustop("create api --from-crd crds.yaml --dry-run")
        .shows(&[types])
        .says(&["v1.spec.words[]: $ref: a CRD has no references"])
        .fails(1);
    place
        .rustop(
            "create api --from-crd crds.yaml --allow v1.spec.words[] --allow v1.spec.wrods[] -q",
        )
        .says(&[
            "warning: --allow 'v1.spec.wrods[]': nothing is refused there\n",
            "the Rust type reads null as a missing value: spec.window.to",
        ])
        .ok();
    assert!(
        place
            .read("api/tests/imported.rs")
            .contains("\"v1.spec.words[]\"")
    );
}

/// Each source that gives no CRD has a help that fits it.
#[test]
fn a_source_without_a_crd_has_a_help() {
    let place = project();
    place.write("map.yaml", "kind: ConfigMap\nmetadata: {name: a}\n");
    place.write("empty.yaml", "");
    place.write("page.html", "<!DOCTYPE html>\n<html></html>\n");
    place.write("half.yaml", "kind: CustomResourceDefinition\nspec: [\n");
    place.write(
        "old.yaml",
        "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n",
    );
    place.write("text.txt", "Hello\n");
    fs::write(place.dir().join("latin.yaml"), b"kind: \xff\n").unwrap();
    let prints_one = "help: pass YAML or JSON with a CRD; `kubectl get crds` lists";
    for (from, says) in [
        ("none.yaml", "help: name a file, relative to the project"),
        ("text.txt", prints_one),
        ("map.yaml", prints_one),
        ("empty.yaml", prints_one),
        ("half.yaml", prints_one),
        ("-", prints_one),
        ("latin.yaml", "help: save the file as UTF-8"),
        ("page.html", "help: pass the URL of the file's text"),
        ("old.yaml", "help: convert it first with `kubectl convert`"),
        (
            "crds.yaml --kind Bear",
            "help: name one of them with --kind",
        ),
        (
            "ftp://u:p@example.org/c.yaml",
            "help: if you trust its origin: `curl --fail --location ftp://example.org/c.yaml | rustop create api --from-crd -`",
        ),
        (
            "http://example.org/c.yaml?a&b",
            "`curl --fail --location 'http://example.org/c.yaml?a&b' | rustop create api --from-crd -`",
        ),
        (
            "https://127.0.0.1:1/c.yaml",
            "see what the server answers: `curl --include --location https://127.0.0.1:1/c.yaml`",
        ),
    ] {
        place
            .rustop(&format!("create api --from-crd {from}"))
            .says(&["error: ", says])
            .fails(1);
    }
}

/// Answers every request with a Status of the code 404, as an API server without the object does.
/// The server ends with the process.
fn serve_nothing() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let status = r#"{"kind":"Status","status":"Failure","reason":"NotFound","code":404}"#;
            let length = status.len();
            let _ = stream.read(&mut [0; 4096]);
            let _ = write!(
                stream,
                "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
                 connection: close\r\n\r\n{status}"
            );
        }
    });
    address
}

#[test]
fn a_crd_that_the_cluster_lacks_has_a_help() {
    let place = project();
    let server = serve_nothing();
    let kubeconfig = place.dir().with_file_name("kubeconfig");
    let text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: a\nusers: [{{name: a, user: {{}}}}]\n\
         contexts: [{{name: a, context: {{cluster: a, user: a}}}}]\n\
         clusters: [{{name: a, cluster: {{server: '{server}'}}}}]\n"
    );
    fs::write(&kubeconfig, text).unwrap();
    place
        .rustop("create api --from-crd cluster:cows.farm.org")
        .env("KUBECONFIG", &kubeconfig)
        .says(&[
            &format!("error: the cluster at {server}/ has no CRD cows.farm.org\n"),
            "help: `kubectl get crds` lists the CRDs of the cluster\n",
        ])
        .fails(1);
}

#[test]
fn a_new_kind_is_called_as_the_conventions_ask_for() {
    let place = Place::project();
    place
        .rustop("create api --kind herd")
        .says(&["must be PascalCase", "did you mean `Herd`?"])
        .unchanged()
        .fails(2);
    place
        .rustop("create api --kind Herd --version match")
        .says(&["must read like `v1`"])
        .unchanged()
        .fails(2);
}

/// `CronJob` is what people write, and `shepherd` what the API server takes as well.
#[test]
fn a_kind_in_lower_case_that_was_imported_gets_its_controller_later() {
    let place = Place::project();
    place.write("crds.yaml", include_str!("../golden/imported.yaml"));
    place
        .rustop("create api --from-crd ./crds.yaml --kind shepherd --no-controller -q")
        .ok();
    let controller = "src/controllers/farm_shepherd.rs";
    assert!(!place.has(controller));
    place
        .rustop("create api --group farm --version v1alpha1 --kind shepherd --no-resource -q")
        .ok();
    assert!(place.has(controller));
    place
        .rustop("create api --kind shepherd")
        .says(&["must be PascalCase"])
        .fails(2);
}

#[test]
fn a_type_of_two_kinds_goes_where_its_kind_goes() {
    const DROVER: &str = "api/src/farm/v1alpha1/drover.rs";
    const SHARED: &str = "use super::shepherd::Rule2;\n";
    let place = project();
    for kind in ["shepherd", "Drover"] {
        let command = format!("create api --from-crd crds.yaml --kind {kind} -q");
        place.rustop(&command).ok();
    }
    let drover = place.read(DROVER);
    assert!(drover.contains(SHARED), "{drover}");
    assert!(!drover.contains("pub struct Rule"), "{drover}");
    // The user's text is kept, even in a type that rustop generates.
    place.edit(DROVER, "pub road:", "/// Mine.\n    pub road:");
    place
        .rustop("delete api --group farm --version v1alpha1 --kind shepherd -q")
        .ok();
    let drover = place.read(DROVER);
    assert!(!drover.contains("super::"), "{drover}");
    assert_eq!(drover.matches("pub struct ").count(), 3, "{drover}");
    assert!(drover.contains("/// Mine.\n"), "{drover}");
}

#[test]
fn a_version_of_ones_own_shares_nothing() {
    let place = project();
    place.write(
        "crds.yaml",
        place.read("crds.yaml").replace("example.org", "my.domain"),
    );
    place
        .rustop("create api --from-crd crds.yaml -q")
        .says(&["null as"])
        .ok();
    place
        .rustop("create api --group farm --kind Drover --version v1beta1 -q")
        .ok();
    for version in ["v1alpha1", "v1beta1"] {
        let drover = place.read(&format!("api/src/farm/{version}/drover.rs"));
        assert!(!drover.contains("super::"), "{drover}");
        assert_eq!(drover.matches("pub struct ").count(), 3, "{drover}");
    }
}

#[test]
fn a_crd_that_no_api_server_takes_is_imported_with_a_warning() {
    let place = project();
    let price = "              price:\n";
    let rules = "x-kubernetes-validations: [{ rule: now() == self }]";
    let broken = format!("              prize: {{ type: string, {rules} }}\n{price}");
    place.edit("crds.yaml", price, &broken);
    place
        .rustop("create api --from-crd crds.yaml --kind Herd --no-controller -q")
        .says(&["refuses the CRD", "calls the unknown function `now`"])
        .ok();
}

/// A company's own authority is named in `SSL_CERT_FILE`, as for curl and git.
#[test]
fn a_crd_is_downloaded_from_whom_ssl_cert_file_vouches_for() {
    let (address, certificate) = serve(include_str!("../golden/imported.yaml"));
    let place = Place::project();
    let line = format!("create api --from-crd {address}/crds.yaml --kind Herd");
    place
        .rustop(&line)
        .says(&[
            "certificate",
            "help: name the file with the certificate of its authority",
            "`export SSL_CERT_FILE=FILE`",
        ])
        .fails(1);
    let file = place.dir().with_file_name("ca.pem");
    fs::write(&file, certificate).unwrap();
    place
        .rustop(&line)
        .env("SSL_CERT_FILE", &file)
        .says(&["Created"])
        .ok();
    assert!(place.has("api/src/farm/v1/herd.rs"));
    let missing = format!("{address}/missing");
    place
        .rustop(&format!("create api --from-crd {missing}"))
        .env("SSL_CERT_FILE", &file)
        .says(&[
            &format!("error: {missing} cannot be downloaded: http status: 404\n"),
            &format!("help: correct the URL, or see what the server answers: `curl --include --location {missing}`\n"),
        ])
        .fails(1);
}

/// A rule that nests deeper than a usual stack allows is checked like any other.
#[test]
fn deeply_nested_rules_do_not_end_rustop() {
    let nested = |open: &str, close: &str, times: usize| {
        format!("{}self{} == 'a'", open.repeat(times), close.repeat(times))
    };
    for rule in [
        nested("(", ")", 90),
        nested("(", ")", 500),
        nested("[", "]", 90),
        nested("", ".a", 2000),
    ] {
        let place = Place::project();
        let crd = include_str!("../golden/imported.yaml");
        let text = crd.replacen(
            "              breed:\n",
            &format!("              breed:\n                x-kubernetes-validations: [{{rule: \"{rule}\"}}]\n"),
            1,
        );
        assert_ne!(text, crd);
        place.write("crds.yaml", text);
        let run = place.rustop("create api --from-crd crds.yaml --kind Herd");
        let code = run.code_of();
        assert!(matches!(code, Some(0 | 1)), "{code:?}: {}", &rule[..40]);
    }
}
