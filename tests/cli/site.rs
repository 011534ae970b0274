//! `.ci/site`, which collects the books of all releases.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A directory with a book and a site.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir(place.book()).unwrap();
        place
    }

    fn book(&self) -> PathBuf {
        self.0.path().join("book")
    }

    fn site(&self, file: &str) -> String {
        fs::read_to_string(self.0.path().join("site").join(file)).unwrap()
    }

    /// Adds a book with this text to the site.
    fn add(&self, version: &str, text: &str) -> Output {
        fs::write(self.book().join("llms.txt"), text).unwrap();
        Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/site"))
            .arg(self.book())
            .arg(self.0.path().join("site"))
            .arg(version)
            .output()
            .unwrap()
    }
}

#[test]
fn each_release_keeps_its_book_and_the_newest_comes_first() {
    let place = Place::new();
    for (version, text) in [("0.9.0", "old"), ("0.10.2", "new"), ("0.9.1", "fixed")] {
        let output = place.add(version, text);
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(place.site("0.9/llms.txt"), "fixed");
    assert_eq!(place.site("0.10/llms.txt"), "new");
    assert_eq!(place.site("llms.txt"), "new");
    let index = place.site("index.html");
    assert!(index.contains("url=0.10/"), "{index}");
    let places = ["0.10/\">", "0.9/\">"].map(|link| index.rfind(link).unwrap());
    assert!(places.is_sorted(), "{index}");
}

#[test]
fn a_release_candidate_replaces_no_book() {
    let place = Place::new();
    place.add("0.3.0", "released");
    let output = place.add("0.3.1-rc.1", "candidate");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(place.site("0.3/llms.txt"), "released");
}
