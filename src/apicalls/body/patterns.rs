//! Variables that patterns declare.

use syn::{Member, Pat, Path};

use super::Body;
use crate::apicalls::index::{Def, TypeDefinition};
use crate::apicalls::resolve::{ResolvedItem, Want, is_transparent};
use crate::apicalls::ty::{Ty, last_name};
use crate::sources::imports::word;

impl Body<'_, '_> {
    /// Declares the variables of a pattern that matches a type.
    pub(super) fn bind(&mut self, pat: &Pat, ty: &Ty) {
        let ty = &self.resolved(ty);
        match pat {
            Pat::Ident(pat) => {
                if let Some((_, inner)) = &pat.subpat {
                    self.bind(inner, ty);
                }
                self.set(word(&pat.ident), ty.clone());
            }
            Pat::Type(pat) => {
                let declared = self.lower(&pat.ty);
                self.unify(&declared, ty);
                let ty = self.better(&declared, ty);
                self.bind(&pat.pat, &ty);
            }
            Pat::Reference(pat) => self.bind(&pat.pat, ty),
            Pat::Paren(pat) => self.bind(&pat.pat, ty),
            Pat::Guard(pat) => {
                self.bind(&pat.pat, ty);
                self.eval(&pat.guard, &Ty::Unknown);
            }
            Pat::Or(pat) => pat.cases.iter().for_each(|case| self.bind(case, ty)),
            Pat::Slice(pat) => {
                let element = self.element(ty);
                pat.elems
                    .iter()
                    .for_each(|inner| self.bind(inner, &element));
            }
            Pat::Tuple(pat) => {
                for (at, inner) in pat.elems.iter().enumerate() {
                    let element = self.field(ty, &at.to_string());
                    self.bind(inner, &element);
                }
            }
            Pat::TupleStruct(pat) => {
                for (at, inner) in pat.elems.iter().enumerate() {
                    let element = self.payload(&pat.path, ty, &at.to_string());
                    self.bind(inner, &element);
                }
            }
            Pat::Struct(pat) => {
                for field in &pat.fields {
                    let name = match &field.member {
                        Member::Named(ident) => word(ident),
                        Member::Unnamed(number) => number.index.to_string(),
                    };
                    let inner = self.payload(&pat.path, ty, &name);
                    self.bind(&field.pat, &inner);
                }
            }
            _ => {}
        }
    }

    /// Returns the type of a field of a variant or struct in a pattern.
    fn payload(&mut self, path: &Path, ty: &Ty, field: &str) -> Ty {
        let names: Vec<_> = path.segments.iter().map(|it| word(&it.ident)).collect();
        let last = names.last().map_or("", String::as_str);
        if names.len() == 1 && matches!(last, "Some" | "Ok" | "Ready") {
            return ty.clone();
        }
        if last == "Err" {
            return Ty::Unknown;
        }
        // `State(state)` of a handler: the wrapper is left out of its type.
        if is_transparent(last)
            && matches!(self.find(&names, Want::Type).0, ResolvedItem::Extern(_))
        {
            return ty.clone();
        }
        let id = match (ty, names[0].as_str(), &self.scope.self_ty) {
            (Ty::Own(id, _), ..) | (_, "Self", Some(Ty::Own(id, _))) => Some(*id),
            _ => match self.find(&names, Want::Type) {
                (ResolvedItem::Own(Def::Type(id)), _) => Some(id),
                _ => None,
            },
        };
        let Some(id) = id else {
            // A variant of another crate's enum: `Event::Apply(object)` of a finalizer, a watch
            // event.
            return match ty {
                Ty::Ext(path, arguments) if arguments.len() == 1 && last_name(path) != "Vec" => {
                    arguments[0].clone()
                }
                Ty::Ext(..) | Ty::Own(..) | Ty::Tuple(_) => Ty::Unknown,
                ty => ty.clone(),
            };
        };
        let arguments = match ty {
            Ty::Own(_, arguments) => arguments.clone(),
            _ => Vec::new(),
        };
        let index = self.engine.index;
        let TypeDefinition::Enum(item) = &index.types[id].shape else {
            return self.field(&Ty::Own(id, arguments), field);
        };
        let variant = item
            .variants
            .iter()
            .find(|variant| word(&variant.ident) == last);
        let fields = variant.into_iter().flat_map(|variant| &variant.fields);
        let found = fields.enumerate().find(|(at, inner)| match &inner.ident {
            Some(ident) => word(ident) == field,
            None => at.to_string() == field,
        });
        let Some((_, found)) = found else {
            return Ty::Unknown;
        };
        let scope = self.scope_of(id, &arguments);
        let ty = index.lower(&found.ty, &scope);
        self.resolved(&ty)
    }

    /// Returns the type of the elements of a sequence or a map; those of a map are tuples. Unknown
    /// for other types.
    pub(super) fn element(&mut self, ty: &Ty) -> Ty {
        match self.resolved(ty) {
            Ty::Ext(path, arguments) => match (path.as_str(), &arguments[..]) {
                ("Map", [..]) => Ty::Tuple(arguments),
                ("Vec" | "kube::ObjectList" | "kube::Store", [element]) => element.clone(),
                _ => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    /// Returns the more precise of a declared type and that of a value: the declared one, unless
    /// nothing is known about it or the value has a known resource or text.
    pub(super) fn better(&mut self, declared: &Ty, actual: &Ty) -> Ty {
        let actual = self.resolved(actual);
        let declared = self.resolved(declared);
        match (&declared, &actual) {
            (_, Ty::Unknown | Ty::Var(_) | Ty::Assoc(..)) => declared,
            (Ty::Ext(x, _), Ty::Ext(y, inner)) if x != y || inner.iter().any(Ty::is_unknown) => {
                declared
            }
            // A text, or an object of a known resource that is declared as `DynamicObject`.
            (
                Ty::Unknown | Ty::Var(_) | Ty::Ext(..),
                Ty::Ext(..) | Ty::Str(_) | Ty::Resource { .. },
            )
            | (Ty::Unknown | Ty::Var(_), _) => actual,
            _ => declared,
        }
    }
}
