//! Accessibility of the page: contrast, names, narrow windows. Also its pictures in the README:
//! `RUSTOP_OVERWRITE=1 cargo test --test page pictures` takes them again.

use std::fs;
use std::path::Path;

use crate::browser::Tab;
use crate::show::Show;
use crate::story::story;

const VIEWS: [&str; 5] = ["objects", "timeline", "log", "permissions", "health"];

/// The texts in sight whose contrast is lower than WCAG asks for.
const FAINT: &str = "(() => {
    const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)).reduce((sum, c, n) => sum + c * [.2126, .7152, .0722][n], 0);
    const parse = (color) => color.match(/[0-9.]+/g).map(Number);
    const ground = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const color = parse(getComputedStyle(at).backgroundColor);
            if (color.length === 3 || color[3] === 1) return color;
        }
        return parse(getComputedStyle(document.documentElement).backgroundColor);
    };
    const faint = [];
    for (const element of document.querySelectorAll('body *')) {
        const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
        if (!own || !element.checkVisibility()) continue;
        const [front, back] = [light(parse(getComputedStyle(element).color)), light(ground(element))];
        const contrast = (Math.max(front, back) + .05) / (Math.min(front, back) + .05);
        if (contrast < 4.5) faint.push(`${element.textContent.slice(0, 40)}: ${contrast.toFixed(2)}`);
    }
    return faint;
})()";

fn in_view(tab: &Tab, view: &str) {
    let number = VIEWS.iter().position(|one| *one == view).unwrap() + 1;
    tab.press(&[&number.to_string()]);
    tab.until(&format!(
        "document.querySelector('#{view}').checkVisibility()"
    ));
}

#[test]
fn every_view_can_be_read_in_the_dark_and_in_the_light_and_in_a_narrow_window() {
    let show = Show::begin(&story());
    let tab = show.tab();
    tab.click("#objects .row", "default/sad");
    tab.says("#detail", &["Conditions"]);
    for (is_dark, width) in [(false, 1280), (true, 1280), (true, 400), (false, 400)] {
        tab.dark(is_dark);
        tab.size(width, 800);
        for view in VIEWS {
            in_view(&tab, view);
            assert_eq!(
                tab.eval(FAINT),
                serde_json::json!([]),
                "{view}, dark: {is_dark}"
            );
            let wide = tab.eval("document.documentElement.scrollWidth - innerWidth");
            assert!(
                wide.as_i64() <= Some(0),
                "{view} is {wide} wider than {width}"
            );
        }
    }
    // A narrow window shows either a view or the details of an object.
    in_view(&tab, "objects");
    tab.click("#objects .row", "default/moo");
    tab.until("!document.querySelector('#objects').checkVisibility()");
    tab.click("#detail button", "Close");
    tab.until("document.querySelector('#objects').checkVisibility()");
    tab.assert_well(&[]);
}

/// Whatever can be worked with says what it is.
#[test]
fn a_screen_reader_has_a_name_for_everything() {
    let show = Show::begin(&story());
    let tab = show.tab();
    tab.click("#objects .row", "default/sad");
    tab.says("#detail", &["Conditions"]);
    for view in VIEWS {
        in_view(&tab, view);
        let read = tab.read();
        let roles = [
            "button",
            "link",
            "searchbox",
            "combobox",
            "checkbox",
            "treeitem",
            "image",
            "img",
            "Canvas",
        ];
        let nameless = read.lines().filter(|line| {
            let (role, name) = line.split_once(": ").unwrap();
            roles.contains(&role) && name.trim().is_empty()
        });
        assert_eq!(
            nameless.collect::<Vec<_>>(),
            Vec::<&str>::new(),
            "{view}: {read}"
        );
    }
    let read = tab.read();
    for landmark in [
        "navigation: Views",
        "main: ",
        "complementary: Object",
        "region: Notices",
    ] {
        assert!(read.contains(landmark), "{landmark}: {read}");
    }
}

#[test]
fn nothing_comes_from_anywhere_else() {
    let show = Show::begin(&story());
    let tab = show.tab();
    for view in VIEWS {
        in_view(&tab, view);
    }
    let (site, _) = show.address.split_once('?').unwrap();
    let asked = tab.asked();
    assert!(asked.len() > 5, "{asked:?}");
    for address in asked {
        assert!(address.starts_with(site), "{address}");
    }
}

#[test]
fn pictures() {
    let show = Show::begin(&story());
    let tab = show.tab();
    tab.size(1000, 420);
    tab.click("#objects .row", "default/sad");
    tab.says("#detail", &["YAML"]);
    picture(&tab, "page-objects");
    tab.press(&["Escape"]);
    tab.dark(true);
    in_view(&tab, "timeline");
    tab.click("#timeline button", "Whole run");
    tab.click("#timeline button", "First error");
    tab.says("#timeline [role=status]", &["the cow does not answer"]);
    tab.size(1000, 500);
    picture(&tab, "page-timeline");
}

/// Compares nothing, since fonts differ from machine to machine, but that there is a picture, and a
/// small one.
fn picture(tab: &Tab, name: &str) {
    let png = tab.picture();
    assert!(png.len() < 100 << 10, "{name} has {} bytes", png.len());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/{name}.png"));
    if std::env::var_os("RUSTOP_OVERWRITE").is_some() {
        fs::write(&path, png).unwrap();
    }
    assert!(
        path.is_file(),
        "RUSTOP_OVERWRITE=1 cargo test --test page pictures"
    );
}
