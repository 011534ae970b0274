//! kubebuilder's flags that are equivalent to options of rustop. They are accepted, but hidden in
//! the help.

use clap::Args;

/// kubebuilder's flags for `--cluster-scoped`, `--no-controller` and `--no-resource`.
#[derive(Args, Debug)]
pub struct CreateApiFlags {
    /// Make the kind namespaced (kubebuilder's flag)
    #[arg(long, hide = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        conflicts_with = "cluster_scoped")]
    namespaced: Option<bool>,
    /// Add a controller (kubebuilder's flag)
    #[arg(long, hide = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        conflicts_with = "no_controller")]
    controller: Option<bool>,
    /// Add a CRD (kubebuilder's flag)
    #[arg(long, hide = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        conflicts_with = "no_resource")]
    resource: Option<bool>,
}

impl CreateApiFlags {
    /// Reports whether `--namespaced=false` is given.
    pub fn is_cluster_scoped(&self) -> bool {
        self.namespaced == Some(false)
    }

    /// Reports whether `--controller=false` is given.
    pub fn is_without_controller(&self) -> bool {
        self.controller == Some(false)
    }

    /// Reports whether `--resource=false` is given.
    pub fn is_without_resource(&self) -> bool {
        self.resource == Some(false)
    }
}
