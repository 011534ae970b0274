//! The names of deployed objects: `config/default` changes the names in the files of `config/`.

use std::path::Path;

use crate::disk::regular;
use crate::project::Project;

/// The namespace in the files. `config/default` replaces it.
pub const NAMESPACE: &str = "system";

/// The operator's ServiceAccount in the files. `config/default` adds a prefix.
pub const ACCOUNT: &str = "controller-manager";

/// The Service of the webhooks in the files. `config/default` adds a prefix.
pub const SERVICE: &str = "webhook-service";

/// The namespace and name prefix of the deployed objects. `config/default` is a user file, so both can differ from the
/// defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The operator's namespace.
    pub namespace: String,
    /// The prefix of the names of its objects; may be empty.
    pub prefix: String,
    /// True if `config/default` restores the namespaces that markers specify for roles.
    pub restores_namespaces: bool,
}

/// The annotation with the namespace of a `Role` or `RoleBinding` that is not for the operator's namespace.
pub const NAMESPACE_ANNOTATION: &str = "rustop.dev/namespace";

impl Naming {
    /// Returns the defaults of a new project.
    pub fn usual(project: &Project) -> Self {
        let name = &project.project_name;
        Self {
            namespace: format!("{name}-system"),
            prefix: format!("{name}-"),
            restores_namespaces: true,
        }
    }

    /// Reports whether a namespace in the files of `config/` is the operator's, under its placeholder or its name.
    pub fn is_own_namespace(&self, namespace: &str) -> bool {
        [NAMESPACE, &self.namespace].contains(&namespace)
    }

    /// Returns the names that the project's `config/default` specifies, or the defaults if it cannot be read.
    pub fn of(root: &Path, project: &Project) -> Self {
        let dir = root.join("config/default");
        let text = regular::text(&dir.join("kustomization.yaml"));
        let read = |text: String| serde_yaml::from_str::<serde_json::Value>(&text).ok();
        let Some(default) = text.ok().and_then(read) else {
            return Self::usual(project);
        };
        let text = |field: &str| default[field].as_str();
        let transformers = default["transformers"].as_array().into_iter().flatten();
        let mut transformers = transformers.filter_map(serde_json::Value::as_str);
        // An entry is either the text of a transformer, or the path of a file with transformers.
        let is_restoring = |entry: &str| {
            let file = || regular::text(&dir.join(entry)).unwrap_or_default();
            entry.contains(NAMESPACE_ANNOTATION) || file().contains(NAMESPACE_ANNOTATION)
        };
        Self {
            restores_namespaces: text("namespace").is_none() || transformers.any(is_restoring),
            namespace: text("namespace").unwrap_or(NAMESPACE).to_owned(),
            prefix: text("namePrefix").unwrap_or_default().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_the_user_changed_counts() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::new("my.domain".parse().unwrap(), "cow".parse().unwrap());
        let naming = |text: &str| {
            fs::create_dir_all(dir.path().join("config/default")).unwrap();
            fs::write(dir.path().join("config/default/kustomization.yaml"), text).unwrap();
            let naming = Naming::of(dir.path(), &project);
            (naming.namespace, naming.prefix)
        };
        let pair = |namespace: &str, prefix: &str| (namespace.to_owned(), prefix.to_owned());
        assert_eq!(Naming::of(dir.path(), &project), Naming::usual(&project));
        assert_eq!(naming("{"), pair("cow-system", "cow-"));
        assert_eq!(naming("namespace: a\nnamePrefix: b-\n"), pair("a", "b-"));
        assert_eq!(naming("resources: []\n"), pair("system", ""));
    }
    #[test]
    fn namespaces_are_restored_unless_only_moved() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::new("my.domain".parse().unwrap(), "cow".parse().unwrap());
        fs::create_dir_all(dir.path().join("config/default")).unwrap();
        let annotated = "target: {annotationSelector: rustop.dev/namespace}\n";
        fs::write(dir.path().join("config/default/mine.yaml"), annotated).unwrap();
        for (text, expected) in [
            ("namespace: a\n", false),
            ("namespace: a\ntransformers: [other.yaml]\n", false),
            ("namespace: a\ntransformers: [mine.yaml]\n", true),
            (
                "namespace: a\ntransformers:\n- |\n  target: {annotationSelector: rustop.dev/namespace}\n",
                true,
            ),
            ("namePrefix: a-\n", true),
        ] {
            fs::write(dir.path().join("config/default/kustomization.yaml"), text).unwrap();
            let naming = Naming::of(dir.path(), &project);
            assert_eq!(naming.restores_namespaces, expected, "{text}");
        }
    }
}
