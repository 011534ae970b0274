//! Constructors of [`Kind`], and the settings for watching one.

use kube::discovery::{ApiCapabilities, ApiResource, Scope};
use kube::runtime::reflector::ObjectRef;

use crate::cache::{selection::Watch, trimmed::Trimmed};
use crate::controller::{kind_watch::KindWatch, source::WatchSettings};
use crate::dynamic::object::DynamicObject;
use crate::kind::Kind;
use crate::object::{self, Object};

impl Kind {
    /// Creates a kind from kube's `ApiResource` and its scope. Discovery returns both for each kind
    /// that the API server serves. To avoid waiting for discovery, write them down as they are in
    /// the `CustomResourceDefinition`.
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

    /// Returns the kind of a Rust type. Objects are not cached together with those of the typed
    /// kind: after a write through one of the two, the cache of the other is updated only by its
    /// watch.
    #[must_use]
    pub fn of<K: Object>() -> Self {
        object::erase::<K>(&())
    }

    /// Returns a reference to an object, for
    /// [`Controller::watches_matching`](crate::Controller::watches_matching). Add
    /// `.within(namespace)` for a namespaced kind.
    #[must_use]
    pub fn named(&self, name: &str) -> ObjectRef<DynamicObject> {
        ObjectRef::new_with(name, self.clone())
    }

    /// Limits the watch to the objects that a [`Watch`] selects.
    #[deprecated(note = "use `Watch::of_kind(kind)` with the methods of `KindWatch`")]
    #[must_use]
    pub fn only(self, watch: impl Into<Trimmed<DynamicObject>>) -> WatchedKind {
        let mut watched = WatchedKind::from(self);
        watched.settings.watch = watch.into().watch;
        watched
    }

    /// Makes the kind optional; see [`KindWatch::optional`].
    #[deprecated(note = "use `Watch::of_kind(kind).optional()`")]
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

impl Watch<DynamicObject> {
    /// Describes a watch of all objects of a kind that is known only at run time. The methods of
    /// [`KindWatch`] narrow it.
    ///
    /// ```
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use rustop_manager::{DynamicObject, Kind, prelude::*};
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// # fn example(widgets: Kind, monitors: Kind) -> Controller<Deployment> {
    /// Controller::new(reconcile)
    ///     .owns_matching(Watch::of_kind(widgets))
    ///     .owns_matching(Watch::of_kind(monitors).applied().optional())
    /// # }
    /// ```
    pub fn of_kind(kind: impl Into<Kind>) -> KindWatch<DynamicObject> {
        KindWatch::of(kind.into())
    }
}

/// A [`Kind`] with the settings for watching it: the argument of the deprecated functions
/// `owns_kind` and `watches_kind`. Their successors take a [`KindWatch`].
pub struct WatchedKind {
    pub(crate) kind: Kind,
    /// The selector, the projection, and if the kind is optional.
    pub(crate) settings: WatchSettings,
}

impl WatchedKind {
    /// Makes the kind optional; see [`KindWatch::optional`].
    #[must_use]
    pub fn if_served(mut self) -> Self {
        self.settings.optional = true;
        self
    }
}

impl<K: Into<Kind>> From<K> for WatchedKind {
    fn from(kind: K) -> Self {
        Self {
            kind: kind.into(),
            settings: WatchSettings::default(),
        }
    }
}
