//! Writes with the webhooks that see them. A webhook may send requests of its own, so the state is
//! not locked while one is called.

use std::sync::Arc;

use http::{Request, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use k8s_openapi::ByteString;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::{
    delete::{Deletion, delete},
    endpoints::Endpoint,
    fault::{Fault, Label, Operation},
    garbage,
    kinds::Kind,
    refusal::Refusal,
    sent::fill_in,
    server::{Latency, Server},
    state::State,
    target::Target,
    webhook_configuration::{Hook, Phase, matching},
    write::{self, Draft, Write},
};
use crate::recorder;

/// A change that webhooks decide on.
#[derive(Clone, Copy)]
struct Change<'a> {
    /// `CREATE`, `UPDATE` or `DELETE`.
    operation: &'static str,
    /// The new object. `None` for a delete.
    object: Option<&'a Value>,
    /// The object before the change. `None` for a create.
    old: Option<&'a Value>,
}

impl<'a> Change<'a> {
    fn of(draft: &'a Draft) -> Self {
        Self {
            operation: if draft.before.is_none() {
                "CREATE"
            } else {
                "UPDATE"
            },
            object: Some(&draft.object),
            old: draft.before.as_ref(),
        }
    }

    /// Returns the new and the old object in the version of `kind`.
    fn in_version(self, state: &State, kind: &Kind) -> Result<[Option<Value>; 2], Refusal> {
        let convert = |object: Option<&Value>| {
            let converted = object.map(|object| state.in_version(object, kind));
            converted.transpose()
        };
        Ok([convert(self.object)?, convert(self.old)?])
    }
}

impl Server {
    /// Performs a write. Returns true if the object is new, and the object as it is stored. If the
    /// live object changes while a webhook is called, starts again. Sets `changed` to true if the
    /// write changes something, and does not modify it if not.
    pub async fn write(
        self: &Arc<Self>,
        target: &mut Target<'_>,
        write: &Write,
        changed: &mut bool,
    ) -> Result<(bool, Value), Refusal> {
        loop {
            let draft = write::draft(&self.state(), target, write)?;
            let draft = self.mutated(target, draft).await?;
            let draft = write::complete(&mut self.state(), target, draft)?;
            self.validate(target, Change::of(&draft)).await?;
            let store = |state: &mut State| write::store(state, target, &draft);
            if let Some(stored) = self.change_state(target.dry_run, changed, store)? {
                return Ok((draft.before.is_none(), stored));
            }
            if matches!(write, Write::Create(_)) {
                return Err(Refusal::already_exists(target.kind, &target.key.name));
            }
        }
    }

    /// Deletes the object of `target`, like [`Server::write`]. Returns a `Status`, or the object if
    /// it still exists because it has finalizers.
    pub async fn delete(
        self: &Arc<Self>,
        target: &Target<'_>,
        deletion: &Deletion,
        changed: &mut bool,
    ) -> Result<Value, Refusal> {
        let (kind, key) = (target.kind, &target.key);
        loop {
            let old = {
                let state = self.state();
                state.in_version(state.get(kind, key)?, kind)?
            };
            let change = Change {
                operation: "DELETE",
                object: None,
                old: Some(&old),
            };
            self.review_all(Phase::Mutating, target, change).await?;
            self.validate(target, change).await?;
            let deleted = self.change_state(target.dry_run, changed, |state| {
                let version = |object: &Value| object["metadata"]["resourceVersion"].clone();
                let is_same = version(state.get(kind, key)?) == version(&old);
                let deleted = is_same.then(|| delete(state, kind, key, deletion));
                deleted.transpose()
            })?;
            match deleted {
                Some(deleted) if deleted["kind"] == "Status" => return Ok(deleted),
                Some(deleted) => return self.state().in_version(&deleted, kind),
                None => {}
            }
        }
    }

    /// Changes the state, and deletes the objects that are garbage afterwards. For a dry run,
    /// changes a copy of the state that is then dropped.
    fn change_state<T>(
        &self,
        dry_run: bool,
        changed: &mut bool,
        change: impl FnOnce(&mut State) -> T,
    ) -> T {
        let mut state = self.state();
        if dry_run {
            return change(&mut state.clone());
        }
        let before = state.revision;
        let result = change(&mut state);
        garbage::collect(&mut state);
        *changed |= state.revision != before;
        result
    }

