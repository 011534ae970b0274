//! The effect of a change of a CRD on stored objects and on clients: compares the behaviour of the
//! API server with the table of changes that the unit test of `rustop`'s own check uses.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::api::Api;
use crate::support::{Sandbox, until};

#[allow(dead_code, reason = "rules are for rustop")]
#[path = "../../src/compat/testdata/changes.rs"]
mod changes;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// The API server takes in a CRD within a second.
const SOON: Duration = Duration::from_secs(30);

#[test]
fn each_change_does_to_stored_objects_and_clients_what_the_table_says() {
    let sandbox = Sandbox::new();
    sandbox.ok("cluster start --no-controllers");
    let api = connect(&sandbox);
    let table = changes::table();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = table.get(number) else {
                break wrong;
            };
            let (seen, why) = Case {
                api: &api,
                number,
                case,
            }
            .outcome();
            if seen != changes::outcome(case) {
                wrong.push(format!("{}: {seen}: {why}", case["name"]));
            }
        }
    };
    let wrong: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..6).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Connects as the administrator of a sandbox's cluster.
pub fn connect(sandbox: &Sandbox) -> Api {
    let status = sandbox.status("default").remove(0);
    let kubeconfig = PathBuf::from(status["kubeconfig"].as_str().unwrap());
    let config: Value = serde_yaml::from_str(&fs::read_to_string(&kubeconfig).unwrap()).unwrap();
    let server = config["clusters"][0]["cluster"]["server"].as_str().unwrap();
    Api::new(
        kubeconfig.parent().unwrap(),
        server.to_owned(),
        "ca",
        "admin",
    )
}

struct Case<'a> {
    api: &'a Api,
    number: usize,
    case: &'a Value,
}

