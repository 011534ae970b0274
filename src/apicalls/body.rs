//! Reads one function: the types of its variables and expressions, the requests that it sends, and
//! the functions that it calls.
//!
//! The types are inferred as far as requests depend on them. Nothing is rejected: an expression
//! that is not understood has an unknown type.

mod calls;
mod expressions;
mod kube;
mod macros;
mod patterns;

use std::collections::{HashMap, HashSet};

use proc_macro2::Span;
use syn::{FnArg, Pat};

use super::call::{Call, CodeLine, UncheckedRequest};
use super::engine::{Apply, Engine, ImplTarget, Instance, Sent, StructField, impl_target};
use super::index::{FnId, ImplId, Owner, TypeDefinition, type_parameters};
use super::resolve::{ResolvedItem, Scope, Want};
use super::ty::{ELSEWHERE, Ty};
use crate::sources::imports::word;

/// A request whose kind may become known later in the function.
struct Request {
    ty: Ty,
    verb: String,
    /// `Err` if the name of the subresource is not known.
    subresource: Result<Option<String>, ()>,
    place: CodeLine,
    why: String,
    /// The type of the patch of a server-side apply.
    apply: Option<Ty>,
}

/// A function that is called, with types that may become known later.
struct Callee {
    function: FnId,
    self_ty: Option<Ty>,
    parameters: Vec<(String, Ty)>,
    /// Arguments that are more precise than declared, by position.
    refined: Vec<(usize, Ty)>,
}

/// The state of reading a function.
pub struct Body<'e, 'a> {
    engine: &'e mut Engine<'a>,
    scope: Scope,
    file: usize,
    /// The variables in scope, innermost last.
    locals: Vec<HashMap<String, Ty>>,
    /// The types of type variables, where they are known.
    vars: Vec<Option<Ty>>,
    requests: Vec<Request>,
    callees: Vec<Callee>,
    /// Kinds that controllers reconcile.
    reconciled: Vec<Ty>,
    /// The types of which the function makes values.
    constructed: Vec<Ty>,
    /// The number of loops around the expression. An event recorder that was made outside of one
    /// may repeat an event, which is a patch.
    loops: usize,
    /// The declared result of the function.
    output: Ty,
    /// The type of the first `return` with a known type.
    returned: Ty,
    /// The number of functions that are being read for their results.
    depth: usize,
    /// The number of macros that are being expanded.
    expansions: usize,
}

/// Maximum nesting of functions whose results are read ahead of their calls.
const DEEPEST_RESULT: usize = 8;

/// Maximum number of a trait's implementations whose results are compared.
const MOST_RESULTS: usize = 8;

/// Maximum nesting of types when they are compared or resolved.
const DEEPEST: usize = 16;

/// Types that do not show the kind of the object: only their values do. A parameter or result
/// declared with such a type gets the more precise type of its value.
const REFINED: [&str; 4] = [
    "kube::ApiResource",
    "kube::DynamicObject",
    "kube::GroupVersionKind",
    "kube::Recorder",
];

/// Maximum number of times that a program is read to learn which fields have clients for other
/// clusters.
const MOST_READINGS: usize = 3;

/// Reads everything that is reachable from the `main` function of a crate. `engine` creates the
/// state of a reading. It is given the struct fields that never have a client for the operator's
/// own cluster. These are known only at the end of a reading, so the program is read again until
/// they stay the same, at most [`MOST_READINGS`] times.
pub fn run<'a>(engine: impl Fn(HashSet<StructField>) -> Engine<'a>, krate: usize) -> Sent {
    let mut known = HashSet::new();
    let mut readings = 0;
    loop {
        let mut engine = engine(known.clone());
        engine.start(krate);
        while let Some(instance) = engine.next() {
            Body::read(&mut engine, &instance, 0, true);
        }
        readings += 1;
        let found = engine.clients.elsewhere();
        if found == known || readings == MOST_READINGS {
            return engine.finish();
        }
        known = found;
    }
}