    /// Returns a draft with the changes of the mutating webhooks.
    async fn mutated(
        self: &Arc<Self>,
        target: &Target<'_>,
        mut draft: Draft,
    ) -> Result<Draft, Refusal> {
        let change = Change::of(&draft);
        if let Some(object) = self.review_all(Phase::Mutating, target, change).await? {
            draft.object = object;
        }
        Ok(draft)
    }

    /// Calls the validating webhooks. The error is the rejection of one of them.
    async fn validate(
        self: &Arc<Self>,
        target: &Target<'_>,
        change: Change<'_>,
    ) -> Result<(), Refusal> {
        let reviewed = self.review_all(Phase::Validating, target, change).await;
        reviewed.map(drop)
    }

    /// Calls the webhooks of a phase that match a change, one after the other. Returns the object
    /// if one of them has changed it.
    async fn review_all(
        self: &Arc<Self>,
        phase: Phase,
        target: &Target<'_>,
        change: Change<'_>,
    ) -> Result<Option<Value>, Refusal> {
        let of_namespace = change.object.or(change.old);
        let hooks = {
            let state = self.state();
            matching(&state, phase, target, change.operation, of_namespace)?
        };
        let mut object = None;
        for hook in hooks {
            let change = Change {
                object: object.as_ref().or(change.object),
                ..change
            };
            if !hook.webhook.selects(change.object, change.old)? {
                continue;
            }
            if let Some(new) = self.review(&hook, target, change).await? {
                object = Some(new);
            }
        }
        Ok(object)
    }

    /// Calls a webhook. Returns the object if the webhook changes it.
    async fn review(
        self: &Arc<Self>,
        hook: &Hook,
        target: &Target<'_>,
        change: Change<'_>,
    ) -> Result<Option<Value>, Refusal> {
        let name = &hook.webhook.name;
        if target.dry_run && !hook.webhook.allows_dry_run() {
            let message = format!("admission webhook \"{name}\" does not support dry run");
            return Err(Refusal::bad_request(message));
        }
        let [object, old] = change.in_version(&self.state(), &hook.kind)?;
        let uid = self.state().random.uid();
        let review = review(&uid, hook, target, change.operation, (&object, &old));
        let endpoint = self.endpoint();
        let response = match &endpoint {
            Some(endpoint) => {
                let label = Label {
                    operation: Operation::Review,
                    resource: target.resource(),
                    namespace: target.key.namespace.clone(),
                    name: target.key.name.clone(),
                };
                self.call(endpoint, hook, &label, &review).await
            }
            None => Err("dial tcp: connect: connection refused".to_owned()),
        };
        let response = response.and_then(|response| admitted(response, &uid));
        let outcome = match &response {
            Ok(response) if response["allowed"] == true => "allowed".to_owned(),
            Ok(response) => format!("denied: {}", response["status"]["message"]),
            Err(why) if hook.webhook.ignores_failures() => format!("ignored: {why}"),
            Err(why) => format!("failed: {why}"),
        };
        recorder::note(|| recorder::What::Review {
            process: endpoint.map_or(0, |endpoint| endpoint.process.number),
            webhook: name.clone(),
            operation: change.operation,
            resource: target.resource(),
            object: target.key.object(),
            outcome,
        });
        let response = match response {
            Ok(response) => response,
            Err(_) if hook.webhook.ignores_failures() => return Ok(None),
            Err(why) => return Err(hook.webhook.failed(&why)),
        };
        if response["allowed"] != true {
            return Err(Refusal::denied_by_webhook(name, &response["status"]));
        }
        match (object, patch(&response)) {
            (Some(object), Ok(Some(patch))) => {
                let changed = self.patched(object, &patch, hook, target);
                changed.map(Some)
            }
            (_, Ok(_)) => Ok(None),
            (_, Err(why)) => Err(hook.webhook.failed(&why)),
        }
    }

    /// Applies the patch of a webhook, and returns the object in the version of the request.
    fn patched(
        &self,
        mut object: Value,
        patch: &json_patch::Patch,
        hook: &Hook,
        target: &Target<'_>,
    ) -> Result<Value, Refusal> {
        json_patch::patch(&mut object, patch)
            .map_err(|error| hook.webhook.failed(&error.to_string()))?;
        fill_in(&mut object, &hook.kind);
        self.state().in_version(&object, target.kind)
    }

