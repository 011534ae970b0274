//! The operation of `rustop docs`: the reference of kinds for their users.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;

use super::transition::plan;
use super::{Error, Refusal, Result, Transition, adopted, types};
use crate::adopted::{Config, documents, expanded, is_manifest};
use crate::compat::baseline::{BaselineError, BaselineSource};
use crate::crd::{self, Crd};
use crate::diagnostic::{Problems, report};
use crate::disk;
use crate::manifests;
use crate::project::naming::Naming;
use crate::project::{self, KubernetesVersion, Project};
use crate::rbac::{role_file, roles};
use crate::reference::{self, Format, Input, KubernetesTypes};
use crate::session::Session;
use crate::sources::Sources;
use crate::text::shell_word;
use crate::tree::{Change, Owner, Plan, Tree, is_generated};

/// The directory of a project's samples.
const SAMPLES: &str = "config/samples";

/// An operation that writes the reference.
#[derive(Args, Debug)]
pub struct Docs {
    /// Markup language [default: that of the file's name, otherwise markdown]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// File to write, relative to the project [default: docs/api.md or docs/api.html]
    #[arg(long, value_name = "FILE")]
    pub output_path: Option<String>,
    /// Document the CRDs in these files and directories instead of those of the project
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    pub crds: Vec<PathBuf>,
    /// Files and directories with examples for --crds
    #[arg(long, value_name = "FILE|DIR", num_args = 1.., requires = "crds")]
    pub samples: Vec<PathBuf>,
    /// Document the fields of Kubernetes' own types, too, instead of linking to their reference
    #[arg(long)]
    pub expand: bool,
    /// Write nothing; fail if the file is missing or stale
    #[arg(long, conflicts_with = "dry_run")]
    pub check: bool,
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}

impl Docs {
    /// Writes the reference of the kinds, or checks that it is up to date.
    ///
    /// # Errors
    /// Returns an error if the CRDs cannot be generated or read, if a user file is in the way, or
    /// if `check` finds a stale file.
    pub fn run(&self, session: &Session) -> Result<()> {
        let path = self.path();
        let text = reference::render(&self.input(session)?, self.format(), self.types())?;
        let root = &session.dir;
        let mut before = Tree::default();
        if let Some(text) = generated(root, path)? {
            before.insert(path.to_owned(), Owner::Tool, text);
        }
        let mut after = Tree::default();
        after.insert(path.to_owned(), Owner::Tool, text);
        let plan = plan(root, &before, &after)?;
        if !self.check {
            return Transition::begin(root, session, self.dry_run)?.carry_out(&plan);
        }
        session.report("written", false);
        session.report_each("changes", plan.changes.iter().map(report::change));
        let Some(change) = plan.changes.first() else {
            session
                .terminal
                .status("Checked", format_args!("{path} is up to date"));
            return Ok(());
        };
        Err(reference::Error::StaleDocs {
            difference: first_difference(change),
            path: path.to_owned(),
            command: self.command(),
        }
        .into())
    }

    /// Returns the markup language: the given one, or that of the file's name.
    fn format(&self) -> Format {
        let implied = self.output_path.as_deref().map(Format::of_path);
        self.format.or(implied).unwrap_or_default()
    }

    fn types(&self) -> KubernetesTypes {
        if self.expand {
            KubernetesTypes::Expanded
        } else {
            KubernetesTypes::Linked
        }
    }

    fn path(&self) -> &str {
        let path = self.output_path.as_deref();
        path.unwrap_or_else(|| self.format().path())
    }

    /// Reads the CRDs and everything else that the reference describes: of `--crds`, or of the
    /// project.
    fn input(&self, session: &Session) -> Result<Input> {
        if !self.crds.is_empty() {
            return self.given(session);
        }
        if project::is_adopted(&session.dir) {
            return of_adopted(session);
        }
        let project = Project::load(&session.dir).map_err(|error| match error {
            project::Error::NoProject { dir } => {
                reference::Error::NoProjectToDocument { dir }.into()
            }
            error => Error::from(error),
        })?;
        project.check_version()?;
        let sources = types::sources(&session.dir, &project)?;
        let naming = Naming::of(&session.dir, &project);
        let found = manifests::from_markers(&sources.scan, &project, &naming, false);
        let role = found.map_err(Problems)?.files.remove(roles::FILE);
        let crds = types::crds(session, &project, &sources.types)?;
        if crds.is_empty() {
            return Err(reference::Error::NoKinds.into());
        }
        of_project(&session.dir, &crds, &role.unwrap_or_default(), &sources)
    }

