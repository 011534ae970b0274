//! The timeline and the log, which lead to each other.

use serde_json::json;

use crate::browser::Tab;
use crate::show::Show;
use crate::story::{call, child, object, reconcile, story};

/// Returns the visible time span in seconds, as a screen reader gets it.
fn sight(tab: &Tab) -> (f64, f64) {
    let label = tab.until("document.querySelector('#timeline canvas').getAttribute('aria-label')");
    let (_, span) = label.as_str().unwrap().split_once("in sight ").unwrap();
    let (from, to) = span.trim_end_matches(" s").split_once(" s to ").unwrap();
    (from.parse().unwrap(), to.parse().unwrap())
}

fn opened(show: &Show) -> Tab {
    let tab = show.tab();
    tab.press(&["2"]);
    tab.until("document.querySelector('#timeline canvas').getAttribute('aria-label').startsWith('8 lanes')");
    tab
}

/// A point in the middle of what is drawn.
fn middle(tab: &Tab) -> (f64, f64) {
    let at = tab.eval("((box) => [box.x + box.width * .6, box.y + 60])(document.querySelector('#timeline canvas').getBoundingClientRect())");
    (at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
}

#[test]
fn the_mouse_and_the_keys_zoom_and_move_and_news_do_not_while_it_pauses() {
    let show = Show::begin(&story());
    let tab = opened(&show);
    let (from, to) = sight(&tab);
    assert!((to - from - 60.0).abs() < 0.1, "{from} to {to}");
    let at = middle(&tab);
    let moved = |before: (f64, f64)| {
        tab.until(&format!(
            "!document.querySelector('#timeline canvas').getAttribute('aria-label').includes('in sight {:.2} s to {:.2} s')",
            before.0, before.1
        ));
        sight(&tab)
    };
    tab.wheel(at, -100.0);
    let near = moved((from, to));
    assert!(near.1 - near.0 < to - from, "{near:?}");
    // The timeline pauses when the user selects something.
    assert_eq!(tab.text("#timeline [aria-pressed]"), "Follow");
    tab.drag(at, 120.0);
    let dragged = moved(near);
    assert!(
        dragged.0 < near.0 && (dragged.1 - dragged.0 - (near.1 - near.0)).abs() < 0.05,
        "{dragged:?}"
    );
    tab.eval("document.querySelector('#timeline canvas').focus()");
    tab.press(&["+"]);
    let nearer = moved(dragged);
    assert!(nearer.1 - nearer.0 < dragged.1 - dragged.0, "{nearer:?}");
    tab.press(&["-"]);
    let farther = moved(nearer);
    tab.press(&["ArrowRight"]);
    let right = moved(farther);
    assert!(right.0 > farther.0, "{right:?}");

    show.send(&reconcile(90_000, 10, ("moo", "cccc0001"), None));
    tab.until("document.querySelector('#timeline canvas').getAttribute('aria-label').includes(' 90.0 s; in sight')");
    assert_eq!(sight(&tab), right);
    tab.click("#timeline button", "Follow");
    let follows = moved(right);
    assert!((follows.1 - 90.01).abs() < 0.1, "{follows:?}");
    show.send(&reconcile(95_000, 10, ("moo", "cccc0002"), None));
    assert!(moved(follows).1 > follows.1);
    tab.click("#timeline button", "Whole run");
    tab.until("document.querySelector('#timeline canvas').getAttribute('aria-label').includes('in sight 0.00 s')");
    tab.assert_well(&[]);
}

#[test]
fn the_first_error_is_one_click_away_and_leads_to_its_lines_and_back() {
    let show = Show::begin(&story());
    let tab = opened(&show);
    tab.click("#timeline button", "First error");
    let says = tab.says("#timeline [role=status]", &["the cow does not answer"]);
    assert!(
        says.contains("reconcile failed (cause: the object changed)") && says.contains("15.0 ms"),
        "{says}"
    );
    tab.click("#timeline button", "Show in the log");
    let lines = tab.says(
        "#log .lines",
        &["reconcile failed: the cow does not answer"],
    );
    assert_eq!(lines.lines().count(), 2, "{lines}");
    // A line leads to its place.
    tab.click("#log button", "All lines");
    tab.says("#log .lines", &["the cow is asked"]);
    tab.click("#log .lines button", "reconcile failed");
    tab.says("#timeline [role=status]", &["the cow does not answer"]);
    let (from, to) = sight(&tab);
    assert!(
        from < 4.0 && 4.015 < to && to - from < 10.0,
        "{from} to {to}"
    );
    // And the keys from event to event: it was tried again after that.
    tab.eval("document.querySelector('#timeline canvas').focus()");
    tab.press(&["n"]);
    tab.says(
        "#timeline [role=status]",
        &["waits to retry after a failure"],
    );
    tab.press(&["p"]);
    tab.says("#timeline [role=status]", &["the cow does not answer"]);
    tab.assert_well(&[]);
}

#[test]
fn what_is_drawn_is_explained_and_can_be_clicked() {
    let show = Show::begin(&story());
    let tab = opened(&show);
    let legend = tab.says("#timeline .legend", &["failed reconcile"]);
    for word in [
        "waiting to retry",
        "watch event",
        "write",
        "rejected request",
    ] {
        assert!(legend.contains(word), "{word}: {legend}");
    }
    tab.click("#timeline button", "Whole run");
    // The write to `moo`'s status, 1.29 s after the start.
    let place = tab.until("((canvas, span) => span && [canvas.x + 220 + (1.29 - span[0]) / (span[1] - span[0]) * (canvas.width - 220), canvas.y + 22 + 12])(document.querySelector('#timeline canvas').getBoundingClientRect(), document.querySelector('#timeline canvas').getAttribute('aria-label').match(/in sight (0.00) s to ([0-9.]+) s/)?.slice(1).map(Number))");
    let number = |n: usize| place[n].as_f64().unwrap();
    tab.call("Input.dispatchMouseEvent", &json!({"type": "mousePressed", "x": number(0), "y": number(1), "button": "left", "clickCount": 1}));
    tab.call("Input.dispatchMouseEvent", &json!({"type": "mouseReleased", "x": number(0), "y": number(1), "button": "left", "clickCount": 1}));
    tab.says(
        "#timeline [role=status]",
        &["1.250 s, 50.0 ms: reconcile ok"],
    );
    // Only one object: its lane and those below it.
    tab.eval("(() => { const lane = document.querySelector('[aria-label=\"Only this object\"]'); lane.value = 'u-sad'; lane.dispatchEvent(new Event('change')); })()");
    tab.until("document.querySelector('#timeline canvas').getAttribute('aria-label').startsWith('4 lanes')");
    tab.assert_well(&[]);
}

#[test]
fn an_object_leads_to_its_lane_and_its_lines() {
    let show = Show::begin(&story());
    let tab = show.tab();
    tab.click("#objects .row", "default/sad");
    tab.click("#detail button", "In the timeline");
    tab.until("document.querySelector('#timeline canvas').getAttribute('aria-label').startsWith('4 lanes')");
    tab.click("#detail button", "In the log");
    let lines = tab.says("#log .lines", &["default/sad"]);
    assert!(!lines.contains("default/moo"), "{lines}");
    tab.assert_well(&[]);
}

/// The order in which objects were seen does not matter.
#[test]
fn lanes_are_ordered_by_kind_and_name_below_each_owner() {
    let show = Show::begin(&story());
    let job = |n: u32| {
        let uid = format!("u-job-{n}");
        child(
            "batch/v1",
            "Job",
            &format!("moo-{n}"),
            (&uid, "u-moo"),
            json!({}),
        )
    };
    for (at, n) in [(5000, 10), (5100, 9), (5200, 11)] {
        show.send(&[object(at, "jobs", &job(n))]);
    }
    let tab = show.tab();
    tab.press(&["2"]);
    tab.until("document.querySelector('#timeline canvas').getAttribute('aria-label').startsWith('11 lanes')");
    let labels = "import('./lanes.js').then((it) => it.lanes('').map((lane) => lane.label.trim()).filter((label) => label.startsWith('Job')).join(', '))";
    assert_eq!(
        tab.eval(labels),
        "Job default/moo-9, Job default/moo-10, Job default/moo-11"
    );
    tab.assert_well(&[]);
}

/// Times count from the first event, also on a page that is opened later.
#[test]
fn times_are_those_that_were_told() {
    let show = Show::begin(&story());
    show.send(&[call(
        7000,
        "patch",
        ("apps", "deployments", "moo"),
        200,
        1_500,
    )]);
    let tab = opened(&show);
    tab.click("#timeline button", "First error");
    tab.says("#timeline [role=status]", &["4.000 s, 15.0 ms"]);
}
