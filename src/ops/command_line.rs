//! The command line of this run with another value of an option, for help texts: a run has a
//! command of its own, and paths, that would be missing in a fixed text.

use crate::text::shell_word;

/// Returns the command line of this process as [`with_option`] changes it.
pub fn of_this_run(option: &str, value: Option<&str>) -> String {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    with_option(words, option, value)
}

/// Returns the command line `words` with `option` set to `value`, or without it if `value` is
/// `None`. The first word is the program. What follows `--` is the operator's.
fn with_option(
    words: impl IntoIterator<Item = String>,
    option: &str,
    value: Option<&str>,
) -> String {
    let mut words = words.into_iter().skip(1);
    let mut changed = vec!["rustop".to_owned()];
    while let Some(word) = words.next() {
        if word == "--" {
            changed.extend(setting(option, value));
            changed.push(word);
            changed.extend(words);
            return joined(&changed);
        }
        if word == option {
            words.next();
        } else if !word.starts_with(&format!("{option}=")) {
            changed.push(word);
        }
    }
    changed.extend(setting(option, value));
    joined(&changed)
}

fn setting(option: &str, value: Option<&str>) -> Vec<String> {
    let words = value.map(|value| vec![option.to_owned(), value.to_owned()]);
    words.unwrap_or_default()
}

fn joined(words: &[String]) -> String {
    let words: Vec<_> = words.iter().map(|word| shell_word(word)).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_option_of_this_run_changes() {
        for (line, value, expected) in [
            ("x torture", Some("4m"), "rustop torture --budget 4m"),
            (
                "x torture --budget 1m --seed 7",
                Some("4m"),
                "rustop torture --seed 7 --budget 4m",
            ),
            (
                "x -C a torture --budget=1m --crds c -- op --budget 9",
                Some("4m"),
                "rustop -C a torture --crds c --budget 4m -- op --budget 9",
            ),
            ("x torture --budget 1m -- op", None, "rustop torture -- op"),
            ("x torture -- o;p", None, "rustop torture -- 'o;p'"),
        ] {
            let words = line.split(' ').map(str::to_owned);
            assert_eq!(with_option(words, "--budget", value), expected);
        }
    }
}
