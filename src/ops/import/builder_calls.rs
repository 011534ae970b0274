//! The translation of calls on a Go builder into Rust, as far as it can be derived from the call
//! itself.

use crate::gosource::{BuilderCall, GoType};
use crate::project::Project;
use crate::project::builtin::{self, Builtin};
use crate::resource::Resource;

/// The maximum number of characters of a call's arguments that are shown. The place of the call is
/// shown as well.
const WIDTH: usize = 160;

/// The start of the import paths of built-in kinds: `k8s.io/api/apps/v1`.
const KUBERNETES: &str = "k8s.io/";

/// Returns a Go call on one line. Backticks are replaced, since they would end a code span.
pub fn one_line(call: &BuilderCall) -> String {
    let words: Vec<_> = call.arguments.split_whitespace().collect();
    let all = words.join(" ").replace('`', "'");
    let mut arguments: String = all.chars().take(WIDTH).collect();
    if arguments.len() < all.len() {
        arguments.push_str(" …");
    }
    format!("{}({arguments})", call.name)
}

/// Returns the equivalent of a call in the `controller()` function, or `None` if there is none. A
/// `..` in it stands for code that the user has to write.
pub fn rust(call: &BuilderCall, project: &Project) -> Option<String> {
    let arguments = call.arguments.as_str();
    match call.name.as_str() {
        "Owns" => Some(format!(".owns::<{}>()", path(&call.object()?, project)?)),
        "Watches" => Some(format!(
            ".watches::<{}, _>(|changed| ..)",
            path(&call.object()?, project)?
        )),
        "Named" => Some(format!(".with_name({})", literal(arguments)?)),
        // `New` creates a controller without a builder: `controller.New("name", mgr,
        // controller.Options{…})`.
        "WithOptions" | "New" | "NewTyped" | "NewUnmanaged" | "NewTypedUnmanaged" => {
            Some(format!(".concurrency({})", at_once(arguments)?))
        }
        "WithEventFilter" => Some(".predicate(|before, now| ..)".to_owned()),
        _ => None,
    }
}

/// Returns a Go string literal if it means the same in Rust.
fn literal(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('"')?.strip_suffix('"')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    inside.chars().all(is_plain).then_some(text)
}

/// Returns the `4` of `controller.Options{MaxConcurrentReconciles: 4}`.
fn at_once(options: &str) -> Option<u16> {
    let (_, number) = options.split_once("MaxConcurrentReconciles:")?;
    let number = number.trim_start();
    let end = number.find(|c: char| !c.is_ascii_digit());
    number[..end.unwrap_or(number.len())].parse().ok()
}

/// Returns the path of a kind's Rust type, which is in the project or in k8s-openapi.
fn path(go_type: &GoType<'_>, project: &Project) -> Option<String> {
    let own = project
        .resources
        .iter()
        .find(|it| it.api.is_some() && is_of(go_type, it) && is_in_version(go_type, it));
    if let Some(own) = own {
        return Some(format!("api::{}::{}", own.api_path(), own.rust_type()));
    }
    let builtin = builtin(go_type).filter(|it| it.is_in(project.kubernetes_version))?;
    Some(format!("{}::{}", builtin.module, builtin.kind))
}

/// Returns true if a Go type is of the project's kind. If the package of the type was not found,
/// compares only the kind's name.
pub fn is_of(go_type: &GoType<'_>, resource: &Resource) -> bool {
    let is_group = match (go_type.group, go_type.import) {
        (Some(group), _) => resource.api_group() == group,
        (None, Some(import)) => !import.starts_with(KUBERNETES),
        (None, None) => true,
    };
    is_group && resource.kind.as_str() == go_type.kind
}

/// Returns true if the name of a Go type's package, or the path of its import, ends with the
/// version of a kind.
pub fn is_in_version(go_type: &GoType<'_>, resource: &Resource) -> bool {
    let package = go_type.import.unwrap_or(go_type.package);
    package.ends_with(resource.version.as_str())
}

/// Returns the built-in kind of a Go type. If its import was not found, the package must have a
/// usual name: `corev1`, `rbacv1`, `v1`.
pub fn builtin(go_type: &GoType<'_>) -> Option<&'static Builtin> {
    let module = |import: &str| {
        let path = import.strip_prefix(KUBERNETES)?;
        let path = path.replace('-', "_").replace('/', "::");
        Some(format!("k8s_openapi::{path}"))
    };
    if let Some(import) = go_type.import {
        let module = module(import)?;
        let mut all = builtin::all().iter();
        return all.find(|it| it.module == module && it.kind == go_type.kind);
    }
    builtin::all().iter().find(|builtin| {
        let group = builtin.group.split('.').next().filter(|it| !it.is_empty());
        let group = group.unwrap_or("core");
        let stem = go_type.package.strip_suffix(builtin.version);
        go_type.kind == builtin.kind && stem.is_some_and(|stem| group.starts_with(stem))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gosource::go_controllers;

    /// `Barn` of `farm.my.domain/v1`.
    const BARN: &str = "{group: farm, domain: my.domain, kind: Barn, plural: barns, version: v1, \
        api: {crdVersion: v1, namespaced: true}}";

    #[test]
    fn builder_calls_become_rust() {
        let go = r#"return ctrl.NewControllerManagedBy(mgr).For(&v1.Cow{}).
            Named("cow").Named("a\"b").Named(name).
            Owns(&appsv1.Deployment{}, builder.WithPredicates(p)).Owns(&farm.Barn{}).Owns(&farmv1.Barn{}).
            Owns(&networkingv1.Ingress{}).Owns(&appsv1.Herd{}).
            WithOptions(controller.Options{CacheSyncTimeout: t, MaxConcurrentReconciles:  12}).
            WithOptions(controller.Options{MaxConcurrentReconciles: r.workers}).
            WithEventFilter(predicate.GenerationChangedPredicate{}).
            Complete(r)"#;
        let mut project = Project::new("my.domain".parse().unwrap(), "p".parse().unwrap());
        project.resources = vec![serde_yaml::from_str(BARN).unwrap()];
        let rust: Vec<_> = go_controllers(go)[0]
            .calls
            .iter()
            .map(|call| rust(call, &project))
            .collect();
        let expected = [
            None,
            Some(".with_name(\"cow\")"),
            None,
            None,
            Some(".owns::<k8s_openapi::api::apps::v1::Deployment>()"),
            None,
            Some(".owns::<api::farm::v1::barn::Barn>()"),
            Some(".owns::<k8s_openapi::api::networking::v1::Ingress>()"),
            None,
            Some(".concurrency(12)"),
            None,
            Some(".predicate(|before, now| ..)"),
            None,
        ];
        assert_eq!(rust, expected.map(|it| it.map(str::to_owned)));
    }
}
