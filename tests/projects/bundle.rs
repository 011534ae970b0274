//! The OLM bundle, by the operator framework's own validation library.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::story::{golden, rustop, tree};
use crate::support::{Ran, run};
use crate::tool;

/// Copies a golden project, with a bundle. Nothing needs to be built, since its manifests exist.
fn bundled(name: &str, dir: &Path) {
    for (path, text) in tree(&golden(name)) {
        let path = dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    if !dir.join("bundle").exists() {
        let ran = rustop(dir, &["create", "bundle"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
}

fn validate(dir: &Path) -> Ran {
    let program = tool::go("bundle/validate", "rustop.invalid/validate");
    run(Command::new(program).arg(dir.join("bundle")))
}

/// Rules name no version of an API, and the validator takes events.k8s.io for its v1beta1, which is
/// gone.
fn is_mistaken(line: &str) -> bool {
    line.starts_with("warning: ") && line.contains("Migrate the API(s) for events: ([")
}

#[test]
fn the_validators_find_nothing_in_it() {
    for name in ["lolcow", "webhooks", "fleet", "namespaced"] {
        let place = tempfile::tempdir().unwrap();
        bundled(name, place.path());
        let ran = validate(place.path());
        let found = ran.stdout.lines().filter(|line| !is_mistaken(line));
        let found: Vec<_> = found.collect();
        assert_eq!((ran.code, found), (Some(0), Vec::new()), "{name}");
    }
}

#[test]
fn they_refuse_one_that_is_broken() {
    let manifests = "bundle/manifests";
    let file = format!("{manifests}/webhooks-operator.clusterserviceversion.yaml");
    for (from, to, says) in [
        (
            "supported: false",
            "supported: true",
            "only AllNamespaces InstallModeType is supported",
        ),
        ("name: webhooks-operator.v0.1.0", "name: A_B", "A_B"),
        (
            "      kind: Lolcow",
            "      kind: Cow",
            "not found in bundle",
        ),
    ] {
        let place = tempfile::tempdir().unwrap();
        bundled("webhooks", place.path());
        let path = place.path().join(&file);
        let good = fs::read_to_string(&path).unwrap();
        assert!(good.contains(from), "{from}");
        fs::write(&path, good.replace(from, to)).unwrap();
        let ran = validate(place.path());
        assert_eq!(ran.code, Some(1), "{from}");
        assert!(ran.stdout.contains(says), "{}", ran.stdout);
    }
}
