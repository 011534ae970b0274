//! A screen as an animated SVG. It contains no script and no font, and loops.

use std::fmt::Write as _;
use std::time::Duration;

use regex::Regex;

use super::screen::{COLUMNS, Shown};

/// The number of lines that are visible at once.
const ROWS: usize = 26;
/// The width of a character, in pixels.
const CHARACTER: usize = 8;
/// The height of a line, in pixels.
const HEIGHT: usize = 19;
/// The space around the text, in pixels.
const MARGIN: usize = 16;
/// The time for which the end is shown.
const END: Duration = Duration::from_secs(5);

/// The style of the picture, in light and in dark surroundings. A reader who prefers no motion sees
/// the end.
const STYLE: &str = "\
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#1f2328}\
.ground{fill:#f6f8fa;stroke:#d1d9e0}.command{font-weight:600}.remark{fill:#59636e;font-style:italic}\
.b{font-weight:600}.c31{fill:#b3261e}.c32{fill:#116329}.c33{fill:#7d4e00}.c34,.c36{fill:#0550ae}.c35{fill:#6639ba}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.ground{fill:#0d1117;stroke:#3d444d}.remark{fill:#9198a1}\
.c31{fill:#ff7b72}.c32{fill:#56d364}.c33{fill:#e3b341}.c34,.c36{fill:#79c0ff}.c35{fill:#d2a8ff}}\
@media(prefers-reduced-motion:reduce){*{animation:none!important}}";

/// Returns the picture of a screen.
pub fn picture(shown: &[Shown]) -> String {
    let end = shown.last().map_or(Duration::ZERO, Shown::time) + END;
    let percent = |time: Duration| 100.0 * time.as_secs_f64() / end.as_secs_f64();
    let seconds = end.as_secs_f64();
    let mut style = format!("{STYLE}text,g{{animation:{seconds:.1}s step-end infinite}}");
    let mut scroll = String::new();
    let mut body = String::new();
    for (n, one) in shown.iter().enumerate() {
        let at = percent(one.time());
        let _ = write!(
            style,
            "#l{n}{{animation-name:l{n}}}@keyframes l{n}{{0%{{opacity:0}}{at:.2}%{{opacity:1}}}}"
        );
        if n >= ROWS {
            let _ = write!(scroll, "{at:.2}%{{transform:translateY({}px)}}", offset(n));
        }
        let y = MARGIN + (n + 1) * HEIGHT - 5;
        body += &line(n, y, one);
    }
    let last = shown.len().saturating_sub(1);
    let _ = write!(
        style,
        "#all{{animation-name:all;transform:translateY({}px)}}@keyframes all{{0%{{transform:none}}{scroll}}}",
        offset(last)
    );
    let width = 2 * MARGIN + pixels(COLUMNS);
    let height = 2 * MARGIN + ROWS * HEIGHT;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"A terminal: rustop creates a project and runs it\">\n<style>{style}</style>\n\
         <rect class=\"ground\" x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n\
         <svg y=\"{MARGIN}\" height=\"{}\" width=\"{width}\" viewBox=\"0 {MARGIN} {width} {}\">\n<g id=\"all\" xml:space=\"preserve\">\n{body}</g>\n</svg>\n</svg>\n",
        width - 1,
        height - 1,
        ROWS * HEIGHT,
        ROWS * HEIGHT,
    )
}

/// Returns the commands of a picture, in order.
pub fn commands(svg: &str) -> Vec<String> {
    let command = Regex::new(r#"class="command"[^>]*>\$ ([^<]*)<"#).unwrap();
    command
        .captures_iter(svg)
        .map(|found| unescaped(&found[1]))
        .collect()
}

/// Returns how far the text is moved when line `n` is the last one.
fn offset(n: usize) -> String {
    match (n + 1).saturating_sub(ROWS) * HEIGHT {
        0 => "0".to_owned(),
        pixels => format!("-{pixels}"),
    }
}

fn line(n: usize, y: usize, shown: &Shown) -> String {
    let (class, text) = match shown {
        Shown::Command(_, text) => ("command", format!("$ {}", escaped(text))),
        Shown::Remark(_, text) => ("remark", escaped(text)),
        Shown::Line(_, text) => ("line", colored(text)),
    };
    let length = pixels(visible(&text));
    if length == 0 {
        return String::new();
    }
    format!(
        "<text id=\"l{n}\" class=\"{class}\" x=\"{MARGIN}\" y=\"{y}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\">{text}</text>\n"
    )
}

/// Returns the number of characters of a text with elements and entities.
fn visible(text: &str) -> usize {
    let element = Regex::new("<[^>]*>").unwrap();
    unescaped(&element.replace_all(text, "")).chars().count()
}

fn pixels(characters: usize) -> usize {
    characters * CHARACTER
}

/// Returns a line with an element for each part that has a color.
fn colored(text: &str) -> String {
    let escape = Regex::new("\x1b\\[([0-9;]*)m").unwrap();
    let mut line = String::new();
    let mut classes: Vec<String> = Vec::new();
    let mut start = 0;
    let mut add = |classes: &[String], part: &str| {
        if classes.is_empty() || part.is_empty() {
            line += &escaped(part);
        } else {
            let _ = write!(
                line,
                "<tspan class=\"{}\">{}</tspan>",
                classes.join(" "),
                escaped(part)
            );
        }
    };
    for found in escape.captures_iter(text) {
        let all = found.get(0).unwrap();
        add(&classes, &text[start..all.start()]);
        start = all.end();
        for code in found[1].split(';') {
            match code.parse() {
                Ok(1) => classes.push("b".to_owned()),
                Ok(code @ 31..=36) => classes.push(format!("c{code}")),
                Ok(code @ 91..=96) => classes.push(format!("c{}", code - 60)),
                Ok(0) | Err(_) => classes.clear(),
                Ok(_) => {}
            }
        }
    }
    add(&classes, &text[start..]);
    line
}

/// Returns a text as XML. Control characters are not allowed there.
fn escaped(text: &str) -> String {
    text.chars()
        .filter(|character| !character.is_control())
        .collect::<String>()
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

impl Shown {
    fn time(&self) -> Duration {
        let (Self::Command(time, _) | Self::Line(time, _) | Self::Remark(time, _)) = self;
        *time
    }
}

#[test]
fn texts_are_escaped_and_commands_are_read_back() {
    let second = Duration::from_secs(1);
    let shown = [
        Shown::Command(second, "mkdir a && cd a".to_owned()),
        Shown::Line(second, "\x1b[1;32m Ready\x1b[0m <a>\u{7}".to_owned()),
    ];
    let svg = picture(&shown);
    assert_eq!(commands(&svg), ["mkdir a && cd a"]);
    let line = "<tspan class=\"b c32\"> Ready</tspan> &lt;a&gt;</text>";
    assert!(svg.contains(line), "{svg}");
    assert!(!svg.contains("&& "), "{svg}");
}

#[test]
fn lines_above_the_screen_are_scrolled_away() {
    let line = |n: usize| Shown::Line(Duration::from_secs(n as u64), n.to_string());
    let few: Vec<_> = (0..ROWS).map(line).collect();
    assert!(!picture(&few).contains("translateY(-"));
    let many: Vec<_> = (0..=ROWS).map(line).collect();
    let up = format!("translateY(-{HEIGHT}px)");
    assert!(picture(&many).contains(&up));
}
