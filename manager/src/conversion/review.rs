//! `ConversionReview` of `apiextensions.k8s.io/v1`: the question and the answer on the wire.

use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
};

use kube::core::{
    Status,
    conversion::{ConversionRequest, ConversionResponse, ConversionReview},
};
use serde_json::Value;

use super::Chain;
use crate::error::{Error, Result};

const API_VERSION: &str = "apiextensions.k8s.io/v1";
const KIND: &str = "ConversionReview";

/// The kinds that can be converted.
pub(crate) struct Converters(Vec<Chain>);

impl Converters {
    /// # Errors
    /// When two of them are for one kind.
    pub fn new(chains: Vec<Chain>) -> Result<Self> {
        let mut kinds = HashSet::new();
        match chains.iter().find(|chain| !kinds.insert(chain.crd())) {
            Some(twice) => {
                let message = format!("two converters for {}: register one of them", twice.crd());
                Err(Error::new("SameKind", message))
            }
            None => Ok(Self(chains)),
        }
    }

    /// The names of the `CustomResourceDefinition`s that make API servers ask.
    pub fn crds(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(Chain::crd)
    }

    /// The body of the answer to the question in the body of a request. A conversion that panics is told
    /// to `panicked`, and fails.
    ///
    /// # Errors
    /// When it is no question; the error says why.
    pub async fn answer(&self, body: &[u8], panicked: impl Fn()) -> Result<Vec<u8>, String> {
        let request = parse(body)?;
        let mut converted = Vec::with_capacity(request.objects.len());
        let mut failure = None;
        for object in &request.objects {
            // there may be many, and others wait
            tokio::task::yield_now().await;
            match self.convert(object, &request.desired_api_version, &panicked) {
                Ok(object) => converted.push(object),
                Err(message) => {
                    tracing::warn!("{message}");
                    failure = Some(message);
                    break;
                }
            }
        }
        let response = ConversionResponse::for_request(request);
        let response = match failure {
            None => response.success(converted),
            Some(message) => response.failure(Status::failure(&message, "Invalid").with_code(422)),
        };
        serde_json::to_vec(&response.into_review()).map_err(|error| error.to_string())
    }

    fn convert(&self, object: &Value, to: &str, panicked: impl Fn()) -> Result<Value, String> {
        let text = |path: &str| {
            object
                .pointer(path)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let (version, kind) = (text("/apiVersion"), text("/kind"));
        let failed = |why: String| {
            let name = [text("/metadata/namespace"), text("/metadata/name")].join("/");
            let name = name.trim_start_matches('/');
            format!("cannot convert {version} {kind} {name} to {to}: {why}")
        };
        let (group, version) = to.rsplit_once('/').unwrap_or_default();
        let (Some(chain), Value::Object(fields)) = (self.of(group, kind), object) else {
            let known: Vec<_> = self.crds().collect();
            return Err(failed(format!(
                "there are conversions of {} only",
                known.join(", ")
            )));
        };
        let converted = catch_unwind(AssertUnwindSafe(|| chain.convert(fields.clone(), version)));
        let converted = converted.unwrap_or_else(|_| {
            panicked();
            Err("it panicked; the log of the operator says where".to_owned())
        });
        converted.map_err(failed)
    }

    fn of(&self, group: &str, kind: &str) -> Option<&Chain> {
        let mut chains = self.0.iter();
        chains.find(|chain| chain.group == group && chain.kind == kind)
    }
}

fn parse(body: &[u8]) -> Result<ConversionRequest, String> {
    let expected = format!("{KIND} of {API_VERSION}");
    let review: ConversionReview =
        serde_json::from_slice(body).map_err(|error| format!("this is no {expected}: {error}"))?;
    let types = &review.types;
    if types.api_version != API_VERSION || types.kind != KIND {
        let (version, kind) = (&types.api_version, &types.kind);
        return Err(format!(
            "this is {version} {kind}, and a {expected} is expected"
        ));
    }
    ConversionRequest::from_review(review).map_err(|error| error.to_string())
}

#[cfg(test)]
#[path = "review_tests.rs"]
mod tests;
