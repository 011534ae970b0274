//! Messages about a command line that cannot be parsed.

use std::env;

use clap::Error;

/// Returns the error with the line feeds of arguments escaped, so that they cannot begin a line
/// such as `help: …`.
pub fn escaped(error: Error) -> Error {
    let arguments: Vec<_> = env::args_os()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    if !error.use_stderr() || arguments.iter().all(|argument| !argument.contains('\n')) {
        return error;
    }
    let text = in_one_line(error.to_string(), &arguments);
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
