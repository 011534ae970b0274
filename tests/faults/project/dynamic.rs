//! Controllers over kinds that are known only at run time: those that the variable `KINDS` names,
//! such as `farm.test/v1/Barn,farm.test/v1/Stall`. Each object has a ConfigMap with its message,
//! and where it lists `stalls`, one of the second kind for each.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::serde_json::{Value, json};
use kube::Client;
use kube::core::GroupVersionKind;
use rustop_manager::{
    Action, Children, Conditions as _, Context, Controller, DynamicObject, Kind, Manager, Result, Watch,
    condition,
};

// +kubebuilder:rbac:groups=farm.test,resources=barns;stalls,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=farm.test,resources=barns/status;stalls/status,verbs=patch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch;delete

/// Adds one for each kind.
pub async fn register(mut manager: Manager, names: &str) -> Result<Manager> {
    let kinds = discover(names).await?;
    for kind in &kinds {
        let inner = kinds.last().filter(|last| *last != kind).cloned();
        let of_inner = inner.clone();
        let reconcile = move |object, ctx| reconcile(of_inner.clone(), object, ctx);
        let mut controller = Controller::of_kind(kind.clone(), reconcile)
            .owns::<ConfigMap>()
            .conditions(|status| &mut status["conditions"])
            .cleanup("farm.test/children", cleanup);
        if let Some(inner) = inner {
            controller = controller.owns_matching(Watch::of_kind(inner));
        }
        manager = manager.controller(controller);
    }
    Ok(manager)
}

async fn discover(names: &str) -> Result<Vec<Kind>> {
    let client = Client::try_default().await?;
    let mut kinds = Vec::new();
    for name in names.split(',') {
        let parts: Vec<&str> = name.split('/').collect();
        let [group, version, kind] = parts[..] else {
            return Err(rustop_manager::Error::new("NoKind", format!("{name:?} is no kind")));
        };
        let gvk = GroupVersionKind::gvk(group, version, kind);
        kinds.push(kube::discovery::pinned_kind(&client, &gvk).await?.into());
    }
    Ok(kinds)
}

async fn reconcile(
    inner: Option<Kind>,
    object: Arc<DynamicObject>,
    ctx: Context<DynamicObject>,
) -> Result<Action> {
    let spec = &object.data["spec"];
    let mut children = Children::new();
    children.add(message(&object));
    let stalls = inner.iter().flat_map(|inner| {
        let names = spec["stalls"].as_array().into_iter().flatten();
        names.filter_map(Value::as_str).map(|name| {
            let stall = DynamicObject::new(name, inner).data(json!({"spec": {"message": spec["message"]}}));
            stall.within(namespace(&object))
        })
    });
    stalls.for_each(|stall| children.add(stall));
    ctx.apply_all(children).prune().await?;
    ctx.set_status(|status| {
        status["said"] = spec["message"].clone();
        status["conditions"].set(condition::true_because("Ready", "Kept", "all children are there"));
    });
    Ok(Action::await_change())
}

/// There may be no garbage collector.
async fn cleanup(_: Arc<DynamicObject>, ctx: Context<DynamicObject>) -> Result<()> {
    ctx.apply_all(Children::new()).prune().await?;
    Ok(())
}

/// Of what has none itself, its spec says one.
fn namespace(object: &DynamicObject) -> &str {
    let own = object.metadata.namespace.as_deref();
    own.or(object.data["spec"]["namespace"].as_str()).unwrap_or("default")
}

fn message(object: &DynamicObject) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = object.metadata.name.as_ref().map(|name| format!("{name}-message"));
    map.metadata.namespace = Some(namespace(object).to_owned());
    let message = object.data["spec"]["message"].as_str().unwrap_or_default();
    map.data = Some([("message".to_owned(), message.to_owned())].into());
    map
}
