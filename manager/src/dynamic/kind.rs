//! Where kinds that have no type come from, and what of them is watched.

use kube::discovery::{ApiCapabilities, ApiResource, Scope};
use kube::runtime::reflector::ObjectRef;

use crate::cache::trimmed::Trimmed;
use crate::controller::source::Wanted;
use crate::dynamic::object::DynamicObject;
use crate::kind::Kind;
use crate::object::{self, Object};

impl Kind {
    /// What kube calls a resource, and its scope. The API server says both of each kind that it serves; whoever must
    /// not wait for that can write them down, as is done in a `CustomResourceDefinition`.
    ///
    /// ```
    /// use kube::discovery::{ApiResource, Scope, pinned_kind};
    /// use kube::core::GroupVersionKind;
    /// use manager::Kind;
    ///
    /// # async fn example(client: kube::Client) -> manager::Result<()> {
    /// let gvk = GroupVersionKind::gvk("my.domain", "v1", "Widget");
    /// let widgets: Kind = pinned_kind(&client, &gvk).await?.into();
    /// # Ok(()) }
    /// # let gvk = GroupVersionKind::gvk("my.domain", "v1", "Widget");
    /// let widgets = Kind::new(ApiResource::from_gvk_with_plural(&gvk, "widgets"), &Scope::Namespaced);
    /// assert_eq!(widgets.api_version, "my.domain/v1");
    /// ```
    #[must_use]
    pub fn new(resource: ApiResource, scope: &Scope) -> Self {
        Self::known(resource, *scope == Scope::Namespaced)
    }

    /// One that is known at compile time. Its objects are in another cache than those that have the type, which hears
    /// of what this operator wrote only from its watch.
    #[must_use]
    pub fn of<K: Object>() -> Self {
        object::erase::<K>(&())
    }

    /// Names an object, for [`Controller::watches_kind`](crate::Controller::watches_kind). One that has a namespace
    /// is named `.within(namespace)`.
    #[must_use]
    pub fn named(&self, name: &str) -> ObjectRef<DynamicObject> {
        ObjectRef::new_with(name, self.clone())
    }

    /// What a [`Watch`](crate::Watch) selects of it alone, as for [`Controller::owns_with`](crate::Controller::owns_with).
    #[must_use]
    pub fn only(self, watch: impl Into<Trimmed<DynamicObject>>) -> WatchedKind {
        let mut watched = WatchedKind::from(self);
        watched.wanted.watch = watch.into().watch;
        watched
    }

    /// It need not be installed, as for [`Controller::owns_if_served`](crate::Controller::owns_if_served).
    #[must_use]
    pub fn if_served(self) -> WatchedKind {
        WatchedKind::from(self).if_served()
    }
}

/// As kube's discovery finds them.
impl From<(ApiResource, ApiCapabilities)> for Kind {
    fn from((resource, capabilities): (ApiResource, ApiCapabilities)) -> Self {
        Self::new(resource, &capabilities.scope)
    }
}

/// A [`Kind`], and what of it is watched. All that is in the cluster, unless something else is said.
pub struct WatchedKind {
    pub(crate) kind: Kind,
    pub(crate) wanted: Wanted,
}

impl WatchedKind {
    /// As [`Kind::if_served`].
    #[must_use]
    pub fn if_served(mut self) -> Self {
        self.wanted.optional = true;
        self
    }
}

impl<K: Into<Kind>> From<K> for WatchedKind {
    fn from(kind: K) -> Self {
        Self {
            kind: kind.into(),
            wanted: Wanted::default(),
        }
    }
}
