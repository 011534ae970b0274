//! The functions that a program reaches, each with the types that it is called with, and the
//! requests found in them.
//!
//! A function with type parameters is read once for each set of types, so that a helper such as
//! `fn apply<K>(api: &Api<K>, object: &K)` sends requests for the kinds of its callers only. A
//! method is looked up by the type that it is called on. If that type is not known, all methods of
//! that name count as called.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::call::{Call, CodeLine, InvalidFile, RequestedResource, UncheckedRequest};
use super::index::{Def, FnId, ImplId, Index, Owner, ParsedFile, TypeDefinition, type_parameters};
use super::kinds;
use super::resolve::{ResolvedItem, Scope, Want};
use super::ty::{Ty, TypeId};
use crate::sources::imports::word;
use crate::sources::macro_rules::Macros;

/// A function with the types that it is called with.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Instance {
    pub function: FnId,
    /// The type that the function is called on; `None` for a function outside of an `impl`.
    pub self_ty: Option<Ty>,
    /// The types of the type parameters, by their names.
    pub parameters: Vec<(String, Ty)>,
    /// The types of arguments that are more precise than the declared ones, by position.
    pub refined: Vec<(usize, Ty)>,
}

/// The type for which methods are implemented, without its type arguments.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum ImplTarget {
    /// A type of the repository.
    Own(TypeId),
    /// A type of another crate, by its path.
    Ext(String),
    /// A resource that is given by an `ApiResource` value and not by a type.
    Resource,
    /// All types, as in `impl<T> Trait for T`.
    Any,
}

/// A request that creates the object if it does not exist: a server-side apply.
#[derive(Clone, Debug)]
pub struct Apply {
    /// The request `create` that the apply needs in addition to `patch`.
    pub call: Call,
    /// The type of the patch if it is a kind. If the program reads such objects and never makes
    /// one, it applies those that it has read, and creates none.
    pub object: Option<ImplTarget>,
    /// False for JSON and for structs with some fields of an object: those change an object that a
    /// controller reconciles.
    pub is_typed: bool,
}

/// A field of a struct of the repository.
pub type StructField = (TypeId, String);

/// The fields that the program fills with clients for its own cluster, and for other clusters.
#[derive(Debug, Default)]
pub struct Clients {
    here: HashSet<StructField>,
    elsewhere: HashSet<StructField>,
}

impl Clients {
    /// Adds a field with the type of its value.
    pub fn add(&mut self, field: StructField, value: &Ty) {
        if value.is_elsewhere() {
            self.elsewhere.insert(field);
        } else {
            self.here.insert(field);
        }
    }

    /// Returns the fields that have clients for other clusters only.
    pub fn elsewhere(&self) -> HashSet<StructField> {
        self.elsewhere.difference(&self.here).cloned().collect()
    }
}

/// The requests of a program.
#[derive(Debug, Default)]
pub struct Sent {
    /// The requests with a known resource.
    pub calls: BTreeSet<Call>,
    /// The requests whose resource or verb is not known.
    pub unknown: BTreeSet<UncheckedRequest>,
    /// Requests to other clusters, with the methods that send them.
    pub elsewhere: BTreeSet<UncheckedRequest>,
    /// The first call of `crd()` of a kind, which programs make that print their CRDs.
    pub crds: Option<CodeLine>,
    /// The names of subcommands that the command line could have.
    pub subcommands: BTreeSet<String>,
    /// The kinds that controllers reconcile.
    pub primary: BTreeSet<RequestedResource>,
    /// The first place that sets `blockOwnerDeletion`.
    pub blocks_deletion: Option<CodeLine>,
    /// The files of the program that cannot be parsed, and why. Their requests are in no other
    /// field.
    pub skipped: Vec<InvalidFile>,
}

/// The state of reading a program.
pub struct Engine<'a> {
    /// The items of the program and of its libraries.
    pub index: &'a Index<'a>,
    /// The files to which the items belong.
    pub files: &'a [ParsedFile],
    /// The macros of the repository.
    pub macros: &'a Macros,
    /// The major and minor version of kube; `None` if it is not known.
    pub kube: Option<(u32, u32)>,
    /// The words of the command line, which choose a subcommand; empty if they are not known.
    pub words: Vec<String>,
    /// The fields that have clients for other clusters only, as far as an earlier reading has found
    /// them.
    pub elsewhere: HashSet<StructField>,
    /// The fields that this reading has found.
    pub clients: Clients,
    queue: Vec<Instance>,
    seen: HashSet<Instance>,
    /// The number of instances of each function.
    instances: HashMap<FnId, usize>,
    /// The types that [`Self::touch`] has marked.
    touched: HashSet<TypeId>,
    /// The types that functions return, as far as they have been read.
    pub results: HashMap<Instance, Ty>,
    /// The implementations for each type, inherent and of traits.
    pub implementations: HashMap<ImplTarget, Vec<ImplId>>,
    /// The trait of each implementation, if it belongs to the repository. The positions are those
    /// of [`Index::impls`].
    pub traits: Vec<Option<TypeId>>,
    /// The server-side applies found so far, for [`Self::finish`].
    pub applies: Vec<Apply>,
    /// The types of which the program makes values, or which it takes from a spec.
    pub constructed: HashSet<ImplTarget>,
    /// The requests found so far; [`Self::finish`] completes them.
    pub sent: Sent,
}

