//! The resource of a type: of Kubernetes' own types, of those with `#[derive(CustomResource)]` or
//! an implementation of `kube::Resource`, and of `ApiResource` values with known names.

use std::collections::HashMap;

use syn::{Block, Expr, Lit, Stmt};

use super::call::RequestedResource;
use super::index::{Index, ModuleId, plural};
use super::resolve::Scope;
use super::ty::{Ty, last_name};
use crate::project::builtin::{self, Builtin};

/// Crates with types of one group, whose plurals are regular.
const GROUPS: [(&str, &str); 2] = [
    ("gateway_api", "gateway.networking.k8s.io"),
    ("k8s_gateway_api", "gateway.networking.k8s.io"),
];

/// Kinds of such a group that have no namespace.
const CLUSTER_SCOPED: [&str; 1] = ["GatewayClass"];

/// Kinds of Kubernetes that can only be created: the type, the group, the plural, and true if it is
/// namespaced.
const ONLY_CREATED: [(&str, &str, &str, bool); 7] = [
    (
        "api::authentication::v1::SelfSubjectReview",
        "authentication.k8s.io",
        "selfsubjectreviews",
        false,
    ),
    (
        "api::authentication::v1::TokenReview",
        "authentication.k8s.io",
        "tokenreviews",
        false,
    ),
    (
        "api::authorization::v1::LocalSubjectAccessReview",
        "authorization.k8s.io",
        "localsubjectaccessreviews",
        true,
    ),
    (
        "api::authorization::v1::SelfSubjectAccessReview",
        "authorization.k8s.io",
        "selfsubjectaccessreviews",
        false,
    ),
    (
        "api::authorization::v1::SelfSubjectRulesReview",
        "authorization.k8s.io",
        "selfsubjectrulesreviews",
        false,
    ),
    (
        "api::authorization::v1::SubjectAccessReview",
        "authorization.k8s.io",
        "subjectaccessreviews",
        false,
    ),
    ("api::core::v1::Binding", "", "bindings", true),
];

/// Returns the resource of a type. The error is the reason why it is not known, as a sentence.
pub fn resource(index: &Index, ty: &Ty) -> Result<RequestedResource, String> {
    match ty {
        Ty::Own(id, _) => {
            let found = index.types[*id].resource.clone();
            found.ok_or_else(|| {
                let name = &index.types[*id].name;
                format!("the kind of `{name}` cannot be derived from its declaration")
            })
        }
        Ty::Resource { group, plural } => Ok(named(group, plural)),
        Ty::Ext(path, _) => ext(path),
        Ty::Unknown | Ty::Var(_) => Err("the type of the object is not known here".to_owned()),
        _ => Err("the object has no single type here".to_owned()),
    }
}

fn ext(path: &str) -> Result<RequestedResource, String> {
    if let Some(builtin) = find(path) {
        return Ok(RequestedResource {
            group: builtin.group.to_owned(),
            plural: builtin.plural.to_owned(),
            namespaced: Some(builtin.namespaced),
        });
    }
    let created = path.strip_prefix("k8s_openapi::").and_then(|path| {
        let mut all = ONLY_CREATED.iter();
        all.find(|(ty, ..)| *ty == path)
    });
    if let Some((_, group, plural, namespaced)) = created {
        return Ok(RequestedResource {
            group: (*group).to_owned(),
            plural: (*plural).to_owned(),
            namespaced: Some(*namespaced),
        });
    }
    let name = last_name(path);
    if path == "kube::DynamicObject" {
        return Err("the kind of the `DynamicObject` is chosen at run time".to_owned());
    }
    let krate = path.split("::").next().unwrap_or_default();
    if let Some((_, group)) = GROUPS.iter().find(|(of, _)| *of == krate) {
        return Ok(RequestedResource {
            group: (*group).to_owned(),
            plural: plural(&name.to_lowercase()),
            namespaced: Some(!CLUSTER_SCOPED.contains(&name)),
        });
    }
    Err(match path.split_once("::") {
        Some((krate, _)) => format!("`{name}` is a type of the crate `{krate}`"),
        None => format!("the declaration of `{name}` was not found"),
    })
}

/// Returns Kubernetes' kind of a path of k8s-openapi. A version that rustop does not know has the
/// plural of the others.
fn find(path: &str) -> Option<&'static Builtin> {
    let (module, name) = path.rsplit_once("::")?;
    let is_exact = |one: &&Builtin| one.module == module && one.kind == name;
    let (group, _) = module.rsplit_once("::")?;
    let is_near = |one: &&Builtin| {
        let near = one.module.rsplit_once("::").map(|(group, _)| group);
        near == Some(group) && one.kind == name
    };
    let all = builtin::all();
    all.iter()
        .find(is_exact)
        .or_else(|| all.iter().find(is_near))
}

/// Returns a resource by its group and plural. Its scope is known for the kinds of Kubernetes only.
pub fn named(group: &str, plural: &str) -> RequestedResource {
    let known = builtin::all();
    let known = known
        .iter()
        .find(|one| one.group == group && one.plural == plural);
    RequestedResource {
        group: group.to_owned(),
        plural: plural.to_owned(),
        namespaced: known.map(|one| one.namespaced),
    }
}

/// Returns the string that is the whole body of a function such as `Resource::plural`, without
/// calls that convert it. `None` for any other body.
pub fn only_text(block: &Block) -> Option<String> {
    match &block.stmts[..] {
        [Stmt::Expr(value, None)] => text(value),
        _ => None,
    }
}

fn text(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        Expr::MethodCall(call) if call.args.is_empty() => text(&call.receiver),
        Expr::Call(call) if call.args.len() == 1 => call.args.first().and_then(text),
        Expr::Paren(inner) => text(&inner.expr),
        Expr::Reference(inner) => text(&inner.expr),
        _ => None,
    }
}

/// Adds the resources of types that implement `kube::Resource` by hand or inherit the kind of
/// another type.
pub fn complete(index: &mut Index) {
    let mut found = Vec::new();
    for item in &index.impls {
        let is_resource = item.of_trait.is_some_and(|path| {
            let last = path.segments.last();
            last.is_some_and(|last| last.ident == "Resource")
        });
        let text = |name: &str| {
            let function = item.functions.get(name)?;
            index.functions[*function].body.and_then(only_text)
        };
        let constant = |name: &str| item.consts.get(name).and_then(|value| self::text(value));
        let text = |function: &str, name: &str| text(function).or_else(|| constant(name));
        let group = text("group", "GROUP");
        let kind = text("kind", "KIND");
        if let (true, Some(group), Some(kind)) = (is_resource, group, kind) {
            let scope = scope(item.module);
            if let Ty::Own(id, _) = index.lower(item.self_ty, &scope) {
                let plural = text("plural", "URL_PATH_SEGMENT")
                    .unwrap_or_else(|| plural(&kind.to_lowercase()));
                found.push((id, named(&group, &plural)));
            }
        }
    }
    for (id, ty) in &index.inherits {
        let ty = index.lower(ty, &scope(index.types[*id].module));
        if let Ok(resource) = resource(index, &ty) {
            found.push((*id, resource));
        }
    }
    for (id, resource) in found {
        index.types[id].resource.get_or_insert(resource);
    }
}

fn scope(module: ModuleId) -> Scope {
    Scope {
        module,
        self_ty: None,
        parameters: HashMap::new(),
    }
}
