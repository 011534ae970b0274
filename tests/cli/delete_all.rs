//! `rustop delete` takes back what `rustop create` has made, whatever came in between.

use std::collections::BTreeMap;

use crate::dsl::{Place, snapshot};
use crate::random::{Random, rounds};

/// The parts of the sequences: the command that creates a thing, and the one that deletes it. A
/// thing after a `>` needs that before it.
const THINGS: [(&str, &str, &str); 15] = [
    ("Cow", "api --kind Cow", "api --kind Cow"),
    (
        "Cow>v1",
        "api --kind Cow --version v1",
        "version --kind Cow --version v1",
    ),
    (
        "Cow>defaulting",
        "webhook --kind Cow --defaulting",
        "webhook --kind Cow --defaulting",
    ),
    (
        "Cow>validation",
        "webhook --kind Cow --validation",
        "webhook --kind Cow --validation",
    ),
    (
        "Cow>v1>conversion",
        "webhook --kind Cow --conversion",
        "webhook --kind Cow --conversion",
    ),
    (
        "Hen",
        "api --group farm --kind Hen --no-controller",
        "api --group farm --kind Hen",
    ),
    (
        "Hen>controller",
        "api --group farm --kind Hen --no-resource",
        "api --group farm --kind Hen --no-resource",
    ),
    (
        "Deployment",
        "api --group apps --kind Deployment --no-resource",
        "api --group apps --kind Deployment",
    ),
    (
        "Pod",
        "webhook --group core --kind Pod --validation",
        "webhook --group core --kind Pod --validation",
    ),
    (
        "Certificate",
        "api --group cert-manager.io --version v1 --kind Certificate --no-resource",
        "api --group cert-manager.io --kind Certificate",
    ),
    (
        "Herd",
        "api --from-crd crds.yaml --kind Herd --no-controller",
        "api --group farm --kind Herd",
    ),
    (
        "Herd>controller",
        "api --group farm.example.org --kind Herd --version v1 --no-resource",
        "api --group farm.example.org --kind Herd --no-resource",
    ),
    (
        "shepherd",
        "api --from-crd crds.yaml --kind shepherd",
        "api --group farm --kind shepherd",
    ),
    // Has types that the one before it has, too.
    (
        "Drover",
        "api --from-crd crds.yaml --kind Drover --no-controller",
        "api --group farm --kind Drover",
    ),
    (
        "Wolf",
        "api --from-crd crds.yaml --kind Wolf --no-resource --no-controller",
        "api --group wild.k8s.io --kind Wolf",
    ),
];

/// Returns a project with a file of CRDs to import.
fn project() -> Place {
    let place = Place::project();
    // Removes the field that causes a warning, because this test expects no output on stderr.
    let crds = include_str!("../golden/imported.yaml");
    let crds = crds.replace("                    nullable: true\n", "");
    place.write("crds.yaml", crds);
    place
}

/// Returns the files with their contents, without empty directories.
fn files(place: &Place) -> BTreeMap<String, String> {
    let mut files = snapshot(place.dir());
    files.retain(|path, _| !path.ends_with('/'));
    files
}

fn create(place: &Place, thing: usize) {
    place.rustop(&format!("create {} -q", THINGS[thing].1)).ok();
}

#[test]
fn what_is_deleted_leaves_the_project_as_if_it_had_never_been() {
    let mut random = Random::seeded();
    for _ in 0..rounds(6) {
        let place = project();
        let mut there: Vec<usize> = Vec::new();
        let mut said = Vec::new();
        for _ in 0..16 {
            let thing = random.below(15) as usize;
            let (name, create_line, delete_line) = THINGS[thing];
            let has = |name: &str, there: &[usize]| there.iter().any(|it| THINGS[*it].0 == name);
            if there.contains(&thing) {
                place
                    .rustop(&format!("delete {delete_line} -q"))
                    .says(&[])
                    .ok();
                said.push(format!("delete {delete_line}"));
                let below = format!("{name}>");
                there.retain(|it| *it != thing && !THINGS[*it].0.starts_with(&below));
            } else if name
                .match_indices('>')
                .all(|(at, _)| has(&name[..at], &there))
            {
                create(&place, thing);
                said.push(format!("create {create_line}"));
                there.push(thing);
            }
        }
        let fresh = project();
        for thing in there {
            create(&fresh, thing);
        }
        let (made, wanted) = (files(&place), files(&fresh));
        let paths = made.keys().chain(wanted.keys());
        let differ = paths.filter(|path| made.get(*path) != wanted.get(*path));
        let differ: Vec<_> = differ.collect();
        assert!(
            differ.is_empty(),
            "{differ:?} after {said:#?}\n{}",
            place.read("PROJECT")
        );
    }
}
