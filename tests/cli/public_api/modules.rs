//! The modules of a crate, with their items and what each name in them refers to.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::rc::Rc;

use syn::{Attribute, Item, Visibility};

use super::items::{Notes, is_hidden, is_only_for_tests};
pub use crate::rooms::source::Names;
use crate::rooms::source::{absolute, file_of, imported};

/// The modules of a crate by their paths. Modules that exist only for tests are left out.
pub struct Modules(pub BTreeMap<Names, Module>);

pub struct Module {
    /// The text of the file that contains the module.
    pub text: Rc<str>,
    pub items: Vec<Item>,
    /// True if users can write the path of the module.
    pub is_public: bool,
    /// The attributes of the module and of those that contain it.
    pub notes: Notes,
    pub imports: Vec<Import>,
}

/// One name of a `use` declaration.
pub struct Import {
    pub name: String,
    /// The imported path, from the crate's root if it is in this crate.
    pub path: Names,
    pub is_external: bool,
    pub is_public: bool,
    pub notes: Notes,
}

impl Modules {
    /// Reads the crate whose `lib.rs` is in a directory.
    pub fn read(dir: &Path) -> Self {
        let mut all = Self(BTreeMap::new());
        all.add_file(
            dir,
            Path::new("lib.rs"),
            Names::new(),
            true,
            Notes::default(),
        );
        all
    }

    fn add_file(&mut self, dir: &Path, file: &Path, path: Names, is_public: bool, notes: Notes) {
        let text: Rc<str> = fs::read_to_string(dir.join(file)).unwrap().into();
        let items = syn::parse_file(&text).unwrap().items;
        self.add(dir, file, path, (text, items), is_public, notes);
    }

    fn add(
        &mut self,
        dir: &Path,
        file: &Path,
        path: Names,
        (text, mut items): (Rc<str>, Vec<Item>),
        is_public: bool,
        notes: Notes,
    ) {
        let children = children(&items);
        let mut imports = Vec::new();
        for item in &mut items {
            match item {
                Item::Mod(child) if !is_only_for_tests(&child.attrs) => {
                    let name = child.ident.to_string();
                    let below = [path.clone(), vec![name.clone()]].concat();
                    let is_open = is_public
                        && matches!(child.vis, Visibility::Public(_))
                        && !is_hidden(&child.attrs);
                    let notes = notes.with(&child.attrs);
                    if let Some((_, items)) = child.content.take() {
                        let content = (text.clone(), items);
                        self.add(dir, file, below, content, is_open, notes);
                    } else {
                        let file = file_of(dir, file, &name);
                        self.add_file(dir, &file, below, is_open, notes);
                    }
                }
                Item::Use(import) if !is_only_for_tests(&import.attrs) => {
                    let mut found = Vec::new();
                    imported(&import.tree, &Names::new(), &mut found);
                    for (name, names) in found {
                        let first = names.first().map(String::as_str);
                        let is_external = !first.is_some_and(|first| {
                            ["crate", "self", "super"].contains(&first) || children.contains(first)
                        });
                        imports.push(Import {
                            name,
                            path: if is_external {
                                names
                            } else {
                                absolute(&names, &path)
                            },
                            is_external,
                            is_public: matches!(import.vis, Visibility::Public(_))
                                && !is_hidden(&import.attrs),
                            notes: notes.with(&import.attrs),
                        });
                    }
                }
                _ => {}
            }
        }
        let module = Module {
            text,
            items,
            is_public,
            notes,
            imports,
        };
        self.0.insert(path, module);
    }
    /// Returns the module and the name of the definition that a path from the crate's root leads
    /// to. The name is `None` for a module.
    pub fn definition(&self, path: &[String]) -> Option<(&Names, Option<String>)> {
        let (module, content) = (0..=path.len())
            .rev()
            .find_map(|end| self.0.get_key_value(&path[..end]))?;
        let Some((name, rest)) = path[module.len()..].split_first() else {
            return Some((module, None));
        };
        if !rest.is_empty() {
            return None;
        }
        if content
            .items
            .iter()
            .any(|item| declaration(item).is_some_and(|it| it.name == name))
        {
            return Some((module, Some(name.clone())));
        }
        let import = content.imports.iter().find(|import| import.name == *name)?;
        let inside = !import.is_external && import.path != path;
        inside.then(|| self.definition(&import.path)).flatten()
    }
}

/// Returns the names of the modules among items.
fn children(items: &[Item]) -> BTreeSet<String> {
    items
        .iter()
        .filter_map(|item| match item {
            Item::Mod(child) => Some(child.ident.to_string()),
            _ => None,
        })
        .collect()
}

/// The parts that all definitions have.
pub struct Declaration<'a> {
    pub name: &'a syn::Ident,
    pub attributes: &'a [Attribute],
    pub visibility: &'a Visibility,
}

/// Returns the common parts of a definition, and `None` for an item of another kind, such as an
/// import.
pub fn declaration(item: &Item) -> Option<Declaration<'_>> {
    let (name, attributes, visibility) = match item {
        Item::Const(item) => (&item.ident, &item.attrs, &item.vis),
        Item::Enum(item) => (&item.ident, &item.attrs, &item.vis),
        Item::Fn(item) => (&item.sig.ident, &item.attrs, &item.vis),
        Item::Static(item) => (&item.ident, &item.attrs, &item.vis),
        Item::Struct(item) => (&item.ident, &item.attrs, &item.vis),
        Item::Trait(item) => (&item.ident, &item.attrs, &item.vis),
        Item::Type(item) => (&item.ident, &item.attrs, &item.vis),
        _ => return None,
    };
    Some(Declaration {
        name,
        attributes,
        visibility,
    })
}
