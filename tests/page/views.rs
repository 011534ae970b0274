//! Permissions, health and the build.

use crate::show::Show;
use crate::story::{figures, process, story};

#[test]
fn permissions_are_markers_to_copy() {
    let show = Show::begin(&story());
    let tab = show.tab();
    tab.press(&["4"]);
    let marker = "// +kubebuilder:rbac:groups=\"\",resources=services,verbs=create;patch";
    let text = tab.says(
        "#permissions",
        &[
            "create, patch services",
            "3 requests",
            "src/controllers/lolcow.rs",
            marker,
        ],
    );
    assert!(text.contains("resources=statefulsets"), "{text}");
    tab.allow(&["clipboardReadWrite", "clipboardSanitizedWrite"]);
    tab.click("#permissions button", "Copy");
    tab.says("#permissions button", &["Copied"]);
    assert_eq!(tab.eval("navigator.clipboard.readText()"), marker);
    tab.assert_well(&[]);
}

#[test]
fn health_has_plots_and_what_webhooks_answer() {
    let show = Show::begin(&story());
    let tab = show.tab();
    tab.press(&["5"]);
    let text = tab.says(
        "#health",
        &[
            "Queue",
            "Reconciles: 3.0 per second",
            "Errors: 0.25 per second",
            "Time to reconcile: 10 ms",
            "Memory: 20 MiB",
            "CPU: 1.0 % of a core",
        ],
    );
    assert!(
        text.contains("/validate-my-domain-v1alpha1-lolcow\t19\t2\t2.0 ms"),
        "{text}"
    );
    assert!(
        tab.read().contains("Memory: now 20, at most 20 MiB"),
        "{}",
        tab.read()
    );
    show.send(&[figures(30)]);
    tab.says("#health", &["/validate-my-domain-v1alpha1-lolcow\t30\t2"]);
    tab.assert_well(&[]);
}

#[test]
fn what_does_not_build_is_told_in_the_compilers_words() {
    let show = Show::begin(&story());
    let tab = show.tab();
    tab.says("#process", &["operator running"]);
    show.send(&[process(20_000, "building", "", 0)]);
    tab.says("#process", &["building"]);
    let error =
        "error[E0425]: cannot find value `cow` in this scope\n --> src/controllers/lolcow.rs:12:5";
    show.send(&[process(21_000, "failed", error, 0)]);
    tab.says("#process", &["build failed"]);
    tab.says(
        "#notices",
        &[
            "cannot find value `cow`",
            "--> src/controllers/lolcow.rs:12:5",
        ],
    );
    show.send(&[process(25_000, "running", "", 1)]);
    tab.says("#process", &["operator running, restarted once"]);
    tab.until("!document.querySelector('#notices').textContent.includes('cannot find value')");
    show.send(&[process(26_000, "ended", "exit status: 101", 1)]);
    tab.says("#process", &["operator exited"]);
    // The exited operator is shown as the cause of each waiting object.
    tab.says(
        "#objects",
        &["the operator is not running: exit status: 101"],
    );
    tab.assert_well(&[]);
}