impl<'e, 'a> Body<'e, 'a> {
    /// Reads a function and returns the type of its result. Requests and calls are recorded if
    /// `is_recorded` is set.
    fn read(
        engine: &'e mut Engine<'a>,
        instance: &Instance,
        depth: usize,
        is_recorded: bool,
    ) -> Ty {
        let function = &engine.index.functions[instance.function];
        let Some(block) = function.body else {
            return Ty::Unknown;
        };
        let module = function.module;
        let sig = function.sig;
        let scope = Scope {
            module,
            self_ty: instance.self_ty.clone(),
            parameters: instance.parameters.iter().cloned().collect(),
        };
        let mut body = Body {
            file: engine.index.modules[module].file,
            engine,
            scope,
            locals: vec![HashMap::new()],
            vars: Vec::new(),
            requests: Vec::new(),
            callees: Vec::new(),
            reconciled: Vec::new(),
            constructed: Vec::new(),
            loops: 0,
            output: Ty::Unknown,
            returned: Ty::Unknown,
            depth,
            expansions: 0,
        };
        body.bind_owner(instance);
        for (at, input) in sig.inputs.iter().enumerate() {
            let refined = instance.refined.iter().find(|(of, _)| *of == at);
            match input {
                FnArg::Receiver(_) => {
                    let ty = instance.self_ty.clone().unwrap_or(Ty::Unknown);
                    body.locals[0].insert("self".to_owned(), ty);
                }
                FnArg::Typed(input) => {
                    let declared = body.lower(&input.ty);
                    let ty = refined.map_or(declared, |(_, ty)| ty.clone());
                    body.bind(&input.pat, &ty);
                }
            }
        }
        let output = body.engine.index.lower_output(&sig.output, &body.scope);
        body.output = body.resolved(&output);
        let output = body.output.clone();
        let ty = body.block(block, &output);
        let ty = body.resolved(&ty);
        let returned = body.resolved(&body.returned.clone());
        let result = [ty, returned].into_iter().find(|ty| !ty.is_unknown());
        for ty in std::mem::take(&mut body.constructed) {
            let ty = body.resolved(&ty);
            body.engine.constructed.extend(impl_target(&ty));
        }
        if is_recorded {
            body.flush();
        }
        result.unwrap_or(output)
    }

    /// Gives the type parameters of the surrounding implementation or trait, and those of the
    /// function itself that are not known, their types.
    fn bind_owner(&mut self, instance: &Instance) {
        let index = self.engine.index;
        let function = &index.functions[instance.function];
        match function.owner {
            Owner::Impl(id) => {
                let (scope, declared) = self.implementation(id);
                if let Some(actual) = &instance.self_ty {
                    self.unify(&declared, actual);
                }
                for (name, ty) in scope.parameters {
                    let ty = self.resolved(&ty);
                    self.scope.parameters.entry(name).or_insert(ty);
                }
            }
            Owner::Trait(id) => {
                for parameter in index.types[id]
                    .generics
                    .into_iter()
                    .flat_map(type_parameters)
                {
                    let name = word(&parameter.ident);
                    self.scope.parameters.entry(name).or_insert(Ty::Unknown);
                }
            }
            Owner::Module => {}
        }
        for parameter in type_parameters(&function.sig.generics) {
            let name = word(&parameter.ident);
            self.scope.parameters.entry(name).or_insert(Ty::Unknown);
        }
        let bounded = index.bounded(&function.sig.generics, &self.scope);
        for (name, ty) in bounded {
            let known = self.scope.parameters.get_mut(&name);
            if let Some(known) = known.filter(|known| known.is_unknown()) {
                *known = ty;
            }
        }
    }

    /// Returns the type parameters of an implementation as new variables, and its `Self` type.
    fn implementation(&mut self, id: ImplId) -> (Scope, Ty) {
        let item = &self.engine.index.impls[id];
        let mut scope = Scope {
            module: item.module,
            self_ty: None,
            parameters: HashMap::new(),
        };
        for parameter in type_parameters(item.generics) {
            let var = self.var();
            scope.parameters.insert(word(&parameter.ident), var);
        }
        for (name, ty) in self.engine.index.bounded(item.generics, &scope) {
            scope.parameters.insert(name, ty);
        }
        let ty = self.engine.index.lower(item.self_ty, &scope);
        scope.self_ty = Some(ty.clone());
        (scope, ty)
    }

    /// Returns the type arguments of the trait in an implementation.
    fn trait_arguments(&self, id: ImplId, scope: &Scope) -> Vec<Ty> {
        let path = self.engine.index.impls[id].of_trait;
        let last = path.and_then(|path| path.segments.last());
        last.map_or_else(Vec::new, |last| {
            self.engine.index.lower_arguments(&last.arguments, scope, 0)
        })
    }