    /// Reads the CRDs and samples that the user has given.
    fn given(&self, session: &Session) -> Result<Input> {
        let mut crds = Vec::new();
        for path in &self.crds {
            if let Some(url) = address(path) {
                return Err(reference::Error::AddressOfCrds { url }.into());
            }
            let full = shown(session, path);
            if !full.exists() {
                let place = format!("`{}`, which does not exist", full.display());
                return Err(reference::Error::NoCrdsIn { place }.into());
            }
            let found =
                BaselineSource::Path(full)
                    .crds(&session.dir)
                    .map_err(|error| match error {
                        BaselineError::NoCrds { place } => {
                            reference::Error::NoCrdsIn { place }.into()
                        }
                        error => Error::from(error),
                    })?;
            crds.extend(found);
        }
        let mut samples = Vec::new();
        for path in &self.samples {
            let full = shown(session, path);
            if !full.exists() {
                return Err(reference::Error::NoSamplesAt { path: full }.into());
            }
            samples.extend(samples_in(&full)?);
        }
        let (crds, differing) = distinct(crds);
        for crd in &crds {
            warn(session, crd);
        }
        for name in differing {
            session.terminal.warning(format_args!(
                "CRDs named `{name}` differ; the reference shows the first one"
            ));
        }
        Ok(Input {
            crds,
            samples,
            ..Input::default()
        })
    }

    /// Returns the command line that writes the file.
    fn command(&self) -> String {
        let mut words = vec!["rustop docs".to_owned()];
        let implied = self.output_path.as_deref().map(Format::of_path);
        if self.format() != implied.unwrap_or_default() {
            words.push(format!("--format {}", self.format().name()));
        }
        if self.expand {
            words.push("--expand".to_owned());
        }
        let paths = |paths: &[PathBuf]| -> Vec<String> {
            let paths = paths.iter().map(|path| path.to_string_lossy().into_owned());
            paths.collect()
        };
        for (flag, values) in [
            ("--crds", paths(&self.crds)),
            ("--samples", paths(&self.samples)),
            ("--output-path", self.output_path.iter().cloned().collect()),
        ] {
            let values = values.iter();
            words.extend(values.map(|value| format!("{flag} {}", shell_word(value))));
        }
        words.join(" ")
    }
}

/// Returns a path of the user, relative to the directory where rustop runs, by which files are
/// named in messages.
fn shown(session: &Session, path: &Path) -> PathBuf {
    let full = session.here.join(path);
    match full.strip_prefix(".") {
        Ok(short) if !short.as_os_str().is_empty() => short.to_owned(),
        _ => full,
    }
}

/// Returns the text of a path that is an address.
fn address(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    let is_address = ["http://", "https://"]
        .iter()
        .any(|it| text.starts_with(it));
    is_address.then(|| text.to_owned())
}

/// Warns about all problems of a CRD that no API server accepts: its reference may be incomplete.
fn warn(session: &Session, crd: &Value) {
    let name = crd["metadata"]["name"].as_str().unwrap_or_default();
    for problem in crd::refusals(crd.clone(), KubernetesVersion::default()) {
        // A problem of the CRD as a whole has no path.
        let problem = format!("{} {}", problem.path, problem.message);
        let problem = problem.trim_start();
        session.terminal.warning(format_args!(
            "the API server would reject the CRD `{name}`: {problem}"
        ));
    }
}

/// Returns the paths and texts of the references that a project has at their default paths.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub fn files_on_disk(root: &Path) -> Result<Vec<(Format, String)>> {
    let mut found = Vec::new();
    for format in Format::ALL {
        if let Some(text) = generated(root, format.path())? {
            found.push((format, text));
        }
    }
    Ok(found)
}

/// Renders each reference that exists at its default path again, and adds it to `tree`, which must
/// already contain the project's role. `rustop manifests` calls it, so that references stay up to
/// date.
///
/// # Errors
/// Returns an error if a file cannot be read, or if a CRD cannot be documented.
pub fn add_to_tree(root: &Path, tree: &mut Tree, crds: &[Crd], sources: &Sources) -> Result<()> {
    let found = files_on_disk(root)?;
    if found.is_empty() || crds.is_empty() {
        return Ok(());
    }
    let role = tree.get(roles::FILE).map_or("", |file| &file.text);
    let input = of_project(root, crds, role, sources)?;
    for (format, text) in found {
        let text = reference::render(&input, format, KubernetesTypes::in_file(&text))?;
        tree.insert(format.path().to_owned(), Owner::Tool, text);
    }
    Ok(())
}

/// Renders the references of an adopted project that exist at their default paths again, and
/// returns the changes. No changes if there are none.
///
/// # Errors
/// Returns an error if a file cannot be read, or if a CRD cannot be documented.
pub fn changes_of_adopted(session: &Session) -> Result<Plan> {
    let found = files_on_disk(&session.dir)?;
    if found.is_empty() {
        return Ok(Plan::default());
    }
    let input = of_adopted(session)?;
    let [mut before, mut after] = [Tree::default(), Tree::default()];
    for (format, text) in found {
        let path = format.path().to_owned();
        let current = reference::render(&input, format, KubernetesTypes::in_file(&text))?;
        after.insert(path.clone(), Owner::Tool, current);
        before.insert(path, Owner::Tool, text);
    }
    plan(&session.dir, &before, &after)
}

