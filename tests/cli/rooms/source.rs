//! A crate as its modules, and the paths that they name.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{Attribute, Item, UseTree, Visibility};

use super::Imports;

/// The segments of a path.
pub type Names = Vec<String>;

/// The modules of a crate by their paths.
pub struct Crate(BTreeMap<Names, Module>);

struct Module {
    /// The file, relative to the crate.
    file: String,
    /// The names that the module re-exports, each with its path.
    handed_on: BTreeMap<String, Names>,
    /// The paths that it names: whole, or from one of its own modules on.
    paths: Vec<Names>,
}

impl Crate {
    /// Reads the crate in `root` from its first file on.
    pub fn read(root: &Path, first: &str) -> Self {
        let mut all = Self(BTreeMap::new());
        all.add(root, Path::new(first), Vec::new());
        all
    }

    fn add(&mut self, root: &Path, file: &Path, path: Names) {
        let text = fs::read_to_string(root.join(file)).unwrap();
        let parsed = syn::parse_file(&text).unwrap();
        let mut module = Module {
            file: file.display().to_string(),
            handed_on: BTreeMap::new(),
            paths: Vec::new(),
        };
        for item in &parsed.items {
            match item {
                Item::Mod(child) if child.content.is_none() && !is_for_tests(&child.attrs) => {
                    let name = child.ident.to_string();
                    let below = [path.clone(), vec![name.clone()]].concat();
                    self.add(root, &file_of(root, file, &name), below);
                }
                Item::Use(import) if !is_for_tests(&import.attrs) => {
                    let mut found = Vec::new();
                    imported(&import.tree, &Vec::new(), &mut found);
                    for (name, names) in found {
                        let whole = absolute(&names, &path);
                        if matches!(import.vis, Visibility::Inherited) {
                            module.paths.push(whole.clone());
                        }
                        module.handed_on.insert(name, whole);
                    }
                }
                _ => {}
            }
        }
        let mut named = Vec::new();
        in_code(text.parse().unwrap(), &mut named);
        let is_child = |first: &str| {
            let mut items = parsed.items.iter();
            items.any(|item| matches!(item, Item::Mod(child) if child.ident == first))
        };
        for names in named {
            if ["crate", "super", "self"].contains(&names[0].as_str()) || is_child(&names[0]) {
                module.paths.push(absolute(&names, &path));
            }
        }
        self.0.insert(path, module);
    }

    /// Returns the imports between top-level modules. The crate root is not a module of its own.
    pub fn rooms(&self) -> Imports {
        self.imports(|path| path.first().cloned())
    }

    /// Returns the imports between files.
    pub fn files(&self) -> Imports {
        self.imports(|path| Some(self.0[path].file.clone()))
    }

    /// Returns the imports between the parts of the crate that `part` derives from names.
    fn imports(&self, part: impl Fn(&Names) -> Option<String>) -> Imports {
        let mut imports = Imports::new();
        for (path, module) in &self.0 {
            for names in &module.paths {
                let Some(to) = self.origin(names, 0) else {
                    continue;
                };
                let (Some(from), Some(to)) = (part(path), part(to)) else {
                    continue;
                };
                if from != to {
                    let name = names.last().unwrap().clone();
                    imports.entry((from, to)).or_default().insert(name);
                }
            }
        }
        imports
    }

    /// Returns the module that defines the item at a path, through all re-exports.
    fn origin(&self, names: &[String], depth: usize) -> Option<&Names> {
        let mut within = (0..=names.len()).rev().map(|end| &names[..end]);
        let (path, module) = within.find_map(|part| self.0.get_key_value(part))?;
        let next = names.get(path.len());
        let handed_on = next.and_then(|name| module.handed_on.get(name));
        match handed_on {
            Some(whole) if depth < 9 && is_of(whole, &self.0) => {
                let whole = [whole, &names[path.len() + 1..]].concat();
                self.origin(&whole, depth + 1)
            }
            _ => Some(path),
        }
    }
}