    fn lower(&self, ty: &syn::Type) -> Ty {
        self.engine.index.lower(ty, &self.scope)
    }

    fn var(&mut self) -> Ty {
        self.vars.push(None);
        Ty::Var(self.vars.len() - 1)
    }

    fn place(&self, span: Span) -> CodeLine {
        CodeLine {
            file: self.engine.files[self.file].path.clone(),
            line: span.start().line,
        }
    }

    /// Replaces variables and associated types that have become known.
    fn resolved(&mut self, ty: &Ty) -> Ty {
        self.resolved_at(ty, 0)
    }

    fn resolved_at(&mut self, ty: &Ty, depth: usize) -> Ty {
        if depth > DEEPEST {
            return Ty::Unknown;
        }
        match ty {
            Ty::Var(at) => match self.vars[*at].clone() {
                Some(known) => self.resolved_at(&known, depth + 1),
                None => ty.clone(),
            },
            Ty::Own(id, inner) => Ty::Own(*id, self.all_resolved(inner, depth)),
            Ty::Ext(path, inner) => Ty::Ext(path.clone(), self.all_resolved(inner, depth)),
            Ty::Dyn(id, inner) => Ty::Dyn(*id, self.all_resolved(inner, depth)),
            Ty::Tuple(inner) => Ty::Tuple(self.all_resolved(inner, depth)),
            Ty::Assoc(base, name) => {
                let base = self.resolved_at(base, depth + 1);
                self.associated(&base, name, depth + 1)
            }
            ty => ty.clone(),
        }
    }

    fn all_resolved(&mut self, types: &[Ty], depth: usize) -> Vec<Ty> {
        let types = types.iter();
        types.map(|ty| self.resolved_at(ty, depth + 1)).collect()
    }

    /// Returns an associated type of a type by the implementation that assigns it.
    fn associated(&mut self, base: &Ty, name: &str, depth: usize) -> Ty {
        if base.is_unknown() {
            return Ty::Assoc(Box::new(base.clone()), name.to_owned());
        }
        for id in self.implementations_of(base) {
            let Some(assigned) = self.engine.index.impls[id].types.get(name) else {
                continue;
            };
            let (scope, declared) = self.implementation(id);
            if self.fits(&declared, base) {
                self.unify(&declared, base);
                let ty = self.engine.index.lower(assigned, &scope);
                return self.resolved_at(&ty, depth + 1);
            }
        }
        // Futures and streams stand for their results already.
        if matches!(name, "Output" | "Ok") {
            return base.clone();
        }
        Ty::Unknown
    }

    /// Returns the implementations for a type and those for all types.
    fn implementations_of(&self, ty: &Ty) -> Vec<ImplId> {
        let of = |target: &ImplTarget| {
            self.engine
                .implementations
                .get(target)
                .into_iter()
                .flatten()
        };
        let own = impl_target(ty);
        let own = own.iter().flat_map(of);
        own.chain(of(&ImplTarget::Any)).copied().collect()
    }

    /// Learns from two types that are the same.
    fn unify(&mut self, a: &Ty, b: &Ty) {
        self.unify_at(a, b, 0);
    }

    fn unify_at(&mut self, a: &Ty, b: &Ty, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let a = self.shallow(a);
        let b = self.shallow(b);
        match (&a, &b) {
            (Ty::Unknown, _) | (_, Ty::Unknown) => {}
            (Ty::Var(at), other) | (other, Ty::Var(at)) if !self.contains(other, *at, 0) => {
                self.vars[*at] = Some(other.clone());
            }
            (Ty::Own(x, first), Ty::Own(y, second)) | (Ty::Dyn(x, first), Ty::Dyn(y, second))
                if x == y =>
            {
                self.unify_all(first, second, depth);
            }
            (Ty::Ext(x, first), Ty::Ext(y, second)) if x == y => {
                self.unify_all(first, second, depth);
            }
            (Ty::Tuple(first), Ty::Tuple(second)) => self.unify_all(first, second, depth),
            _ => {}
        }
    }

    fn unify_all(&mut self, first: &[Ty], second: &[Ty], depth: usize) {
        for (a, b) in first.iter().zip(second) {
            self.unify_at(a, b, depth + 1);
        }
    }

    /// Follows a variable to its type, but not the variables in it.
    fn shallow(&mut self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        for _ in 0..DEEPEST {
            match &ty {
                Ty::Var(at) => match &self.vars[*at] {
                    Some(known) => ty = known.clone(),
                    None => return ty,
                },
                Ty::Assoc(..) => return self.resolved(&ty),
                _ => return ty,
            }
        }
        ty
    }

