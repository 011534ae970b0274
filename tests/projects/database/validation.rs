//! What a Database must comply with.

use api::v1alpha1::database::Database;
use rustop_manager::webhook::{FieldErrors, Request, Validator};

// Without anybody to ask, nothing is created or changed, and yet all can go.
//
// +kubebuilder:webhook:path=/validate-my-domain-v1alpha1-database,mutating=false,failurePolicy=fail,sideEffects=None,groups=my.domain,resources=databases,verbs=create;update,versions=v1alpha1,name=vdatabase.database-operator.my.domain,admissionReviewVersions=v1
// +kubebuilder:webhook:path=/validate-my-domain-v1alpha1-database,mutating=false,failurePolicy=ignore,sideEffects=None,groups=my.domain,resources=databases,verbs=delete,versions=v1alpha1,name=vdatabase-delete.database-operator.my.domain,admissionReviewVersions=v1
//
// Served elsewhere, with a part of its path that is no label of DNS.
//
// +kubebuilder:webhook:path=/validate-infrastructure-cluster-x-k8s-io-v1beta2-devmachinetemplate,serviceName=elsewhere,mutating=false,failurePolicy=ignore,sideEffects=None,groups=infrastructure.cluster.x-k8s.io,resources=devmachinetemplates,verbs=create,versions=v1beta2,name=vdevmachinetemplate.database-operator.my.domain,admissionReviewVersions=v1

/// The most backups that are kept.
const MOST: u32 = 30;

/// The rules.
pub struct Rules;

impl Validator<Database> for Rules {
    async fn create(&self, new: &Database, request: &Request) -> rustop_manager::Result<()> {
        let mut errors = FieldErrors::new();
        match &new.spec.backup {
            None => request.warn("nothing is saved"),
            Some(backup) if backup.keep.is_some_and(|keep| keep > MOST) => {
                errors.invalid("spec.backup.keep", backup.keep, "must be at most 30");
            }
            Some(_) => {}
        }
        errors.into_result()
    }

    async fn delete(&self, old: &Database, _: &Request) -> rustop_manager::Result<()> {
        let mut errors = FieldErrors::new();
        if old.spec.users.iter().any(|user| user.name == "keeper") {
            errors.forbidden("spec.users", "somebody still needs it");
        }
        errors.into_result()
    }
}
