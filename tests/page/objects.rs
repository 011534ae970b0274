//! The tree of objects.

use crate::show::Show;
use crate::story::{lolcow, object, story};

#[test]
fn whoever_comes_sees_at_once_why_something_is_not_ready() {
    let show = Show::begin(&story());
    let tab = show.tab();
    let text = tab.says("#objects", &["sad-7c9-x2x"]);
    let cause =
        "Pod sad-7c9-x2x is ImagePullBackOff: container cow: Back-off pulling image \"cow:v9\"";
    assert!(text.contains(cause), "{text}");
    assert_eq!(text.matches(cause).count(), 1, "{text}");
    // What is not well comes first, and is counted.
    let places = ["default/sad", "default/moo"].map(|name| text.find(name));
    assert!(
        places[0] < places[1] && text.contains("1 of 2 unhealthy"),
        "{text}"
    );
    // The tree is a tree, and a state is a colour, a shape and a word.
    let read = tab.read();
    for line in [
        "tree: Objects",
        "failing",
        "link: Timeline",
        "image: healthy",
    ] {
        assert!(read.contains(line), "{line}: {read}");
    }
    tab.assert_well(&[]);
}

#[test]
fn a_filter_and_news_leave_what_is_wanted() {
    let show = Show::begin(&story());
    let tab = show.tab();
    tab.says("#objects", &["default/moo", "default/sad"]);
    let shown = "[...document.querySelectorAll('#objects .row')].filter((row) => row.checkVisibility()).map((row) => row.innerText).join()";
    // The key leads to the filter; what is found is shown with what it belongs to.
    tab.press(&["/"]);
    tab.write("sad-7c9-x2x");
    tab.until(&format!("!{shown}.includes('moo')"));
    let rows = tab.eval(shown).to_string();
    assert!(
        rows.contains("default/sad") && rows.contains("sad-7c9-x2x"),
        "{rows}"
    );
    tab.eval("(() => { const filter = document.querySelector('#objects input'); filter.value = ''; filter.dispatchEvent(new Event('input')); })()");
    tab.click("label", "only unhealthy objects");
    tab.until(&format!(
        "!{shown}.includes('moo') && {shown}.includes('default/sad')"
    ));
    // An object that becomes healthy disappears, and a deleted one is marked.
    show.send(&[object(
        9000,
        "lolcows",
        &lolcow("blue", "u-blue", "False", "no paint"),
    )]);
    tab.until(&format!("{shown}.includes('default/blue')"));
    show.send(&[object(
        9100,
        "lolcows",
        &lolcow("blue", "u-blue", "True", "paint"),
    )]);
    tab.until(&format!("!{shown}.includes('default/blue')"));
    tab.click("label", "only unhealthy objects");
    let mut gone = object(9200, "lolcows", &lolcow("blue", "u-blue", "True", "paint"));
    gone["object"]["change"] = "DELETED".into();
    show.send(&[gone]);
    tab.until("[...document.querySelectorAll('#objects .row')].some((row) => row.innerText.includes('blue') && row.innerText.includes('deleted'))");
    // Deleted objects can be hidden, and shown again.
    tab.click("label", "deleted objects (1)");
    tab.until(&format!("!{shown}.includes('blue')"));
    tab.click("label", "deleted objects (1)");
    tab.until(&format!("{shown}.includes('blue')"));
    tab.assert_well(&[]);
}

#[test]
fn the_keyboard_reaches_everything() {
    let show = Show::begin(&story());
    let tab = show.tab();
    tab.says("#objects", &["default/moo"]);
    for (key, view) in [
        ("2", "timeline"),
        ("3", "log"),
        ("4", "permissions"),
        ("5", "health"),
        ("1", "objects"),
    ] {
        tab.press(&[key]);
        tab.until(&format!(
            "document.querySelector('#{view}').checkVisibility()"
        ));
        assert_eq!(
            tab.eval("document.querySelector('[aria-current=page]').dataset.view"),
            view
        );
    }
    // A tree is one stop of the Tab key; arrow keys move within it.
    let at = |keys: &[&str], uid: &str| {
        tab.press(keys);
        assert_eq!(
            tab.eval("document.activeElement.dataset.uid"),
            uid,
            "{keys:?}"
        );
    };
    at(&["/", "Tab", "Tab", "Tab"], "u-sad");
    at(&["ArrowDown"], "d-sad");
    at(&["End"], "p-moo");
    at(&["Home", "ArrowRight", "ArrowRight", "ArrowRight"], "p-sad");
    at(&["ArrowLeft"], "r-sad");
    at(&["ArrowUp", "ArrowUp"], "u-sad");
    at(&["ArrowLeft"], "u-sad");
    tab.until("!document.querySelector('[data-uid=p-sad]').checkVisibility()");
    at(&["ArrowDown"], "u-moo");
    at(&["ArrowUp", "ArrowRight"], "u-sad");
    tab.until("document.querySelector('[data-uid=p-sad]').checkVisibility()");
    tab.press(&["Enter"]);
    tab.says("#detail", &["Lolcow default/sad"]);
    tab.press(&["Escape"]);
    tab.until("!document.querySelector('#detail').checkVisibility()");
    assert_eq!(tab.eval("document.activeElement.dataset.uid"), "u-sad");
    tab.assert_well(&[]);
}
