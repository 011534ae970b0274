//! Two kinds: a Theme reports how many Pages use it. An index finds them without a loop over all
//! Pages.

use kube::{CustomResource, ResourceExt as _};
use rustop_manager::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[kube(group = "example.com", version = "v1", kind = "Theme", namespaced)]
#[kube(status = "ThemeStatus")]
struct ThemeSpec {}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
struct ThemeStatus {
    pages: usize,
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[kube(group = "example.com", version = "v1", kind = "Page", namespaced)]
struct PageSpec {
    theme: String,
}

/// A change of a Page reconciles the Theme that it names, and the one that it named before.
fn controller() -> Controller<Theme> {
    Controller::new(reconcile)
        .watches(|page: &Page| {
            let namespace = page.metadata.namespace.as_deref()?;
            Some(ObjectRef::new(&page.spec.theme).within(namespace))
        })
        .indexed_by("theme", |page: &Page| Some(page.spec.theme.clone()))
}

async fn reconcile(theme: Arc<Theme>, ctx: Context<Theme>) -> Result<Action> {
    // The index covers all namespaces that the operator watches.
    let pages = ctx.by_index::<Page>("theme", &theme.name_any())?;
    let pages = pages
        .iter()
        .filter(|page| page.metadata.namespace == theme.metadata.namespace)
        .count();
    ctx.set_status(|status| status.pages = pages);
    Ok(Action::await_change())
}

#[tokio::main]
async fn main() -> Result<()> {
    let manager = Manager::from_args("theme-operator", "0.1.0");
    manager.controller(controller()).run().await
}

#[cfg(test)]
#[path = "tests/index.rs"]
mod tests;
