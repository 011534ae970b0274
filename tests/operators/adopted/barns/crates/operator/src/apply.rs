//! Server-side apply.

/// Applies a child of an object.
macro_rules! apply {
    ($kind:ty, $client:expr, $namespace:expr, $child:expr) => {{
        let child: &$kind = &$child;
        let name = child.metadata.name.clone().unwrap_or_default();
        let params = kube::api::PatchParams::apply("barn-operator").force();
        kube::Api::<$kind>::namespaced($client.clone(), $namespace)
            .patch(&name, &params, &kube::api::Patch::Apply(child))
            .await
    }};
}

pub(crate) use apply;
