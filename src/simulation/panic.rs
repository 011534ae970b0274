//! The message of a test that panicked, in the output of the test.

/// A panic of the test.
#[derive(Debug, PartialEq)]
pub struct Panic {
    /// The file, line and column. `None` if the message names its help: it needs no place, which is
    /// in rustop-manager.
    pub place: Option<String>,
    /// The lines of the message.
    pub message: Vec<String>,
    /// The command that fixes it, if the message of rustop-manager names one.
    pub help: Option<String>,
}

/// Separates the help from the message in a panic of rustop-manager.
const HELP: &str = "; help: ";
/// The beginnings of lines after a message.
const AFTER: [&str; 5] = [
    "note: run with `RUST_BACKTRACE=",
    "stack backtrace:",
    "thread '",
    "failures:",
    "---- ",
];
/// The message of a thread that ends because one of its own threads has panicked before.
const OF_A_CHILD: &str = "a scoped thread panicked";

impl Panic {
    /// Returns the last panic in the output of a test, the one that ended it: the simulation
    /// catches panics of the operator. `None` if there is none.
    pub fn find(output: &str) -> Option<Self> {
        let lines: Vec<_> = output.lines().collect();
        let starts = lines.iter().enumerate().rev();
        let mut all = starts.filter_map(|(at, line)| {
            let (_, place) = line.strip_prefix("thread '")?.split_once("' ")?;
            let (_, place) = place.split_once("panicked at ")?;
            Some(Self::new(place.trim_end_matches(':'), &lines[at + 1..]))
        });
        all.find(|panic| panic.message != [OF_A_CHILD])
    }

    /// Creates a panic at `place`, whose message is at the start of `rest`.
    fn new(place: &str, rest: &[&str]) -> Self {
        let is_after = |line: &&&str| AFTER.iter().any(|start| line.starts_with(start));
        let message = rest.iter().take_while(|line| !is_after(line));
        let message = message.copied().collect::<Vec<_>>().join("\n");
        let message = message.trim();
        let (message, help) = match message.rsplit_once(HELP) {
            Some((message, help)) if !help.contains('\n') => (message, Some(help.to_owned())),
            _ => (message, None),
        };
        Self {
            place: help.is_none().then(|| place.to_owned()),
            message: message.lines().map(str::to_owned).collect(),
            help,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the output of a test with these lines of a panic.
    fn output(panic: &str) -> String {
        format!(
            "\nrunning 1 test\ntest histories ... FAILED\n\nfailures:\n\n---- histories stdout ----\n\n{panic}\n\n\
             failures:\n    histories\n\ntest result: FAILED. 0 passed; 1 failed\n"
        )
    }

    #[test]
    fn the_message_is_separated_from_its_help_and_the_backtrace() {
        let panic = "thread 'main' (7) panicked at /registry/src/rustop-manager/src/testing.rs:90:5:\n\
            `config/rbac` has no binding; help: run `rustop manifests`\n\
            stack backtrace:\n   0: std::panicking";
        let expected = Panic {
            place: None,
            message: vec!["`config/rbac` has no binding".to_owned()],
            help: Some("run `rustop manifests`".to_owned()),
        };
        assert_eq!(Panic::find(&output(panic)), Some(expected));
    }

    #[test]
    fn the_last_panic_of_the_test_has_its_place() {
        let panic = "thread '<unnamed>' panicked at src/controllers/cow.rs:1:1:\ncaught\n\
            note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\n\
            thread 'main' panicked at tests/simulation.rs:9:5:\nassertion `left == right` failed\n  left: 1\n right: 2\n\
            thread 'main' panicked at /rust/thread/scoped.rs:1:1:\na scoped thread panicked";
        let panic = Panic::find(&output(panic)).unwrap();
        assert_eq!(panic.place.as_deref(), Some("tests/simulation.rs:9:5"));
        let message = ["assertion `left == right` failed", "  left: 1", " right: 2"];
        assert_eq!(panic.message, message);
        assert_eq!(panic.help, None);
        assert_eq!(Panic::find("running 1 test\n"), None);
    }
}
