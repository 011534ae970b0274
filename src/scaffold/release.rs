//! What an earlier rustop made of a project: its templates and its table, from `templates/releases/`. Each archive is
//! made of the release's own commit, as `templates/releases/README.md` says.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::LazyLock;

use flate2::read::GzDecoder;
use regex::Regex;
use tar::Archive;

use super::render::{SUFFIX, archives, engine, fill};
use super::table::Each;
use crate::project::{self, Part, Project};
use crate::tree::{Owner, Tree};

/// The table of a release, among its templates.
const TABLE: &str = "src/scaffold/table.rs";

/// A row of a table.
static ROW: LazyLock<Regex> = LazyLock::new(|| {
    let row = r#"row\((User|Tool), Each::(\w+(?:\(\w+::\w+\))?), "([^"]+)"\)"#;
    Regex::new(row).expect("a regular expression")
});

/// An earlier release.
pub struct Release {
    rows: Vec<(Owner, Each, String)>,
    templates: BTreeMap<String, String>,
    /// Directories that were rustop's, with files that were no templates.
    directories: Vec<String>,
}

impl Release {
    /// The versions of all of them, sorted as texts.
    pub fn versions() -> Vec<&'static str> {
        archives().map(|(version, _)| version).collect()
    }

    /// The release of that version; none where it is not known here.
    ///
    /// # Panics
    /// When its archive is broken.
    pub fn of(version: &str) -> Option<Self> {
        let (_, archive) = archives().find(|(name, _)| *name == version)?;
        Some(Self::read(archive))
    }

    fn read(archive: &[u8]) -> Self {
        let mut texts = BTreeMap::new();
        let mut archive = Archive::new(GzDecoder::new(archive));
        for entry in archive.entries().expect("an archive") {
            let mut entry = entry.expect("an entry of an archive");
            let path = entry.path().expect("a path").to_string_lossy().into_owned();
            let mut text = String::new();
            if entry.header().entry_type().is_file() {
                entry.read_to_string(&mut text).expect("a text");
                texts.insert(path, text);
            }
        }
        let table = texts.remove(TABLE).expect("a table of templates");
        let (mut rows, mut directories) = (Vec::new(), Vec::new());
        for row in ROW.captures_iter(&table) {
            let owner = if &row[1] == "User" {
                Owner::User
            } else {
                Owner::Tool
            };
            match each(&row[2]) {
                Some(each) => rows.push((owner, each, row[3].to_owned())),
                None => directories.push(format!("{}/", &row[3])),
            }
        }
        let name = |path: &str| {
            let path = path.strip_prefix("templates/")?;
            Some(path.strip_suffix(SUFFIX)?.to_owned())
        };
        let templates = texts.into_iter();
        Self {
            rows,
            templates: templates
                .filter_map(|(path, text)| Some((name(&path)?, text)))
                .collect(),
            directories,
        }
    }

    /// What the release made of a project.
    pub fn render(&self, project: &Project) -> Tree {
        let templates = self.templates.iter();
        let engine = engine(templates.map(|(path, text)| (path.as_str(), text.as_str())));
        let mut tree = Tree::new(&project.cli_version);
        tree.insert(project::FILE.to_owned(), Owner::Tool, project.to_text());
        let rows = self.rows.iter();
        let rows = rows.map(|(owner, each, template)| (*owner, *each, template.as_str()));
        fill(&mut tree, rows, &engine, project);
        tree
    }

    /// Directories that were rustop's alone, each with a `/` behind it.
    pub fn directories(&self) -> &[String] {
        &self.directories
    }
}

/// What a row is repeated for; none for a directory.
fn each(name: &str) -> Option<Each> {
    Some(match name {
        "Project" => Each::Project,
        "Lock" => Each::Lock,
        "Licensed" => Each::Licensed,
        "Type" => Each::Type,
        "Sample" => Each::Sample,
        "Crd" => Each::Crd,
        "Controller" => Each::Controller,
        "OwnController" => Each::OwnController,
        "Webhooks" => Each::Webhooks,
        "Defaulting" => Each::Defaulting,
        "Validation" => Each::Validation,
        "Converted" => Each::Converted,
        "Conversion" => Each::Conversion,
        _ => {
            let mut parts = Part::ALL.into_iter();
            return parts
                .find(|part| name == format!("Part(Part::{part:?})"))
                .map(Each::Part);
        }
    })
}

#[cfg(test)]
#[test]
fn rows_of_parts_are_read() {
    let table = include_str!("table.rs");
    let rows: Vec<_> = ROW.captures_iter(table).collect();
    let lines = table.lines().filter(|line| line.starts_with("    row("));
    assert_eq!(rows.len(), lines.count());
    for part in Part::ALL {
        let of_part = |row: &regex::Captures<'_>| each(&row[2]) == Some(Each::Part(part));
        assert!(rows.iter().any(of_part), "{part:?}");
    }
}
