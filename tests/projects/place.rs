//! A project and the cluster that it works on.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::story::{cluster_of, command};
use crate::support::{Ran, Sandbox, run};

/// A project with a running cluster.
pub struct Place {
    pub sandbox: Sandbox,
    pub dir: PathBuf,
    pub kubeconfig: String,
    kubectl: String,
}

impl Place {
    pub fn of(sandbox: Sandbox, dir: PathBuf) -> Self {
        let status = cluster_of(&sandbox, &dir);
        let text = |field: &str| status[field].as_str().unwrap().to_owned();
        Self {
            kubeconfig: text("kubeconfig"),
            kubectl: format!("{}/kubectl", text("assets")),
            sandbox,
            dir,
        }
    }

    pub fn sh(&self, line: &str) -> Ran {
        let mut command = command(&self.dir, "sh");
        command
            .env("KUBECONFIG", &self.kubeconfig)
            .env("KUBECTL", &self.kubectl)
            .env("RUSTOP_STATE", self.sandbox.state());
        run(command.args(["-c", line]))
    }

    pub fn ok(&self, line: &str) -> String {
        let ran = self.sh(line);
        assert_eq!(ran.code, Some(0), "{line}\n{}{}", ran.stdout, ran.stderr);
        ran.stdout + &ran.stderr
    }

    /// `kubectl` with a Lolcow.
    pub fn with(&self, kubectl: &str, version: &str, name: &str, spec: &Value) -> Ran {
        let object = json!({"apiVersion": format!("my.domain/{version}"), "kind": "Lolcow",
            "metadata": {"name": name}, "spec": spec});
        self.sh(&format!("echo '{object}' | $KUBECTL {kubectl} -f -"))
    }

    /// Creates an object with a request to the API server, without kubectl's own validation.
    pub fn create(&self, version: &str, name: &str, spec: &Value) {
        let ran = self.with("create --validate=false", version, name, spec);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }

    pub fn get(&self, version: &str, name: &str) -> Value {
        let line = format!("$KUBECTL get lolcows.{version}.my.domain {name} -o json 2>/dev/null");
        serde_json::from_str(&self.ok(&line)).unwrap()
    }

    pub fn spec(&self, version: &str, name: &str) -> Value {
        self.get(version, name)["spec"].clone()
    }

    /// The versions that its CRD has objects in.
    pub fn stored(&self) -> String {
        self.ok("$KUBECTL get crd lolcows.my.domain -o 'jsonpath={.status.storedVersions}'")
    }
}
