//! The part of cert-manager.io/v1 Certificate that this operator works with. Others own the kind and its
//! CRD; what is not named here is left alone.

use kube::CustomResource;
use serde::{Deserialize, Serialize};

/// The desired state: add the fields that you read or set.
#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "cert-manager.io",
    version = "v1",
    kind = "Certificate",
    plural = "certificates",
    namespaced,
    status = "CertificateStatus",
    schema = "disabled"
)]
#[serde(rename_all = "camelCase")]
pub struct CertificateSpec {}

/// The observed state: add the fields that you read.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct CertificateStatus {}