impl Case<'_> {
    /// The worst of what is seen after the change, and what it is seen by.
    fn outcome(&self) -> (&'static str, String) {
        let mut old = changes::old(self.number, self.case);
        add_field(&mut old, "spec", "other");
        let has_status = old
            .pointer("/spec/versions/0/subresources/status")
            .is_some();
        self.api.post(CRDS, &old);
        self.until("the CRD is served", || self.get("v1", "").0 == 200);
        let kept = changes::object(self.number, self.case, "kept");
        until("an object is taken", SOON, || {
            matches!(self.send("POST", "v1", "", &kept).0, 201 | 409)
        });
        if let Some(status) = self.case.get("status") {
            let (code, said) = self.write_status(has_status, "kept", status);
            assert_eq!(code, 200, "{}: {said}", self.case["name"]);
        }
        let before = self.get("v1", "/kept").1;

        let (code, said) = self.replace_crd();
        if code != 200 {
            return ("refused", said.to_string());
        }
        self.see(has_status, &before)
    }

    fn see(&self, has_status: bool, before: &Value) -> (&'static str, String) {
        let (code, after) = self.get(self.case["read"].as_str().unwrap_or("v1"), "/kept");
        if code != 200 {
            return ("stranger", after.to_string());
        }
        if !holds(&after["spec"], &before["spec"]) {
            return ("lost", after["spec"].to_string());
        }
        let label = json!({ "metadata": { "labels": { "a": "b" } } });
        let (code, said) = self.send("PATCH", "v1", "/kept", &label);
        if code != 200 {
            return ("stuck", said.to_string());
        }
        let mut label = changes::object(self.number, self.case, "kept");
        label["metadata"]["labels"] = json!({ "c": "d" });
        let parts = label.as_object_mut().unwrap();
        parts.retain(|key, _| key != "spec" && key != "status");
        let (code, said) = self.apply(&label);
        if code != 200 {
            return ("stuck", said.to_string());
        }
        let (code, said) = self.write_status(has_status, "kept", &json!({ "probe": "a" }));
        if code == 422 {
            return ("stuck", said.to_string());
        }
        let wrote = (code, said);
        let other = json!({ "spec": { "other": "b" } });
        let (code, said) = self.send("PATCH", "v1", "/kept", &other);
        if code != 200 {
            return ("rigid", said.to_string());
        }
        let mut whole = changes::object(self.number, self.case, "kept");
        whole.as_object_mut().unwrap().remove("status");
        let (code, said) = self.apply(&whole);
        if code != 200 {
            return ("unapplied", said.to_string());
        }
        if wrote.0 != 200 || wrote.1.pointer("/status/probe").is_none() {
            return ("stranger", wrote.1.to_string());
        }
        self.ask_as_before(has_status, before, &after)
    }

    fn ask_as_before(
        &self,
        has_status: bool,
        before: &Value,
        after: &Value,
    ) -> (&'static str, String) {
        let (_, anew) = self.send(
            "POST",
            "v1",
            "",
            &changes::object(self.number, self.case, "anew"),
        );
        if !holds(&anew["spec"], &before["spec"]) {
            return ("stranger", anew.to_string());
        }
        if !holds(&after["status"], &before["status"]) {
            return ("stranger", after["status"].to_string());
        }
        if let Some(status) = self.case.get("status") {
            let (code, said) = self.write_status(has_status, "anew", status);
            if code != 200 {
                return ("stranger", said.to_string());
            }
        }
        let selector = self.case["select"].as_str().unwrap_or("metadata.name=kept");
        let (code, said) = self.get("v1", &format!("?fieldSelector={selector}"));
        if code != 200 {
            return ("stranger", said.to_string());
        }
        ("fine", String::new())
    }

    /// Writes the new CRD, and waits until it is in force: its schemas have a field that the old
    /// ones have not.
    fn replace_crd(&self) -> (u16, Value) {
        let mut new = changes::new(self.number, self.case);
        add_field(&mut new, "spec", "other");
        add_field(&mut new, "status", "probe");
        let path = format!("{CRDS}/{}", new["metadata"]["name"].as_str().unwrap());
        let mut answer = (0, Value::Null);
        until("the CRD is written", SOON, || {
            let old = self.api.get(&path).unwrap();
            new["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"].clone();
            answer = self.api.call("PUT", &path, Some(&new));
            answer.0 != 409
        });
        if answer.0 == 200 {
            let mut probe = changes::object(self.number, self.case, "probe");
            probe["status"] = json!({ "probe": "a" });
            self.until("the new CRD is in force", || {
                let query = "?dryRun=All&fieldValidation=Strict";
                let (code, said) = self.send("POST", "v1", query, &probe);
                code != 400 || !said.to_string().contains("status.probe")
            });
        }
        answer
    }

    /// Server-side apply.
    fn apply(&self, object: &Value) -> (u16, Value) {
        let path = self.path("v1", "/kept?fieldManager=test&force=true");
        let kind = "application/apply-patch+yaml";
        self.api.send("PATCH", &path, kind, Some(object))
    }

    fn write_status(&self, has_status: bool, name: &str, status: &Value) -> (u16, Value) {
        let at = if has_status { "/status" } else { "" };
        self.send(
            "PATCH",
            "v1",
            &format!("/{name}{at}"),
            &json!({ "status": status }),
        )
    }

    fn get(&self, version: &str, rest: &str) -> (u16, Value) {
        self.api.call("GET", &self.path(version, rest), None)
    }

    fn send(&self, method: &str, version: &str, rest: &str, body: &Value) -> (u16, Value) {
        self.api.call(method, &self.path(version, rest), Some(body))
    }

    fn path(&self, version: &str, rest: &str) -> String {
        let number = self.number;
        format!("/apis/my.domain/{version}/namespaces/default/case{number}s{rest}")
    }

    fn until(&self, what: &str, done: impl FnMut() -> bool) {
        until(&format!("{}: {what}", self.case["name"]), SOON, done);
    }
}

/// Adds a text to the spec or the status of every version that has fields there.
fn add_field(crd: &mut Value, to: &str, name: &str) {
    for version in crd["spec"]["versions"].as_array_mut().unwrap() {
        let fields = format!("/schema/openAPIV3Schema/properties/{to}/properties");
        if let Some(fields) = version.pointer_mut(&fields) {
            fields[name] = json!({ "type": "string" });
        }
    }
}

/// Returns true if a value contains all fields and items of another one.
fn holds(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Object(value), Value::Object(part)) => {
            let mut fields = part.iter();
            fields.all(|(key, part)| {
                part.is_null() || value.get(key).is_some_and(|value| holds(value, part))
            })
        }
        (Value::Array(items), Value::Array(part)) => {
            items.len() == part.len()
                && items.iter().zip(part).all(|(item, part)| holds(item, part))
        }
        (Value::Null, Value::Object(part)) => part.is_empty(),
        _ => value == part || part.is_null(),
    }
}
