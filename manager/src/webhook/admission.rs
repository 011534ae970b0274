//! From a question about some object to a call with a typed one.

use std::{any::type_name, marker::PhantomData, sync::Mutex};

use futures::{FutureExt, future::BoxFuture};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use kube::Client;
use serde::Serialize;
use serde_json::{Value, value::RawValue};

use super::{
    Defaulter, Validator, patch,
    request::{Operation, Request},
    review::{Question, Verdict, refusal},
};
use crate::object::Object;

/// A webhook whose kind does not matter any more.
pub(crate) trait Admission: Send + Sync {
    /// Where it is served.
    fn path(&self) -> String;

    /// The kind of the object that makes the API server ask it.
    fn configuration(&self) -> &'static str;

    /// Decides; warnings are left in `request`.
    fn decide<'a>(
        &'a self,
        question: &'a Question<'a>,
        request: &'a Request,
    ) -> BoxFuture<'a, Verdict>;
}

/// Calls a [`Defaulter`].
pub(crate) struct Defaulting<K, D>(pub D, pub PhantomData<fn() -> K>);

/// Calls a [`Validator`].
pub(crate) struct Validating<K, V>(pub V, pub PhantomData<fn() -> K>);

impl<K: Object + Serialize, D: Defaulter<K>> Admission for Defaulting<K, D> {
    fn path(&self) -> String {
        path::<K>("mutate")
    }

    fn configuration(&self) -> &'static str {
        "MutatingWebhookConfiguration"
    }

    fn decide<'a>(
        &'a self,
        question: &'a Question<'a>,
        request: &'a Request,
    ) -> BoxFuture<'a, Verdict> {
        async move {
            if !matches!(request.operation, Operation::Create | Operation::Update) {
                return Ok(Vec::new());
            }
            let mut object: K = decode(question, question.object, "object")?;
            let before = encode(&object)?;
            let decided = self.0.default(&mut object, request).await;
            decided.map_err(|error| error.status(&question.kind, request))?;
            let after = encode(&object)?;
            let sent = question.object.map_or("null", RawValue::get);
            let sent: Value = serde_json::from_str(sent).map_err(|error| unfit::<K>(&error))?;
            Ok(patch::between(&sent, &before, &after))
        }
        .boxed()
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
        question: &'a Question<'a>,
        request: &'a Request,
    ) -> BoxFuture<'a, Verdict> {
        async move {
            let new = || decode::<K>(question, question.object, "object");
            let old = || decode::<K>(question, question.old_object, "oldObject");
            let decided = match request.operation {
                Operation::Create => self.0.create(&new()?, request).await,
                Operation::Update => self.0.update(&old()?, &new()?, request).await,
                Operation::Delete => self.0.delete(&old()?, request).await,
                // the object is not one of K, but says how to connect
                Operation::Connect => Ok(()),
            };
            decided.map_err(|error| error.status(&question.kind, request))?;
            Ok(Vec::new())
        }
        .boxed()
    }
}

/// `/mutate-my-domain-v1-lolcow`; the core group is empty and keeps its dash.
fn path<K: Object>(verb: &str) -> String {
    let (group, version, kind) = (K::group(&()), K::version(&()), K::kind(&()));
    format!(
        "/{verb}-{}-{version}-{}",
        group.replace('.', "-"),
        kind.to_lowercase()
    )
}

fn decode<K: Object>(
    question: &Question<'_>,
    object: Option<&RawValue>,
    field: &str,
) -> Result<K, Box<Status>> {
    let asked = &question.kind;
    let known = (K::group(&()), K::version(&()), K::kind(&()));
    if (&*asked.group, &*asked.version, &*asked.kind) != (&*known.0, &*known.1, &*known.2) {
        let message = format!(
            "this webhook is for {} {} and was asked about {} {}: see the groups, versions and resources of its marker",
            known.1, known.2, asked.version, asked.kind
        );
        return Err(refusal(400, "BadRequest", message));
    }
    let object =
        object.ok_or_else(|| refusal(400, "BadRequest", format!("there is no request.{field}")))?;
    serde_json::from_str(object.get()).map_err(|error| unfit::<K>(&error))
}

fn encode<K: Serialize>(object: &K) -> Result<Value, Box<Status>> {
    serde_json::to_value(object).map_err(|error| unfit::<K>(&error))
}

fn unfit<K>(error: &serde_json::Error) -> Box<Status> {
    let message = format!(
        "the object does not fit the type {}: {error}",
        type_name::<K>()
    );
    refusal(400, "BadRequest", message)
}

impl Request {
    pub(super) fn of(question: &Question<'_>, client: Client) -> Self {
        Self {
            operation: question.operation,
            name: question.name.clone(),
            namespace: question.namespace.clone().filter(|name| !name.is_empty()),
            subresource: question
                .sub_resource
                .clone()
                .filter(|name| !name.is_empty()),
            user: question.user_info.clone(),
            dry_run: question.dry_run == Some(true),
            warnings: Mutex::default(),
            client: Some(client),
        }
    }
}
