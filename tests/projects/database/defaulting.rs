//! What a Database gets when it does not say otherwise.

use api::v1alpha1::database::Database;
use rustop_manager::webhook::{Defaulter, Request};

// +kubebuilder:webhook:path=/mutate-my-domain-v1alpha1-database,mutating=true,failurePolicy=fail,sideEffects=None,groups=my.domain,resources=databases,verbs=create;update,versions=v1alpha1,name=mdatabase.database-operator.my.domain,admissionReviewVersions=v1

/// The defaults.
pub struct Defaults;

impl Defaulter<Database> for Defaults {
    async fn default(&self, new: &mut Database, _: &Request) -> rustop_manager::Result<()> {
        if let Some(backup) = &mut new.spec.backup {
            backup.keep.get_or_insert(7);
        }
        Ok(())
    }
}
