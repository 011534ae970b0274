//! The items of a program: its modules, types, functions and implementations, and those of the
//! libraries in the repository that it is built from.
//!
//! Items that are only compiled for tests are left out. Macros are not expanded here: those of the
//! repository that define items are expanded in the parsed files before.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use syn::{
    Attribute, Block, Expr, Fields, GenericParam, Generics, ImplItem, Item, ItemEnum, ItemMod,
    Meta, Signature, Stmt, TraitItem, Type,
};

use super::call::RequestedResource;
use super::ty::TypeId;
use crate::disk::normal;
use crate::sources::imports::{Imports, word};
use crate::sources::types::attributes::{pairs, text_of};

/// An index of [`Index::modules`].
pub type ModuleId = usize;
/// An index of [`Index::functions`].
pub type FnId = usize;
/// An index of [`Index::impls`].
pub type ImplId = usize;
/// An index of [`Index::consts`].
pub type ConstId = usize;

/// A parsed source file.
pub struct ParsedFile {
    /// The path, relative to the repository.
    pub path: PathBuf,
    pub syntax: syn::File,
}

/// A library or program with the libraries of the repository that it depends on.
#[derive(Debug, Default)]
pub struct Crate {
    /// The module of its root file.
    pub root: ModuleId,
    /// The libraries, as indices of [`Index::crates`], by the names that the code uses for them.
    pub libraries: HashMap<String, usize>,
}

/// The item that a name in a module refers to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Def {
    Module(ModuleId),
    Type(TypeId),
    Fn(FnId),
    Const(ConstId),
}

/// A module, or the body of a function, which can contain items, too.
#[derive(Debug, Default)]
pub struct ModuleScope {
    /// The index of its crate in [`Index::crates`].
    pub krate: usize,
    /// The module that contains it; `None` for the root of a crate.
    pub parent: Option<ModuleId>,
    /// True for the items inside of a function: names that are not found are looked up in the
    /// parent.
    pub is_body: bool,
    /// The items by name. Several items can have one name: a type, a function, and a module.
    pub items: HashMap<String, Vec<Def>>,
    /// The `use` declarations of the module.
    pub imports: Imports,
    /// The index of its file in the files of the [`Builder`].
    pub file: usize,
}

/// A struct, an enum, a type alias, a trait, or a generated type.
pub struct TypeDef<'a> {
    pub name: String,
    pub module: ModuleId,
    /// `None` for a type that `#[derive(CustomResource)]` generates.
    pub generics: Option<&'a Generics>,
    pub shape: TypeDefinition<'a>,
    /// The resource, if objects of the type are stored in the API server.
    pub resource: Option<RequestedResource>,
}

/// The definition of a type.
pub enum TypeDefinition<'a> {
    Struct(&'a Fields),
    Enum(&'a ItemEnum),
    Alias(&'a Type),
    /// The functions of the trait by name.
    Trait(HashMap<String, FnId>),
    /// A type that `#[derive(CustomResource)]` generates, with the types of its spec and its
    /// status.
    Custom {
        spec: TypeId,
        status: Option<Box<Type>>,
    },
}

/// The item that contains a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Owner {
    /// A module: the function is a free one.
    Module,
    Impl(ImplId),
    Trait(TypeId),
}

/// A function or a method.
pub struct FnDef<'a> {
    /// The module in which names are looked up: that of the body if the body contains items.
    pub module: ModuleId,
    /// The `impl`, trait or module that contains the function.
    pub owner: Owner,
    pub sig: &'a Signature,
    /// `None` for a method that a trait only declares.
    pub body: Option<&'a Block>,
}

/// An `impl` block.
pub struct ImplDef<'a> {
    pub module: ModuleId,
    pub generics: &'a Generics,
    pub self_ty: &'a Type,
    /// The trait; `None` for an inherent `impl`.
    pub of_trait: Option<&'a syn::Path>,
    /// The functions that the block contains, by name; those that a trait provides are not here.
    pub functions: HashMap<String, FnId>,
    /// The associated types by name.
    pub types: HashMap<String, &'a Type>,
    pub consts: HashMap<String, &'a Expr>,
}

/// A `const` or `static`.
pub struct ConstDef<'a> {
    pub module: ModuleId,
    pub ty: &'a Type,
    pub value: &'a Expr,
}

/// The items of all crates. IDs are positions in these lists.
#[derive(Default)]
pub struct Index<'a> {
    pub crates: Vec<Crate>,
    pub modules: Vec<ModuleScope>,
    pub types: Vec<TypeDef<'a>>,
    pub functions: Vec<FnDef<'a>>,
    pub impls: Vec<ImplDef<'a>>,
    pub consts: Vec<ConstDef<'a>>,
    /// The functions with a receiver, by name.
    pub methods: HashMap<String, Vec<FnId>>,
    /// Structs whose kind follows from another type: `#[resource(inherit = Pod)]`.
    pub inherits: Vec<(TypeId, Type)>,
}

