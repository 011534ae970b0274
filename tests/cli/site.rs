//! `.ci/site`, which collects the books of all releases, and `.ci/llms`, which prints a book as one
//! text.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use regex::Regex;
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
    let new = "[new](a/b.html#c), [other](https://x.y/z.html)";
    for (version, text) in [("0.9.0", "old"), ("0.10.2", new), ("0.9.1", "fixed")] {
        let output = place.add(version, text);
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(place.site("0.9/llms.txt"), "fixed");
    assert_eq!(place.site("0.10/llms.txt"), new);
    assert_eq!(
        place.site("llms.txt").trim_end(),
        "[new](0.10/a/b.html#c), [other](https://x.y/z.html)"
    );
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

#[test]
fn the_text_of_the_book_begins_with_its_pages_and_links_to_html() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(root.join(".ci/llms"))
        .arg(root.join("docs"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("# rustop\n\n> "), "no title and summary");
    for page in crate::book::pages() {
        let page = page.with_extension("html");
        let entry = format!("]({})\n", page.display());
        assert!(text.contains(&entry), "no {}", page.display());
    }
    let link = Regex::new(r"\]\(([^):#]+)").unwrap();
    let mut links = 0;
    for target in link.captures_iter(&text).map(|found| found[1].to_owned()) {
        // Links out of the book lead to the repository.
        let target = Path::new(&target);
        let is_html = target.extension().is_some_and(|it| it == "html");
        if target.starts_with("..") || !is_html {
            assert!(target.extension().is_none_or(|it| it != "md"), "{target:?}");
            continue;
        }
        links += 1;
        let page = root.join("docs").join(target).with_extension("md");
        assert!(page.is_file(), "{target:?}");
    }
    assert!(links > 200, "{links} links");
}