    fn contains(&self, ty: &Ty, var: usize, depth: usize) -> bool {
        if depth > DEEPEST {
            return true;
        }
        match ty {
            Ty::Var(at) if *at == var => true,
            Ty::Var(at) => self.vars[*at]
                .as_ref()
                .is_some_and(|ty| self.contains(ty, var, depth + 1)),
            Ty::Own(_, inner) | Ty::Ext(_, inner) | Ty::Dyn(_, inner) | Ty::Tuple(inner) => {
                inner.iter().any(|ty| self.contains(ty, var, depth + 1))
            }
            Ty::Assoc(base, _) => self.contains(base, var, depth + 1),
            _ => false,
        }
    }

    /// Reports whether two types can be the same.
    fn fits(&mut self, a: &Ty, b: &Ty) -> bool {
        let a = self.shallow(a);
        let b = self.shallow(b);
        let all = |this: &mut Self, first: &[Ty], second: &[Ty]| {
            first.iter().zip(second).all(|(a, b)| this.fits(a, b))
        };
        match (&a, &b) {
            (Ty::Own(x, first), Ty::Own(y, second)) | (Ty::Dyn(x, first), Ty::Dyn(y, second)) => {
                x == y && all(self, first, second)
            }
            (Ty::Ext(x, first), Ty::Ext(y, second)) => x == y && all(self, first, second),
            (Ty::Tuple(first), Ty::Tuple(second)) => {
                first.len() == second.len() && all(self, first, second)
            }
            (
                Ty::Own(..) | Ty::Ext(..) | Ty::Tuple(_),
                Ty::Own(..) | Ty::Ext(..) | Ty::Tuple(_),
            ) => false,
            _ => true,
        }
    }

    /// Adds a request for objects of a type.
    fn request(&mut self, ty: &Ty, verb: &str, subresource: Option<&str>, span: Span, why: &str) {
        let place = self.place(span);
        self.requests.push(Request {
            ty: ty.clone(),
            verb: verb.to_owned(),
            subresource: Ok(subresource.map(str::to_owned)),
            place,
            why: why.to_owned(),
            apply: None,
        });
    }

    /// Adds a request that is not understood. Its mark is an empty verb.
    fn unknown(&mut self, span: Span, why: String) {
        let place = self.place(span);
        // It is not reported at once: a function that is read for its result only reports nothing.
        self.requests.push(Request {
            ty: Ty::Tuple(Vec::new()),
            verb: String::new(),
            subresource: Err(()),
            place,
            why,
            apply: None,
        });
    }

    /// Records the requests and enqueues the called functions.
    fn flush(mut self) {
        for request in std::mem::take(&mut self.requests) {
            self.record(request);
        }
        for ty in std::mem::take(&mut self.reconciled) {
            let ty = self.resolved(&ty);
            if let Ok(resource) = self.engine.resource(&ty) {
                self.engine.sent.primary.insert(resource);
            }
        }
        for callee in std::mem::take(&mut self.callees) {
            self.follow(callee);
        }
    }

    fn record(&mut self, request: Request) {
        let ty = self.resolved(&request.ty);
        if ty.is(ELSEWHERE) {
            let Request { place, why, .. } = request;
            self.engine
                .sent
                .elsewhere
                .insert(UncheckedRequest { place, why });
            return;
        }
        let resource = match self.engine.resource(&ty) {
            _ if request.verb.is_empty() => Err(request.why.clone()),
            Ok(resource) => Ok(resource),
            Err(why) => Err(format!("{}: {why}", request.why)),
        };
        let call = match (resource, request.subresource) {
            (Ok(resource), Ok(subresource)) => Call {
                resource,
                subresource,
                verb: request.verb,
                place: request.place,
                why: request.why,
            },
            (Err(why), _) => {
                let place = request.place;
                self.engine
                    .sent
                    .unknown
                    .insert(UncheckedRequest { place, why });
                return;
            }
            (Ok(_), Err(())) => {
                let why = format!("{}: the name of the subresource is not known", request.why);
                let place = request.place;
                self.engine
                    .sent
                    .unknown
                    .insert(UncheckedRequest { place, why });
                return;
            }
        };
        if let Some(patch) = request.apply {
            self.record_apply(&call, &patch);
        }
        self.engine.sent.calls.insert(call);
    }

