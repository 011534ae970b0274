//! The description of a watch, for `owns_matching` and `watches_matching`.

use kube::core::PartialObjectMeta;
use serde::Serialize;

use crate::cache::selection::Watch;
use crate::controller::source::WatchSettings;
use crate::object::{AnyObject, Object};

impl<T: Object> Watch<T> {
    /// Describes a watch of all objects of a kind. The methods of [`KindWatch`] narrow it.
    ///
    /// ```
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
    /// # use rustop_manager::prelude::*;
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// Controller::new(reconcile).owns_matching(Watch::<Secret>::new().applied());
    /// ```
    #[allow(
        clippy::new_ret_no_self,
        reason = "`Watch` without a kind still names the older selector"
    )]
    #[must_use]
    pub fn new() -> KindWatch<T> {
        KindWatch::of(())
    }
}

/// The watch of one kind: which of its objects a controller fetches and caches, how much of each of
/// them, and whether the kind may be missing. [`Watch::new`] describes a watch of all objects,
/// whole, of a kind that must be served.
///
/// A missing object in such a cache may exist in the cluster. So
/// [`Context::get`](crate::Context::get) returns `None` only if a controller of the manager watches
/// all objects of the kind, and fails with `NotSelected` if not. Applying a child that the
/// controller's own watch does not select fails with `NotSelected`, too.
///
/// ```
/// # use k8s_openapi::api::{apps::v1::Deployment, autoscaling::v2::HorizontalPodAutoscaler, core::v1::{ConfigMap, Secret}};
/// # use rustop_manager::prelude::*;
/// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
/// Controller::new(reconcile)
///     // the Secrets that this operator applied
///     .owns_matching(Watch::<Secret>::new().applied())
///     // a kind that the cluster may lack
///     .owns_matching(Watch::<HorizontalPodAutoscaler>::new().applied().optional())
///     // the ConfigMaps with a label, and only their metadata
///     .watches_matching(Watch::<ConfigMap>::new().labels("used-by").metadata_only(), |map| {
///         let user = map.metadata.labels.as_ref()?.get("used-by")?;
///         Some(ObjectRef::new(user).within(map.metadata.namespace.as_deref()?))
///     });
/// ```
#[derive(Clone, Debug)]
pub struct KindWatch<T: AnyObject> {
    /// `()` for a kind known at compile time.
    pub(crate) kind: T::DynamicType,
    /// The selector, the projection, and if the kind is optional.
    pub(crate) settings: WatchSettings,
}

impl<T: AnyObject> KindWatch<T> {
    /// Describes a watch of all objects of a kind, whole, which must be served.
    pub(crate) fn of(kind: T::DynamicType) -> Self {
        Self {
            kind,
            settings: WatchSettings::default(),
        }
    }

    /// Selects objects by labels, with the syntax of `kubectl get -l`. A second call adds to the
    /// selector. [`Manager::run`](crate::Manager::run) fails if it cannot be parsed.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # use rustop_manager::Watch;
    /// Watch::<Secret>::new().labels("my.domain/tier in (front, back), !my.domain/ignore");
    /// ```
    #[must_use]
    pub fn labels(mut self, selector: &str) -> Self {
        self.settings.watch = self.settings.watch.and_labels(selector);
        self
    }

    /// Selects objects by fields, with the syntax of `kubectl get --field-selector`. A second call
    /// adds to the selector. [`Manager::run`](crate::Manager::run) fails if it cannot be parsed.
    ///
    /// The supported fields depend on the kind: if one is not supported, the error of the API
    /// server appears on `/readyz`, and the controller does not start.
    ///
    /// Only the API server can evaluate a field selector. So an object that the operator creates is
    /// in the cache only after the watch has reported it, and not at once.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # use rustop_manager::Watch;
    /// Watch::<Secret>::new().labels("owner=helm").fields("type=helm.sh/release.v1");
    /// ```
    #[must_use]
    pub fn fields(mut self, selector: &str) -> Self {
        self.settings.watch = self.settings.watch.and_fields(selector);
        self
    }

    /// Selects the objects that carry this operator's name in the label
    /// `app.kubernetes.io/managed-by`. `ctx.apply`, `ctx.create` and `ctx.apply_unowned` set this
    /// label, unless the child sets it to another value.
    ///
    /// This is not the default, because an operator may own objects without the label: those of an
    /// earlier version, or of an operator with another name. Such an object becomes visible only
    /// after the first `ctx.apply` to it.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # use rustop_manager::Watch;
    /// Watch::<Secret>::new().applied();
    /// ```
    #[must_use]
    pub fn applied(mut self) -> Self {
        self.settings.watch = self.settings.watch.and_applied();
        self
    }

    /// Makes the kind optional: its CRD may be missing, such as that of the Prometheus operator's
    /// `ServiceMonitor`. The controller works without it. When the CRD is installed or removed, the
    /// operator notices within seconds and reconciles every object;
    /// [`Context::is_available`](crate::Context::is_available) reports the current state.
    ///
    /// ```
    /// # use k8s_openapi::api::{apps::v1::Deployment, autoscaling::v2::HorizontalPodAutoscaler};
    /// # use rustop_manager::prelude::*;
    /// # fn autoscaler(_: &Deployment) -> HorizontalPodAutoscaler { todo!() }
    /// async fn reconcile(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<Action> {
    ///     if ctx.is_available::<HorizontalPodAutoscaler>() {
    ///         ctx.apply(autoscaler(&web)).await?;
    ///     }
    ///     Ok(Action::await_change())
    /// }
    ///
    /// Controller::new(reconcile).owns_matching(Watch::<HorizontalPodAutoscaler>::new().optional());
    /// ```
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.settings.optional = true;
        self
    }
}

impl<T: AnyObject + Serialize> KindWatch<T> {
    /// Caches only the part of each object that `cut` leaves. The controller never sees the rest.
    /// Metadata other than annotations is always kept: of the metadata, `cut` can remove only
    /// annotations. A second call replaces the first. This saves memory for kinds of which the
    /// controller reads little: 3,000 Secrets of 20 KiB take 7 MiB without their data, and 87 MiB
    /// with it. (The API server still sends whole objects. A selector or
    /// [`metadata_only`](KindWatch::metadata_only) reduces that.)
    ///
    /// Children may be projected, too. [`Context::apply`](crate::Context::apply) then compares
    /// hashes of the applied fields instead of the fields, and sends each child once after a start.
    /// [`ready`](crate::ready) sees only the projected object.
    ///
    /// Other controllers are not affected: a controller that watches whole objects of the kind uses
    /// another watch.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # use rustop_manager::Watch;
    /// Watch::<Secret>::new().applied().project(|secret| secret.data = None);
    /// ```
    #[must_use]
    pub fn project(mut self, cut: fn(&mut T)) -> Self {
        self.settings.watch = self.settings.watch.and_trim(cut);
        self
    }
}

impl<T: Object> KindWatch<T>
where
    PartialObjectMeta<T>: Object,
{
    /// Fetches and caches only metadata. An earlier [`project`](KindWatch::project) has no effect.
    /// If the controller owns the kind, `ctx.apply` sends a request each time, because the cache
    /// does not show whether the child is up to date.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # use rustop_manager::Watch;
    /// Watch::<Secret>::new().labels("used-by").metadata_only();
    /// ```
    #[must_use]
    pub fn metadata_only(self) -> KindWatch<PartialObjectMeta<T>> {
        let mut settings = self.settings;
        settings.watch.trim = None;
        KindWatch { kind: (), settings }
    }
}
