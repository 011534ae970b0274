//! The help of findings in types that rustop has not scaffolded: they have no `meta`, and an older
//! kube may lack attributes.

use std::borrow::Cow;

use crate::crd::Attributes;

/// The first version of kube with `#[derive(KubeSchema)]` and `#[x_kube(..)]`.
const KUBE_SCHEMA: (u32, u32) = (1, 0);

/// Texts of help with an attribute or a type of scaffolded projects, and what types without it
/// write instead.
const WITHOUT: [(&str, &str); 6] = [
    (
        "`Vec<meta::Condition>`",
        "`Vec<k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition>`, with the feature `schemars` of k8s-openapi",
    ),
    (
        "`#[x_kube(merge_strategy = ListMerge::Set)]`, `ListMerge::Map(vec![\"name\".into()])` or `ListMerge::Atomic` on the field",
        "`#[schemars(schema_with = ..)]` on the field, with `\"x-kubernetes-list-type\": \"set\"`, `\"map\"` or `\"atomic\"`",
    ),
    (
        "`#[x_kube(merge_strategy = ListMerge::Map(vec![\"name\".into()]))]` on the list",
        "`#[schemars(schema_with = ..)]` on the list, with `\"x-kubernetes-list-type\": \"map\"`",
    ),
    (
        "`#[x_kube(merge_strategy = ListMerge::Set)]`",
        "`#[schemars(schema_with = ..)]`, with `\"x-kubernetes-list-type\": \"set\"`",
    ),
    (
        "`#[x_kube(validation = \"isIP(self)\")]`",
        "`isIP(self)` in `x-kubernetes-validations`",
    ),
    (
        "`#[x_kube(validation = \"size(string(self)) <= 20\")]`",
        "`size(string(self)) <= 20` in `x-kubernetes-validations`",
    ),
];

/// Returns the help that types with these attributes can follow.
pub fn suited(attributes: Attributes, help: &str) -> Cow<'_, str> {
    let Attributes::Kube(version) = attributes else {
        return Cow::Borrowed(help);
    };
    let has_schema = version.is_none_or(|version| version >= KUBE_SCHEMA);
    let is_needed = help.contains("#[x_kube(");
    if is_needed && has_schema {
        return format!("{help}, with `#[derive(KubeSchema)]` instead of `JsonSchema` on the type")
            .into();
    }
    let mut rows = WITHOUT.iter();
    match rows.find(|(attribute, _)| help.contains(attribute)) {
        Some((attribute, other)) => help.replace(attribute, other).into(),
        None => Cow::Borrowed(help),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::lints::conventions::CONVENTIONS;

    #[test]
    fn help_for_an_old_kube_needs_no_attribute_of_a_newer_one() {
        let old = Attributes::Kube(Some((0, 99)));
        let new = Attributes::Kube(Some((1, 0)));
        for convention in CONVENTIONS {
            let help = convention.help;
            assert!(!suited(old, help).contains("x_kube"), "{help}");
            assert_eq!(
                suited(new, help).contains("KubeSchema"),
                help.contains("x_kube"),
                "{help}"
            );
            for attributes in [old, new] {
                assert!(!suited(attributes, help).contains("<meta::"), "{help}");
            }
            assert_eq!(suited(Attributes::Scaffolded, help), help);
        }
    }
}
