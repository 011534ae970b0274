//! Uses what a controller has besides its own kind and children: a predicate, a watched kind, a
//! stream, deletion of children, and a cleanup.

use std::sync::Arc;
use std::time::Duration;

use api::v1alpha1::pasture::Pasture;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Resource as _;
use kube::core::PartialObjectMeta;
use kube::runtime::reflector::ObjectRef;
use rustop_manager::{Conditions as _, condition};

// +kubebuilder:rbac:groups=my.domain,resources=pastures,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=my.domain,resources=pastures/status,verbs=patch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=create

/// Reconciled again and again, by a stream.
const TICKING: &str = "ticking";

#[must_use]
pub fn controller() -> rustop_manager::Controller<Pasture> {
    let namespace = std::env::var("WATCH_NAMESPACE").unwrap_or_default();
    let ticks = futures::stream::unfold(namespace, |namespace| async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        Some((ObjectRef::new(TICKING).within(&namespace), namespace))
    });
    rustop_manager::Controller::new(reconcile)
        .predicate(|before, now| before.spec != now.spec)
        .owns::<ConfigMap>()
        .watches(|secret: &PartialObjectMeta<Secret>| {
            let meta = secret.meta();
            Some(ObjectRef::new(meta.name.as_deref()?).within(meta.namespace.as_deref()?))
        })
        .triggered_by(ticks)
        .conditions(|status| &mut status.conditions)
        .cleanup("my.domain/gate", cleanup)
}

/// `fenced` has a child, every other pasture has none. The child tells the version of the Secret
/// that is called like the pasture.
async fn reconcile(pasture: Arc<Pasture>, ctx: rustop_manager::Context<Pasture>) -> rustop_manager::Result<rustop_manager::Action> {
    let name = pasture.metadata.name.clone().unwrap_or_default();
    let child = format!("{name}-fence");
    if pasture.spec.message.as_deref() == Some("fenced") {
        let secret = ctx.get::<PartialObjectMeta<Secret>>(&name)?;
        let mark = secret.and_then(|secret| secret.metadata.labels.clone()?.remove("mark"));
        let mut fence = ConfigMap::default();
        fence.metadata.name = Some(child);
        fence.data = Some([("mark".to_owned(), mark.unwrap_or_default())].into());
        ctx.apply(fence).await?;
    } else {
        ctx.delete::<ConfigMap>(&child).await?;
    }
    ctx.set_status(|status| {
        status.observed_generation = pasture.metadata.generation;
        status.conditions.set(condition::true_because("Ready", "Fenced", "as the spec asks for"));
    });
    Ok(rustop_manager::Action::await_change())
}

/// Leaves a Lease behind, which nothing else would: the proof that it ran.
async fn cleanup(pasture: Arc<Pasture>, ctx: rustop_manager::Context<Pasture>) -> rustop_manager::Result<()> {
    let mut proof = Lease::default();
    proof.metadata.name = pasture.metadata.name.clone().map(|name| format!("{name}-gone"));
    match ctx.api::<Lease>().create(&kube::api::PostParams::default(), &proof).await {
        Err(kube::Error::Api(status)) if status.is_already_exists() => Ok(()),
        created => Ok(created.map(drop)?),
    }
}
