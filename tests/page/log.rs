//! The operator's log.

use crate::show::Show;
use crate::story::{at, line, story};

#[test]
fn lines_are_found_by_object_reconcile_level_and_words() {
    let mut updates = story();
    updates.push(line(
        7000,
        ("ERROR", "the barn is on fire"),
        ("moo", "dddd0001"),
        serde_json::json!({"barn": "red"}),
    ));
    updates.push(at(7100, serde_json::json!({"line": {"level": "", "target": "", "message": "thread 'main' panicked"}})));
    let show = Show::begin(&updates);
    let tab = show.tab();
    tab.press(&["3"]);
    let all = tab.says(
        "#log .lines",
        &["the barn is on fire", "barn=red", "thread 'main' panicked"],
    );
    assert!(all.contains("03:04:12.000"), "{all}");
    let choose = |label: &str, value: &str| {
        tab.eval(&format!("(() => {{ const one = document.querySelector('#log [aria-label=\"{label}\"]'); one.value = '{value}'; one.dispatchEvent(new Event(one.tagName === 'SELECT' ? 'change' : 'input')); }})()"));
        tab.text("#log .lines")
    };
    let errors = choose("Level", "ERROR");
    assert!(
        errors.contains("on fire")
            && errors.contains("panicked")
            && !errors.contains("the cow is asked"),
        "{errors}"
    );
    choose("Level", "DEBUG");
    assert_eq!(choose("Only this reconcile", "bbbb0002").lines().count(), 1);
    choose("Only this reconcile", "");
    let sad = choose("Filter lines", "default/sad");
    assert!(
        sad.contains("the cow is asked") && !sad.contains("fire"),
        "{sad}"
    );
    // New lines are appended, and only if they match the filter.
    show.send(&[line(
        8000,
        ("INFO", "it rains"),
        ("moo", "dddd0002"),
        serde_json::json!({}),
    )]);
    show.send(&[line(
        8001,
        ("INFO", "it snows"),
        ("sad", "bbbb0009"),
        serde_json::json!({}),
    )]);
    let sad = tab.says("#log .lines", &["it snows"]);
    assert!(
        !sad.contains("it rains") && sad.trim_end().ends_with("it snows"),
        "{sad}"
    );
    tab.assert_well(&[]);
}