/// Returns the text of a file, or `None` if it does not exist or is not generated.
fn generated(root: &Path, path: &str) -> Result<Option<String>> {
    let path = root.join(path);
    if !path.is_file() {
        return Ok(None);
    }
    Ok(disk::read(&path)?.filter(|text| is_generated(text)))
}

/// Returns the input for a project of rustop. `role` is the text of its role file.
fn of_project(root: &Path, crds: &[Crd], role: &str, sources: &Sources) -> Result<Input> {
    let permissions = role_file::read_own(role).map_err(|reason| Refusal::Role {
        path: roles::FILE.to_owned(),
        reason,
    })?;
    Ok(Input {
        crds: crds.iter().map(|crd| crd.json.clone()).collect(),
        samples: samples_in(&root.join(SAMPLES))?,
        permissions,
        conditions: sources.conditions.clone(),
    })
}

fn of_adopted(session: &Session) -> Result<Input> {
    let config = Config::load(&session.dir)?;
    let mut samples = Vec::new();
    for path in expanded(&session.dir, &config.samples) {
        samples.extend(samples_in(&session.dir.join(path))?);
    }
    Ok(Input {
        // `manifests --check` reports copies that differ.
        crds: distinct(adopted::crds(session)?).0,
        samples,
        ..Input::default()
    })
}

/// Returns the first of all CRDs of one name, and the names of those of which a later one differs.
fn distinct(crds: Vec<Value>) -> (Vec<Value>, BTreeSet<String>) {
    let mut distinct: Vec<Value> = Vec::new();
    let mut differing = BTreeSet::new();
    for crd in crds {
        let name = &crd["metadata"]["name"];
        match distinct.iter().find(|it| it["metadata"]["name"] == *name) {
            Some(first) if *first != crd => {
                differing.insert(name.as_str().unwrap_or_default().to_owned());
            }
            Some(_) => {}
            None => distinct.push(crd),
        }
    }
    (distinct, differing)
}

/// Returns the YAML documents in a file, or in the manifests of a directory. A missing directory
/// has none.
///
/// # Errors
/// Returns an error if a file cannot be read, or if a document is not valid YAML.
fn samples_in(path: &Path) -> Result<Vec<String>> {
    let files = if path.is_file() {
        vec![path.to_owned()]
    } else {
        let names = disk::list(path)?;
        names.iter().map(|name| path.join(name)).collect()
    };
    let mut samples = Vec::new();
    for file in files.iter().filter(|file| is_manifest(file)) {
        let text = disk::read(file)?.unwrap_or_default();
        for (line, document) in documents::split(&text) {
            if let Err(error) = serde_yaml::from_str::<Value>(document) {
                // The parser's message quotes the text, which may be a secret.
                let at = error.location().map_or(0, |at| at.line().saturating_sub(1));
                let line = line + usize::try_from(at).unwrap_or_default();
                return Err(reference::Error::BadSample {
                    path: file.clone(),
                    reason: format!("is not valid YAML in line {line}"),
                }
                .into());
            }
            samples.push(document.trim().to_owned());
        }
    }
    Ok(samples)
}

/// Returns the number of the first line that differs, and that line before and after the change.
/// `None` for a new file.
fn first_difference(change: &Change) -> Option<(usize, String)> {
    let [before, after] = [change.before.as_deref()?, change.after.as_deref()?];
    let (mut old, mut new) = (before.lines(), after.lines());
    for number in 1.. {
        let (old, new) = (old.next(), new.next());
        if old != new || old.is_none() {
            let [old, new] = [old.unwrap_or_default(), new.unwrap_or_default()];
            let shown = format!("  - {}\n  + {}", excerpt(old, new), excerpt(new, old));
            return Some((number, shown));
        }
    }
    None
}

/// Returns the part of a line in which it begins to differ from another one.
fn excerpt(line: &str, other: &str) -> String {
    const BEFORE: usize = 30;
    const SHOWN: usize = 120;
    let same = line.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    let start = same.count().saturating_sub(BEFORE);
    let shown: String = line.chars().skip(start).take(SHOWN).collect();
    let [before, after] = [start > 0, line.chars().count() > start + SHOWN]
        .map(|is_cut| if is_cut { "…" } else { "" });
    format!("{before}{shown}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_shown_where_the_lines_differ() {
        let difference = |before: &str, after: &str| {
            first_difference(&Change {
                path: "a".to_owned(),
                before: Some(before.to_owned()),
                after: Some(after.to_owned()),
                edited: false,
            })
        };
        let shown = |number, lines: &str| Some((number, lines.to_owned()));
        assert_eq!(difference("a\nb\n", "a\nc\n"), shown(2, "  - b\n  + c"));
        assert_eq!(difference("a\n", "a\nc\n"), shown(2, "  - \n  + c"));
        let long = "é".repeat(500);
        let (_, lines) = difference(&format!("{long}x{long}"), &long).unwrap();
        assert!(lines.contains(&format!("…{}x{}…", "é".repeat(30), "é".repeat(89))));
        assert!(lines.ends_with(&format!("  + …{}", "é".repeat(30))));
    }
}
