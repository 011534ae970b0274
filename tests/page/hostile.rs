//! Names and messages that want to be more than text.

use serde_json::json;

use crate::show::Show;
use crate::story::{call, child, line, lolcow, object, permissions, process, reconcile, story};

const EVIL: &str = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>\u{202e}drowssap\u{0007}";

#[test]
fn what_was_seen_is_text_everywhere() {
    let mut updates = story();
    // Names of a kind can be arbitrary, since the server of its API decides what it accepts.
    let mut evil = lolcow(EVIL, "u-evil", "False", EVIL);
    evil["status"]["conditions"][0]["reason"] = EVIL.into();
    evil["metadata"]["managedFields"] = json!([{"manager": EVIL, "operation": "Update"}]);
    updates.push(object(8000, "lolcows", &evil));
    evil["spec"]["message"] = EVIL.into();
    evil["metadata"]["managedFields"] =
        json!([{"manager": EVIL, "operation": "Update", "time": 1}]);
    updates.push(object(8100, "lolcows", &evil));
    updates.push(object(
        8200,
        "pods",
        &child(
            "v1",
            "Pod",
            EVIL,
            ("p-evil", "u-evil"),
            json!({"phase": EVIL}),
        ),
    ));
    let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"uid": "e9", "name": "e"},
        "involvedObject": {"uid": "u-evil"}, "type": EVIL, "reason": EVIL, "message": EVIL, "count": 1});
    updates.push(object(8300, "events", &event));
    updates.push(line(
        8400,
        ("ERROR", EVIL),
        (EVIL, EVIL),
        json!({ EVIL: EVIL }),
    ));
    updates.extend(reconcile(8500, 10, (EVIL, "ffff0001"), Some((EVIL, 2))));
    updates.push(call(8600, EVIL, ("", EVIL, EVIL), 403, 9_000_000));
    let mut told = permissions(8700);
    told["permissions"]["forbidden"][0]["marker"] = EVIL.into();
    told["permissions"]["unused"][0] = EVIL.into();
    updates.push(told);
    updates.push(process(8800, "failed", EVIL, 1));
    let show = Show::begin(&updates);
    let tab = show.tab();
    for view in ["1", "2", "3", "4", "5"] {
        tab.press(&[view]);
        tab.says("main", &[if view == "5" { "Memory" } else { "" }]);
    }
    tab.press(&["1"]);
    tab.click("#objects .row", "drowssap");
    let text = tab.says("#detail", &["<script>window.hacked = 1</script>"]);
    // Hostile characters do not change the direction of the text around them, and invisible ones
    // are shown as escapes.
    assert!(
        text.contains("\\u202edrowssap\\u0007") && !text.contains('\u{202e}'),
        "{text}"
    );
    tab.says("#difference", &["Changed by"]);
    tab.press(&["2"]);
    tab.click("#timeline button", "First error");
    tab.press(&["3"]);
    tab.says("#log .lines", &["onerror"]);
    assert_eq!(tab.eval("[typeof window.hacked, document.querySelectorAll('img, iframe, object').length, document.scripts.length]"), json!(["undefined", 0, 1]));
    assert_eq!(
        tab.eval("document.body.textContent.includes('\\u202e')"),
        false
    );
    tab.assert_well(&[]);
}

/// A message of 64 KB is cut off, and the page stays as wide as its window.
#[test]
fn a_message_without_an_end_is_cut() {
    let long = "m".repeat(64 << 10);
    let mut updates = story();
    updates.push(object(
        8000,
        "lolcows",
        &lolcow("long", "u-long", "False", &long),
    ));
    updates.push(line(
        8100,
        ("ERROR", &long),
        ("long", "ffff0002"),
        json!({ "field": long }),
    ));
    updates.extend(reconcile(8200, 10, ("long", "ffff0003"), Some((&long, 1))));
    updates.push(process(8300, "failed", &long, 0));
    let show = Show::begin(&updates);
    let tab = show.tab();
    let text = tab.says("#objects", &["more characters"]);
    assert!(text.len() < 30_000, "{} bytes", text.len());
    tab.click("#objects .row", "default/long");
    tab.says("#detail", &["Lolcow default/long", "more characters"]);
    for view in ["1", "2", "3", "4", "5"] {
        tab.press(&[view]);
        let width = tab.eval("document.documentElement.scrollWidth - innerWidth");
        assert!(width.as_i64() <= Some(0), "view {view} is {width} too wide");
    }
    // The whole of it is in the YAML, for who wants it.
    tab.press(&["1"]);
    tab.until("document.querySelector('#detail').textContent.includes('m'.repeat(65536))");
    tab.assert_well(&[]);
}