/// Returns true if a path leads into the crate.
fn is_of(names: &Names, modules: &BTreeMap<Names, Module>) -> bool {
    names
        .first()
        .is_some_and(|first| modules.contains_key(&vec![first.clone()]))
}

pub fn file_of(root: &Path, parent: &Path, name: &str) -> PathBuf {
    let stem = parent.file_stem().unwrap();
    let dir = parent.parent().unwrap();
    let dir = if ["main", "lib", "mod"].contains(&stem.to_str().unwrap()) {
        dir.to_owned()
    } else {
        dir.join(stem)
    };
    let file = dir.join(format!("{name}.rs"));
    if root.join(&file).is_file() {
        file
    } else {
        dir.join(name).join("mod.rs")
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    let tests = |attribute: &Attribute| {
        let list = attribute.meta.require_list();
        let is_test = list.is_ok_and(|list| list.tokens.to_string() == "test");
        attribute.path().is_ident("cfg") && is_test
    };
    attributes.iter().any(tests)
}

/// From the crate's root, where a path begins with `crate`, `super`, `self` or a module of `path`.
pub fn absolute(names: &[String], path: &Names) -> Names {
    let mut whole = path.clone();
    for (at, name) in names.iter().enumerate() {
        match name.as_str() {
            "crate" => whole.clear(),
            "self" => {}
            "super" => drop(whole.pop()),
            _ => {
                whole.extend_from_slice(&names[at..]);
                break;
            }
        }
    }
    whole
}

/// The names that a `use` brings in, and the paths behind them.
pub fn imported(tree: &UseTree, before: &Names, found: &mut Vec<(String, Names)>) {
    let with = |name: &syn::Ident| [before.clone(), vec![name.to_string()]].concat();
    match tree {
        UseTree::Path(path) => imported(&path.tree, &with(&path.ident), found),
        UseTree::Name(name) if name.ident == "self" => {
            found.push((before.last().unwrap().clone(), before.clone()));
        }
        UseTree::Name(name) => found.push((name.ident.to_string(), with(&name.ident))),
        UseTree::Rename(name) => found.push((name.rename.to_string(), with(&name.ident))),
        UseTree::Glob(_) => found.push(("*".to_owned(), before.clone())),
        UseTree::Group(group) => {
            for tree in &group.items {
                imported(tree, before, found);
            }
        }
    }
}

/// A part of the code that the check ignores.
#[derive(Clone, Copy, PartialEq)]
enum Skipped {
    /// An import: it ends at its semicolon.
    Use,
    /// An item for tests only. It ends with its braces, if it has any.
    Test,
}

/// The paths of two names and more in code, but for those that are left out.
fn in_code(tokens: TokenStream, found: &mut Vec<Names>) {
    let mut path: Names = Vec::new();
    let mut colons = 0;
    let mut skipped = None;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if let TokenTree::Punct(colon) = &token
            && colon.as_char() == ':'
        {
            colons += 1;
            continue;
        }
        if !(matches!(token, TokenTree::Ident(_)) && colons == 2) {
            found.extend(Some(std::mem::take(&mut path)).filter(|path| path.len() > 1));
        }
        colons = 0;
        match token {
            TokenTree::Ident(ident) if ident == "use" => skipped = Some(Skipped::Use),
            TokenTree::Ident(ident) if skipped.is_none() => path.push(ident.to_string()),
            TokenTree::Punct(punct) if punct.as_char() == ';' => skipped = None,
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                if let Some(TokenTree::Group(attribute)) = tokens.peek()
                    && attribute.to_string().replace(' ', "") == "[cfg(test)]"
                {
                    skipped = Some(Skipped::Test);
                }
            }
            TokenTree::Group(group) => {
                if skipped.is_none() {
                    in_code(group.stream(), found);
                }
                if skipped == Some(Skipped::Test) && group.delimiter() == Delimiter::Brace {
                    skipped = None;
                }
            }
            _ => {}
        }
    }
    found.extend(Some(path).filter(|path| path.len() > 1));
}
