//! The types of expressions.

use heck::ToKebabCase as _;
use proc_macro2::Span;
use syn::{Block, Expr, ExprClosure, ExprStruct, Lit, Member, Meta, Pat, Stmt, UnOp};

use super::Body;
use crate::apicalls::index::{Def, TypeDefinition, is_test, type_parameters};
use crate::apicalls::resolve::{ResolvedItem, Want};
use crate::apicalls::ty::{Ty, ext_path};
use crate::sources::imports::word;
use crate::sources::types::attributes::pairs;

impl Body<'_, '_> {
    /// Reads a block and returns its type. `want` is the type that its context expects.
    pub(super) fn block(&mut self, block: &Block, want: &Ty) -> Ty {
        self.scoped(|body| {
            let mut last = Ty::Tuple(Vec::new());
            for (at, statement) in block.stmts.iter().enumerate() {
                let is_last = at + 1 == block.stmts.len();
                last = body.statement(statement, if is_last { want } else { &Ty::Unknown });
            }
            last
        })
    }

    fn statement(&mut self, statement: &Stmt, want: &Ty) -> Ty {
        match statement {
            Stmt::Local(local) if !is_test(&local.attrs) => {
                let declared = match &local.pat {
                    Pat::Type(pat) => self.lower(&pat.ty),
                    _ => Ty::Unknown,
                };
                let mut ty = Ty::Unknown;
                if let Some(init) = &local.init {
                    ty = self.eval(&init.expr, &declared);
                    if let Some((_, otherwise)) = &init.diverge {
                        self.eval(otherwise, &Ty::Unknown);
                    }
                } else if super::variable(&local.pat).is_some() {
                    ty = self.var();
                }
                self.bind(&local.pat, &ty);
                Ty::Tuple(Vec::new())
            }
            Stmt::Expr(value, None) => self.eval(value, want),
            Stmt::Expr(value, Some(_)) => {
                self.eval(value, &Ty::Unknown);
                // A block that ends with `return ..;` has any type.
                if matches!(value, Expr::Return(_)) {
                    return Ty::Unknown;
                }
                Ty::Tuple(Vec::new())
            }
            Stmt::Macro(statement) => self.macro_call(&statement.mac, want),
            Stmt::Local(_) | Stmt::Item(_) => Ty::Tuple(Vec::new()),
        }
    }

    /// Reads an expression and returns its type. `want` is the type that its context expects.
    pub(super) fn eval(&mut self, value: &Expr, want: &Ty) -> Ty {
        let ty = self.eval_inner(value, want);
        self.unify(&ty, want);
        ty
    }

