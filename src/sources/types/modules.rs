//! The modules of a crate with their declarations, and the resolution of names in them.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::slice;

use super::definitions::Declared;
use super::parsed::Parsed;
use crate::sources::imports::Imports;

/// A crate of a workspace.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Crate {
    /// The name in `use` declarations.
    pub name: String,
    /// The directory of its sources, relative to the project.
    pub dir: PathBuf,
}

/// The modules of a crate, or of several crates, with their imports. The path of a module begins
/// with the name of its crate if there are several.
#[derive(Debug, Default)]
pub struct Modules {
    imports: HashMap<Vec<String>, Imports>,
    /// The names of the crates; empty if there is only one.
    crates: HashSet<String>,
}

impl Modules {
    /// Collects the modules of the files below `root`. Also returns all declarations, each with its
    /// module.
    pub fn of(root: &Path, files: Vec<Parsed>) -> (Self, Vec<(Vec<String>, Declared)>) {
        Self::default().filled(&|path| module_of(root, path), files)
    }

    /// Collects the modules of several crates.
    pub fn of_crates(crates: &[Crate], files: Vec<Parsed>) -> (Self, Vec<(Vec<String>, Declared)>) {
        let module = |path: &Path| {
            let owners = crates.iter().filter(|it| path.starts_with(&it.dir));
            let owner = owners.max_by_key(|it| it.dir.components().count());
            owner.map_or_else(Vec::new, |it| {
                [vec![it.name.clone()], module_of(&it.dir, path)].concat()
            })
        };
        let modules = Self {
            crates: crates.iter().map(|it| it.name.clone()).collect(),
            ..Self::default()
        };
        modules.filled(&module, files)
    }

    fn filled(
        mut self,
        module_of: &dyn Fn(&Path) -> Vec<String>,
        files: Vec<Parsed>,
    ) -> (Self, Vec<(Vec<String>, Declared)>) {
        let elsewhere = files.iter().flat_map(|file| {
            let above = module_of(&file.path);
            let module = move |name: &String| [&above[..], slice::from_ref(name)].concat();
            let files = file.elsewhere.iter();
            files.map(move |(path, name)| (path.clone(), module(name)))
        });
        let elsewhere: HashMap<_, _> = elsewhere.collect();
        let mut all = Vec::new();
        for file in files {
            let above = elsewhere.get(&file.path).cloned();
            let above = above.unwrap_or_else(|| module_of(&file.path));
            for (inside, module) in file.modules {
                let path = [&above[..], &inside].concat();
                let declared = module.declared.into_iter();
                all.extend(declared.map(|declared| (path.clone(), declared)));
                self.imports.insert(path, module.imports);
            }
        }
        (self, all)
    }

    /// Resolves a name in a module to the index of a type. `types` holds the indices by path.
    pub fn resolve(
        &self,
        module: &[String],
        name: &[String],
        types: &HashMap<String, usize>,
    ) -> Option<usize> {
        self.follow(module, name, types, &mut HashSet::new(), false)
    }

    /// Follows a name. Imports may be circular, so no step is repeated. A name that a glob has made
    /// longer (`in_glob`) is not made longer by another glob of the same module, or the search
    /// would not end.
    fn follow(
        &self,
        module: &[String],
        name: &[String],
        types: &HashMap<String, usize>,
        seen: &mut HashSet<(Vec<String>, Vec<String>)>,
        in_glob: bool,
    ) -> Option<usize> {
        let (first, rest) = name.split_first()?;
        match first.as_str() {
            "crate" => {
                let own = module.len().min(usize::from(!self.crates.is_empty()));
                return self.follow(&module[..own], rest, types, seen, false);
            }
            "self" => return self.follow(module, rest, types, seen, in_glob),
            "super" => return self.follow(module.split_last()?.1, rest, types, seen, false),
            _ => {}
        }
        if !seen.insert((module.to_vec(), name.to_vec())) {
            return None;
        }
        if let Some(number) = types.get(&[module, name].concat().join("::")) {
            return Some(*number);
        }
        let below = [module, slice::from_ref(first)].concat();
        if self.imports.contains_key(&below) && !rest.is_empty() {
            return self.follow(&below, rest, types, seen, false);
        }
        let imports = self.imports.get(module);
        // `use async_trait::async_trait` names the crate, not itself.
        let imported = imports.and_then(|imports| imports.get(first));
        let imported = imported.filter(|path| path.first() != Some(first));
        if let Some(path) = imported {
            return self.follow(module, &[path, rest].concat(), types, seen, in_glob);
        }
        if self.crates.contains(first) && !rest.is_empty() {
            return self.follow(slice::from_ref(first), rest, types, seen, false);
        }
        let leads_away = |path: &&Vec<String>| {
            let first = path.first().map_or("", String::as_str);
            ["crate", "super"].contains(&first) || self.crates.contains(first)
        };
        let mut globs = imports?
            .globs()
            .iter()
            .filter(|path| !in_glob || leads_away(path));
        globs.find_map(|path| self.follow(module, &[path, name].concat(), types, seen, true))
    }
}

/// Returns the module path of a file below `root`: `v1::lolcow` for `v1/lolcow.rs`.
fn module_of(root: &Path, path: &Path) -> Vec<String> {
    let inside = path.strip_prefix(root).unwrap_or(path).with_extension("");
    let parts = inside
        .iter()
        .map(|part| part.to_string_lossy().into_owned());
    let mut module: Vec<_> = parts.collect();
    let is_root = module.len() == 1 && ["lib", "main"].contains(&module[0].as_str());
    if is_root || module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    module
}
