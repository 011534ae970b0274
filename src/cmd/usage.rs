//! Messages about a command line that cannot be parsed.

use std::env;

/// Prints the error, or the help or version that the command line asks for.
pub fn print(error: &clap::Error) {
    let arguments: Vec<_> = env::args_os()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    if error.use_stderr() && arguments.iter().any(|argument| argument.contains('\n')) {
        eprint!("{}", in_one_line(error.to_string(), &arguments));
    } else {
        // As clap itself does, if the stream is closed.
        let _ = error.print();
    }
}

/// Prints the error and exits with its code.
pub fn exit(error: &clap::Error) -> ! {
    print(error);
    std::process::exit(error.exit_code())
}

/// Escapes the line feeds of arguments where a text repeats them, so that they cannot begin a line such as `help: …`.
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