/// Adds the items of crates to an index.
pub struct Builder<'a> {
    files: &'a [ParsedFile],
    by_path: HashMap<&'a Path, usize>,
    /// The index with the crates that were added. The caller sets the libraries of each crate.
    pub index: Index<'a>,
}

impl<'a> Builder<'a> {
    /// Creates a builder with an empty index. `files` contains the files of all crates.
    pub fn new(files: &'a [ParsedFile]) -> Self {
        let by_path = files.iter().enumerate();
        Self {
            by_path: by_path
                .map(|(at, file)| (file.path.as_path(), at))
                .collect(),
            files,
            index: Index::default(),
        }
    }

    /// Adds a crate by its root file and returns its position in [`Index::crates`]. `None` if the
    /// file is not among the parsed files.
    pub fn add_crate(&mut self, root: &Path) -> Option<usize> {
        let file = *self.by_path.get(root)?;
        let krate = self.index.crates.len();
        self.index.crates.push(Crate::default());
        let root = self.module(krate, None, file, false);
        self.index.crates[krate].root = root;
        let dir = self.files[file]
            .path
            .parent()
            .unwrap_or(Path::new(""))
            .to_owned();
        self.items(
            root,
            &self.files[file].syntax.items,
            &dir,
            &mut HashSet::from([file]),
        );
        Some(krate)
    }

    fn module(
        &mut self,
        krate: usize,
        parent: Option<ModuleId>,
        file: usize,
        is_body: bool,
    ) -> ModuleId {
        self.index.modules.push(ModuleScope {
            krate,
            parent,
            is_body,
            file,
            ..ModuleScope::default()
        });
        self.index.modules.len() - 1
    }

    fn define(&mut self, module: ModuleId, name: String, def: Def) {
        let items = &mut self.index.modules[module].items;
        items.entry(name).or_default().push(def);
    }

    /// Adds items to a module. `dir` is the directory of the files of its submodules. `seen` are
    /// the files above, since `#[path]` could include a file in itself.
    fn items(
        &mut self,
        module: ModuleId,
        items: &'a [Item],
        dir: &Path,
        seen: &mut HashSet<usize>,
    ) {
        for item in items {
            self.item(module, item, dir, seen);
        }
    }

    fn item(&mut self, module: ModuleId, item: &'a Item, dir: &Path, seen: &mut HashSet<usize>) {
        match item {
            Item::Use(item) if !is_test(&item.attrs) => {
                self.index.modules[module].imports.add(&item.tree);
            }
            Item::Mod(item) if !is_test(&item.attrs) => self.submodule(module, item, dir, seen),
            Item::Struct(item) if !is_test(&item.attrs) => {
                let shape = TypeDefinition::Struct(&item.fields);
                let id = self.ty(module, word(&item.ident), Some(&item.generics), shape);
                self.kind(module, id, &item.ident, &item.attrs);
            }
            Item::Enum(item) if !is_test(&item.attrs) => {
                let shape = TypeDefinition::Enum(item);
                let id = self.ty(module, word(&item.ident), Some(&item.generics), shape);
                self.kind(module, id, &item.ident, &item.attrs);
            }
            Item::Type(item) if !is_test(&item.attrs) => {
                let shape = TypeDefinition::Alias(&item.ty);
                self.ty(module, word(&item.ident), Some(&item.generics), shape);
            }
            Item::Trait(item) if !is_test(&item.attrs) => {
                let shape = TypeDefinition::Trait(HashMap::new());
                let id = self.ty(module, word(&item.ident), Some(&item.generics), shape);
                let mut functions = HashMap::new();
                for inner in &item.items {
                    if let TraitItem::Fn(function) = inner {
                        let body = function.default.as_ref();
                        let owner = Owner::Trait(id);
                        let number = self.function(module, owner, &function.sig, body, dir, seen);
                        functions.insert(word(&function.sig.ident), number);
                    }
                }
                self.index.types[id].shape = TypeDefinition::Trait(functions);
            }
            Item::Impl(item) if !is_test(&item.attrs) => {
                self.implementation(module, item, dir, seen);
            }
            Item::Fn(item) if !is_test(&item.attrs) => {
                let body = Some(&*item.block);
                let number = self.function(module, Owner::Module, &item.sig, body, dir, seen);
                self.define(module, word(&item.sig.ident), Def::Fn(number));
            }
            Item::Const(item) if !is_test(&item.attrs) => {
                self.constant(module, &item.ident, &item.ty, &item.expr);
            }
            Item::Static(item) if !is_test(&item.attrs) => {
                self.constant(module, &item.ident, &item.ty, &item.expr);
            }
            _ => {}
        }
    }

