//! YAML whose quoted texts go on at any column, as kubectl and older generators write and read it.

use serde_json::Value;

use super::quoted;

/// What the parser says of a line of a quoted text that is not indented far enough.
const TOO_FAR_LEFT: &str = "multiline quoted scalar";

/// What the parser says of a text with more in it than it reads.
const TOO_MUCH: [&str; 2] = ["budget breached", "alias replay limit"];

/// All documents of a text, in which there may be a `List` of all CRDs of a cluster. Aliases stand for much less:
/// those who write a CRD have none.
fn parse(text: &str) -> Result<Vec<Value>, serde_yaml::Error> {
    let options = serde_yaml::options! {
        budget: serde_yaml::budget! { max_nodes: 2_000_000, max_events: 4_000_000, max_depth: 128 },
        alias_limits: serde_yaml::alias_limits! { max_total_replayed_events: 100_000 },
    };
    serde_yaml::from_multiple_with_options(text, options)
}

/// All documents of a text.
///
/// # Errors
/// With the first line of what the parser says.
pub fn documents(input: &str) -> Result<Vec<Value>, String> {
    match parse(input) {
        Err(error) if error.to_string().contains(TOO_FAR_LEFT) => {
            parse(&quoted::indented(input)).map_err(|error| first_line(&error))
        }
        parsed => parsed.map_err(|error| first_line(&error)),
    }
}

fn first_line(error: &serde_yaml::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    let line = line.trim_start_matches("error: ");
    let mut cut = TOO_MUCH.iter().filter_map(|words| line.split_once(words));
    match cut.next() {
        Some((place, _)) => {
            format!("{place}with what its aliases stand for it is too much to read")
        }
        None => line.to_owned(),
    }
}
