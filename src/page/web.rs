//! The files of the page, embedded in the binary. The page loads nothing from the network.

/// An embedded file: its path, media type and text.
pub struct EmbeddedFile(pub &'static str, pub &'static str, pub &'static str);

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The timeline as a script without dependencies, usable in any page.
pub const TIMELINE: &str = include_str!("web/timeline.js");

/// All files of the page.
pub const FILES: [EmbeddedFile; 11] = [
    EmbeddedFile(
        "/",
        "text/html; charset=utf-8",
        include_str!("web/index.html"),
    ),
    EmbeddedFile(
        "/style.css",
        "text/css; charset=utf-8",
        include_str!("web/style.css"),
    ),
    EmbeddedFile("/main.js", SCRIPT, include_str!("web/main.js")),
    EmbeddedFile("/store.js", SCRIPT, include_str!("web/store.js")),
    EmbeddedFile("/words.js", SCRIPT, include_str!("web/words.js")),
    EmbeddedFile("/objects.js", SCRIPT, include_str!("web/objects.js")),
    EmbeddedFile("/lanes.js", SCRIPT, include_str!("web/lanes.js")),
    EmbeddedFile("/detail.js", SCRIPT, include_str!("web/detail.js")),
    EmbeddedFile("/timeline.js", SCRIPT, TIMELINE),
    EmbeddedFile("/log.js", SCRIPT, include_str!("web/log.js")),
    EmbeddedFile("/views.js", SCRIPT, include_str!("web/views.js")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_small_and_loads_nothing_external() {
        let size: usize = FILES.iter().map(|EmbeddedFile(.., text)| text.len()).sum();
        assert!(size < 150_000, "{size} bytes");
        for EmbeddedFile(path, _, text) in &FILES {
            let of_svg = "http://www.w3.org/2000/svg";
            let text = text.replace(of_svg, "");
            assert!(
                !text.contains("http://") && !text.contains("https://"),
                "{path}"
            );
        }
    }

    #[test]
    fn nothing_that_was_seen_is_ever_read_as_html() {
        for EmbeddedFile(path, _, text) in &FILES {
            for way in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
            ] {
                assert!(!text.contains(way), "{path}: {way}");
            }
        }
    }

    #[test]
    fn imported_modules_are_embedded() {
        for EmbeddedFile(path, _, text) in &FILES {
            let names = text
                .split("from './")
                .skip(1)
                .filter_map(|rest| rest.split('\'').next());
            for name in names {
                let wanted = format!("/{name}");
                assert!(
                    FILES.iter().any(|EmbeddedFile(one, ..)| *one == wanted),
                    "{path}: {name}"
                );
            }
        }
    }
}
