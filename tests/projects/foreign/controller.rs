//! Gives each Flock a Wolf, of which it is Ready.

use api::v1alpha1::flock::Flock;
use api::wild::v1::wolf::{Wolf, WolfSpec};
use kube::ResourceExt as _;
use rustop_manager::{Conditions as _, condition};

// +kubebuilder:rbac:groups=my.domain,resources=flocks,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=flocks/status,verbs=patch
// +kubebuilder:rbac:groups=wild.k8s.io,resources=wolves,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

#[must_use]
pub fn controller() -> rustop_manager::Controller<Flock> {
    rustop_manager::Controller::new(reconcile)
        .owns::<Wolf>()
        .conditions(|status| &mut status.conditions)
        .concurrency(1)
}

async fn reconcile(
    flock: std::sync::Arc<Flock>,
    ctx: rustop_manager::Context<Flock>,
) -> rustop_manager::Result<rustop_manager::Action> {
    let spec = WolfSpec { age: Some(3) };
    let wolf = ctx.apply(Wolf::new(&flock.name_any(), spec)).await?;

    let ready = condition::true_because("Ready", "Hunted", format!("{} is there", wolf.name_any()));
    ctx.set_status(|status| {
        status.observed_generation = flock.metadata.generation;
        status.conditions.set(ready);
    });
    Ok(rustop_manager::Action::await_change())
}
