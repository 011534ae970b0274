//! The files of a project's Helm chart that are generated from `config/`.

use std::io::Write as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use walkdir::WalkDir;

use super::Result;
use crate::chart::{self, Chart, Files};
use crate::crd;
use crate::disk;
use crate::error::Io;
use crate::project::naming::Naming;
use crate::project::{Part, Project};
use crate::scaffold;
use crate::tree::{Owner, Tree, is_generated};

/// The size limit of a Secret's data, in bytes. Helm stores a release as one Secret, and the API
/// server rejects larger ones.
const LARGEST_SECRET: usize = 1024 * 1024;

/// Adds the chart's templates, generated from `config/`, to a tree that contains `config/`. User
/// files in `config/` are read from the disk. Returns warnings: one about manifests in `config/`
/// that the chart leaves out, and one if the release is too large for Helm.
///
/// # Errors
/// Returns an error if a file cannot be read or parsed.
pub fn add(root: &Path, project: &Project, tree: &mut Tree) -> Result<Vec<String>> {
    let Some(name) = &project.chart else {
        return Ok(Vec::new());
    };
    let mut config = config(root, tree)?;
    config.extend(switched_by_values(project));
    let chart = Chart {
        name,
        project: &project.project_name,
        naming: &Naming::of(root, project),
        namespaced: project.namespaced,
    };
    for (path, text) in chart.templates(&config)? {
        tree.insert(path, Owner::Tool, text);
    }
    let directory = chart::directory(name);
    let mut notes = Vec::new();
    let left_out = left_out(root, tree)?;
    if !left_out.is_empty() {
        notes.push(format!(
            "the chart does not contain {}: add the files that a release needs to {directory}/templates/",
            left_out.join(", ")
        ));
    }
    let all = tree.iter().filter(|(path, _)| path.starts_with(&directory));
    let texts: Vec<_> = all.map(|(_, file)| file.text.as_str()).collect();
    // A release stores each file in base64 and rendered, and all of it in base64 again: less than
    // four bytes per byte, even without compression.
    let is_small = texts.iter().map(|text| text.len()).sum::<usize>() * 4 <= LARGEST_SECRET;
    let stored = if is_small { 0 } else { stored(&texts) };
    if stored > LARGEST_SECRET {
        notes.push(format!(
            "Helm cannot install the chart {name}: it would store a release in a Secret of about {} KiB, and the API server \
             accepts {} KiB; shorten the descriptions in its CRDs",
            stored / 1024,
            LARGEST_SECRET / 1024
        ));
    }
    Ok(notes)
}

/// Returns the files of `config/` that the chart contains even if the project lacks the part that
/// they belong to. Values enable them.
fn switched_by_values(project: &Project) -> Files {
    let parts = [Part::NetworkPolicy, Part::Prometheus];
    let missing = |part: &Part| !project.parts.contains(part);
    let mut all = project.clone();
    all.parts = parts.into_iter().filter(missing).collect();
    if all.parts.is_empty() {
        return Files::new();
    }
    let directories: Vec<_> = all.parts.iter().filter_map(|it| it.directory()).collect();
    scaffold::render(&all)
        .iter()
        .filter(|(path, _)| directories.iter().any(|dir| path.starts_with(dir)))
        .map(|(path, file)| (path.to_owned(), file.text.clone()))
        .collect()
}

/// Returns the manifests below `config/` that the user has added. The chart only contains those
/// that rustop has written.
///
/// # Errors
/// Returns an error if the directory cannot be read.
fn left_out(root: &Path, tree: &Tree) -> Result<Vec<String>> {
    let mut all = files(root, "config")?;
    all.retain(|path| {
        let is_manifest = [".yaml", ".yml"]
            .iter()
            .any(|ending| path.ends_with(ending));
        let is_kustomization = path.ends_with("/kustomization.yaml");
        let is_crd = path.starts_with(crd::DIRECTORY);
        is_manifest && !is_kustomization && !is_crd && tree.get(path).is_none()
    });
    Ok(all)
}

/// Returns the approximate number of bytes that Helm stores for a release: the files in base64 and
/// the rendered files, compressed with gzip and encoded in base64.
fn stored(texts: &[&str]) -> usize {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    for text in texts {
        let encoded = BASE64.encode(text);
        // Writing to memory does not fail.
        let _ = gzip.write_all(encoded.as_bytes());
        let _ = gzip.write_all(text.as_bytes());
    }
    gzip.finish().unwrap_or_default().len().div_ceil(3) * 4
}

/// Returns the files of `config/` in a tree. User files are read from the disk, and are left out if
/// they do not exist.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub fn config(root: &Path, tree: &Tree) -> Result<Files> {
    let mut config = Files::new();
    for (path, file) in tree.iter().filter(|(path, _)| path.starts_with("config/")) {
        let text = match file.owner {
            Owner::Tool => Some(file.text.clone()),
            Owner::User => disk::read(&root.join(path))?,
        };
        config.extend(text.map(|text| (path.to_owned(), text)));
    }
    Ok(config)
}

/// Returns the generated templates of the chart that are on the disk.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub fn files_on_disk(root: &Path, project: &Project) -> Result<Files> {
    let mut found = Files::new();
    let Some(name) = &project.chart else {
        return Ok(found);
    };
    let is_template = |path: &String| {
        let mut endings = [".tpl", ".yaml"].iter();
        path.contains("/templates/") && endings.any(|ending| path.ends_with(ending))
    };
    let all = files(root, &chart::directory(name))?;
    for path in all.into_iter().filter(is_template) {
        if let Some(text) = disk::read(&root.join(&path))?
            && is_generated(&text)
        {
            found.insert(path, text);
        }
    }
    Ok(found)
}

/// Returns the paths of all files below a directory of the project, relative to `root`. Empty if
/// the directory does not exist.
///
/// # Errors
/// Returns an error if the directory cannot be read.
pub fn files(root: &Path, dir: &str) -> Result<Vec<String>> {
    let dir = root.join(dir);
    let mut files = Vec::new();
    if !dir.exists() {
        return Ok(files);
    }
    for entry in WalkDir::new(&dir).sort_by_file_name() {
        let entry = entry.map_err(|error| Io::on("read", &dir)(error.into()))?;
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(root).unwrap_or(entry.path());
            files.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns text in which a compressor finds no pattern.
    fn noise(length: usize) -> String {
        let mut state = 1_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            char::from(b'!' + u8::try_from(state % 90).unwrap())
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn the_size_of_a_release_is_that_of_its_secret() {
        let once = stored(&[&noise(300_000)]);
        assert!((700_000..1_000_000).contains(&once), "{once}");
        assert!(stored(&[&"a".repeat(3_000_000)]) < 50_000);
    }
}
