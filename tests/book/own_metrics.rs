//! `docs/how-to/metrics.md`.

use rustop_manager::metric::Counter;
use rustop_manager::prelude::*;

use crate::app::App;

/// The metrics of this operator. A clone counts into the same figures.
#[derive(Clone, Default)]
pub struct Metrics {
    /// Domains that the operator has checked.
    pub checks: Counter,
}

pub fn with_metrics(manager: Manager, metrics: Metrics) -> Manager {
    let checks = metrics.checks.clone();
    manager
        .metrics(|registry| registry.register("app_domain_checks", "Checked domains", checks))
        .with_state(metrics)
}

// +kubebuilder:rbac:groups=my.domain,resources=apps,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
pub fn controller() -> Controller<App> {
    Controller::new(reconcile).requires_state::<Metrics>()
}

async fn reconcile(_: Arc<App>, ctx: Context<App>) -> Result<Action> {
    ctx.state::<Metrics>()?.checks.inc();
    Ok(Action::await_change())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{AppSpec, app};
    use crate::{create, start_with};

    #[tokio::test(start_paused = true)]
    async fn a_reconcile_is_counted() {
        let metrics = Metrics::default();
        let counted = metrics.clone();
        let (cluster, _operator) =
            start_with(|manager| with_metrics(manager, counted).controller(controller()));
        create(&cluster, app("a", AppSpec::default())).await;
        assert!(metrics.checks.get() > 0);
    }
}
