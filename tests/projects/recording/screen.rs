//! The lines of a recording as a terminal shows them: of limited length, at times that a reader can
//! follow.

use std::time::Duration;

/// The number of characters in a line.
pub const COLUMNS: usize = 96;

/// Waits are shortened to this.
const LONGEST_WAIT: Duration = Duration::from_millis(1200);
/// Longer waits are named.
const NAMED_WAIT: Duration = Duration::from_secs(3);
/// The time in which a reader reads a line.
const READ: Duration = Duration::from_millis(60);
/// The time between a command and its first output.
const TYPED: Duration = Duration::from_millis(1500);
/// The number of similar lines in a row, such as `Compiling …`, that are shown. Of more, all but
/// the first two and the last are left out.
const SIMILAR: usize = 6;

/// A line of a recording, with the time since its start.
#[derive(Clone, Debug)]
pub enum Printed {
    /// A command that the user typed.
    Command(Duration, String),
    /// A line that a command printed, with its colors.
    Line(Duration, String),
}

/// A line of the screen, with the time at which it appears in the picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// A command that the user typed.
    Command(Duration, String),
    /// A line with its colors.
    Line(Duration, String),
    /// A remark about what the picture leaves out.
    Remark(Duration, String),
}

/// Returns the lines of the screen. Long waits and long runs of similar lines are shortened, with a
/// remark that has the real numbers.
pub fn screen(printed: &[Printed]) -> Vec<Shown> {
    let mut now = Duration::ZERO;
    let mut last = Duration::ZERO;
    let mut shown = Vec::new();
    for run in printed.chunk_by(is_similar) {
        let left_out = if run.len() > SIMILAR {
            2..run.len() - 1
        } else {
            0..0
        };
        for (n, one) in run.iter().enumerate() {
            if left_out.contains(&n) {
                continue;
            }
            let skipped = if n == left_out.end { left_out.len() } else { 0 };
            let waited = one.time().saturating_sub(last);
            last = one.time();
            let remark = remark(skipped, waited);
            now += waited.min(LONGEST_WAIT).max(READ);
            shown.extend(remark.map(|text| Shown::Remark(now, text)));
            match one {
                Printed::Command(_, text) => {
                    now += LONGEST_WAIT;
                    shown.push(Shown::Command(now, text.clone()));
                    now += TYPED;
                }
                Printed::Line(_, text) => {
                    let rows = wrapped(text).into_iter();
                    shown.extend(rows.map(|row| Shown::Line(now, row)));
                }
            }
        }
    }
    shown
}

/// Returns the remark about lines that are left out and about the time that has passed.
fn remark(lines: usize, waited: Duration) -> Option<String> {
    let time = (waited > NAMED_WAIT).then(|| {
        let seconds = waited.as_secs();
        match (seconds / 60, seconds % 60) {
            (0, seconds) => format!("{seconds} s"),
            (minutes, seconds) => format!("{minutes} min {seconds} s"),
        }
    });
    let lines = (lines > 0).then(|| format!("{lines} more lines"));
    let parts: Vec<_> = lines.into_iter().chain(time).collect();
    (!parts.is_empty()).then(|| format!("… {}", parts.join(", ")))
}

/// Reports whether two lines begin with the same word, such as `Created`.
fn is_similar(one: &Printed, other: &Printed) -> bool {
    match (one, other) {
        (Printed::Line(_, one), Printed::Line(_, other)) => {
            let word = one.split_whitespace().next();
            word.is_some() && word == other.split_whitespace().next()
        }
        _ => false,
    }
}

/// Breaks a line as a terminal does. Escape sequences take no column.
fn wrapped(text: &str) -> Vec<String> {
    let mut rows = vec![String::new()];
    let mut width = 0;
    let mut is_escape = false;
    for character in text.chars() {
        is_escape |= character == '\x1b';
        if !is_escape {
            if width == COLUMNS {
                rows.push(String::new());
                width = 0;
            }
            width += 1;
        }
        rows.last_mut().unwrap().push(character);
        is_escape &= !character.is_ascii_alphabetic();
    }
    rows
}

impl Printed {
    fn time(&self) -> Duration {
        let (Self::Command(time, _) | Self::Line(time, _)) = self;
        *time
    }
}

#[test]
fn long_runs_and_long_waits_are_shortened_and_named() {
    let second = Duration::from_secs(1);
    let line = |n: u32, text: String| Printed::Line(second * n, text);
    let lines: Vec<_> = (0..10)
        .map(|n| line(n * 10, format!("Compiling {n}")))
        .chain([line(91, "Finished".to_owned())])
        .collect();
    let shown = screen(&lines);
    let texts: Vec<_> = shown
        .iter()
        .map(|one| match one {
            Shown::Command(_, text) | Shown::Line(_, text) | Shown::Remark(_, text) => {
                text.as_str()
            }
        })
        .collect();
    assert_eq!(
        texts,
        [
            "Compiling 0",
            "… 10 s",
            "Compiling 1",
            "… 7 more lines, 1 min 20 s",
            "Compiling 9",
            "Finished"
        ]
    );
    let Some(Shown::Line(end, _)) = shown.last() else {
        panic!("{shown:?}");
    };
    assert!(*end < second * 5, "{end:?}");
}

#[test]
fn lines_are_broken_by_visible_characters() {
    let text = format!("\x1b[32m{}\x1b[0m", "x".repeat(COLUMNS + 1));
    let rows = wrapped(&text);
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(rows[1], "x\x1b[0m");
    assert_eq!(wrapped(""), [""]);
}
