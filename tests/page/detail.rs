//! The details of an object, which a click opens.

use crate::show::Show;
use crate::story::story;

#[test]
fn an_object_shows_its_conditions_events_yaml_and_the_command_for_the_same() {
    let show = Show::begin(&story());
    let tab = show.tab();
    tab.click("#objects .row", "sad-7c9-x2x");
    tab.says(
        "#detail",
        &[
            "Pod default/sad-7c9-x2x",
            "ImagePullBackOff",
            "Warning",
            "Failed",
            "3",
            "03:04:08",
        ],
    );
    tab.says(
        "#detail",
        &[
            "kubectl get pods sad-7c9-x2x --namespace default --output yaml",
            "phase: Pending",
        ],
    );
    tab.click("#objects .row", "default/sad");
    let text = tab.says(
        "#detail",
        &[
            "Lolcow default/sad",
            "Ready",
            "False",
            "Starting",
            "waiting for the first replica",
        ],
    );
    assert!(text.contains("lolcows.v1alpha1.my.domain sad"), "{text}");
    // Who is to blame is a click away.
    tab.click("#detail button", "Show the cause");
    tab.says("#detail", &["Pod default/sad-7c9-x2x"]);
    tab.assert_well(&[]);
}

#[test]
fn what_changed_between_two_states_is_told_with_who_did_it() {
    let show = Show::begin(&story());
    let tab = show.tab();
    tab.click("#objects .row", "default/moo");
    let text = tab.says(
        "#difference",
        &["Changed by lolcow-operator/lolcow (status)"],
    );
    assert!(
        text.contains("-      status: Unknown") || text.contains("status: Unknown"),
        "{text}"
    );
    assert!(
        text.contains("status: 'True'") || text.contains("status: \"True\""),
        "{text}"
    );
    // Any two states: the same one has nothing that changed.
    tab.eval("(() => { const from = document.querySelector('[aria-label=\"From the state\"]'); from.value = from.options[1].value; from.dispatchEvent(new Event('change')); })()");
    tab.says("#difference", &["no difference"]);
    // It stays what it is when the object changes.
    let mut again = crate::story::lolcow("moo", "u-moo", "True", "two replicas are available");
    again["metadata"]["managedFields"] =
        serde_json::json!([{"manager": "somebody", "operation": "Update"}]);
    show.send(&[crate::story::object(20_000, "lolcows", &again)]);
    tab.says("#detail", &["Changes (3 states)"]);
    tab.assert_well(&[]);
}
