//! Finds the item that a path names, and converts types of the source to [`Ty`].

use std::collections::{HashMap, HashSet};

use syn::punctuated::Punctuated;
use syn::{
    GenericArgument, GenericParam, Generics, PathArguments, ReturnType, Token, Type,
    TypeParamBound, WherePredicate,
};

use super::index::{Def, Index, ModuleId, TypeDefinition, type_parameters};
use super::ty::{Ty, ext_path, last_name};
use crate::project::builtin;
use crate::sources::imports::word;

/// The item that a path names.
#[derive(Clone, Debug, PartialEq)]
pub enum ResolvedItem {
    /// An item of this repository.
    Own(Def),
    /// The path of an item of another crate, or a path that cannot be resolved.
    Extern(Vec<String>),
}

/// The namespace of Rust in which a name is looked up: types and modules, or values. A module, a
/// type and a function may share a name.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Want {
    Type,
    Value,
}

/// The meaning of names in a signature or a body.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The module in which names are looked up.
    pub module: ModuleId,
    /// The type of `Self`; `None` outside of an `impl` or a trait.
    pub self_ty: Option<Ty>,
    /// The types of the type parameters, by their names.
    pub parameters: HashMap<String, Ty>,
}

/// Names of kube that are imported with `*`.
const KUBE_NAMES: [&str; 20] = [
    "Api",
    "ApiResource",
    "Client",
    "Controller",
    "CustomResource",
    "DeleteParams",
    "DynamicObject",
    "GroupVersionKind",
    "ListParams",
    "ObjectList",
    "Patch",
    "PatchParams",
    "PostParams",
    "Recorder",
    "ResourceExt",
    "Store",
    "WatchEvent",
    "await_condition",
    "finalizer",
    "watcher",
];

/// Types of other crates that are unwrapped to a type argument: the last one of `Cow`, and the
/// first one of the others.
const TRANSPARENT: [&str; 35] = [
    "Arc",
    "ArcSwap",
    "AssertUnwindSafe",
    "Box",
    "BoxFuture",
    "Cell",
    "Cow",
    "Data",
    "DeserializeGuard",
    "Extension",
    "Guard",
    "Instrumented",
    "JoinHandle",
    "Lazy",
    "LazyCell",
    "LazyLock",
    "LocalBoxFuture",
    "MappedMutexGuard",
    "Mutex",
    "MutexGuard",
    "OnceCell",
    "OnceLock",
    "Option",
    "PartialObjectMeta",
    "Pin",
    "Poll",
    "Rc",
    "RefCell",
    "Result",
    "RwLock",
    "RwLockReadGuard",
    "RwLockWriteGuard",
    "State",
    "Timeout",
    "Weak",
];

/// Types of other crates that are sequences of their last type argument.
const SEQUENCES: [&str; 11] = [
    "BTreeSet",
    "BinaryHeap",
    "BoxStream",
    "FuturesUnordered",
    "HashSet",
    "IndexSet",
    "IntoIter",
    "JoinSet",
    "Receiver",
    "Vec",
    "VecDeque",
];