/// Maximum number of sets of types that one function is read with.
const MOST_INSTANCES: usize = 64;

/// Maximum nesting of the types of an instance, since a function may call itself with ever larger
/// types.
const DEEPEST_TYPE: usize = 4;

/// Traits whose methods never send requests.
const PLAIN_TRAITS: [&str; 12] = [
    "Clone",
    "Debug",
    "Default",
    "Deserialize",
    "Display",
    "Error",
    "Hash",
    "JsonSchema",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Serialize",
];

impl<'a> Engine<'a> {
    /// Creates an engine that has not read any function. `kube` is the version of kube, and `words`
    /// are those of the command line. `elsewhere` are the fields with clients for other clusters.
    pub fn new(
        index: &'a Index<'a>,
        files: &'a [ParsedFile],
        macros: &'a Macros,
        kube: Option<(u32, u32)>,
        words: Vec<String>,
        elsewhere: HashSet<StructField>,
    ) -> Self {
        let mut engine = Self {
            index,
            files,
            macros,
            kube,
            words,
            elsewhere,
            clients: Clients::default(),
            queue: Vec::new(),
            seen: HashSet::new(),
            instances: HashMap::new(),
            touched: HashSet::new(),
            results: HashMap::new(),
            implementations: HashMap::new(),
            traits: Vec::new(),
            applies: Vec::new(),
            constructed: in_specs(index),
            sent: Sent::default(),
        };
        for id in 0..index.impls.len() {
            let (target, of_trait) = engine.impl_target_of(id);
            engine.traits.push(of_trait);
            if let Some(target) = target {
                engine.implementations.entry(target).or_default().push(id);
            }
        }
        engine
    }

    /// Adds the `main` function in the root module of a crate, an index of [`Index::crates`], to
    /// those that must be read.
    pub fn start(&mut self, krate: usize) {
        let root = self.index.crates[krate].root;
        let mains = self.index.modules[root]
            .items
            .get("main")
            .into_iter()
            .flatten();
        for def in mains {
            if let Def::Fn(function) = *def {
                self.enqueue(self.unbound(function));
            }
        }
    }

    /// Takes a function that must be read; `None` if all have been read.
    pub fn next(&mut self) -> Option<Instance> {
        self.queue.pop()
    }

    /// Returns the requests. Adds `create` for each server-side apply that may create its object:
    /// all but those of objects that the API server has returned.
    pub fn finish(mut self) -> Sent {
        let read = self.sent.calls.iter().filter(|call| {
            call.subresource.is_none() && ["get", "list", "watch"].contains(&call.verb.as_str())
        });
        let read: HashSet<_> = read.map(|call| call.resource.clone()).collect();
        for apply in self.applies {
            let is_reconciled = self.sent.primary.contains(&apply.call.resource);
            let is_made = !read.contains(&apply.call.resource)
                || apply
                    .object
                    .as_ref()
                    .is_none_or(|object| self.constructed.contains(object));
            if is_made && (apply.is_typed || !is_reconciled) {
                self.sent.calls.insert(apply.call);
            }
        }
        self.sent
    }

    fn impl_target_of(&self, id: ImplId) -> (Option<ImplTarget>, Option<TypeId>) {
        let item = &self.index.impls[id];
        let mut parameters = HashMap::new();
        for (at, parameter) in type_parameters(item.generics).enumerate() {
            parameters.insert(word(&parameter.ident), Ty::Var(at));
        }
        let scope = Scope {
            module: item.module,
            self_ty: None,
            parameters,
        };
        let target = match self.index.lower(item.self_ty, &scope) {
            Ty::Var(_) => Some(ImplTarget::Any),
            ty => impl_target(&ty),
        };
        let of_trait = item.of_trait.and_then(|path| {
            let names: Vec<_> = path.segments.iter().map(|it| word(&it.ident)).collect();
            match self.index.find(item.module, &names, Want::Type).0 {
                ResolvedItem::Own(Def::Type(id)) => Some(id),
                _ => None,
            }
        });
        (target, of_trait)
    }

    /// Adds a function to those that must be read, unless it was added before with the same types,
    /// has no body, or was added with [`MOST_INSTANCES`] sets of types.
    pub fn enqueue(&mut self, instance: Instance) {
        let instance = Instance {
            self_ty: instance.self_ty.map(|ty| ground(ty, 0)),
            parameters: instance
                .parameters
                .into_iter()
                .map(|(name, ty)| (name, ground(ty, 0)))
                .collect(),
            refined: instance
                .refined
                .into_iter()
                .map(|(at, ty)| (at, ground(ty, 0)))
                .collect(),
            ..instance
        };
        if self.index.functions[instance.function].body.is_none() {
            return;
        }
        let number = self.instances.entry(instance.function).or_default();
        if *number >= MOST_INSTANCES || !self.seen.insert(instance.clone()) {
            return;
        }
        *number += 1;
        self.queue.push(instance);
    }

