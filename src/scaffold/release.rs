//! The templates and the template table of an earlier release, from `templates/releases/`. `rustop
//! upgrade` renders the merge bases with them. Each archive is built from the release's commit: see
//! `templates/releases/README.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

use flate2::read::GzDecoder;
use tar::Archive;

use super::render::{SUFFIX, TABLE, archives, engine, render_rows};
use super::table::{self, RenderedFor, Row};
use crate::project::{self, Part, Project};
use crate::text::sha256;
use crate::tree::{Owner, Tree, is_generated};

/// The directory in an archive that contains all of the archive's files.
const DIRECTORY: &str = "templates/";

/// The file of an archive with the SHA-256 digests of the files of `rustop-manager` that projects
/// of the release vendor, in the format of `sha256sum`. Archives before 0.3.0 do not have it.
const DIGESTS: &str = "vendored.sha256";

/// The state of a file of the vendored `rustop-manager` in a project, compared with the release
/// that wrote it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Vendored {
    /// Identical to the file of the release.
    Unchanged,
    /// Changed by the user.
    Edited,
}

/// An earlier release of rustop, which can render a project as that release did.
pub struct Release {
    rows: Vec<Row>,
    templates: BTreeMap<String, String>,
    /// Before 0.3.0: the directories of the manager's sources, each with a trailing `/`. Those
    /// releases rendered the sources for each project, but the archives do not contain their
    /// templates.
    directories: Vec<String>,
    /// From 0.3.0 on: the SHA-256 digest of each file of a vendored crate, by its path in a
    /// project.
    digests: BTreeMap<String, String>,
}

impl Release {
    /// Returns the versions of the earlier releases whose archives rustop contains, sorted as
    /// strings.
    pub fn versions() -> Vec<&'static str> {
        archives().map(|(version, _)| version).collect()
    }

    /// Returns the release of a version, or `None` if rustop has no archive of it.
    ///
    /// # Panics
    /// Panics if its archive is broken; a test reads every archive.
    pub fn of(version: &str) -> Option<Self> {
        let (_, archive) = archives().find(|(name, _)| *name == version)?;
        Some(Self::read(archive))
    }

    /// Reads the archive of a release, a gzipped tar file.
    ///
    /// # Panics
    /// Panics if the archive is broken, or if its table has an owner, an `each` value or a part
    /// that this rustop does not know.
    pub fn read(archive: &[u8]) -> Self {
        let mut texts = BTreeMap::new();
        let mut archive = Archive::new(GzDecoder::new(archive));
        for entry in archive.entries().expect("an archive") {
            let mut entry = entry.expect("an entry of an archive");
            let path = entry.path().expect("a path").to_string_lossy().into_owned();
            let path = path.strip_prefix(DIRECTORY).map(str::to_owned);
            let mut text = String::new();
            if let (Some(path), true) = (path, entry.header().entry_type().is_file()) {
                entry.read_to_string(&mut text).expect("a text");
                texts.insert(path, text);
            }
        }
        let table = texts.remove(table::FILE).expect("a table of templates");
        let table =
            table::parse(&table).unwrap_or_else(|error| panic!("the table of a release: {error}"));
        let rows = table
            .into_iter()
            .filter(|row| row.rendered_for != RenderedFor::VendoredCrate);
        let (managers, rows): (Vec<_>, Vec<_>) =
            rows.partition(|row| row.rendered_for == RenderedFor::Manager);
        let digests = texts.remove(DIGESTS).unwrap_or_default();
        let digests = digests.lines().filter_map(|line| line.split_once("  "));
        Self {
            digests: digests
                .map(|(digest, path)| (path.to_owned(), digest.to_owned()))
                .collect(),
            rows,
            templates: texts
                .into_iter()
                .filter_map(|(path, text)| Some((path.strip_suffix(SUFFIX)?.to_owned(), text)))
                .collect(),
            directories: managers
                .into_iter()
                .map(|row| format!("{}/", row.template))
                .collect(),
        }
    }

    /// Renders a project as the release did, with `PROJECT`, but without the sources of the
    /// vendored manager.
    pub fn render(&self, project: &Project) -> Tree {
        let templates = self.templates.iter();
        let engine = engine(templates.map(|(path, text)| (path.as_str(), text.as_str())));
        let mut tree = Tree::new(&project.cli_version);
        tree.insert(project::FILE.to_owned(), Owner::Tool, project.to_text());
        render_rows(&mut tree, self.rows.iter(), &engine, project);
        tree
    }

    /// Returns the parts that are optional now, that the release rendered in every project, and of
    /// which the project still has a file. `exists` reports whether the project has a file at a
    /// path.
    pub fn parts_made_optional(&self, exists: impl Fn(&str) -> bool) -> BTreeSet<Part> {
        let was_in_every_project = |template: &str| {
            let mut rows = self.rows.iter();
            rows.any(|row| row.template == template && row.rendered_for == RenderedFor::Project)
        };
        TABLE
            .iter()
            .filter_map(|row| Some((row.template.as_str(), row.rendered_for.part()?)))
            .filter(|(template, _)| was_in_every_project(template) && exists(template))
            .map(|(_, part)| part)
            .collect()
    }

    /// Returns the paths, in any project, of the files of the vendored crate. Empty before 0.3.0.
    pub fn vendored(&self) -> impl Iterator<Item = &str> {
        self.digests.keys().map(String::as_str)
    }

    /// Returns the directories of the manager's sources, each with a trailing `/`. Releases from
    /// 0.3.0 on have none. A file in them without the header of generated files is the user's.
    pub fn directories(&self) -> &[String] {
        &self.directories
    }

    /// Returns the state of a file of a vendored crate, whose text on the disk is `text`, or `None`
    /// if the release did not write it. Before 0.3.0 there are no digests: a file with the header
    /// of generated files counts as unchanged, and a file without it as the user's.
    pub fn state(&self, path: &str, text: &str) -> Option<Vendored> {
        if let Some(digest) = self.digests.get(path) {
            let is_unchanged = *digest == sha256(text);
            return Some(if is_unchanged {
                Vendored::Unchanged
            } else {
                Vendored::Edited
            });
        }
        let mut directories = self.directories.iter();
        let is_inside = directories.any(|directory| path.starts_with(directory));
        (is_inside && is_generated(text)).then_some(Vendored::Unchanged)
    }
}

#[cfg(test)]
#[test]
fn the_archive_of_every_release_is_read() {
    assert!(!Release::versions().is_empty());
    for version in Release::versions() {
        let release = Release::of(version).unwrap();
        assert!(
            !release.rows.is_empty()
                && release.directories.is_empty() != release.digests.is_empty(),
            "{version}"
        );
        for row in &release.rows {
            assert!(
                release.templates.contains_key(&row.template),
                "{version}: {}",
                row.template
            );
        }
    }
}
