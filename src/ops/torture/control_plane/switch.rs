//! The switch of a control plane from one version of the operator to another, for `rustop torture
//! --upgrade-from`.

use kube::Client;
use kube::api::DynamicObject;

use super::version::{OperatorSource, OtherVersion};
use super::{ControlPlane, Samples};
use crate::client;
use crate::dev;
use crate::ops::Result;
use crate::session::Session;

/// The prefix of errors about a CRD, as [`client::Error::rejected`] returns it.
pub const CRD: &str = "customresourcedefinition.apiextensions.k8s.io/";

impl<'a> ControlPlane<'a> {
    /// Replaces the version under test, and returns the previous one. Installs nothing:
    /// [`Self::prepare`] does. `session` is that of the previous version. If the new version is
    /// only a command, it has no samples, so those of the previous version are read.
    ///
    /// # Errors
    /// Returns an error if those samples cannot be read.
    pub fn switch_to(
        &mut self,
        session: &Session,
        version: OtherVersion<'a>,
    ) -> Result<OtherVersion<'a>> {
        self.samples = match &version.source {
            OperatorSource::External(_) => {
                let deployed = self.operator_manifests(session)?;
                Samples::OtherVersion(self.objects(session, &deployed)?)
            }
            OperatorSource::Own(_) => Samples::Tested,
        };
        // The webhooks of a version end with it.
        self.standby = None;
        Ok(OtherVersion {
            source: std::mem::replace(&mut self.source, version.source),
            built: std::mem::replace(&mut self.built, version.built),
        })
    }

    /// Returns the errors of all objects that the API server has rejected since the last call, and
    /// forgets them. Only objects of a version that replaces another one are collected; for the
    /// first version, a rejection is an error.
    pub fn take_rejected(&mut self) -> Vec<client::Error> {
        std::mem::take(&mut self.rejected)
    }

    /// Applies the objects of a version. Deletes the roles and webhook configurations of the
    /// version that was installed before unless they are among `objects`: old roles would hide
    /// permissions that new ones lack. A rejected object other than a CRD leaves the old one in
    /// place, as in a cluster in which a user applies the manifests.
    ///
    /// # Errors
    /// Returns an error if a request fails, if the API server rejects a CRD, or if it rejects any
    /// object of the first version.
    pub(super) async fn replace_installed(
        &mut self,
        client: &Client,
        objects: Vec<DynamicObject>,
    ) -> Result<()> {
        const REPLACED: [&str; 6] = [
            "ClusterRole",
            "ClusterRoleBinding",
            "MutatingWebhookConfiguration",
            "Role",
            "RoleBinding",
            "ValidatingWebhookConfiguration",
        ];
        let is_first = self.installed.is_empty();
        let rejected = &mut self.rejected;
        let keep = |error: client::Error| match error.rejected() {
            Some(object) if !is_first && !object.starts_with(CRD) => {
                rejected.push(error);
                Ok(())
            }
            _ => Err(error),
        };
        dev::apply_or(client, objects.clone(), keep).await?;
        let mut old = std::mem::replace(&mut self.installed, objects);
        old.retain(|object| {
            let is_left = self.installed.iter().any(|it| dev::is_same(it, object));
            REPLACED.contains(&dev::kind(object)) && !is_left
        });
        Ok(dev::delete(client, &old).await?)
    }
}
