//! Detects types that derive `JsonSchema` twice. The compiler's error is unclear: it mentions
//! conflicting implementations and a derive that the user did not write.

use crate::diagnostic::Diagnostic;
use crate::sources::types::{Declared, Types};

/// Reports the types that derive both `KubeSchema` and `JsonSchema`, at the redundant derive.
pub fn derived_twice(types: &Types) -> Vec<Diagnostic> {
    types.iter().filter_map(twice).collect()
}

fn twice(declared: &Declared) -> Option<Diagnostic> {
    let derives = |name| declared.derives.iter().find(|derive| derive.ident == name);
    let found = derives("KubeSchema").and_then(|_| derives("JsonSchema"))?;
    let message = "`KubeSchema` already derives `JsonSchema`, and a type can derive it only once";
    let help = format!(
        "remove `JsonSchema` from the derives of `{}`; only `KubeSchema` reads `#[x_kube(..)]`",
        declared.ident
    );
    Some(found.place.diagnostic(message).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_derives_on_one_type_are_named_with_their_line() {
        let text = "#[derive(JsonSchema, Clone)]\nstruct Fine;\n\n#[derive(KubeSchema)]\nstruct Too;\n\nmod inner {\n    \
                    #[derive(Clone, kube::KubeSchema)]\n    #[derive(schemars::JsonSchema)]\n    enum Twice { A }\n}\n";
        let found = derived_twice(&Types::of_texts([("api/src/v1/a.rs", text)]));
        let found: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].contains("api/src/v1/a.rs:9:24"), "{}", found[0]);
        assert!(
            found[0].contains("remove `JsonSchema` from the derives of `Twice`"),
            "{}",
            found[0]
        );
    }

    #[test]
    fn invalid_rust_is_left_to_the_compiler() {
        assert_eq!(
            derived_twice(&Types::of_texts([("api/src/a.rs", "struct {")])),
            []
        );
    }
}
