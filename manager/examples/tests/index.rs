//! Tests of the index.

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
