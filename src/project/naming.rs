//! What `config/default` makes of the names in `config/`.

use std::path::Path;

use crate::disk::regular;
use crate::project::Project;

/// The namespace in the files, which `config/default` replaces.
pub const NAMESPACE: &str = "system";

/// The Service of the webhooks in the files; `config/default` puts a prefix before it.
pub const SERVICE: &str = "webhook-service";

/// What the operator and its objects are called where they are deployed. The file is the user's, who may
/// change both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The operator's namespace.
    pub namespace: String,
    /// What is put before the names of its objects, possibly nothing.
    pub prefix: String,
}

impl Naming {
    /// As a new project has it.
    pub fn usual(project: &Project) -> Self {
        let name = &project.project_name;
        Self {
            namespace: format!("{name}-system"),
            prefix: format!("{name}-"),
        }
    }

    /// As `config/default` of the project says it; the usual where it says nothing that can be read.
    pub fn of(root: &Path, project: &Project) -> Self {
        let text = regular::text(&root.join("config/default/kustomization.yaml"));
        let read = |text: String| serde_yaml::from_str::<serde_json::Value>(&text).ok();
        let Some(default) = text.ok().and_then(read) else {
            return Self::usual(project);
        };
        let text = |field: &str| default[field].as_str();
        Self {
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
            let Naming { namespace, prefix } = Naming::of(dir.path(), &project);
            (namespace, prefix)
        };
        let pair = |namespace: &str, prefix: &str| (namespace.to_owned(), prefix.to_owned());
        assert_eq!(Naming::of(dir.path(), &project), Naming::usual(&project));
        assert_eq!(naming("{"), pair("cow-system", "cow-"));
        assert_eq!(naming("namespace: a\nnamePrefix: b-\n"), pair("a", "b-"));
        assert_eq!(naming("resources: []\n"), pair("system", ""));
    }
}