    /// Records that a server-side apply may create its object, which is decided when the whole
    /// program is read.
    fn record_apply(&mut self, call: &Call, patch: &Ty) {
        let patch = self.resolved(patch);
        let is_object = self.engine.resource(&patch).as_ref() == Ok(&call.resource);
        let is_open = matches!(
            patch,
            Ty::Unknown | Ty::Var(_) | Ty::Dyn(..) | Ty::Assoc(..)
        );
        if patch.is_json_part() {
            return;
        }
        self.engine.applies.push(Apply {
            call: Call {
                verb: "create".to_owned(),
                why: format!("{} with `Patch::Apply`", call.why),
                ..call.clone()
            },
            object: impl_target(&patch).filter(|_| is_object),
            is_typed: is_object || is_open,
        });
    }

    /// Enqueues a called function. A function of a trait is replaced with its implementations for
    /// the type.
    fn follow(&mut self, callee: Callee) {
        let self_ty = callee.self_ty.map(|ty| self.resolved(&ty));
        let parameters = callee.parameters.into_iter();
        let parameters = parameters
            .map(|(name, ty)| (name, self.resolved(&ty)))
            .collect();
        let refined = callee.refined.into_iter();
        let refined = refined.map(|(at, ty)| (at, self.resolved(&ty))).collect();
        let instance = Instance {
            function: callee.function,
            self_ty,
            parameters,
            refined,
        };
        for instance in self.dispatched(&instance) {
            self.engine.enqueue(instance);
        }
    }

    /// Returns the implementations of a trait's function that may be meant; the function itself if
    /// it is none.
    fn dispatched(&mut self, instance: &Instance) -> Vec<Instance> {
        let index = self.engine.index;
        let Owner::Trait(of_trait) = index.functions[instance.function].owner else {
            return vec![instance.clone()];
        };
        let name = word(&index.functions[instance.function].sig.ident);
        let actual = instance.self_ty.clone().unwrap_or(Ty::Unknown);
        let is_any = matches!(
            actual,
            Ty::Unknown | Ty::Var(_) | Ty::Dyn(..) | Ty::Assoc(..)
        );
        let candidates: Vec<ImplId> = if is_any {
            (0..index.impls.len()).collect()
        } else {
            self.implementations_of(&actual)
        };
        let mut found = Vec::new();
        for id in candidates {
            if self.engine.traits[id] != Some(of_trait) {
                continue;
            }
            let (scope, declared) = self.implementation(id);
            if !is_any && !self.fits(&declared, &actual) {
                continue;
            }
            if !is_any {
                self.unify(&declared, &actual);
            }
            let own = index.impls[id].functions.get(&name).copied();
            let function = own.unwrap_or(instance.function);
            let given = self.trait_arguments(id, &scope);
            let names = index.types[of_trait]
                .generics
                .into_iter()
                .flat_map(type_parameters);
            let mut fits = true;
            for (parameter, given) in names.zip(&given) {
                let wanted = value_of(&instance.parameters, &word(&parameter.ident));
                fits &= self.fits(given, &wanted);
                self.unify(given, &wanted);
            }
            if !fits {
                continue;
            }
            let mut parameters = instance.parameters.clone();
            if own.is_some() {
                // The implementation has names of its own for the same parameters.
                let old = type_parameters(&index.functions[instance.function].sig.generics);
                let new = type_parameters(&index.functions[function].sig.generics);
                parameters = old
                    .zip(new)
                    .map(|(old, new)| {
                        (
                            word(&new.ident),
                            value_of(&instance.parameters, &word(&old.ident)),
                        )
                    })
                    .collect();
                parameters.extend(
                    scope
                        .parameters
                        .iter()
                        .map(|(name, ty)| (name.clone(), ty.clone())),
                );
            }
            for (_, ty) in &mut parameters {
                *ty = self.resolved(ty);
            }
            parameters.sort_by(|a, b| a.0.cmp(&b.0));
            let self_ty = if is_any {
                self.resolved(&declared)
            } else {
                actual.clone()
            };
            found.push(Instance {
                function,
                self_ty: Some(self_ty),
                parameters,
                refined: instance.refined.clone(),
            });
        }
        if found.is_empty() {
            found.push(instance.clone());
        }
        found
    }

