//! The fields of cert-manager.io/v1 Certificate that this operator uses. Another project owns the kind and its
//! CRD; fields that are not listed here stay unchanged.

use kube::CustomResource;
use serde::{Deserialize, Serialize};

// TODO(user): add the fields that you read or set (book: docs/tutorial/api.md).
/// The desired state.
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

// TODO(user): add the fields that you read (book: docs/tutorial/api.md).
/// The observed state.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct CertificateStatus {}
