//! The notices of a hot loop, of conflicting writers and of a slow request.

use serde_json::json;

use crate::show::Show;
use crate::story::{call, lolcow, object, reconcile, story};

#[test]
fn a_hot_loop_is_told_at_once_and_at_its_object() {
    let show = Show::begin(&story());
    let tab = show.tab();
    tab.says("#objects", &["default/moo"]);
    assert!(
        !tab.text("body").contains("hot loop"),
        "{}",
        tab.text("body")
    );
    for n in 0..25 {
        show.send(&reconcile(
            10_000 + n * 50,
            10,
            ("moo", &format!("eeee{n:04}")),
            None,
        ));
    }
    tab.says(
        "#notices",
        &["hot loop", "Lolcow default/moo", "20 times within 10 s"],
    );
    // It is Ready, and something is wrong with it all the same.
    tab.until("document.querySelector('[data-uid=u-moo]').innerText.includes('hot loop')");
    tab.click("#notices button", "Show");
    tab.says("#detail", &["Lolcow default/moo", "hot loop"]);
    tab.click("#notices button", "×");
    tab.until("!document.querySelector('#notices').textContent.includes('hot loop')");
    tab.assert_well(&[]);
}

#[test]
fn two_who_undo_each_others_work_are_both_named() {
    let show = Show::begin(&story());
    let tab = show.tab();
    for n in 0..6_u64 {
        let manager = ["lolcow-operator/lolcow", "argocd"][usize::try_from(n % 2).unwrap()];
        let mut moo = lolcow("moo", "u-moo", "True", manager);
        moo["metadata"]["managedFields"] =
            json!([{"manager": manager, "operation": "Update", "time": n}]);
        show.send(&[object(10_000 + n * 100, "lolcows", &moo)]);
    }
    tab.says(
        "#notices",
        &[
            "conflicting writers",
            "lolcow-operator/lolcow and argocd overwrite each other's changes",
        ],
    );
    tab.assert_well(&[]);
}

#[test]
fn a_slow_call_and_a_refused_one_are_told() {
    let show = Show::begin(&story());
    let tab = show.tab();
    show.send(&[
        call(10_000, "list", ("", "configmaps", ""), 200, 3_200_000),
        call(10_100, "create", ("", "services", "moo"), 403, 2_000),
    ]);
    tab.says(
        "#notices",
        &[
            "slow request: list configmaps",
            "took 3 s",
            "forbidden: create services: may not",
        ],
    );
    // In the timeline it is as long as it was, in a lane for what is about no one object.
    tab.press(&["2"]);
    tab.says("#timeline .legend", &["slow request"]);
    tab.until("document.querySelector('#timeline canvas').getAttribute('aria-label').startsWith('9 lanes')");
    tab.assert_well(&[]);
}
