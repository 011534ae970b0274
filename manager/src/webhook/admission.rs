//! Admission handlers: decode the object of a review and call a [`Defaulter`] or [`Validator`] with
//! it.

use std::{any::type_name, fmt::Display, marker::PhantomData};

use futures::{FutureExt, future::BoxFuture};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use kube::Client;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Value, value::RawValue};

use super::request::{Operation, Request};
use super::review::{AdmissionRequest, Decision, refusal};
use super::{Defaulter, Validator, patch};
use crate::conversion;
use crate::decode::{self, Misfit};
use crate::object::Object;

/// A webhook for one kind. The trait does not name the kind, so that webhooks of all kinds are in
/// one list.
pub(crate) trait Admission: Send + Sync {
    /// Returns the URL path at which the webhook is served.
    fn path(&self) -> String;

    /// Returns the kind of the webhook configuration: `MutatingWebhookConfiguration` or
    /// `ValidatingWebhookConfiguration`.
    fn configuration(&self) -> &'static str;

    /// Stores the schema of the kind if it is in one of these CRDs.
    fn learn(&mut self, _: &[CustomResourceDefinition]) {}

    /// Decides on a review: returns the patch of the object, empty if it is not changed, or the
    /// status that rejects the request. Adds warnings for the user to `request`.
    fn decide<'a>(
        &'a self,
        admission_request: &'a AdmissionRequest<'a>,
        request: &'a Request,
    ) -> BoxFuture<'a, Decision>;
}

/// A webhook that calls a [`Defaulter`].
pub(crate) struct Defaulting<K, D> {
    defaulter: D,
    /// The schema of the kind's version. `None` if the operator did not provide its CRD.
    schema: Option<JSONSchemaProps>,
    kind: PhantomData<fn() -> K>,
}

impl<K, D> Defaulting<K, D> {
    pub fn new(defaulter: D) -> Self {
        Self {
            defaulter,
            schema: None,
            kind: PhantomData,
        }
    }
}

/// A webhook that calls the [`Validator`] `V` with objects of kind `K`.
pub(crate) struct Validating<K, V>(pub V, pub PhantomData<fn() -> K>);

impl<K: Object + Serialize, D: Defaulter<K>> Admission for Defaulting<K, D> {
    fn path(&self) -> String {
        path::<K>("mutate")
    }

    fn configuration(&self) -> &'static str {
        "MutatingWebhookConfiguration"
    }

    fn learn(&mut self, crds: &[CustomResourceDefinition]) {
        let mut crds = crds.iter().map(|crd| &crd.spec);
        let crd = crds.find(|crd| crd.group == K::group(&()) && crd.names.kind == K::kind(&()));
        let mut versions = crd.into_iter().flat_map(|crd| &crd.versions);
        let version = versions.find(|version| version.name == K::version(&()));
        let schema = version.and_then(|version| version.schema.as_ref());
        self.schema = schema.and_then(|schema| schema.open_api_v3_schema.clone());
    }

    fn decide<'a>(
        &'a self,
        admission_request: &'a AdmissionRequest<'a>,
        request: &'a Request,
    ) -> BoxFuture<'a, Decision> {
        async move {
            if !matches!(request.operation, Operation::Create | Operation::Update) {
                return Ok(Vec::new());
            }
            let sent = sent::<K>(admission_request, admission_request.object, "object")?;
            let mut object: K = match sent.decode() {
                Ok(object) => object,
                // The API server will report all problems of the object, in its own words.
                Err(_) if self.refused_anyway(&sent) || sent.is_leaving() => return Ok(Vec::new()),
                Err(misfit) => return Err(unfit::<K>(&misfit)),
            };
            // The patch is computed from the object as the type serializes it, before and after
            // the defaulter, so that it has only the defaulter's changes.
            let before = encode(&object)?;
            let decided = self.defaulter.default(&mut object, request).await;
            decided.map_err(|error| error.status(&admission_request.kind, request))?;
            let after = encode(&object)?;
            Ok(patch::between(&sent.value(), &before, &after))
        }
        .boxed()
    }
}

impl<K, D> Defaulting<K, D> {
    /// Returns true if the API server will reject the object because of its schema. False if the
    /// schema is not known.
    fn refused_anyway(&self, sent: &Sent<'_>) -> bool {
        let schema = self.schema.as_ref();
        schema.is_some_and(|schema| conversion::refuses(schema, &sent.value()))
    }
}

impl<K: Object, V: Validator<K>> Admission for Validating<K, V> {
    fn path(&self) -> String {
        path::<K>("validate")
    }

