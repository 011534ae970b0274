//! Calls of the functions and methods of the repository, and the paths that name them. `want` is
//! always the type that the context of an expression expects, or `Ty::Unknown`.

use syn::{Expr, ExprCall, ExprMethodCall, ExprPath, FnArg};

use super::{Body, Callee, DEEPEST_RESULT, MOST_RESULTS, REFINED};
use crate::apicalls::engine::{ImplTarget, Instance, ground, impl_target};
use crate::apicalls::index::{Def, FnId, Owner, TypeDefinition, type_parameters};
use crate::apicalls::resolve::{ResolvedItem, Want};
use crate::apicalls::ty::{CLIENTS, Ty, ext_path};
use crate::sources::imports::word;

/// The item that a path in front of an argument list names.
pub(super) enum CalledItem {
    /// A function with the type that it is called on and the types given for its parameters.
    Function(FnId, Option<Ty>, Vec<Ty>),
    /// Functions of which any may be called, each with the type that it is called on.
    OneOf(Vec<(FnId, Ty)>),
    /// A tuple struct or variant: its type and the name of the variant; `None` for a struct.
    Constructor(Ty, Option<String>),
    /// A function of another crate by its path, with the type arguments of the type and of the
    /// function.
    Extern(String, Vec<Ty>, Vec<Ty>),
    /// A variable, a constant or another value, with its type.
    Value(Ty),
}

impl Body<'_, '_> {
    /// Returns the type of a path: of a variable, a constant or a function.
    pub(super) fn path(&mut self, path: &ExprPath, want: &Ty) -> Ty {
        match self.target(path, want) {
            CalledItem::Value(ty) => {
                let ty = self.resolved(&ty);
                self.without_age_if_older_than_loop(ty)
            }
            CalledItem::Function(function, self_ty, given) => self
                .invoke(function, self_ty.as_ref(), &given, &[], None)
                .function(),
            CalledItem::OneOf(functions) => {
                for (function, self_ty) in functions {
                    self.invoke(function, Some(&self_ty), &[], &[], None);
                }
                Ty::Unknown.function()
            }
            CalledItem::Constructor(ty, variant) => {
                let is_unit = match (&ty, &variant) {
                    (Ty::Own(id, _), Some(variant)) => match &self.engine.index.types[*id].shape {
                        TypeDefinition::Enum(item) => item
                            .variants
                            .iter()
                            .any(|one| word(&one.ident) == *variant && one.fields.is_empty()),
                        _ => true,
                    },
                    (Ty::Own(id, _), None) => match &self.engine.index.types[*id].shape {
                        TypeDefinition::Struct(fields) => fields.is_empty(),
                        _ => true,
                    },
                    _ => true,
                };
                if is_unit { ty } else { ty.function() }
            }
            CalledItem::Extern(path, ..) if path == "None" => self.var(),
            CalledItem::Extern(path, outer, _) => Self::extern_value(&path, &outer),
        }
    }

