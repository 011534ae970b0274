//! `docs/how-to/kinds-at-run-time.md`.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::GroupVersionKind;
use kube::discovery::{ApiResource, Scope};
use kube::{Resource as _, ResourceExt as _};
use rustop_manager::prelude::*;
use rustop_manager::{DynamicObject, Kind};

/// Adds a controller for each kind that a configuration names by group, version, kind and plural.
pub fn register(mut manager: Manager, kinds: &[(&str, &str, &str, &str)]) -> Manager {
    for (group, version, kind, plural) in kinds {
        let name = GroupVersionKind::gvk(group, version, kind);
        let resource = ApiResource::from_gvk_with_plural(&name, plural);
        let kind = Kind::new(resource, &Scope::Namespaced);
        let controller =
            Controller::of_kind(kind, reconcile).owns_matching(Watch::<ConfigMap>::new().applied());
        manager = manager.controller(controller);
    }
    manager
}

async fn reconcile(object: Arc<DynamicObject>, ctx: Context<DynamicObject>) -> Result<Action> {
    let mut notes = ConfigMap::default();
    notes.meta_mut().name = Some(format!("{}-notes", object.name_any()));
    ctx.apply(notes).await?;
    Ok(Action::await_change())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{AppSpec, app};
    use crate::{create, objects, start_with};

    #[tokio::test(start_paused = true)]
    async fn a_kind_from_a_list_gets_a_controller() {
        let kinds = [("my.domain", "v1", "App", "apps")];
        let (cluster, _operator) = start_with(|manager| register(manager, &kinds));
        create(&cluster, app("a", AppSpec::default())).await;
        assert!(objects::<ConfigMap>(&cluster).get("a-notes").await.is_ok());
    }
}
