//! Constructors of [`Kind`], and the settings for watching one.

use kube::discovery::{ApiCapabilities, ApiResource, Scope};
use kube::runtime::reflector::ObjectRef;

use crate::cache::trimmed::Trimmed;
use crate::controller::source::Wanted;
use crate::dynamic::object::DynamicObject;
use crate::kind::Kind;
use crate::object::{self, Object};

impl Kind {
    /// Creates a kind from kube's `ApiResource` and its scope. Discovery returns both for each kind that the API server
    /// serves. To avoid waiting for discovery, write them down as they are in the `CustomResourceDefinition`.
    ///
    /// ```
    /// use kube::discovery::{ApiResource, Scope, pinned_kind};
    /// use kube::core::GroupVersionKind;
    /// use rustop_manager::Kind;
    ///
    /// # async fn example(client: kube::Client) -> rustop_manager::Result<()> {
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

    /// Returns the kind of a Rust type. Objects are not cached together with those of the typed kind: after a write
    /// through one of the two, the cache of the other is updated only by its watch.
    #[must_use]
    pub fn of<K: Object>() -> Self {
        object::erase::<K>(&())
    }

    /// Returns a reference to an object, for [`Controller::watches_kind`](crate::Controller::watches_kind). Add
    /// `.within(namespace)` for a namespaced kind.
    #[must_use]
    pub fn named(&self, name: &str) -> ObjectRef<DynamicObject> {
        ObjectRef::new_with(name, self.clone())
    }

    /// Limits the watch to the objects that a [`Watch`](crate::Watch) selects, like
    /// [`Controller::owns_with`](crate::Controller::owns_with).
    #[must_use]
    pub fn only(self, watch: impl Into<Trimmed<DynamicObject>>) -> WatchedKind {
        let mut watched = WatchedKind::from(self);
        watched.wanted.watch = watch.into().watch;
        watched
    }

    /// Makes the kind optional, like [`Controller::owns_if_served`](crate::Controller::owns_if_served).
    #[must_use]
    pub fn if_served(self) -> WatchedKind {
        WatchedKind::from(self).if_served()
    }
}

/// Converts a kind as kube's discovery returns it.
impl From<(ApiResource, ApiCapabilities)> for Kind {
    fn from((resource, capabilities): (ApiResource, ApiCapabilities)) -> Self {
        Self::new(resource, &capabilities.scope)
    }
}

/// A [`Kind`] with the settings for watching it. By default all objects of the kind are watched.
pub struct WatchedKind {
    pub(crate) kind: Kind,
    pub(crate) wanted: Wanted,
}

impl WatchedKind {
    /// Makes the kind optional; see [`Kind::if_served`].
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