impl Index<'_> {
    /// Resolves a path as far as it leads through modules. Returns the item and the number of
    /// segments that name it: 2 for `a::Type::new`. A path that cannot be resolved counts as one of
    /// another crate, which all its segments name.
    pub fn find(&self, module: ModuleId, path: &[String], want: Want) -> (ResolvedItem, usize) {
        self.follow(module, path, want, &mut HashSet::new())
            .unwrap_or_else(|| (ResolvedItem::Extern(path.to_vec()), path.len()))
    }

    fn follow(
        &self,
        module: ModuleId,
        path: &[String],
        want: Want,
        seen: &mut HashSet<(ModuleId, Vec<String>, Want)>,
    ) -> Option<(ResolvedItem, usize)> {
        let (first, rest) = path.split_first()?;
        let above = match first.as_str() {
            "crate" | "$crate" => Some(self.crates[self.modules[module].krate].root),
            "self" => Some(self.enclosing_module(module)),
            "super" => self.modules[self.enclosing_module(module)].parent,
            _ => None,
        };
        if let Some(above) = above {
            if rest.is_empty() {
                return Some((ResolvedItem::Own(Def::Module(above)), 1));
            }
            let (found, used) = self.follow(self.enclosing_module(above), rest, want, seen)?;
            return Some((found, used + 1));
        }
        if !seen.insert((module, path.to_vec(), want)) {
            return None;
        }
        let is_last = rest.is_empty();
        let wanted = if is_last { want } else { Want::Type };
        let own = self.item(module, first, wanted, is_last);
        let mut imported = || self.imported(module, first, wanted, seen);
        let found = match own {
            // A function may have the name of its module: `pub mod run; pub use run::run;`.
            Some(Def::Module(_)) if wanted == Want::Value => imported(),
            Some(_) => None,
            None => imported(),
        };
        let found = found.or(own.map(|def| (ResolvedItem::Own(def), 1)));
        let (found, _) = match found {
            Some(found) => found,
            None => self.outside(module, path, want, seen)?,
        };
        match found {
            ResolvedItem::Own(Def::Module(inside)) if !is_last => {
                let (found, used) = self.follow(inside, rest, want, seen)?;
                Some((found, used + 1))
            }
            ResolvedItem::Extern(start) => {
                let path = [&start[..], rest].concat();
                Some((ResolvedItem::Extern(path), rest.len() + 1))
            }
            ResolvedItem::Own(def) => Some((ResolvedItem::Own(def), 1)),
        }
    }

    /// Returns the module itself, or for the items inside of a function, the module around it.
    fn enclosing_module(&self, mut module: ModuleId) -> ModuleId {
        while let (true, Some(parent)) = (self.modules[module].is_body, self.modules[module].parent)
        {
            module = parent;
        }
        module
    }

    fn item(&self, module: ModuleId, name: &str, want: Want, is_last: bool) -> Option<Def> {
        let defs = self.modules[module].items.get(name)?;
        let fits = |def: &&Def| match def {
            Def::Module(_) => want == Want::Type && !is_last,
            Def::Type(_) => want == Want::Type,
            Def::Fn(_) | Def::Const(_) => want == Want::Value,
        };
        let best = defs.iter().rev().find(fits).or(match want {
            // A tuple struct is a value, too, and a module may be the whole path of a `use`.
            Want::Value => defs.iter().find(|def| matches!(def, Def::Type(_))),
            Want::Type => None,
        });
        let module = || defs.iter().find(|def| matches!(def, Def::Module(_)));
        best.or_else(module).copied()
    }

    fn imported(
        &self,
        module: ModuleId,
        name: &str,
        want: Want,
        seen: &mut HashSet<(ModuleId, Vec<String>, Want)>,
    ) -> Option<(ResolvedItem, usize)> {
        let imports = &self.modules[module].imports;
        if let Some(path) = imports.get(name) {
            let is_itself = path.len() == 1 && path[0] == name;
            let found = if is_itself {
                self.library(module, name)
            } else {
                self.follow(module, path, want, seen)
                    .filter(|(_, used)| *used == path.len())
            };
            return found.or_else(|| Some((ResolvedItem::Extern(path.to_vec()), 1)));
        }
        imports.globs().iter().find_map(|path| {
            let found = self.follow(module, path, Want::Type, seen);
            match found.map_or_else(|| ResolvedItem::Extern(path.clone()), |(found, _)| found) {
                ResolvedItem::Own(Def::Module(inside)) => {
                    self.follow(inside, &[name.to_owned()], want, seen)
                }
                ResolvedItem::Own(Def::Type(id)) => {
                    let TypeDefinition::Enum(item) = &self.types[id].shape else {
                        return None;
                    };
                    let has = item.variants.iter().any(|variant| variant.ident == name);
                    let names = [path.clone(), vec![name.to_owned()]].concat();
                    has.then_some((ResolvedItem::Extern(names), 1))
                }
                ResolvedItem::Extern(path) => {
                    let full = path.join("::");
                    let is_builtin = builtin::all()
                        .iter()
                        .any(|one| one.kind == name && full.ends_with(one.module));
                    let is_kube = full.starts_with("kube") && KUBE_NAMES.contains(&name);
                    let names = [path, vec![name.to_owned()]].concat();
                    (is_builtin || is_kube).then_some((ResolvedItem::Extern(names), 1))
                }
                ResolvedItem::Own(_) => None,
            }
        })
    }

    /// Looks up the first segment of a path outside of the module.
    fn outside(
        &self,
        module: ModuleId,
        path: &[String],
        want: Want,
        seen: &mut HashSet<(ModuleId, Vec<String>, Want)>,
    ) -> Option<(ResolvedItem, usize)> {
        if self.modules[module].is_body
            && let Some(parent) = self.modules[module].parent
            && let Some(found) = self.follow(
                parent,
                &path[..1],
                if path.len() == 1 { want } else { Want::Type },
                seen,
            )
        {
            return Some(found);
        }
        self.library(module, &path[0])
    }

    fn library(&self, module: ModuleId, name: &str) -> Option<(ResolvedItem, usize)> {
        let krate = *self.crates[self.modules[module].krate]
            .libraries
            .get(name)?;
        Some((ResolvedItem::Own(Def::Module(self.crates[krate].root)), 1))
    }

    /// Converts a type of the source. `scope` is that of the item that contains it.
    pub fn lower(&self, ty: &Type, scope: &Scope) -> Ty {
        self.lower_at(ty, scope, 0)
    }

    fn lower_at(&self, ty: &Type, scope: &Scope, depth: usize) -> Ty {
        /// Maximum nesting of types and aliases; aliases may refer to each other.
        const DEEPEST: usize = 24;
        if depth > DEEPEST {
            return Ty::Unknown;
        }
        let depth = depth + 1;
        match ty {
            Type::Reference(ty) => self.lower_at(&ty.elem, scope, depth),
            Type::Paren(ty) => self.lower_at(&ty.elem, scope, depth),
            Type::Group(ty) => self.lower_at(&ty.elem, scope, depth),
            Type::Ptr(ty) => self.lower_at(&ty.elem, scope, depth),
            Type::Slice(ty) => self.lower_at(&ty.elem, scope, depth).many(),
            Type::Array(ty) => self.lower_at(&ty.elem, scope, depth).many(),
            Type::Tuple(tuple) => {
                let elements = tuple.elems.iter();
                Ty::Tuple(elements.map(|ty| self.lower_at(ty, scope, depth)).collect())
            }
            Type::ImplTrait(ty) => self.bounds(&ty.bounds, scope, depth),
            Type::TraitObject(ty) => self.bounds(&ty.bounds, scope, depth),
            Type::FnPtr(ty) => self.output(&ty.output, scope, depth).function(),
            Type::Path(ty) => match &ty.qself {
                Some(qself) => {
                    let base = self.lower_at(&qself.ty, scope, depth);
                    let name = ty.path.segments.last().map(|last| word(&last.ident));
                    Ty::Assoc(Box::new(base), name.unwrap_or_default())
                }
                None => self.lower_path(&ty.path, scope, depth),
            },
            _ => Ty::Unknown,
        }
    }

    fn output(&self, output: &ReturnType, scope: &Scope, depth: usize) -> Ty {
        match output {
            ReturnType::Default => Ty::Tuple(Vec::new()),
            ReturnType::Type(_, ty) => self.lower_at(ty, scope, depth),
        }
    }

    /// Converts the result type of a function.
    pub fn lower_output(&self, output: &ReturnType, scope: &Scope) -> Ty {
        self.output(output, scope, 0)
    }

    fn lower_path(&self, path: &syn::Path, scope: &Scope, depth: usize) -> Ty {
        let names: Vec<_> = path.segments.iter().map(|it| word(&it.ident)).collect();
        let base = match names[0].as_str() {
            "Self" => scope.self_ty.clone(),
            name if path.leading_colon.is_none() => scope.parameters.get(name).cloned(),
            _ => None,
        };
        if let Some(mut ty) = base {
            for name in &names[1..] {
                ty = Ty::Assoc(Box::new(ty), name.clone());
            }
            return ty;
        }
        let (found, used) = self.find(scope.module, &names, Want::Type);
        let arguments = |at: usize| {
            let segment = path.segments.iter().nth(at);
            segment.map_or_else(Vec::new, |it| {
                self.lower_arguments(&it.arguments, scope, depth)
            })
        };
        match found {
            ResolvedItem::Own(Def::Type(id)) => {
                let arguments = arguments(used - 1);
                if let TypeDefinition::Alias(target) = &self.types[id].shape {
                    let mut inner = Scope {
                        module: self.types[id].module,
                        self_ty: None,
                        parameters: HashMap::new(),
                    };
                    let generics = self.types[id]
                        .generics
                        .into_iter()
                        .flat_map(type_parameters);
                    for (at, parameter) in generics.enumerate() {
                        let given = arguments.get(at).cloned();
                        let ty = given.unwrap_or(Ty::Unknown);
                        inner.parameters.insert(word(&parameter.ident), ty);
                    }
                    return self.lower_at(target, &inner, depth);
                }
                let mut ty = if matches!(self.types[id].shape, TypeDefinition::Trait(_)) {
                    Ty::Dyn(id, arguments)
                } else {
                    Ty::Own(id, arguments)
                };
                for name in names.iter().skip(used) {
                    ty = Ty::Assoc(Box::new(ty), name.clone());
                }
                ty
            }
            ResolvedItem::Extern(path) => ext(&ext_path(&path), arguments(names.len() - 1)),
            ResolvedItem::Own(_) => Ty::Unknown,
        }
    }

    /// Converts the type arguments of a path. `depth` is the nesting so far; 0 for callers outside
    /// of this module.
    pub fn lower_arguments(
        &self,
        arguments: &PathArguments,
        scope: &Scope,
        depth: usize,
    ) -> Vec<Ty> {
        match arguments {
            PathArguments::AngleBracketed(arguments) => {
                self.lower_list(&arguments.args, scope, depth)
            }
            PathArguments::Parenthesized(arguments) => {
                vec![self.output(&arguments.output, scope, depth)]
            }
            PathArguments::None => Vec::new(),
        }
    }

    /// Converts the types among generic arguments. `depth` is that of [`Self::lower_arguments`].
    pub fn lower_list(
        &self,
        arguments: &Punctuated<GenericArgument, Token![,]>,
        scope: &Scope,
        depth: usize,
    ) -> Vec<Ty> {
        let types = arguments.iter().filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(self.lower_at(ty, scope, depth)),
            _ => None,
        });
        types.collect()
    }

    /// Returns what is known about a type that has these bounds.
    fn bounds(
        &self,
        bounds: &Punctuated<TypeParamBound, Token![+]>,
        scope: &Scope,
        depth: usize,
    ) -> Ty {
        let traits = bounds.iter().filter_map(|bound| match bound {
            TypeParamBound::Trait(bound) => Some(&bound.path),
            _ => None,
        });
        let mut best = Ty::Unknown;
        for path in traits {
            let ty = self.bound(path, scope, depth);
            if ty != Ty::Unknown && !matches!(best, Ty::Dyn(..)) {
                best = ty;
            }
        }
        best
    }

    fn bound(&self, path: &syn::Path, scope: &Scope, depth: usize) -> Ty {
        let names: Vec<_> = path.segments.iter().map(|it| word(&it.ident)).collect();
        let last = path.segments.last();
        let Some(last) = last else {
            return Ty::Unknown;
        };
        let assigned = |wanted: &str| {
            let PathArguments::AngleBracketed(arguments) = &last.arguments else {
                return Ty::Unknown;
            };
            let types = arguments.args.iter().filter_map(|argument| match argument {
                GenericArgument::AssocType(it) if it.ident == wanted => Some(&it.ty),
                _ => None,
            });
            let ty = types.map(|ty| self.lower_at(ty, scope, depth)).next();
            ty.unwrap_or(Ty::Unknown)
        };
        let first = || {
            let arguments = self.lower_arguments(&last.arguments, scope, depth);
            arguments.into_iter().next().unwrap_or(Ty::Unknown)
        };
        match names.last().map(String::as_str) {
            Some("Future") => assigned("Output"),
            Some("TryFuture") => assigned("Ok"),
            Some("Fn" | "FnMut" | "FnOnce") => first().function(),
            Some("Stream" | "Iterator" | "IntoIterator") => assigned("Item").many(),
            Some("TryStream") => assigned("Ok").many(),
            Some("Deref") => assigned("Target"),
            Some("AsRef" | "Borrow" | "Into") => first(),
            _ => match self.find(scope.module, &names, Want::Type).0 {
                ResolvedItem::Own(Def::Type(id))
                    if matches!(self.types[id].shape, TypeDefinition::Trait(_)) =>
                {
                    Ty::Dyn(id, self.lower_arguments(&last.arguments, scope, depth))
                }
                _ => Ty::Unknown,
            },
        }
    }

    /// Returns the type parameters of a function or an `impl` whose bounds determine a type, with
    /// that type: the result of a closure, the output of a future. Parameters with a bound by a
    /// trait of the repository are left out.
    pub fn bounded(&self, generics: &Generics, scope: &Scope) -> Vec<(String, Ty)> {
        let mut found = Vec::new();
        for parameter in &generics.params {
            if let GenericParam::Type(parameter) = parameter {
                let ty = self.bounds(&parameter.bounds, scope, 0);
                found.push((word(&parameter.ident), ty));
            }
        }
        let clauses = generics.where_clause.iter().flat_map(|it| &it.predicates);
        for clause in clauses {
            if let WherePredicate::Type(clause) = clause
                && let Type::Path(path) = &clause.bounded_ty
                && let Some(ident) = path.path.get_ident()
            {
                found.push((word(ident), self.bounds(&clause.bounds, scope, 0)));
            }
        }
        found.retain(|(_, ty)| !matches!(ty, Ty::Unknown | Ty::Dyn(..)));
        found
    }
}

/// Reports whether a type of another crate is unwrapped to a type argument.
pub fn is_transparent(name: &str) -> bool {
    TRANSPARENT.contains(&name)
}

/// Returns the type `path` of another crate, without the wrapper if it is one.
pub fn ext(path: &str, mut arguments: Vec<Ty>) -> Ty {
    let name = last_name(path);
    if !arguments.is_empty() {
        if is_transparent(name) {
            return if name == "Cow" {
                arguments.pop().unwrap_or(Ty::Unknown)
            } else {
                arguments.swap_remove(0)
            };
        }
        if SEQUENCES.contains(&name) {
            return arguments.pop().unwrap_or(Ty::Unknown).many();
        }
        if name.ends_with("Map") && arguments.len() >= 2 {
            arguments.truncate(2);
            return Ty::Ext("Map".to_owned(), arguments);
        }
    }
    Ty::Ext(path.to_owned(), arguments)
}
