//! Access to the page, and its behaviour when its server ends.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use rustix::process::Signal;
use serde_json::json;

use crate::browser::Tab;
use crate::show::Show;
use crate::story::{lolcow, object, story};
use crate::support::kill;

#[test]
fn a_page_that_is_not_connected_yet_does_not_blame_rustop() {
    let show = Show::begin(&story());
    let tab = Tab::open("about:blank#");
    // The stream of updates is requested, and is not answered.
    let waits = "window.EventSource = class extends EventTarget { readyState = 0; };";
    tab.call(
        "Page.addScriptToEvaluateOnNewDocument",
        &json!({ "source": waits }),
    );
    tab.go(&show.address);
    assert_eq!(tab.says("#connection", &["connecting"]), "○ connecting");
    tab.assert_well(&[]);
}

#[test]
fn a_reload_in_the_middle_loses_nothing() {
    let show = Show::begin(&story());
    let tab = show.tab();
    tab.press(&["3"]);
    let before = tab.says("#log .lines", &["the cow is asked"]);
    show.send(&[object(
        9000,
        "lolcows",
        &lolcow("new", "u-new", "True", "it is there"),
    )]);
    tab.reload();
    // It comes back where it was.
    assert_eq!(tab.says("#log .lines", &["the cow is asked"]), before);
    tab.press(&["1"]);
    tab.says("#objects", &["default/moo", "default/sad", "default/new"]);
    tab.assert_well(&[]);
}

#[test]
fn a_server_that_goes_away_is_waited_for() {
    let mut show = Show::begin(&story());
    let tab = show.tab();
    tab.click("#objects .row", "default/sad");
    tab.says("#detail", &["Lolcow default/sad"]);
    let address = show.address.clone();
    show.end();
    tab.says("#connection", &["rustop does not respond"]);
    // What was seen stays in sight.
    tab.says("#objects", &["default/moo"]);
    show.send(&[object(
        9000,
        "lolcows",
        &lolcow("new", "u-new", "True", "it is there"),
    )]);
    show.again();
    let [(site, key), (again, new)] =
        [&address, &show.address].map(|address| address.split_once('?').unwrap());
    assert_eq!(site, again, "an open page would never find it");
    assert_ne!(key, new, "whoever has seen the old one could look");
    tab.says("#connection", &["open the address that it prints"]);
    let tab = show.tab();
    tab.says("#objects", &["default/new"]);
    assert_eq!(
        tab.eval("document.querySelectorAll('[data-uid=u-moo]').length"),
        1
    );
    // After a pause, the same server continues, and the page keeps its contents.
    kill(show.pid(), Signal::STOP);
    kill(show.pid(), Signal::CONT);
    show.send(&[object(
        9500,
        "lolcows",
        &lolcow("newer", "u-newer", "True", "it is there"),
    )]);
    tab.says("#objects", &["default/newer"]);
    tab.assert_well(&["ERR_"]);
}

#[test]
fn a_wrong_key_shows_nothing_and_says_where_the_right_one_is() {
    let show = Show::begin(&story());
    let (site, _) = show.address.split_once('?').unwrap();
    for address in [
        site.to_owned(),
        format!("{site}?key=0123456789abcdef0123456789abcdef"),
    ] {
        let tab = Tab::open(&address);
        tab.says(
            "body",
            &["invalid key: open the address that rustop prints"],
        );
        assert!(!tab.text("body").contains("moo"));
    }
}

/// A site that knows the address, key and all, reads nothing of it, and cannot have it in a frame.
#[test]
fn another_sites_page_reads_nothing() {
    let show = Show::begin(&story());
    let evil = site(&show.address);
    let tab = Tab::open(&evil);
    tab.until("document.body.dataset.done === '4'");
    let found = tab.eval("JSON.stringify(window.found)").to_string();
    for way in ["fetch", "object", "script", "events"] {
        assert!(found.contains(&format!("{way}: refused")), "{found}");
    }
    assert!(!found.contains("moo"), "{found}");
    // The frame has what browsers show in the place of a page.
    let frames = tab.call("Page.getFrameTree", &serde_json::json!({}));
    let frame = frames["frameTree"]["childFrames"][0]["frame"].to_string();
    assert!(
        !frame.contains("\"url\":\"http://127.0.0.1") || frame.contains("chrome-error"),
        "{frame}"
    );
}

/// A server of one page with every way to read another's; its address.
fn site(address: &str) -> String {
    let page = format!(
        "<!doctype html><body><script>
        window.found = [];
        const address = {address:?}, events = address.replace('/?', '/events?'), object = address.replace('/?', '/object?uid=u-moo&');
        const told = (way, what) => {{ found.push(`${{way}}: ${{what}}`); document.body.dataset.done = found.length; }};
        fetch(address).then((answer) => answer.text()).then((text) => told('fetch', text), () => told('fetch', 'refused'));
        fetch(object).then((answer) => answer.text()).then((text) => told('object', text), () => told('object', 'refused'));
        const script = document.createElement('script');
        script.src = object;
        script.onload = () => told('script', 'loaded');
        script.onerror = () => told('script', 'refused');
        document.head.append(script);
        const source = new EventSource(events);
        source.onmessage = () => told('events', 'read');
        source.addEventListener('changes', (event) => told('events', event.data));
        source.onerror = () => {{ source.close(); told('events', 'refused'); }};
        const frame = document.createElement('iframe');
        frame.src = address;
        document.body.append(frame);
        </script>"
    );
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let own = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let page = page.clone();
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    page.len()
                );
                let _ = stream.write_all(head.as_bytes());
                let _ = stream.write_all(page.as_bytes());
            });
        }
    });
    own
}
