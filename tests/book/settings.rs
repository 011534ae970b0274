//! `docs/how-to/settings.md`.

use clap::{Args, Parser};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt as _;
use rustop_manager::prelude::*;

use crate::app::App;

/// Runs the operator until SIGTERM or Ctrl-C
#[derive(Parser)]
#[command(version, args_override_self = true)]
pub struct Arguments {
    // `--leader-elect`, `--metrics-bind-address` and all others
    #[command(flatten)]
    pub options: Options,
    #[command(flatten)]
    pub settings: Settings,
}

#[derive(Args)]
pub struct Settings {
    /// Registry of the images
    #[arg(long, env = "IMAGE_REGISTRY", default_value = "registry.example.com")]
    pub image_registry: String,
}

pub fn manager(arguments: Arguments) -> Manager {
    let Arguments { options, settings } = arguments;
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    Manager::new(name, version, options).with_state(settings)
}

// +kubebuilder:rbac:groups=my.domain,resources=apps,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch
pub fn controller() -> Controller<App> {
    Controller::new(reconcile)
        .requires_state::<Settings>()
        .owns_matching(Watch::<ConfigMap>::new().applied())
}

async fn reconcile(app: Arc<App>, ctx: Context<App>) -> Result<Action> {
    let registry = &ctx.state::<Settings>()?.image_registry;
    let mut images = ConfigMap::default();
    images.metadata.name = Some(format!("{}-images", app.name_any()));
    images.data = Some([("web".to_owned(), format!("{registry}/web:v1"))].into());
    ctx.apply(images).await?;
    Ok(Action::await_change())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{AppSpec, app};
    use crate::{create, objects, start_with};

    #[tokio::test(start_paused = true)]
    async fn a_flag_reaches_the_controller() {
        let line = ["operator", "--image-registry=mirror.example"];
        let arguments = Arguments::try_parse_from(line).unwrap();
        let (cluster, _operator) = start_with(|_| manager(arguments).controller(controller()));
        create(&cluster, app("a", AppSpec::default())).await;
        let images = objects::<ConfigMap>(&cluster)
            .get("a-images")
            .await
            .unwrap();
        assert_eq!(images.data.unwrap()["web"], "mirror.example/web:v1");
    }
}
