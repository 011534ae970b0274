//! A kind as a value, for code that does not have its Rust type.

use std::ops::Deref;
use std::sync::Arc;

use kube::discovery::ApiResource;

/// A kind as a value: its names in the API, and whether its objects have a namespace. It describes
/// a kind that is known only at run time, or that of a Rust type where the type is not available.
/// Cheap to clone.
///
/// It dereferences to kube's `ApiResource`.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Kind(Arc<Known>);

#[derive(Debug, Eq, Hash, PartialEq)]
struct Known {
    resource: ApiResource,
    namespaced: bool,
}

impl Kind {
    /// Creates a kind. `namespaced` is true if its objects have a namespace.
    pub(crate) fn known(resource: ApiResource, namespaced: bool) -> Self {
        Self(Arc::new(Known {
            resource,
            namespaced,
        }))
    }

    /// Returns true if objects of this kind have a namespace, false if they are cluster-scoped.
    #[must_use]
    pub fn is_namespaced(&self) -> bool {
        self.0.namespaced
    }
}

/// Gives access to the names of the kind.
impl Deref for Kind {
    type Target = ApiResource;

    fn deref(&self) -> &ApiResource {
        &self.0.resource
    }
}
