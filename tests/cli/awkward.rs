//! Names that mean something elsewhere, all in one project: the story is built by cargo in the
//! tests of whole projects, and read back here.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::dsl::{Place, words};
use crate::hostile::check_formats;

#[test]
fn awkward_names_side_by_side() {
    let place = Place::empty();
    let story = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/awkward.txt");
    let story = fs::read_to_string(story).unwrap();
    for line in story.lines().filter(|line| !line.starts_with('#')) {
        let line = words(line);
        assert_eq!(line[0], "rustop");
        place
            .run(line[1..].iter().map(String::as_str).chain(["-q"]))
            .ok();
    }
    check_formats(&place);
    for sample in place
        .files()
        .iter()
        .filter(|path| path.starts_with("config/samples/") && !path.contains("kustom"))
    {
        let sample: serde_json::Value = serde_yaml::from_str(&place.read(sample)).unwrap();
        assert!(
            sample["kind"].is_string() && sample["apiVersion"].is_string(),
            "{sample}"
        );
    }
    let project: serde_json::Value = serde_yaml::from_str(&place.read("PROJECT")).unwrap();
    let kinds = project["resources"].as_array().unwrap();
    assert!(kinds.iter().all(|kind| kind["kind"].is_string()));
    let registry = place.read("src/controllers/mod.rs");
    let modules: Vec<_> = registry
        .lines()
        .filter(|line| line.starts_with("pub mod "))
        .collect();
    assert_eq!(modules.len(), modules.iter().collect::<BTreeSet<_>>().len());
    assert_eq!(
        modules.len(),
        kinds
            .iter()
            .filter(|kind| kind["controller"] == true)
            .count()
    );
}
