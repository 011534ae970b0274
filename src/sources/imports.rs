//! The names that a module imports with `use`.

use std::collections::HashMap;

use syn::UseTree;

/// Imported names and their paths.
#[derive(Clone, Debug, Default)]
pub struct Imports {
    /// The segments of each path, by the name in the module.
    names: HashMap<String, Vec<String>>,
    /// The segments of the paths of modules that are imported with `*`.
    globs: Vec<Vec<String>>,
}

impl Imports {
    /// Adds the names of a `use` declaration.
    pub fn add(&mut self, tree: &UseTree) {
        self.add_below(&mut Vec::new(), tree);
    }

    fn add_below(&mut self, above: &mut Vec<String>, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                above.push(word(&path.ident));
                self.add_below(above, &path.tree);
                above.pop();
            }
            UseTree::Name(name) => self.add_name(above, &name.ident, None),
            UseTree::Rename(rename) => self.add_name(above, &rename.ident, Some(&rename.rename)),
            UseTree::Glob(_) => self.globs.push(above.clone()),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_below(above, tree);
                }
            }
        }
    }

    fn add_name(&mut self, above: &[String], ident: &syn::Ident, alias: Option<&syn::Ident>) {
        let mut path = above.to_vec();
        if ident != "self" {
            path.push(word(ident));
        }
        let name = alias.map(word).or_else(|| path.last().cloned());
        if let Some(name) = name {
            self.names.insert(name, path);
        }
    }

    /// Returns the segments of the path of an imported name; `None` if it is not imported, or only
    /// through `*`.
    pub fn get(&self, name: &str) -> Option<&[String]> {
        self.names.get(name).map(Vec::as_slice)
    }

    /// Returns the segments of the paths of the modules that are imported with `*`.
    pub fn globs(&self) -> &[Vec<String>] {
        &self.globs
    }
}

/// Returns an identifier without the prefix `r#`.
pub fn word(ident: &syn::Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#")
        .map_or_else(|| text.clone(), str::to_owned)
}
