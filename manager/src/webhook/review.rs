//! The wire format of `AdmissionReview` in `admission.k8s.io/v1`.
//!
//! The object stays JSON text until its type is known. So an object that does not fit its type
//! still gets a response, and none is decoded twice.

use k8s_openapi::ByteString;
use k8s_openapi::api::authentication::v1::UserInfo;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Status, StatusDetails};
use kube::core::GroupVersionKind;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    field_errors::FieldErrors,
    patch::JsonPatchStep,
    request::{Operation, Request},
};
use crate::error::Error;

const API_VERSION: &str = "admission.k8s.io/v1";
const KIND: &str = "AdmissionReview";

/// A review sent by the API server.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct IncomingReview<'a> {
    api_version: String,
    kind: String,
    #[serde(borrow)]
    request: AdmissionRequest<'a>,
}

/// The request in a review.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdmissionRequest<'a> {
    /// The UID of the review, which its response repeats. Not the UID of the object.
    pub uid: String,
    /// The kind and version of the objects in this review.
    pub kind: GroupVersionKind,
    /// The subresource. `None` or empty if the request is for the whole object.
    pub sub_resource: Option<String>,
    /// The object's name. Empty if it is created with `generateName`.
    #[serde(default)]
    pub name: String,
    /// The object's namespace. `None` or empty if it is cluster-scoped.
    pub namespace: Option<String>,
    pub operation: Operation,
    /// The user who sent the request.
    #[serde(default)]
    pub user_info: UserInfo,
    /// The new object, or the options of a connection. `None` for a delete.
    #[serde(borrow)]
    pub object: Option<&'a RawValue>,
    /// The object as stored. `None` for a create or a connection.
    #[serde(borrow)]
    pub old_object: Option<&'a RawValue>,
    /// `None` means false.
    #[serde(default)]
    pub dry_run: Option<bool>,
}

impl<'a> AdmissionRequest<'a> {
    /// Parses the body of an HTTP request. The error describes what is wrong with it.
    pub fn parse(body: &'a [u8]) -> Result<Self, String> {
        let review: IncomingReview<'a> = serde_json::from_slice(body)
            .map_err(|error| format!("invalid {KIND} of {API_VERSION}: {error}"))?;
        if review.api_version == API_VERSION && review.kind == KIND {
            Ok(review.request)
        } else {
            Err(format!(
                "expected {KIND} of {API_VERSION}, got {} of {}",
                review.kind, review.api_version
            ))
        }
    }
}

/// The decision on a review: the changes to the object, or a status that rejects it. No changes
/// mean that the object is accepted as it is.
pub(crate) type Decision = Result<Vec<JsonPatchStep>, Box<Status>>;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OutgoingReview<'a> {
    api_version: &'static str,
    kind: &'static str,
    response: AdmissionResponse<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AdmissionResponse<'a> {
    uid: &'a str,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Box<Status>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<ByteString>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// Serializes the response to the review with this `uid` as an `AdmissionReview`. The user sees
/// `warnings` whatever the decision is.
pub(super) fn answer(
    uid: &str,
    decision: Decision,
    warnings: Vec<String>,
) -> serde_json::Result<Vec<u8>> {
    let (allowed, patch, status) = match decision {
        Ok(steps) if steps.is_empty() => (true, None, None),
        Ok(steps) => (true, Some(ByteString(serde_json::to_vec(&steps)?)), None),
        Err(status) => (false, None, Some(status)),
    };
    serde_json::to_vec(&OutgoingReview {
        api_version: API_VERSION,
        kind: KIND,
        response: AdmissionResponse {
            uid,
            allowed,
            status,
            patch_type: patch.as_ref().map(|_| "JSONPatch"),
            patch,
            warnings,
        },
    })
}

/// Returns a status that rejects a request: an HTTP status code, a machine-readable reason, and a
/// message.
pub(super) fn refusal(code: i32, reason: &str, message: impl Into<String>) -> Box<Status> {
    Box::new(Status {
        status: Some("Failure".to_owned()),
        code: Some(code),
        reason: Some(reason.to_owned()),
        message: Some(message.into()),
        ..Status::default()
    })
}

impl Error {
    /// Converts the error of a defaulter or validator to a status like one of the API server: 422
    /// for [`FieldErrors`], 403 with the error's reason if it was created with `Error::new`, and
    /// 500 for any other error, which is logged. `kind` and `request` name the object.
    pub(super) fn status(&self, kind: &GroupVersionKind, request: &Request) -> Box<Status> {
        if let Some(fields) = self.downcast_ref::<FieldErrors>() {
            let GroupVersionKind { group, kind, .. } = kind;
            let called = [kind.as_str(), group].join(".");
            let called = called.trim_end_matches('.');
            let message = format!("{called} {:?} is invalid: {fields}", request.name());
            let mut status = refusal(422, "Invalid", message);
            status.details = Some(StatusDetails {
                name: Some(request.name().to_owned()).filter(|name| !name.is_empty()),
                group: Some(group.clone()).filter(|group| !group.is_empty()),
                kind: Some(kind.clone()),
                causes: Some(fields.causes()),
                ..StatusDetails::default()
            });
            return status;
        }
        if self.is_own() {
            return refusal(403, self.reason(), self.to_string());
        }
        tracing::error!(error = %self, "webhook failed");
        refusal(500, "InternalError", format!("webhook failed: {self}"))
    }
}