    fn eval_all<'x>(&mut self, values: impl IntoIterator<Item = &'x Expr>) -> Vec<Ty> {
        let values = values.into_iter();
        values.map(|value| self.eval(value, &Ty::Unknown)).collect()
    }

    fn eval_inner(&mut self, value: &Expr, want: &Ty) -> Ty {
        match value {
            Expr::Path(path) => self.path(path, want),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Ty::Str(text.value()),
                _ => Ty::literal(),
            },
            Expr::Await(inner) => self.eval(&inner.base, want),
            Expr::Try(inner) => self.eval(&inner.expr, want),
            Expr::Paren(inner) => self.eval(&inner.expr, want),
            Expr::Group(inner) => self.eval(&inner.expr, want),
            Expr::Reference(inner) => self.eval(&inner.expr, want),
            Expr::RawAddr(inner) => self.eval(&inner.expr, want),
            Expr::Unary(inner) => {
                let ty = self.eval(&inner.expr, &Ty::Unknown);
                if matches!(inner.op, UnOp::Deref(_)) {
                    ty
                } else {
                    Ty::literal()
                }
            }
            Expr::Async(inner) => self.inner_body(|body| body.block(&inner.block, want)),
            Expr::Block(inner) => self.block(&inner.block, want),
            Expr::Unsafe(inner) => self.block(&inner.block, want),
            Expr::Const(inner) => self.block(&inner.block, want),
            Expr::TryBlock(inner) => self.block(&inner.block, want),
            Expr::Closure(closure) => self.closure(closure, &[]).function(),
            Expr::Call(call) => self.call(call, want),
            Expr::MethodCall(call) => self.method_call(call, want),
            Expr::Struct(literal) => self.literal(literal, want),
            Expr::Field(inner) => {
                let base = self.eval(&inner.base, &Ty::Unknown);
                let name = match &inner.member {
                    Member::Named(ident) => word(ident),
                    Member::Unnamed(number) => number.index.to_string(),
                };
                self.field(&base, &name)
            }
            Expr::Index(inner) => {
                let ty = self.eval(&inner.expr, &Ty::Unknown);
                self.eval(&inner.index, &Ty::Unknown);
                match self.resolved(&ty) {
                    Ty::Ext(path, inner) if path == "Map" => inner[1].clone(),
                    ty => self.element(&ty),
                }
            }
            Expr::Tuple(tuple) => {
                let wanted = match self.resolved(want) {
                    Ty::Tuple(elements) => elements,
                    _ => Vec::new(),
                };
                let values = tuple.elems.iter().enumerate();
                let types = values.map(|(at, value)| {
                    let want = wanted.get(at).cloned().unwrap_or(Ty::Unknown);
                    self.eval(value, &want)
                });
                Ty::Tuple(types.collect())
            }
            Expr::Array(array) => {
                let element = self.element(want);
                let types: Vec<_> = array
                    .elems
                    .iter()
                    .map(|value| self.eval(value, &element))
                    .collect();
                let ty = types.into_iter().next();
                ty.unwrap_or_else(|| self.var()).many()
            }
            Expr::Repeat(inner) => self.eval(&inner.expr, &Ty::Unknown).many(),
            Expr::Macro(inner) => self.macro_call(&inner.mac, want),
            Expr::Assign(inner) => {
                let left = self.eval(&inner.left, &Ty::Unknown);
                let right = self.eval(&inner.right, &left);
                self.unify(&left, &right);
                Ty::Tuple(Vec::new())
            }
            Expr::Binary(inner) => {
                self.eval_all([&*inner.left, &*inner.right]);
                Ty::literal()
            }
            Expr::Cast(inner) => {
                self.eval(&inner.expr, &Ty::Unknown);
                self.lower(&inner.ty)
            }
            Expr::Range(inner) => {
                let ends = inner.start.iter().chain(&inner.end);
                self.eval_all(ends.map(|end| &**end));
                Ty::literal().many()
            }
            Expr::Yield(inner) => {
                if let Some(value) = &inner.expr {
                    self.eval(value, &Ty::Unknown);
                }
                Ty::Unknown
            }
            _ => self.flow(value, want),
        }
    }

    /// Reads an expression that decides what is executed.
    fn flow(&mut self, value: &Expr, want: &Ty) -> Ty {
        match value {
            Expr::If(inner) => self.scoped(|body| {
                body.eval(&inner.cond, &Ty::Unknown);
                let then = body.block(&inner.then_branch, want);
                let other = inner.else_branch.as_ref();
                let other = other.map(|(_, other)| body.eval(other, want));
                body.first_known([Some(then), other])
            }),
            Expr::Let(inner) => {
                let ty = self.eval(&inner.expr, &Ty::Unknown);
                self.bind(&inner.pat, &ty);
                Ty::literal()
            }
            Expr::Match(inner) => {
                let ty = self.eval(&inner.expr, &Ty::Unknown);
                let chosen = self.subcommand(&ty);
                let mut types = Vec::new();
                for arm in &inner.arms {
                    if let Some(chosen) = &chosen
                        && named_variant(&arm.pat).is_some_and(|variant| variant != *chosen)
                    {
                        continue;
                    }
                    types.push(self.scoped(|body| {
                        body.bind(&arm.pat, &ty);
                        body.eval(&arm.body, want)
                    }));
                }
                self.first_known(types.into_iter().map(Some))
            }
            Expr::While(inner) => self.in_loop(|body| {
                body.eval(&inner.cond, &Ty::Unknown);
                body.block(&inner.body, &Ty::Unknown);
                Ty::Tuple(Vec::new())
            }),
            Expr::Loop(inner) => self.in_loop(|body| {
                body.block(&inner.body, &Ty::Unknown);
                want.clone()
            }),
            Expr::ForLoop(inner) => {
                let ty = self.eval(&inner.expr, &Ty::Unknown);
                let element = self.element(&ty);
                self.in_loop(|body| {
                    body.bind(&inner.pat, &element);
                    body.block(&inner.body, &Ty::Unknown);
                    Ty::Tuple(Vec::new())
                })
            }
            Expr::Return(inner) => {
                if let Some(value) = &inner.expr {
                    let want = self.output.clone();
                    let ty = self.eval(value, &want);
                    let ty = self.resolved(&ty);
                    if self.returned.is_unknown() {
                        self.returned = ty;
                    }
                }
                Ty::Unknown
            }
            Expr::Break(inner) => {
                if let Some(value) = &inner.expr {
                    self.eval(value, &Ty::Unknown);
                }
                Ty::Unknown
            }
            _ => Ty::Unknown,
        }
    }

    /// Returns the variant of an enum of subcommands that the command line names; `None` for other
    /// types and for an unknown command line. Records the names of all variants.
    fn subcommand(&mut self, ty: &Ty) -> Option<String> {
        let Ty::Own(id, _) = self.resolved(ty) else {
            return None;
        };
        let TypeDefinition::Enum(item) = &self.engine.index.types[id].shape else {
            return None;
        };
        let is_derived = item.attrs.iter().any(|attribute| match &attribute.meta {
            Meta::List(list) if list.path.is_ident("derive") => list
                .tokens
                .clone()
                .into_iter()
                .any(|token| ["Parser", "Subcommand"].contains(&&*token.to_string())),
            _ => false,
        });
        let name = |variant: &syn::Variant| {
            let renamed = ["command", "clap"].iter().find_map(|attribute| {
                let pairs = pairs(&variant.attrs, attribute);
                pairs.into_iter().find(|(key, _)| key == "name")?.1
            });
            renamed.unwrap_or_else(|| variant.ident.to_string().to_kebab_case())
        };
        if !is_derived {
            return None;
        }
        let all = item.variants.iter().map(name);
        self.engine.sent.subcommands.extend(all);
        let words = &self.engine.words;
        let mut variants = item.variants.iter();
        let named = variants.find(|variant| words.contains(&name(variant)));
        named.map(|variant| word(&variant.ident))
    }

    fn first_known(&mut self, types: impl IntoIterator<Item = Option<Ty>>) -> Ty {
        let types = types.into_iter().flatten();
        let types: Vec<_> = types.map(|ty| self.resolved(&ty)).collect();
        let is_known = |ty: &&Ty| !ty.is_unknown() && **ty != Ty::Tuple(Vec::new());
        let mut known = types.iter().filter(is_known);
        // A client that may be one for this cluster counts as such.
        let first = match known.next() {
            Some(ty) if ty.is_elsewhere() => known.find(|it| !it.is_elsewhere()).or(Some(ty)),
            first => first.or(types.first()),
        };
        first.cloned().unwrap_or(Ty::Unknown)
    }

    /// Reads the body of a loop in a scope of its own. [`Self::without_age_if_older_than_loop`]
    /// needs the number of loops.
    pub(super) fn in_loop(&mut self, work: impl FnOnce(&mut Self) -> Ty) -> Ty {
        self.loops += 1;
        let ty = self.scoped(work);
        self.loops -= 1;
        ty
    }

    /// Reads the body of a closure or an async block, whose `return` is not that of the function.
    fn inner_body(&mut self, work: impl FnOnce(&mut Self) -> Ty) -> Ty {
        let output = std::mem::replace(&mut self.output, Ty::Unknown);
        let returned = std::mem::replace(&mut self.returned, Ty::Unknown);
        let ty = self.scoped(work);
        self.output = output;
        let inner = std::mem::replace(&mut self.returned, returned);
        if ty.is_unknown() { inner } else { ty }
    }

    /// Reads a closure that is called with the given types and returns the type of its result.
    pub(super) fn closure(&mut self, closure: &ExprClosure, parameters: &[Ty]) -> Ty {
        let want = self.engine.index.lower_output(&closure.output, &self.scope);
        let want = if matches!(closure.output, syn::ReturnType::Default) {
            Ty::Unknown
        } else {
            want
        };
        self.inner_body(|body| {
            body.output = want.clone();
            for (at, input) in closure.inputs.iter().enumerate() {
                let ty = parameters.get(at).cloned().unwrap_or(Ty::Unknown);
                body.bind(input, &ty);
            }
            let ty = body.eval(&closure.body, &want);
            body.better(&want, &ty)
        })
    }

    /// Reads an argument. A closure is called with the given types.
    pub(super) fn argument(&mut self, value: &Expr, want: &Ty, parameters: &[Ty]) -> Ty {
        match value {
            Expr::Closure(closure) => self.closure(closure, parameters).function(),
            value => self.eval(value, want),
        }
    }

    /// Reads a struct literal.
    fn literal(&mut self, literal: &ExprStruct, want: &Ty) -> Ty {
        let names: Vec<_> = literal
            .path
            .segments
            .iter()
            .map(|it| word(&it.ident))
            .collect();
        let name = |member: &Member| match member {
            Member::Named(ident) => word(ident),
            Member::Unnamed(number) => number.index.to_string(),
        };
        let (found, used) = match (names[0].as_str(), &self.scope.self_ty) {
            ("Self", Some(Ty::Own(id, _))) => (ResolvedItem::Own(Def::Type(*id)), 1),
            _ => self.find(&names, Want::Type),
        };
        let ty = match found {
            ResolvedItem::Own(Def::Type(id)) => {
                self.engine.touch(id);
                if let TypeDefinition::Alias(target) = &self.engine.index.types[id].shape {
                    let target = *target;
                    let scope = self.scope_of(id, &[]);
                    self.engine.index.lower(target, &scope)
                } else {
                    let ty = self.new_own(id, want);
                    let given = literal.path.segments.iter().nth(used - 1);
                    if let Some(given) = given.filter(|_| names[0] != "Self") {
                        let index = self.engine.index;
                        let given = index.lower_arguments(&given.arguments, &self.scope, 0);
                        self.unify(&ty, &Ty::Own(id, given));
                    }
                    ty
                }
            }
            ResolvedItem::Extern(path) => {
                let full = ext_path(&path);
                let mut texts = Vec::new();
                for field in &literal.fields {
                    let ty = self.eval(&field.expr, &Ty::Unknown);
                    texts.push((name(&field.member), self.resolved(&ty)));
                    if let Member::Named(ident) = &field.member
                        && ident == "block_owner_deletion"
                    {
                        self.block_deletion(&field.expr, ident.span());
                    }
                }
                if let Some(rest) = &literal.rest {
                    self.eval(rest, &Ty::Unknown);
                }
                let ty = Self::named_kind(&full, &texts);
                self.constructs(&ty);
                return ty;
            }
            ResolvedItem::Own(_) => Ty::Unknown,
        };
        self.constructs(&ty);
        for field in &literal.fields {
            let field_name = name(&field.member);
            let wanted = match &ty {
                Ty::Own(id, arguments) if used < names.len() => self.variant_field(
                    *id,
                    &arguments.clone(),
                    names.last().map_or("", String::as_str),
                    &field_name,
                ),
                ty => self.field(ty, &field_name),
            };
            let actual = self.eval(&field.expr, &wanted);
            self.unify(&wanted, &actual);
            if let Ty::Own(id, _) = &ty
                && self.resolved(&wanted).is_client()
            {
                let actual = self.resolved(&actual);
                self.engine.clients.add((*id, field_name), &actual);
            }
        }
        if let Some(rest) = &literal.rest {
            self.eval(rest, &ty);
        }
        ty
    }

    /// Marks a type as one of which the program makes values, for the server-side applies that may
    /// create objects. The type may become known later in the function.
    pub(super) fn constructs(&mut self, ty: &Ty) {
        self.constructed.push(ty.clone());
    }

    /// Returns a type of the repository with new variables for its parameters, which are known as
    /// far as `want` is.
    pub(super) fn new_own(&mut self, id: usize, want: &Ty) -> Ty {
        let generics = self.engine.index.types[id].generics;
        let count = generics.into_iter().flat_map(type_parameters).count();
        let arguments = (0..count).map(|_| self.var()).collect();
        let ty = Ty::Own(id, arguments);
        self.unify(&ty, want);
        ty
    }

    /// Returns the type of a field of an enum's variant, by its name or position; unknown if the
    /// variant has no such field. `arguments` are the type arguments of the enum.
    pub(super) fn variant_field(
        &mut self,
        id: usize,
        arguments: &[Ty],
        variant: &str,
        field: &str,
    ) -> Ty {
        let index = self.engine.index;
        let TypeDefinition::Enum(item) = &index.types[id].shape else {
            return Ty::Unknown;
        };
        let variant = item.variants.iter().find(|one| word(&one.ident) == variant);
        let fields = variant.into_iter().flat_map(|variant| &variant.fields);
        let found = fields.enumerate().find(|(at, inner)| match &inner.ident {
            Some(ident) => word(ident) == field,
            None => at.to_string() == field,
        });
        match found {
            Some((_, found)) => {
                let scope = self.scope_of(id, arguments);
                index.lower(&found.ty, &scope)
            }
            None => Ty::Unknown,
        }
    }

    /// Returns the resource of a `GroupVersionKind` or an `ApiResource` by its fields.
    fn named_kind(path: &str, fields: &[(String, Ty)]) -> Ty {
        let text = |wanted: &str| {
            let field = fields.iter().find(|(name, _)| name == wanted);
            match field {
                Some((_, Ty::Str(text))) => Some(text.clone()),
                _ => None,
            }
        };
        match path {
            "kube::ApiResource" => match (text("group"), text("plural")) {
                (Some(group), Some(plural)) => Ty::ext(path, [Ty::Resource { group, plural }]),
                _ => Ty::ext(path, []),
            },
            "kube::GroupVersionKind" => match (text("group"), text("kind")) {
                (Some(group), Some(kind)) => Ty::ext(path, [Ty::Str(group), Ty::Str(kind)]),
                _ => Ty::ext(path, []),
            },
            _ => Ty::ext(path, []),
        }
    }

    /// Records the place of a `block_owner_deletion` that is not set to `None` or `Some(false)`.
    fn block_deletion(&mut self, value: &Expr, span: Span) {
        let is_false = match value {
            Expr::Path(path) => path.path.is_ident("None"),
            Expr::Call(call) => call.args.iter().any(|value| match value {
                Expr::Lit(literal) => matches!(&literal.lit, Lit::Bool(it) if !it.value),
                _ => false,
            }),
            _ => false,
        };
        if !is_false && self.engine.sent.blocks_deletion.is_none() {
            self.engine.sent.blocks_deletion = Some(self.place(span));
        }
    }
}

/// Returns the variant that a pattern matches, also inside of `Some`.
fn named_variant(pat: &Pat) -> Option<String> {
    let path = match pat {
        Pat::TupleStruct(pat) => {
            if pat.path.is_ident("Some") {
                return named_variant(pat.elems.first()?);
            }
            &pat.path
        }
        Pat::Struct(pat) => &pat.path,
        Pat::Path(pat) => &pat.path,
        Pat::Paren(pat) => return named_variant(&pat.pat),
        Pat::Reference(pat) => return named_variant(&pat.pat),
        Pat::Guard(pat) => return named_variant(&pat.pat),
        _ => return None,
    };
    path.segments.last().map(|last| word(&last.ident))
}
