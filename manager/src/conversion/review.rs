//! Responses to requests for the conversion of objects: a `ConversionReview` of
//! `apiextensions.k8s.io/v1`. Problems are logged once per object.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use kube::core::{
    Status,
    conversion::{ConversionRequest, ConversionResponse, ConversionReview},
};
use parking_lot::Mutex;
use serde_json::Value;

use super::Chain;
use crate::error::{Error, Result};

const API_VERSION: &str = "apiextensions.k8s.io/v1";
const KIND: &str = "ConversionReview";

/// Maximum number of objects whose last logged problem is remembered.
const MAX_LOGGED: usize = 1000;

/// The conversions of all kinds of the operator.
pub(crate) struct Converters {
    chains: Vec<Chain>,
    logged: LoggedProblems,
}

/// The last logged problem of each object and target version. The API server repeats its requests,
/// so each problem is logged once, until it changes or is fixed.
#[derive(Default)]
struct LoggedProblems(Mutex<HashMap<String, String>>);

impl LoggedProblems {
    /// Logs the problem `wrong` if it is new for `object`. An empty text means that there is no
    /// problem. Returns true if it was logged.
    fn log_if_new(&self, object: &str, wrong: &str) -> bool {
        let mut logged = self.0.lock();
        if wrong.is_empty() {
            logged.remove(object);
            return false;
        }
        if logged.get(object).is_some_and(|before| before == wrong) {
            return false;
        }
        if logged.len() >= MAX_LOGGED {
            logged.clear();
        }
        logged.insert(object.to_owned(), wrong.to_owned());
        tracing::warn!("{wrong}");
        true
    }
}

impl Converters {
    /// Returns the conversions of these kinds.
    ///
    /// # Errors
    /// Returns `SameKind` if two of them are for the same kind.
    pub fn new(chains: Vec<Chain>) -> Result<Self> {
        let mut kinds = HashSet::new();
        match chains.iter().find(|chain| !kinds.insert(chain.crd())) {
            Some(twice) => {
                let message = format!(
                    "two converters are registered for {}; help: register only one",
                    twice.crd()
                );
                Err(Error::new("SameKind", message))
            }
            None => Ok(Self {
                chains,
                logged: LoggedProblems::default(),
            }),
        }
    }

    /// Returns the names of the `CustomResourceDefinition`s that refer to the conversion webhook,
    /// in the form `plural.group`.
    pub fn crds(&self) -> impl Iterator<Item = String> {
        self.chains.iter().map(Chain::crd)
    }

    /// Converts the objects of a serialized review, and returns the serialized review with the
    /// response. It contains all objects or, if one cannot be converted, a failure. If a conversion
    /// panics, calls `panicked` and responds with a failure.
    ///
    /// # Errors
    /// Returns an error if the body is not a valid review.
    pub async fn answer(&self, body: &[u8], panicked: impl Fn()) -> Result<Vec<u8>, String> {
        let request = parse(body)?;
        let mut converted = Vec::with_capacity(request.objects.len());
        let mut failure = None;
        for object in &request.objects {
            // there may be many objects, and other tasks wait
            tokio::task::yield_now().await;
            match self.convert(object, &request.desired_api_version, &panicked) {
                Ok(object) => converted.push(object),
                Err(message) => {
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

    /// Converts one object to the version `to`, given as `group/version`, and logs its problems.
    /// Calls `panicked` if the conversion panics.
    ///
    /// # Errors
    /// Returns the reason if it cannot be converted.
    pub fn convert(&self, object: &Value, to: &str, panicked: impl Fn()) -> Result<Value, String> {
        let text = |path: &str| {
            object
                .pointer(path)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let (version, kind) = (text("/apiVersion"), text("/kind"));
        let name = [text("/metadata/namespace"), text("/metadata/name")].join("/");
        let called = format!("{version} {kind} {} to {to}", name.trim_start_matches('/'));
        let mut warnings = Vec::new();
        let converted = self.find_and_convert(object, to, |why| warnings.push(why), panicked);
        let wrong = match &converted {
            Ok(_) if warnings.is_empty() => String::new(),
            Ok(_) => format!("{called}: {}", warnings.join("; ")),
            Err(why) => format!("cannot convert {called}: {why}"),
        };
        self.logged.log_if_new(&called, &wrong);
        converted.map_err(|_| wrong)
    }

    fn find_and_convert(
        &self,
        object: &Value,
        to: &str,
        warn: impl FnMut(String),
        panicked: impl Fn(),
    ) -> Result<Value, String> {
        let kind = object.get("kind").and_then(Value::as_str);
        let (group, version) = to.rsplit_once('/').unwrap_or_default();
        let chain = self.chain(group, kind.unwrap_or_default());
        let (Some(chain), Value::Object(fields)) = (chain, object) else {
            let known: Vec<_> = self.crds().collect();
            return Err(format!(
                "no converter is registered for this kind, only for {}",
                known.join(", ")
            ));
        };
        let convert = || chain.convert(fields.clone(), version, warn);
        catch_unwind(AssertUnwindSafe(convert)).unwrap_or_else(|_| {
            panicked();
            Err("the conversion panicked; see the operator's log for the location".to_owned())
        })
    }

    fn chain(&self, group: &str, kind: &str) -> Option<&Chain> {
        let mut chains = self.chains.iter();
        chains.find(|chain| chain.group == group && chain.kind == kind)
    }
}

fn parse(body: &[u8]) -> Result<ConversionRequest, String> {
    let expected = format!("{KIND} of {API_VERSION}");
    let review: ConversionReview =
        serde_json::from_slice(body).map_err(|error| format!("invalid {expected}: {error}"))?;
    let types = &review.types;
    if types.api_version != API_VERSION || types.kind != KIND {
        let (version, kind) = (&types.api_version, &types.kind);
        return Err(format!("expected {expected}, got {kind} of {version}"));
    }
    ConversionRequest::from_review(review).map_err(|error| error.to_string())
}

#[cfg(test)]
#[path = "review_tests.rs"]
mod tests;
