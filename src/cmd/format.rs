//! The `--output` option of commands that can print their result as one JSON document.

use clap::{Args, ValueEnum};

/// The output format of a command.
#[derive(Args, Debug)]
pub struct Format {
    /// Output format
    #[arg(long, value_enum, default_value_t, global = true)]
    output: Form,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
enum Form {
    /// Only what the command shows to people
    #[default]
    Text,
    /// One JSON document with the result or the error
    Json,
}

impl Format {
    /// Reports whether the result is printed as JSON.
    pub fn is_json(&self) -> bool {
        self.output == Form::Json
    }
}