    /// Marks a type as used: other crates may then call the methods of their traits on it, so these
    /// are added to those that must be read.
    pub fn touch(&mut self, id: TypeId) {
        if !self.touched.insert(id) {
            return;
        }
        let implementations = self.implementations.get(&ImplTarget::Own(id));
        for number in implementations.cloned().unwrap_or_default() {
            let item = &self.index.impls[number];
            let Some(path) = item.of_trait else { continue };
            let name = path.segments.last().map(|last| word(&last.ident));
            let is_plain = name.is_some_and(|name| PLAIN_TRAITS.contains(&name.as_str()));
            if is_plain || self.traits[number].is_some() {
                continue;
            }
            for function in item.functions.values() {
                self.enqueue(self.unbound(*function));
            }
        }
    }

    /// Returns a function without knowledge of the types that it is called with.
    pub fn unbound(&self, function: FnId) -> Instance {
        let self_ty = match self.index.functions[function].owner {
            Owner::Impl(id) => {
                let item = &self.index.impls[id];
                let names = type_parameters(item.generics).map(|it| (word(&it.ident), Ty::Unknown));
                let scope = Scope {
                    module: item.module,
                    self_ty: None,
                    parameters: names.collect(),
                };
                Some(self.index.lower(item.self_ty, &scope))
            }
            Owner::Trait(id) => Some(Ty::Dyn(id, Vec::new())),
            Owner::Module => None,
        };
        Instance {
            function,
            self_ty,
            parameters: Vec::new(),
            refined: Vec::new(),
        }
    }

    /// Returns the resource of a type of objects. The error is the reason why it is not known.
    pub fn resource(&self, ty: &Ty) -> Result<RequestedResource, String> {
        kinds::resource(self.index, ty)
    }
}

/// Returns the types in the specs of custom resources. An object in a spec is a template: it does
/// not come from the API server as an object of its own.
fn in_specs(index: &Index) -> HashSet<ImplTarget> {
    let specs = index.types.iter().filter_map(|item| match item.shape {
        TypeDefinition::Custom { spec, .. } => Some(Ty::Own(spec, Vec::new())),
        _ => None,
    });
    let mut rest: Vec<_> = specs.collect();
    let mut found = HashSet::new();
    while let Some(ty) = rest.pop() {
        let is_new = impl_target(&ty).is_none_or(|target| found.insert(target));
        if let Ty::Own(id, _) = ty
            && is_new
        {
            rest.extend(fields(index, id));
        }
        if let Ty::Own(_, inner) | Ty::Ext(_, inner) | Ty::Tuple(inner) = ty {
            rest.extend(inner);
        }
    }
    found
}

/// Returns the types of the fields of a struct or of an enum's variants.
fn fields(index: &Index, id: TypeId) -> Vec<Ty> {
    let item = &index.types[id];
    let fields: Vec<_> = match &item.shape {
        TypeDefinition::Struct(fields) => fields.iter().collect(),
        TypeDefinition::Enum(item) => item.variants.iter().flat_map(|it| &it.fields).collect(),
        _ => Vec::new(),
    };
    let parameters = item.generics.into_iter().flat_map(type_parameters);
    let scope = Scope {
        module: item.module,
        self_ty: None,
        parameters: parameters
            .map(|it| (word(&it.ident), Ty::Unknown))
            .collect(),
    };
    let fields = fields.into_iter();
    fields.map(|field| index.lower(&field.ty, &scope)).collect()
}

/// Returns the part of a type by which implementations are found; `None` if the type is not known,
/// or has no methods of the repository.
pub fn impl_target(ty: &Ty) -> Option<ImplTarget> {
    match ty {
        Ty::Own(id, _) | Ty::Dyn(id, _) => Some(ImplTarget::Own(*id)),
        Ty::Ext(path, _) => Some(ImplTarget::Ext(path.clone())),
        Ty::Resource { .. } => Some(ImplTarget::Resource),
        _ => None,
    }
}

/// Removes what differs between calls without any effect on requests: variables, texts, and type
/// arguments below [`DEEPEST_TYPE`]. `depth` is the nesting so far; 0 for callers.
pub fn ground(ty: Ty, depth: usize) -> Ty {
    if depth > DEEPEST_TYPE {
        return Ty::Unknown;
    }
    let all = |types: Vec<Ty>| types.into_iter().map(|ty| ground(ty, depth + 1)).collect();
    match ty {
        Ty::Var(_) | Ty::Str(_) => Ty::Unknown,
        Ty::Own(id, arguments) => Ty::Own(id, all(arguments)),
        Ty::Ext(path, arguments) => Ty::Ext(path, all(arguments)),
        Ty::Dyn(id, arguments) => Ty::Dyn(id, all(arguments)),
        Ty::Tuple(elements) => Ty::Tuple(all(elements)),
        Ty::Assoc(base, name) => Ty::Assoc(Box::new(ground(*base, depth + 1)), name),
        ty => ty,
    }
}
