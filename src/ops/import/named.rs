//! The namespace and the name prefix in `config/default` of a Go project. The new project keeps
//! them, so that its objects replace those of the Go operator.

use serde_json::Value;

use crate::project::Project;
use crate::project::naming::Naming;
use crate::tree::Tree;
use crate::yaml;

/// The file with the namespace and the prefix, in the Go project and in the new one.
pub const DEFAULT: &str = "config/default/kustomization.yaml";

/// The maximum length of a namespace, and of a prefix that leaves room for a name.
const LONGEST: usize = 63;

/// The namespace and the name prefix. `None` if the Go project does not set one, or sets an invalid
/// one.
#[derive(Debug, Default, Eq, PartialEq)]
pub struct Named {
    namespace: Option<String>,
    prefix: Option<String>,
}

impl Named {
    /// Parses the text of [`DEFAULT`].
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

    /// Returns the fields that differ from the defaults of a new project, each with the default and
    /// the value of the Go project.
    fn changes(&self, project: &Project) -> Vec<(&'static str, String, &str)> {
        let usual = Naming::default_for(project);
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

    /// Writes the values into [`DEFAULT`] of the new project.
    pub fn write_into(&self, project: &Project, tree: &mut Tree) {
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

    /// Returns a line of `IMPORT.md` for each value that is written.
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
