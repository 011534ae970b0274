//! YAML whose quoted texts go on at any column, as kubectl and older generators write and read it.

use serde_json::Value;

/// What the parser says of a line of a quoted text that is not indented far enough.
const TOO_FAR_LEFT: &str = "multiline quoted scalar";

/// How far such a line is moved: white space at its beginning is no part of the text.
const FAR: usize = 128;

/// How many lines of a document may be like this.
const MOST: usize = 2000;

/// All documents of a text.
///
/// # Errors
/// With the first line of what the parser says.
pub fn documents(input: &str) -> Result<Vec<Value>, String> {
    match serde_yaml::from_multiple(input) {
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
        let error = match serde_yaml::from_multiple(&lines.join("\n")) {
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
    text.lines().next().unwrap_or_default().to_owned()
}
