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
mod tests {
    use kube::api::{Api, Patch, PatchParams, PostParams};
    use kube::core::CustomResourceExt as _;
    use rustop_manager::testing::Cluster;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn both_themes_are_updated_when_a_page_changes_its_theme() {
        let cluster = Cluster::new().with([Theme::crd(), Page::crd()]);
        let manager = Manager::new("test", "0", Options::default());
        let _operator = cluster.run(manager.controller(controller()));
        let themes = Api::<Theme>::default_namespaced(cluster.client());
        let pages = Api::<Page>::default_namespaced(cluster.client());
        let count = async |theme: &str| {
            cluster.settle().await;
            themes.get(theme).await.unwrap().status.unwrap().pages
        };

        let params = PostParams::default();
        for theme in ["dark", "light"] {
            let theme = Theme::new(theme, ThemeSpec {});
            themes.create(&params, &theme).await.unwrap();
        }
        for page in ["home", "about"] {
            let theme = "dark".to_owned();
            let page = Page::new(page, PageSpec { theme });
            pages.create(&params, &page).await.unwrap();
        }
        assert_eq!((count("dark").await, count("light").await), (2, 0));

        let patch = Patch::Merge(serde_json::json!({"spec": {"theme": "light"}}));
        let params = PatchParams::default();
        pages.patch("home", &params, &patch).await.unwrap();
        assert_eq!((count("dark").await, count("light").await), (1, 1));
    }
}
