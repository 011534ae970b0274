//! YAML whose quoted texts go on at any column, as kubectl and older generators write and read it.

use serde_json::Value;

/// What the parser says of a line of a quoted text that is not indented far enough.
const TOO_FAR_LEFT: &str = "multiline quoted scalar";

/// How far such a line is moved: white space at its beginning is no part of the text.
const FAR: usize = 128;

/// How many lines of a document may be like this.
const MOST: usize = 2000;

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
        Err(error) if is_too_far_left(&error) => {}
        parsed => return parsed.map_err(|error| first_line(&error)),
    }
    let mut all = Vec::new();
    let mut begin = 0;
    let lines: Vec<_> = input.lines().collect();
    for document in lines.split_inclusive(|line| line.starts_with("---")) {
        all.extend(moved(document, begin)?);
        begin += document.len();
    }
    Ok(all)
}

/// A document in which each line that the parser complains of is moved to the right.
fn moved(lines: &[&str], begin: usize) -> Result<Vec<Value>, String> {
    let mut lines: Vec<_> = lines.iter().map(|&line| line.to_owned()).collect();
    // The line that ends it begins the next one.
    lines.pop_if(|last| last.starts_with("---"));
    for _ in 0..MOST {
        let error = match parse(&lines.join("\n")) {
            Ok(documents) => return Ok(documents),
            Err(error) => error,
        };
        let at = error.location().map_or(0, |at| at.line());
        let at = usize::try_from(at).unwrap_or_default();
        let line = lines.get_mut(at.wrapping_sub(1));
        let Some(line) = line.filter(|_| is_too_far_left(&error)) else {
            return Err(format!("line {}: {}", begin + at, first_line(&error)));
        };
        line.insert_str(0, &" ".repeat(FAR));
    }
    Err(format!(
        "more than {MOST} lines of quoted texts are not indented"
    ))
}

fn is_too_far_left(error: &serde_yaml::Error) -> bool {
    error.to_string().contains(TOO_FAR_LEFT)
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