    /// Resolves a path in an expression.
    fn target(&mut self, path: &ExprPath, want: &Ty) -> CalledItem {
        let segments = &path.path.segments;
        let names: Vec<_> = segments.iter().map(|it| word(&it.ident)).collect();
        let arguments = |body: &Self, at: usize| {
            let segment = segments.iter().nth(at);
            segment.map_or_else(Vec::new, |segment| {
                body.engine
                    .index
                    .lower_arguments(&segment.arguments, &body.scope, 0)
            })
        };
        let last = names.last().cloned().unwrap_or_default();
        if let Some(qself) = &path.qself {
            let ty = self.lower(&qself.ty);
            let given = arguments(self, names.len() - 1);
            return self.associated_function(&ty, &last, given);
        }
        if let [name] = &names[..]
            && let Some(ty) = self.local(name)
        {
            return CalledItem::Value(ty);
        }
        let base = match names[0].as_str() {
            "Self" => self.scope.self_ty.clone(),
            name => self.scope.parameters.get(name).cloned(),
        };
        if let Some(mut ty) = base {
            if names.len() == 1 {
                return CalledItem::Constructor(ty, None);
            }
            for name in &names[1..names.len() - 1] {
                ty = Ty::Assoc(Box::new(ty), name.clone());
            }
            let ty = self.resolved(&ty);
            let given = arguments(self, names.len() - 1);
            return self.associated_function(&ty, &last, given);
        }
        match self.find(&names, Want::Value) {
            (ResolvedItem::Own(Def::Fn(function)), used) => {
                let given = arguments(self, used - 1);
                CalledItem::Function(function, None, given)
            }
            (ResolvedItem::Own(Def::Const(number)), _) => CalledItem::Value(self.constant(number)),
            (ResolvedItem::Own(Def::Type(id)), used) => {
                self.engine.touch(id);
                let mut given = arguments(self, used - 1);
                given.retain(|ty| *ty != Ty::Unknown);
                let ty = match &self.engine.index.types[id].shape {
                    TypeDefinition::Alias(target) => {
                        let target = *target;
                        let mut scope = self.scope_of(id, &given);
                        for ty in scope.parameters.values_mut() {
                            if *ty == Ty::Unknown {
                                *ty = self.var();
                            }
                        }
                        self.engine.index.lower(target, &scope)
                    }
                    TypeDefinition::Trait(functions) => {
                        let function = functions.get(&last).copied();
                        return match function {
                            Some(function) => {
                                let self_ty = self.var();
                                CalledItem::Function(function, Some(self_ty), Vec::new())
                            }
                            None => CalledItem::Value(Ty::Unknown),
                        };
                    }
                    _ => {
                        let ty = self.new_own(id, &Ty::Unknown);
                        self.unify(&ty, &Ty::Own(id, given));
                        ty
                    }
                };
                if used >= names.len() {
                    return CalledItem::Constructor(ty, None);
                }
                let given = arguments(self, names.len() - 1);
                let _ = want;
                match &ty {
                    // An alias of another crate's type: `type Pods = Api<Pod>`.
                    Ty::Ext(path, outer) => {
                        CalledItem::Extern(format!("{path}::{last}"), outer.clone(), given)
                    }
                    _ => self.associated_function(&ty, &last, given),
                }
            }
            (ResolvedItem::Extern(path), _) => {
                let outer = if names.len() > 1 {
                    arguments(self, names.len() - 2)
                } else {
                    Vec::new()
                };
                let inner = arguments(self, names.len() - 1);
                CalledItem::Extern(ext_path(&path), outer, inner)
            }
            (ResolvedItem::Own(Def::Module(_)), _) => CalledItem::Value(Ty::Unknown),
        }
    }