    /// Returns the type of the field `name` of a value; `Unknown` for most types of other crates.
    fn field(&mut self, base: &Ty, name: &str) -> Ty {
        let base = self.resolved(base);
        match &base {
            Ty::Tuple(elements) => {
                let at: Option<usize> = name.parse().ok();
                let element = at.and_then(|at| elements.get(at));
                element.cloned().unwrap_or(Ty::Unknown)
            }
            Ty::Own(id, arguments) => {
                let index = self.engine.index;
                let item = &index.types[*id];
                match &item.shape {
                    TypeDefinition::Struct(fields) => {
                        let numbered = fields.iter().enumerate();
                        let field = numbered
                            .into_iter()
                            .find(|(at, field)| match &field.ident {
                                Some(ident) => word(ident) == name,
                                None => at.to_string() == name,
                            })
                            .map(|(_, field)| field);
                        match field {
                            Some(field) => {
                                let scope = self.scope_of(*id, arguments);
                                let ty = index.lower(&field.ty, &scope);
                                let ty = self.resolved(&ty);
                                let key = (*id, name.to_owned());
                                if ty.is_client() && self.engine.elsewhere.contains(&key) {
                                    ty.elsewhere()
                                } else {
                                    ty
                                }
                            }
                            None => self
                                .deref(&base)
                                .map_or(Ty::Unknown, |ty| self.field(&ty, name)),
                        }
                    }
                    TypeDefinition::Custom { spec, status } => match (name, status) {
                        ("spec", _) => Ty::Own(*spec, Vec::new()),
                        ("status", Some(status)) => {
                            let scope = self.scope_of(*id, &[]);
                            index.lower(status, &scope)
                        }
                        _ => Ty::Unknown,
                    },
                    _ => Ty::Unknown,
                }
            }
            Ty::Ext(path, arguments) if path == "kube::ObjectList" && name == "items" => {
                arguments.first().cloned().unwrap_or(Ty::Unknown).many()
            }
            _ => Ty::Unknown,
        }
    }

    /// Returns the target of a type's `Deref` implementation.
    fn deref(&mut self, ty: &Ty) -> Option<Ty> {
        let id = self.implementations_of(ty).into_iter().find(|id| {
            let path = self.engine.index.impls[*id].of_trait;
            let last = path.and_then(|path| path.segments.last());
            last.is_some_and(|last| last.ident == "Deref")
        })?;
        let target = *self.engine.index.impls[id].types.get("Target")?;
        let (scope, declared) = self.implementation(id);
        self.unify(&declared, ty);
        let target = self.engine.index.lower(target, &scope);
        let target = self.resolved(&target);
        (target != *ty).then_some(target)
    }

    /// Returns the scope of a type's declaration, with the types of its parameters.
    fn scope_of(&self, id: usize, arguments: &[Ty]) -> Scope {
        let item = &self.engine.index.types[id];
        let generics = item.generics.into_iter().flat_map(type_parameters);
        let parameters = generics.enumerate().map(|(at, parameter)| {
            let ty = arguments.get(at).cloned().unwrap_or(Ty::Unknown);
            (word(&parameter.ident), ty)
        });
        Scope {
            module: item.module,
            self_ty: Some(Ty::Own(id, arguments.to_vec())),
            parameters: parameters.collect(),
        }
    }

    fn local(&self, name: &str) -> Option<Ty> {
        let mut scopes = self.locals.iter().rev();
        scopes.find_map(|scope| scope.get(name)).cloned()
    }

    fn set(&mut self, name: String, ty: Ty) {
        if let Some(scope) = self.locals.last_mut() {
            scope.insert(name, ty);
        }
    }

    fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.locals.push(HashMap::new());
        let result = work(self);
        self.locals.pop();
        result
    }

    /// Returns the item that a path names, and the number of segments that name it.
    fn find(&self, names: &[String], want: Want) -> (ResolvedItem, usize) {
        self.engine.index.find(self.scope.module, names, want)
    }
}

/// Returns the type of a type parameter.
fn value_of(parameters: &[(String, Ty)], name: &str) -> Ty {
    let found = parameters.iter().find(|(of, _)| of == name);
    found.map_or(Ty::Unknown, |(_, ty)| ty.clone())
}

/// Returns the name of a pattern that is a variable.
fn variable(pat: &Pat) -> Option<String> {
    match pat {
        Pat::Ident(pat) => Some(word(&pat.ident)),
        Pat::Type(pat) => variable(&pat.pat),
        _ => None,
    }
}
