//! The Helm chart of a project: what of it follows from `config/`.

use std::path::Path;

use walkdir::WalkDir;

use super::Result;
use super::left::is_generated;
use crate::chart::{self, Chart, Files};
use crate::disk;
use crate::error::Io;
use crate::project::Project;
use crate::project::naming::Naming;
use crate::tree::{Owner, Tree};

/// Adds the templates that follow from `config/` to a tree that holds it. The files there that are the user's are taken
/// as they are on the disk.
///
/// # Errors
/// When one cannot be read, or makes no sense.
pub fn add(root: &Path, project: &Project, tree: &mut Tree) -> Result<()> {
    let Some(name) = &project.chart else {
        return Ok(());
    };
    let config = config(root, tree)?;
    let chart = Chart {
        name,
        project: &project.project_name,
        naming: &Naming::of(root, project),
        namespaced: project.namespaced,
    };
    for (path, text) in chart.templates(&config)? {
        tree.insert(path, Owner::Tool, text);
    }
    Ok(())
}

/// The files of `config/`: those of the user as they are on the disk.
///
/// # Errors
/// When one cannot be read.
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

/// The templates of the chart that say that they are rustop's.
///
/// # Errors
/// When one cannot be read.
pub fn found(root: &Path, project: &Project) -> Result<Files> {
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

/// All files below a directory of the project, whoever wrote them.
///
/// # Errors
/// When it cannot be read.
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