    fn constant(&mut self, module: ModuleId, ident: &syn::Ident, ty: &'a Type, value: &'a Expr) {
        let number = self.index.consts.len();
        self.index.consts.push(ConstDef { module, ty, value });
        self.define(module, word(ident), Def::Const(number));
    }

    fn submodule(
        &mut self,
        module: ModuleId,
        item: &'a ItemMod,
        dir: &Path,
        seen: &mut HashSet<usize>,
    ) {
        let name = word(&item.ident);
        let krate = self.index.modules[module].krate;
        let file = self.index.modules[module].file;
        if let Some((_, items)) = &item.content {
            let child = self.module(krate, Some(module), file, false);
            self.define(module, name.clone(), Def::Module(child));
            return self.items(child, items, &dir.join(name), seen);
        }
        let candidates = candidates(item, &self.files[file].path, dir);
        let found = candidates
            .iter()
            .find_map(|path| self.by_path.get(path.as_path()));
        let Some(&found) = found else {
            return;
        };
        if !seen.insert(found) {
            return;
        }
        let child = self.module(krate, Some(module), found, false);
        self.define(module, name.clone(), Def::Module(child));
        let below = directory(&self.files[found].path);
        self.items(child, &self.files[found].syntax.items, &below, seen);
        seen.remove(&found);
    }

    fn ty(
        &mut self,
        module: ModuleId,
        name: String,
        generics: Option<&'a Generics>,
        shape: TypeDefinition<'a>,
    ) -> TypeId {
        let id = self.index.types.len();
        self.index.types.push(TypeDef {
            name: name.clone(),
            module,
            generics,
            shape,
            resource: None,
        });
        self.define(module, name, Def::Type(id));
        id
    }

    /// Adds the type that `#[derive(CustomResource)]` generates next to a spec, if the item has
    /// this derive, and notes `#[resource(inherit = ..)]`.
    fn kind(
        &mut self,
        module: ModuleId,
        spec: TypeId,
        ident: &syn::Ident,
        attributes: &[Attribute],
    ) {
        let inherit = pairs(attributes, "resource");
        if inherit.iter().any(|(name, _)| name == "inherit") {
            let ty = attributes.iter().find_map(inherited);
            self.index.inherits.extend(ty.map(|ty| (spec, ty)));
        }
        let pairs = pairs(attributes, "kube");
        let value = |wanted: &str| pairs.iter().find(|(name, _)| name == wanted)?.1.clone();
        let (Some(group), Some(kind)) = (value("group"), value("kind")) else {
            return;
        };
        let name = value("struct")
            .or_else(|| value("root"))
            .unwrap_or_else(|| kind.clone());
        if *ident == name {
            return;
        }
        let status = value("status")
            .and_then(|status| syn::parse_str(&status).ok())
            .map(Box::new);
        let id = self.ty(module, name, None, TypeDefinition::Custom { spec, status });
        let plural = value("plural").unwrap_or_else(|| plural(&kind.to_lowercase()));
        self.index.types[id].resource = Some(RequestedResource {
            group,
            plural,
            namespaced: Some(pairs.iter().any(|(name, _)| name == "namespaced")),
        });
    }

    fn function(
        &mut self,
        module: ModuleId,
        owner: Owner,
        sig: &'a Signature,
        body: Option<&'a Block>,
        dir: &Path,
        seen: &mut HashSet<usize>,
    ) -> FnId {
        let items = body.into_iter().flat_map(|body| &body.stmts);
        let items: Vec<&Item> = items
            .filter_map(|statement| match statement {
                Stmt::Item(item) => Some(item),
                _ => None,
            })
            .collect();
        let mut inside = module;
        if !items.is_empty() {
            let ModuleScope { krate, file, .. } = self.index.modules[module];
            inside = self.module(krate, Some(module), file, true);
            for item in items {
                self.item(inside, item, dir, seen);
            }
        }
        let id = self.index.functions.len();
        self.index.functions.push(FnDef {
            module: inside,
            owner,
            sig,
            body,
        });
        if sig.receiver().is_some() {
            let methods = &mut self.index.methods;
            methods.entry(word(&sig.ident)).or_default().push(id);
        }
        id
    }

