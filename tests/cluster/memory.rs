//! Compares the in-memory API server of `rustop_manager::testing` with the real one: the same
//! script on both, answer by answer.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::api::Api;
use crate::script::{in_memory, run, script};
use crate::support::Sandbox;

/// Runs the script on the cluster of `sandbox` and in memory.
pub fn assert_alike(sandbox: &Sandbox) {
    let status = sandbox.status("default").remove(0);
    let kubeconfig = Path::new(status["kubeconfig"].as_str().unwrap());
    let server = status["server"].as_str().unwrap().to_owned();
    let api = Api::new(kubeconfig.parent().unwrap(), server, "ca", "admin");
    let script = script();
    let real = run(&script, &|method, path, kind, body| {
        api.send(method, path, kind, body)
    });
    let memory = in_memory(&script, 0);
    let mut wrong = String::new();
    for ((step, real), memory) in script.iter().zip(&real).zip(&memory) {
        if real != memory {
            let show = |value: &Value| serde_json::to_string_pretty(value).unwrap();
            let difference = similar::TextDiff::from_lines(show(real), show(memory))
                .unified_diff()
                .to_string();
            writeln!(
                wrong,
                "{} (- real, + in memory)\n{difference}",
                step.request
            )
            .unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
