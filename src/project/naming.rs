//! The names of deployed objects. Manifests in `config/` have the fixed names below; the
//! kustomization `config/default` replaces their namespace and adds a prefix to their names.
//! [`Naming`] is the result.

use std::path::Path;

use crate::disk::regular;
use crate::project::Project;

/// The operator's namespace in the manifests of `config/`. `config/default` replaces it.
pub const NAMESPACE: &str = "system";

/// The operator's ServiceAccount in the manifests of `config/`. `config/default` adds a prefix.
pub const ACCOUNT: &str = "controller-manager";

/// The Service of the webhooks in the manifests of `config/`. `config/default` adds a prefix.
pub const SERVICE: &str = "webhook-service";

/// The namespace and name prefix of the deployed objects. `config/default` is a user file, so both
/// can differ from the defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The namespace of the operator, such as `cow-system`.
    pub namespace: String,
    /// The `namePrefix` of all objects, such as `cow-`; may be empty.
    pub prefix: String,
    /// True if roles keep a namespace that their marker specifies: `config/default` either sets no
    /// namespace, or has a transformer that reads [`NAMESPACE_ANNOTATION`]. Without one, kustomize
    /// moves all roles to the operator's namespace.
    pub restores_namespaces: bool,
}

/// The annotation on a `Role` or `RoleBinding` with the namespace that its marker specifies, if
/// that is not the operator's. A transformer of `config/default` sets the namespace from it, after
/// kustomize has replaced all of them.
pub const NAMESPACE_ANNOTATION: &str = "rustop.dev/namespace";

impl Naming {
    /// Returns the naming of a new project: the namespace `NAME-system` and the prefix `NAME-`.
    pub fn default_for(project: &Project) -> Self {
        let name = &project.project_name;
        Self {
            namespace: format!("{name}-system"),
            prefix: format!("{name}-"),
            restores_namespaces: true,
        }
    }

    /// Reports whether a namespace in a manifest of `config/` is the operator's: [`NAMESPACE`], or
    /// the name that replaces it.
    pub fn is_own_namespace(&self, namespace: &str) -> bool {
        [NAMESPACE, &self.namespace].contains(&namespace)
    }

    /// Reads the naming from `config/default/kustomization.yaml`, which is a user file. If the file
    /// is missing or not valid YAML, returns [`Self::default_for`]. Without the field `namespace`,
    /// the namespace is [`NAMESPACE`].
    pub fn of(root: &Path, project: &Project) -> Self {
        let dir = root.join("config/default");
        let text = regular::text(&dir.join("kustomization.yaml"));
        let read = |text: String| serde_yaml::from_str::<serde_json::Value>(&text).ok();
        let Some(default) = text.ok().and_then(read) else {
            return Self::default_for(project);
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
    fn naming_is_read_from_the_users_kustomization() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::new("my.domain".parse().unwrap(), "cow".parse().unwrap());
        let naming = |text: &str| {
            fs::create_dir_all(dir.path().join("config/default")).unwrap();
            fs::write(dir.path().join("config/default/kustomization.yaml"), text).unwrap();
            let naming = Naming::of(dir.path(), &project);
            (naming.namespace, naming.prefix)
        };
        let pair = |namespace: &str, prefix: &str| (namespace.to_owned(), prefix.to_owned());
        assert_eq!(
            Naming::of(dir.path(), &project),
            Naming::default_for(&project)
        );
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