    fn implementation(
        &mut self,
        module: ModuleId,
        item: &'a syn::ItemImpl,
        dir: &Path,
        seen: &mut HashSet<usize>,
    ) {
        let id = self.index.impls.len();
        self.index.impls.push(ImplDef {
            module,
            generics: &item.generics,
            self_ty: &item.self_ty,
            of_trait: item.trait_.as_ref().map(|(path, _)| path),
            functions: HashMap::new(),
            types: HashMap::new(),
            consts: HashMap::new(),
        });
        for inner in &item.items {
            match inner {
                ImplItem::Fn(function) if !is_test(&function.attrs) => {
                    let body = Some(&function.block);
                    let owner = Owner::Impl(id);
                    let number = self.function(module, owner, &function.sig, body, dir, seen);
                    let functions = &mut self.index.impls[id].functions;
                    functions.insert(word(&function.sig.ident), number);
                }
                ImplItem::Type(item) => {
                    let types = &mut self.index.impls[id].types;
                    types.insert(word(&item.ident), &item.ty);
                }
                ImplItem::Const(item) => {
                    let consts = &mut self.index.impls[id].consts;
                    consts.insert(word(&item.ident), &item.expr);
                }
                _ => {}
            }
        }
    }
}

/// Returns the files that may contain a module which is declared in `file`. `dir` is the directory
/// of the submodules.
fn candidates(item: &ItemMod, file: &Path, dir: &Path) -> Vec<PathBuf> {
    let elsewhere = item.attrs.iter().find_map(|attribute| {
        let pair = attribute.meta.require_name_value().ok()?;
        pair.path.is_ident("path").then(|| text_of(&pair.value))?
    });
    if let Some(path) = elsewhere {
        let here = file.parent().unwrap_or(Path::new(""));
        return vec![normal(&here.join(path))];
    }
    let name = word(&item.ident);
    vec![
        dir.join(format!("{name}.rs")),
        dir.join(name).join("mod.rs"),
    ]
}

/// Returns the directory with the submodules of a file that is not a crate root.
pub fn directory(file: &Path) -> PathBuf {
    if file.file_name().is_some_and(|name| name == "mod.rs") {
        file.parent().unwrap_or(Path::new("")).to_owned()
    } else {
        file.with_extension("")
    }
}

/// Returns the files of the modules that `items` of a file declare, as candidates for each module:
/// `a.rs` and `a/mod.rs`. `dir` is the directory of the submodules. Modules that are only compiled
/// for tests are left out.
pub fn submodules(items: &[Item], file: &Path, dir: &Path) -> Vec<Vec<PathBuf>> {
    let mut found = Vec::new();
    for item in items {
        let Item::Mod(item) = item else { continue };
        if is_test(&item.attrs) {
            continue;
        }
        match &item.content {
            Some((_, items)) => {
                found.extend(submodules(items, file, &dir.join(word(&item.ident))));
            }
            None => found.push(candidates(item, file, dir)),
        }
    }
    found
}

/// Returns the type parameters, in their order.
pub fn type_parameters(generics: &Generics) -> impl Iterator<Item = &syn::TypeParam> {
    generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            GenericParam::Type(parameter) => Some(parameter),
            _ => None,
        })
}

/// Returns the type of `#[resource(inherit = Pod)]`.
fn inherited(attribute: &Attribute) -> Option<Type> {
    let Meta::List(list) = &attribute.meta else {
        return None;
    };
    if !list.path.is_ident("resource") {
        return None;
    }
    let mut found = None;
    let _ = list.parse_nested_meta(|meta| {
        if meta.path.is_ident("inherit") {
            found = Some(meta.value()?.parse::<Type>()?);
        }
        Ok(())
    });
    found
}

/// Returns true if an item is only compiled for tests: `#[cfg(test)]`, `#[cfg(all(test, ..))]`,
/// `#[test]`.
pub fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("cfg") => list
            .parse_args::<Meta>()
            .is_ok_and(|condition| needs_test(&condition)),
        _ => false,
    })
}

fn needs_test(condition: &Meta) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => {
            let parser = syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated;
            let Ok(inner) = list.parse_args_with(parser) else {
                return false;
            };
            if list.path.is_ident("all") {
                inner.iter().any(needs_test)
            } else if list.path.is_ident("any") {
                inner.iter().any(needs_test)
                    && inner.iter().all(|one| needs_test(one) || is_feature(one))
            } else {
                false
            }
        }
        Meta::NameValue(_) => false,
    }
}

/// Returns true for a feature that by its name exists for tests: `any(test, feature =
/// "test-util")`.
fn is_feature(condition: &Meta) -> bool {
    let Meta::NameValue(pair) = condition else {
        return false;
    };
    let text = text_of(&pair.value).unwrap_or_default();
    pair.path.is_ident("feature") && (text.contains("test") || text.contains("mock"))
}

/// Returns the plural that kube derives from a kind in lower case.
pub fn plural(word: &str) -> String {
    let is_hissing = ["s", "x", "z", "ch", "sh"]
        .iter()
        .any(|end| word.ends_with(end));
    if is_hissing {
        return format!("{word}es");
    }
    match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{word}s"),
    }
}
