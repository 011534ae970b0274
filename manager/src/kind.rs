//! What is known of a kind, whatever its type.

use std::ops::Deref;
use std::sync::Arc;

use kube::discovery::ApiResource;

/// A kind that is known only at run time: what it is called in the API, and whether its objects have a namespace.
/// Cheap to clone.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Kind(Arc<Known>);

#[derive(Debug, Eq, Hash, PartialEq)]
struct Known {
    resource: ApiResource,
    namespaced: bool,
}

impl Kind {
    pub(crate) fn known(resource: ApiResource, namespaced: bool) -> Self {
        Self(Arc::new(Known {
            resource,
            namespaced,
        }))
    }

    /// True when its objects have a namespace.
    #[must_use]
    pub fn is_namespaced(&self) -> bool {
        self.0.namespaced
    }
}

/// kube's words for it.
impl Deref for Kind {
    type Target = ApiResource;

    fn deref(&self) -> &ApiResource {
        &self.0.resource
    }
}