    fn constant(&mut self, number: usize) -> Ty {
        let index = self.engine.index;
        let constant = &index.consts[number];
        let scope = crate::apicalls::resolve::Scope {
            module: constant.module,
            self_ty: None,
            parameters: std::collections::HashMap::new(),
        };
        let declared = index.lower(constant.ty, &scope);
        match constant.value {
            Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Str(text) => Ty::Str(text.value()),
                _ => declared,
            },
            value if self.depth < DEEPEST_RESULT => {
                // The value is read where it is declared, and so are the requests in it.
                let outer = std::mem::replace(&mut self.scope, scope);
                let locals = std::mem::take(&mut self.locals);
                self.locals.push(std::collections::HashMap::new());
                self.depth += 1;
                let ty = self.eval(value, &declared);
                self.depth -= 1;
                self.locals = locals;
                self.scope = outer;
                self.better(&declared, &ty)
            }
            _ => declared,
        }
    }

    /// Finds `Type::name`.
    fn associated_function(&mut self, ty: &Ty, name: &str, given: Vec<Ty>) -> CalledItem {
        let ty = self.resolved(ty);
        if let Ty::Own(id, _) = &ty {
            self.engine.touch(*id);
            if let TypeDefinition::Enum(item) = &self.engine.index.types[*id].shape
                && item
                    .variants
                    .iter()
                    .any(|variant| word(&variant.ident) == name)
            {
                return CalledItem::Constructor(ty, Some(name.to_owned()));
            }
        }
        let functions = self.methods(&ty, name, None);
        match &functions[..] {
            [] => match &ty {
                Ty::Ext(path, outer) => {
                    CalledItem::Extern(format!("{path}::{name}"), outer.clone(), given)
                }
                // Derived functions, such as `new`, `default` and `builder`, return the type.
                Ty::Own(..) => {
                    self.constructs(&ty);
                    CalledItem::Value(ty.function())
                }
                _ => CalledItem::Value(Ty::Unknown),
            },
            [(function, self_ty)] => CalledItem::Function(*function, Some(self_ty.clone()), given),
            _ => CalledItem::OneOf(functions),
        }
    }

    /// Returns the functions named `name` of a type, each with the type that it is called on. If
    /// the type is not known, returns the methods of all types that take `arguments` arguments in
    /// addition to `self`; none if `arguments` is `None`.
    pub(super) fn methods(
        &mut self,
        ty: &Ty,
        name: &str,
        arguments: Option<usize>,
    ) -> Vec<(FnId, Ty)> {
        let index = self.engine.index;
        let ty = self.resolved(ty);
        if let Ty::Dyn(id, _) = ty {
            return self.trait_methods(id, &ty, name);
        }
        let Some(of) = impl_target(&ty) else {
            let Some(arguments) = arguments.filter(|_| ty.is_unknown()) else {
                return Vec::new();
            };
            let all = index.methods.get(name).into_iter().flatten().copied();
            let fits =
                |function: &FnId| index.functions[*function].sig.inputs.len() == arguments + 1;
            return all
                .filter(fits)
                .map(|function| {
                    (
                        function,
                        self.engine.unbound(function).self_ty.unwrap_or(Ty::Unknown),
                    )
                })
                .collect();
        };
        for of in [of, ImplTarget::Any] {
            let numbers = self
                .engine
                .implementations
                .get(&of)
                .cloned()
                .unwrap_or_default();
            let mut own = Vec::new();
            let mut inherited = Vec::new();
            for id in numbers {
                let function = index.impls[id].functions.get(name).copied();
                let default = self.engine.traits[id].and_then(|of_trait| {
                    match &index.types[of_trait].shape {
                        TypeDefinition::Trait(functions) => functions.get(name).copied(),
                        _ => None,
                    }
                });
                if function.or(default).is_none() {
                    continue;
                }
                let (_, declared) = self.implementation(id);
                if !self.fits(&declared, &ty) {
                    continue;
                }
                match (function, default) {
                    (Some(function), _) => own.push((function, ty.clone())),
                    (None, Some(default)) => inherited.push((default, ty.clone())),
                    (None, None) => {}
                }
            }
            if !own.is_empty() {
                own.truncate(1);
                return own;
            }
            if !inherited.is_empty() {
                inherited.truncate(1);
                return inherited;
            }
        }
        // A type without the method may have a `Deref` target that has it.
        match self.deref(&ty) {
            Some(target) => self.methods(&target, name, arguments),
            None => Vec::new(),
        }
    }

    /// Returns a trait's function; none if the trait belongs to another crate.
    fn trait_methods(&mut self, of_trait: usize, ty: &Ty, name: &str) -> Vec<(FnId, Ty)> {
        let TypeDefinition::Trait(functions) = &self.engine.index.types[of_trait].shape else {
            return Vec::new();
        };
        let function = functions.get(name).copied();
        function
            .map(|function| (function, ty.clone()))
            .into_iter()
            .collect()
    }

    /// Returns the type arguments of a trait for a type that implements it.
    fn arguments_of_trait(&mut self, of_trait: usize, ty: Option<&Ty>) -> Vec<Ty> {
        let Some(ty) = ty.map(|ty| self.resolved(ty)) else {
            return Vec::new();
        };
        if let Ty::Dyn(id, arguments) = &ty
            && *id == of_trait
        {
            return arguments.clone();
        }
        if ty.is_unknown() {
            return Vec::new();
        }
        for id in self.implementations_of(&ty) {
            if self.engine.traits[id] != Some(of_trait) {
                continue;
            }
            let (scope, declared) = self.implementation(id);
            if self.fits(&declared, &ty) {
                self.unify(&declared, &ty);
                return self.trait_arguments(id, &scope);
            }
        }
        Vec::new()
    }

    /// Follows a function call, and returns the type of its value.
    pub(super) fn call(&mut self, call: &ExprCall, want: &Ty) -> Ty {
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let target = match strip(&call.func) {
            Expr::Path(path) => {
                let last = path.path.segments.last();
                if let Some(last) = last.filter(|last| last.ident == "crd" && arguments.is_empty())
                {
                    let place = self.place(last.ident.span());
                    self.engine.sent.crds.get_or_insert(place);
                }
                self.target(path, want)
            }
            other => CalledItem::Value(self.eval(other, &Ty::Unknown)),
        };
        match target {
            CalledItem::Function(function, self_ty, given) => {
                self.invoke(function, self_ty.as_ref(), &given, &arguments, Some(want))
            }
            CalledItem::OneOf(functions) => self.invoke_all(&functions, &[], &arguments, want),
            CalledItem::Constructor(ty, variant) => {
                for (at, value) in arguments.iter().enumerate() {
                    let wanted = match (&ty, &variant) {
                        (Ty::Own(id, inner), Some(variant)) => {
                            self.variant_field(*id, &inner.clone(), variant, &at.to_string())
                        }
                        _ => self.field(&ty.clone(), &at.to_string()),
                    };
                    let actual = self.eval(value, &wanted);
                    self.unify(&wanted, &actual);
                }
                ty
            }
            CalledItem::Extern(path, outer, inner) => {
                self.extern_call(&path, &outer, &inner, &arguments, call, want)
            }
            CalledItem::Value(ty) => {
                for value in &arguments {
                    self.eval(value, &Ty::Unknown);
                }
                match self.resolved(&ty) {
                    Ty::Ext(path, mut inner) if path == "fn" && !inner.is_empty() => {
                        inner.swap_remove(0)
                    }
                    _ => Ty::Unknown,
                }
            }
        }
    }

    /// Reads a method call and returns the type of its value. A method of kube takes precedence
    /// over one of the repository with the same name.
    pub(super) fn method_call(&mut self, call: &ExprMethodCall, want: &Ty) -> Ty {
        let receiver = self.eval(&call.receiver, &Ty::Unknown);
        let receiver = self.resolved(&receiver);
        let name = word(&call.method);
        let given = call.turbofish.as_ref();
        let given = given.map_or_else(Vec::new, |given| {
            self.engine.index.lower_list(&given.args, &self.scope, 0)
        });
        if let Some(ty) = self.kube_method(&receiver, &name, &given, call, want) {
            return ty;
        }
        let functions = self.methods(&receiver, &name, Some(call.args.len()));
        let arguments: Vec<&Expr> = call.args.iter().collect();
        if !functions.is_empty() {
            return self.invoke_all(&functions, &given, &arguments, want);
        }
        self.plain_method(&receiver, &name, &given, call, want)
    }

    fn invoke_all(
        &mut self,
        functions: &[(FnId, Ty)],
        given: &[Ty],
        arguments: &[&Expr],
        want: &Ty,
    ) -> Ty {
        if let [(function, self_ty)] = functions {
            return self.invoke(*function, Some(self_ty), given, arguments, Some(want));
        }
        let mut types = Vec::new();
        for (at, (function, self_ty)) in functions.iter().enumerate() {
            // The arguments are read once.
            let arguments = if at == 0 { arguments } else { &[] };
            types.push(self.invoke(*function, Some(self_ty), given, arguments, None));
        }
        let first = types[0].clone();
        if types.iter().all(|ty| *ty == first) {
            first
        } else {
            Ty::Unknown
        }
    }

    /// Reads the arguments of a call, records it, and returns the type of its result. `self_ty` is
    /// the type that the function is called on, and `given` are the type arguments in the source.
    /// `arguments` are empty for a function that is named and not called.
    pub(super) fn invoke(
        &mut self,
        function: FnId,
        self_ty: Option<&Ty>,
        given: &[Ty],
        arguments: &[&Expr],
        want: Option<&Ty>,
    ) -> Ty {
        let index = self.engine.index;
        let def = &index.functions[function];
        let mut scope = crate::apicalls::resolve::Scope {
            module: def.module,
            self_ty: self_ty.cloned(),
            parameters: std::collections::HashMap::new(),
        };
        let mut own = Vec::new();
        match def.owner {
            Owner::Impl(id) => {
                let (inner, declared) = self.implementation(id);
                if let Some(self_ty) = self_ty {
                    self.unify(&declared, self_ty);
                }
                let mut inner: Vec<_> = inner.parameters.into_iter().collect();
                inner.sort_by(|a, b| a.0.cmp(&b.0));
                scope.parameters = inner.iter().cloned().collect();
                own = inner;
                scope.self_ty = self_ty.cloned().or(Some(declared));
            }
            Owner::Trait(id) => {
                let given = self.arguments_of_trait(id, self_ty);
                let generics = index.types[id]
                    .generics
                    .into_iter()
                    .flat_map(type_parameters);
                for (at, parameter) in generics.enumerate() {
                    let ty = given.get(at).cloned().unwrap_or_else(|| self.var());
                    let name = word(&parameter.ident);
                    scope.parameters.insert(name.clone(), ty.clone());
                    own.push((name, ty));
                }
            }
            Owner::Module => {}
        }
        for (at, parameter) in type_parameters(&def.sig.generics).enumerate() {
            let ty = self.var();
            if let Some(given) = given.get(at).filter(|ty| **ty != Ty::Unknown) {
                self.unify(&ty, given);
            }
            let name = word(&parameter.ident);
            scope.parameters.insert(name.clone(), ty.clone());
            own.push((name, ty));
        }
        for (name, ty) in index.bounded(&def.sig.generics, &scope) {
            if let Some(var) = scope.parameters.get(&name).cloned() {
                self.unify(&var, &ty);
            }
        }
        if let Some(want) = want {
            let output = index.lower_output(&def.sig.output, &scope);
            self.unify(&output, want);
        }
        let has_receiver = def.sig.receiver().is_some();
        let is_method = has_receiver && arguments.len() + 1 == def.sig.inputs.len();
        let inputs = def
            .sig
            .inputs
            .iter()
            .enumerate()
            .skip(usize::from(is_method));
        let mut refined = Vec::new();
        for ((at, input), value) in inputs.zip(arguments) {
            let declared = match input {
                FnArg::Typed(input) => index.lower(&input.ty, &scope),
                FnArg::Receiver(_) => scope.self_ty.clone().unwrap_or(Ty::Unknown),
            };
            let actual = self.eval(value, &declared);
            self.unify(&declared, &actual);
            // The body of the function is read with the type of the argument if its declaration
            // does not decide which requests the function sends.
            let is_weak = matches!(declared, Ty::Unknown | Ty::Dyn(..))
                || REFINED.iter().any(|name| declared.mentions(name));
            let actual = self.resolved(&actual);
            let is_weak = is_weak || actual.is_elsewhere();
            if is_weak && !actual.is_unknown() && !matches!(actual, Ty::Str(_)) {
                refined.push((at, actual));
            }
        }
        let output = index.lower_output(&def.sig.output, &scope);
        let declared = self.resolved(&output);
        let instance = Instance {
            function,
            self_ty: scope.self_ty.clone(),
            parameters: own.clone(),
            refined: refined.clone(),
        };
        let output = self.output(instance, declared);
        self.callees.push(Callee {
            function,
            self_ty: scope.self_ty,
            parameters: own,
            refined,
        });
        output
    }

    /// Returns the type of a call: the declared one, or that of the function's body if it may be
    /// more precise.
    fn output(&mut self, mut instance: Instance, declared: Ty) -> Ty {
        let is_open = matches!(declared, Ty::Unknown | Ty::Dyn(..))
            || REFINED.iter().any(|name| declared.mentions(name));
        let is_client = CLIENTS.iter().any(|name| declared.mentions(name));
        if !is_open && !is_client {
            return declared;
        }
        instance.self_ty = instance.self_ty.map(|ty| self.resolved(&ty));
        for (_, ty) in &mut instance.parameters {
            *ty = self.resolved(ty);
        }
        let actual = self.result(&instance);
        if is_open || actual.is_elsewhere() {
            self.better(&declared, &actual)
        } else {
            declared
        }
    }

    /// Returns the type of a function's result, read from its body. If the function is one of
    /// several, they must agree.
    fn result(&mut self, instance: &Instance) -> Ty {
        let instances = self.dispatched(instance);
        if self.depth >= DEEPEST_RESULT || instances.len() > MOST_RESULTS {
            return Ty::Unknown;
        }
        let mut types: Vec<_> = instances
            .into_iter()
            .map(|instance| self.result_of(instance))
            .collect();
        types.dedup();
        match &types[..] {
            [ty] => ty.clone(),
            _ => Ty::Unknown,
        }
    }

    fn result_of(&mut self, mut instance: Instance) -> Ty {
        instance.self_ty = instance.self_ty.map(|ty| ground(ty, 0));
        for (_, ty) in &mut instance.parameters {
            *ty = ground(ty.clone(), 0);
        }
        for (_, ty) in &mut instance.refined {
            *ty = ground(ty.clone(), 0);
        }
        if let Some(known) = self.engine.results.get(&instance) {
            return known.clone();
        }
        // While a function is read, its own calls of itself have an unknown result.
        self.engine.results.insert(instance.clone(), Ty::Unknown);
        let ty = Body::read(self.engine, &instance, self.depth + 1, false);
        let ty = if has_var(&ty) { ground(ty, 0) } else { ty };
        self.engine.results.insert(instance, ty.clone());
        ty
    }
}

fn has_var(ty: &Ty) -> bool {
    match ty {
        Ty::Var(_) => true,
        Ty::Own(_, inner) | Ty::Ext(_, inner) | Ty::Dyn(_, inner) | Ty::Tuple(inner) => {
            inner.iter().any(has_var)
        }
        Ty::Assoc(base, _) => has_var(base),
        _ => false,
    }
}

fn strip(value: &Expr) -> &Expr {
    match value {
        Expr::Paren(inner) => strip(&inner.expr),
        Expr::Group(inner) => strip(&inner.expr),
        value => value,
    }
}
