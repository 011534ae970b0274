//! The API groups that the packages of a Go project declare.

use std::collections::BTreeMap;

use super::lexer::{Token, lex};
use super::{GoController, GoType, HandledType};

/// The marker that names the group of a package.
const GROUP: &str = "+groupName=";

/// The API groups of a project's packages.
#[derive(Debug, Default)]
pub struct Groups {
    /// The groups by the directory of the package, relative to the project.
    packages: BTreeMap<String, String>,
}

impl Groups {
    /// Adds the package of a Go file, if the file declares its group in a marker or as a
    /// `GroupVersion`. `path` is relative to the project, also in the other functions.
    pub fn add(&mut self, path: &str, text: &str) {
        let mut lines = text.lines().map(|line| line.trim_start_matches(['/', ' ']));
        let marked = lines.find_map(|line| line.strip_prefix(GROUP));
        let group = marked
            .map(|it| it.trim().to_owned())
            .or_else(|| declared(text));
        let package = directory(path).to_owned();
        self.packages.extend(group.map(|group| (package, group)));
    }

    /// Returns the group of the package of a Go file; `None` if no file of the package declares it.
    pub fn of_file(&self, path: &str) -> Option<&str> {
        self.packages.get(directory(path)).map(String::as_str)
    }

    /// Sets the groups of the types that a controller in a Go file refers to.
    pub fn resolve(&self, path: &str, chain: &mut GoController) {
        for call in &mut chain.calls {
            let group = call.object().and_then(|object| self.of(path, &object));
            call.group = group.map(str::to_owned);
        }
    }

    /// Sets the group of the type whose webhooks a Go file registers.
    pub fn resolve_handler(&self, path: &str, handled: &mut HandledType) {
        handled.group = self.of(path, &handled.named()).map(str::to_owned);
    }

    /// Returns the group of a type that a Go file names.
    fn of(&self, path: &str, named: &GoType) -> Option<&str> {
        match named.import {
            Some(import) => self.imported(import),
            None if !named.package.is_empty() => None,
            None => self.of_file(path),
        }
    }

    /// Returns the group of a package by the path of its import, which ends with its directory.
    fn imported(&self, import: &str) -> Option<&str> {
        let is_end = |package: &str| {
            let rest = import.strip_suffix(package);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let packages = self.packages.iter();
        packages
            .filter(|(package, _)| !package.is_empty() && is_end(package))
            .max_by_key(|(package, _)| package.len())
            .map(|(_, group)| group.as_str())
    }
}

fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Returns the group of `GroupVersion{Group: "batch.my.domain", Version: "v1"}` if the text has
/// exactly one such literal.
fn declared(text: &str) -> Option<String> {
    if !text.contains("GroupVersion{") {
        return None;
    }
    let lexemes = lex(text);
    let mut groups = lexemes.windows(5).filter_map(|window| match window {
        [
            (_, Token::Word("GroupVersion")),
            (_, Token::Sign('{')),
            (_, Token::Word("Group")),
            (_, Token::Sign(':')),
            (_, Token::Literal(group)),
        ] => Some(group.trim_matches(['"', '`']).to_owned()),
        _ => None,
    });
    groups.next().filter(|_| groups.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gosource::go_controllers;

    #[test]
    fn a_type_has_the_group_of_its_package() {
        let mut groups = Groups::default();
        groups.add(
            "api/farm/v1/groupversion_info.go",
            "// +groupName=farm.my.domain\npackage v1\n",
        );
        groups.add(
            "api/shop/v1/register.go",
            "var GroupVersion = schema.GroupVersion{Group: \"shop.my.domain\", Version: \"v1\"}\n",
        );
        groups.add("api/v1/types.go", "// No group.\n");
        for (path, text, group) in [
            (
                "a.go",
                "import x \"example.org/api/shop/v1\"\nNewControllerManagedBy(m).For(&x.Cow{})",
                Some("shop.my.domain"),
            ),
            (
                "a.go",
                "import x \"example.org/api/farm/v1\"\nc := &x.Cow{}\nNewControllerManagedBy(m).For(c)",
                Some("farm.my.domain"),
            ),
            (
                "api/farm/v1/a.go",
                "NewControllerManagedBy(m).For(&Cow{})",
                Some("farm.my.domain"),
            ),
            (
                "api/farm/v1/a.go",
                "import corev1 \"k8s.io/api/core/v1\"\nNewControllerManagedBy(m).For(&corev1.Pod{})",
                None,
            ),
            ("a.go", "NewControllerManagedBy(m).For(&shop.Cow{})", None),
        ] {
            let mut chain = go_controllers(text).remove(0);
            groups.resolve(path, &mut chain);
            assert_eq!(chain.object().unwrap().group, group, "{text}");
        }
    }
}