    /// Returns a process that serves webhooks, which the seed chooses. `None` if there is none.
    fn endpoint(&self) -> Option<Endpoint> {
        let mut alive = self.state().endpoints.alive();
        if alive.is_empty() {
            return None;
        }
        let index = self.state().random.below(alive.len() as u64);
        Some(alive.swap_remove(usize::try_from(index).unwrap_or_default()))
    }

    /// Sends a review to a process. Returns the body of the response. The error is that of Go's
    /// HTTP client.
    async fn call(
        &self,
        endpoint: &Endpoint,
        hook: &Hook,
        label: &Label,
        review: &Value,
    ) -> Result<Value, String> {
        let fault = self.fault(&endpoint.process, label);
        if let Some(fault) = fault {
            recorder::note(|| label.fails(fault));
        }
        match fault {
            Some(Fault::CrashBefore) => endpoint.process.crash(),
            Some(Fault::LostRequest) => return Err("connection reset by peer".to_owned()),
            _ => {}
        }
        let request = Request::post(hook.webhook.path())
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::from(Bytes::from(review.to_string())))
            .map_err(|error| error.to_string())?;
        let Latency { there, back } = self.latency();
        let answer = endpoint.webhooks.clone().review(request);
        let answer = endpoint.process.task(async move {
            sleep(there).await;
            let answer = answer.await;
            if let Some(Fault::DelayedResponse(millis)) = fault {
                self.delay(millis).await;
            }
            sleep(back).await;
            answer
        });
        let answer = tokio::select! {
            biased;
            () = endpoint.process.wait_for_crash() => return Err("EOF".to_owned()),
            answer = timeout(hook.webhook.timeout(), answer) => answer,
        };
        let answer = answer.map_err(|_| "context deadline exceeded".to_owned())?;
        let status = answer.status();
        let body = answer.into_body().collect().await;
        let body = body.map(http_body_util::Collected::to_bytes);
        let body = body.unwrap_or_else(|never| match never {});
        if status != StatusCode::OK {
            let text = String::from_utf8_lossy(&body);
            return Err(format!("{status}: {}", text.trim()));
        }
        serde_json::from_slice(&body).map_err(|error| error.to_string())
    }
}

/// Returns an `AdmissionReview` with a request. The objects are in the version of the webhook.
fn review(
    uid: &str,
    hook: &Hook,
    target: &Target<'_>,
    operation: &str,
    (object, old): (&Option<Value>, &Option<Value>),
) -> Value {
    let kind =
        |kind: &Kind| json!({"group": kind.group, "version": kind.version, "kind": kind.name});
    let resource = |kind: &Kind| json!({"group": kind.group, "version": kind.version, "resource": kind.plural});
    let user = match target.process {
        0 => {
            json!({"username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"]})
        }
        _ => json!({
            "username": super::refusal::ACCOUNT,
            "groups": ["system:serviceaccounts", "system:serviceaccounts:system", "system:authenticated"],
        }),
    };
    let mut request = json!({
        "uid": uid,
        "kind": kind(&hook.kind), "resource": resource(&hook.kind),
        "requestKind": kind(target.kind), "requestResource": resource(target.kind),
        "name": target.key.name, "operation": operation, "userInfo": user,
        "object": object, "oldObject": old, "dryRun": target.dry_run, "options": null,
    });
    if !target.key.namespace.is_empty() {
        request["namespace"] = target.key.namespace.clone().into();
    }
    if !target.subresource.is_empty() {
        request["subResource"] = target.subresource.into();
        request["requestSubResource"] = target.subresource.into();
    }
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})
}

/// Returns the `response` of a review.
fn admitted(mut review: Value, uid: &str) -> Result<Value, String> {
    let response = review["response"].take();
    if response["uid"] != uid {
        return Err(format!(
            "expected response.uid=\"{uid}\", got {}",
            response["uid"]
        ));
    }
    Ok(response)
}

/// Returns the patch of a response. `None` if it has none.
fn patch(response: &Value) -> Result<Option<json_patch::Patch>, String> {
    if response["patch"].is_null() {
        return Ok(None);
    }
    let invalid = |error: serde_json::Error| error.to_string();
    let text: ByteString = serde_json::from_value(response["patch"].clone()).map_err(invalid)?;
    serde_json::from_slice(&text.0).map(Some).map_err(invalid)
}
