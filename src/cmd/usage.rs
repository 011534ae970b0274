//! Messages about a command line that cannot be parsed.

use std::env;

use clap::Error;

use crate::terminal::escaped as escaped_text;
use crate::text::is_unprintable;

/// Returns the error with the characters of arguments escaped that a terminal cannot show as they
/// are: a line feed could begin a line such as `help: …`.
pub fn escaped(error: Error) -> Error {
    let arguments: Vec<_> = env::args_os()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let is_plain = |argument: &String| !argument.contains(is_unprintable);
    if !error.use_stderr() || arguments.iter().all(is_plain) {
        return error;
    }
    let text = escaped_text(&in_one_line(error.to_string(), &arguments));
    Error::raw(error.kind(), text.strip_prefix("error: ").unwrap_or(&text))
}

/// Replaces the line feeds of the arguments that `text` repeats.
fn in_one_line(text: String, arguments: &[String]) -> String {
    // clap repeats the value of `--flag=value` alone.
    let values = arguments
        .iter()
        .filter_map(|it| Some(it.split_once('=')?.1));
    let repeated = arguments.iter().map(String::as_str).chain(values);
    repeated
        .filter(|it| it.contains('\n'))
        .fold(text, |text, it| text.replace(it, &it.replace('\n', "\\n")))
}
