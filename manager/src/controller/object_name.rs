//! The name by which one object refers to another.

use kube::Resource;
use kube::runtime::reflector::ObjectRef;

/// The name by which one object refers to another, for
/// [`Controller::refers_to`](crate::Controller::refers_to). A text is the name of an object in the
/// namespace of the referring object; a pair of texts is a namespace and a name.
///
/// ```
/// use rustop_manager::ObjectName;
///
/// let near = ObjectName::from("login");
/// let far = ObjectName::from(("certificates", "ca"));
/// # drop((near, far));
/// ```
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct ObjectName {
    /// `None` for the namespace of the referring object.
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
}

impl From<String> for ObjectName {
    fn from(name: String) -> Self {
        Self {
            namespace: None,
            name,
        }
    }
}

impl From<&str> for ObjectName {
    fn from(name: &str) -> Self {
        name.to_owned().into()
    }
}

impl<N: Into<String>, M: Into<String>> From<(N, M)> for ObjectName {
    fn from((namespace, name): (N, M)) -> Self {
        Self {
            namespace: Some(namespace.into()),
            name: name.into(),
        }
    }
}

impl<T: Resource> From<ObjectRef<T>> for ObjectName {
    fn from(key: ObjectRef<T>) -> Self {
        Self {
            namespace: key.namespace,
            name: key.name,
        }
    }
}
