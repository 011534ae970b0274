//! What the `use` lines of a module make of a name.

use std::collections::HashMap;

use syn::UseTree;

/// Names, and the paths that they stand for.
#[derive(Clone, Debug, Default)]
pub struct Imports {
    names: HashMap<String, Vec<String>>,
    /// The modules of which all names are taken.
    globs: Vec<Vec<String>>,
}

impl Imports {
    /// Adds what a `use` says.
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

    /// The path that a name stands for.
    pub fn get(&self, name: &str) -> Option<&[String]> {
        self.names.get(name).map(Vec::as_slice)
    }

    /// The modules of which all names are taken.
    pub fn globs(&self) -> &[Vec<String>] {
        &self.globs
    }
}

/// An identifier as it is compared: `r#type` is `type`.
pub fn word(ident: &syn::Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#")
        .map_or_else(|| text.clone(), str::to_owned)
}
