//! What `config/default` makes of the names of the Go operator's objects, so that the new operator is deployed in their
//! place.

use serde_json::Value;

use crate::project::Project;
use crate::project::naming::Naming;
use crate::tree::Tree;
use crate::yaml;

/// The file with the namespace and the prefix, in Go and here.
pub const DEFAULT: &str = "config/default/kustomization.yaml";

/// The longest name of a namespace, and of a prefix that leaves room for a name.
const LONGEST: usize = 63;

/// The namespace and the prefix of names; `None` for one that the Go project does not set, or that is no such name.
#[derive(Debug, Default, Eq, PartialEq)]
pub struct Named {
    namespace: Option<String>,
    prefix: Option<String>,
}

impl Named {
    /// Reads the text of the file.
    pub fn read(text: &str) -> Self {
        let file: Value = serde_yaml::from_str(text).unwrap_or_default();
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let name = |field: &str| {
            let name = file[field].as_str()?;
            let starts = name.starts_with(|c: char| c.is_ascii_alphanumeric());
            (starts && name.len() <= LONGEST && name.chars().all(is_part)).then(|| name.to_owned())
        };
        Self {
            namespace: name("namespace").filter(|name| !name.ends_with('-')),
            prefix: name("namePrefix"),
        }
    }

    /// Those that a project does not have by itself: each field with the value there and here.
    fn changes(&self, project: &Project) -> Vec<(&'static str, String, &str)> {
        let usual = Naming::usual(project);
        let fields = [
            ("namespace", usual.namespace, &self.namespace),
            ("namePrefix", usual.prefix, &self.prefix),
        ];
        fields
            .into_iter()
            .filter_map(|(field, usual, own)| Some((field, usual, own.as_deref()?)))
            .filter(|(_, usual, own)| usual != own)
            .collect()
    }

    /// Puts them into the file of the new project.
    pub fn put(&self, project: &Project, tree: &mut Tree) {
        let Some(mut text) = tree.get(DEFAULT).map(|file| file.text.clone()) else {
            return;
        };
        for (field, usual, own) in self.changes(project) {
            let own = yaml::write(&own.into());
            text = text.replacen(
                &format!("{field}: {usual}\n"),
                &format!("{field}: {}\n", own.trim_end()),
                1,
            );
        }
        tree.replace(DEFAULT, text);
    }

    /// A line for each of them.
    pub fn lines(&self, project: &Project) -> Vec<String> {
        let changes = self.changes(project).into_iter();
        changes
            .map(|(field, _, own)| {
                format!("- `{DEFAULT}` has the `{field}` of the Go project: `{own}`")
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_are_read() {
        let named = |text: &str| {
            let Named { namespace, prefix } = Named::read(text);
            (namespace, prefix)
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            named("namespace: kruise-system\nnamePrefix: kruise-\n"),
            (some("kruise-system"), some("kruise-"))
        );
        for text in [
            "",
            "{",
            "[]",
            "namespace: A\nnamePrefix: 'a\n  b'\n",
            "namespace: a-\nnamePrefix: ''\n",
        ] {
            assert_eq!(named(text), (None, None), "{text}");
        }
    }
}