    fn configuration(&self) -> &'static str {
        "ValidatingWebhookConfiguration"
    }

    fn decide<'a>(
        &'a self,
        admission_request: &'a AdmissionRequest<'a>,
        request: &'a Request,
    ) -> BoxFuture<'a, Decision> {
        async move {
            let new = || sent::<K>(admission_request, admission_request.object, "object");
            let old = || sent::<K>(admission_request, admission_request.old_object, "oldObject");
            let decided = match request.operation {
                Operation::Create => {
                    let new = new()?.decode().map_err(|misfit| unfit::<K>(&misfit))?;
                    self.0.create(&new, request).await
                }
                Operation::Update => {
                    let sent = new()?;
                    let new: K = match sent.decode() {
                        Ok(new) => new,
                        Err(misfit) if sent.is_leaving() => {
                            request.warn(format!(
                                "deleted without validation, because the object cannot be decoded: {misfit}"
                            ));
                            return Ok(Vec::new());
                        }
                        Err(misfit) => return Err(unfit::<K>(&misfit)),
                    };
                    match old()?.decode() {
                        Ok(old) => self.0.update(&old, &new, request).await,
                        // The object was stored when it was still valid. It must be possible to
                        // repair it.
                        Err(misfit) => {
                            request.warn(format!(
                                "validated like a new object, because the old one cannot be decoded: {misfit}"
                            ));
                            self.0.create(&new, request).await
                        }
                    }
                }
                Operation::Delete => match old()?.decode() {
                    Ok(old) => self.0.delete(&old, request).await,
                    Err(misfit) => {
                        request.warn(format!(
                            "deleted without validation, because the object cannot be decoded: {misfit}"
                        ));
                        Ok(())
                    }
                },
                // for CONNECT, the object is not a `K` but contains connect options
                Operation::Connect => Ok(()),
            };
            decided.map_err(|error| error.status(&admission_request.kind, request))?;
            Ok(Vec::new())
        }
        .boxed()
    }
}

/// Returns the path, for example `/mutate-my-domain-v1-lolcow`; `verb` is `mutate` or `validate`.
/// The core group is empty, so two dashes follow each other.
fn path<K: Object>(verb: &str) -> String {
    let (group, version, kind) = (K::group(&()), K::version(&()), K::kind(&()));
    format!(
        "/{verb}-{}-{version}-{}",
        group.replace('.', "-"),
        kind.to_lowercase()
    )
}

/// An object of a review, not decoded.
struct Sent<'a>(&'a RawValue);

/// Returns `object` if the review is about kind `K`. `field` is its name in the review, for the
/// error.
///
/// # Errors
/// A 400 status if it has another kind or is missing.
fn sent<'a, K: Object>(
    admission_request: &AdmissionRequest<'_>,
    object: Option<&'a RawValue>,
    field: &str,
) -> Result<Sent<'a>, Box<Status>> {
    let asked = &admission_request.kind;
    let known = (K::group(&()), K::version(&()), K::kind(&()));
    if (&*asked.group, &*asked.version, &*asked.kind) != (&*known.0, &*known.1, &*known.2) {
        let message = format!(
            "this webhook handles {} {}, not {} {}; help: correct `groups`, `versions` and `resources` of its marker",
            known.1, known.2, asked.version, asked.kind
        );
        return Err(refusal(400, "BadRequest", message));
    }
    let missing = || refusal(400, "BadRequest", format!("`request.{field}` is missing"));
    object.map(Sent).ok_or_else(missing)
}

impl Sent<'_> {
    fn decode<K: Object>(&self) -> Result<K, Misfit> {
        // decodes a second time only to find the path of a mismatch
        serde_json::from_str(self.0.get()).or_else(|_| decode::decode(&self.value()))
    }

    fn value(&self) -> Value {
        serde_json::from_str(self.0.get()).unwrap_or_default()
    }

    /// Returns true if the object is already being deleted and waits for its finalizers.
    fn is_leaving(&self) -> bool {
        let value = self.value();
        let deleted = value.pointer("/metadata/deletionTimestamp");
        deleted.is_some_and(|deleted| !deleted.is_null())
    }
}

fn encode<K: Serialize>(object: &K) -> Result<Value, Box<Status>> {
    serde_json::to_value(object).map_err(|error| unfit::<K>(&error))
}

fn unfit<K>(misfit: &dyn Display) -> Box<Status> {
    let message = format!("cannot decode the object as {}: {misfit}", type_name::<K>());
    refusal(400, "BadRequest", message)
}

impl Request {
    /// Returns the request in a review. An empty namespace or subresource becomes `None`.
    pub(super) fn of(admission_request: &AdmissionRequest<'_>, client: Client) -> Self {
        Self {
            operation: admission_request.operation,
            name: admission_request.name.clone(),
            namespace: admission_request
                .namespace
                .clone()
                .filter(|name| !name.is_empty()),
            subresource: admission_request
                .sub_resource
                .clone()
                .filter(|name| !name.is_empty()),
            user: admission_request.user_info.clone(),
            dry_run: admission_request.dry_run == Some(true),
            warnings: Mutex::default(),
            client: Some(client),
        }
    }
}
