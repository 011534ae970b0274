//! The parts of command lines that generate CRDs and do nothing else. rustop runs what it finds
//! here, so a program that is not listed is left out: it may change a cluster or a remote
//! repository.

/// Programs that only change the text which they read, or write it to a file.
const FILTERS: [&str; 12] = [
    "awk", "cat", "cut", "grep", "head", "jq", "sed", "sort", "tail", "tee", "tr", "yq",
];

/// Programs of recipes that work on files of the repository.
const WORK_ON_FILES: [&str; 8] = [
    "cd",
    "controller-gen",
    "cp",
    "echo",
    "mkdir",
    "mv",
    "printf",
    "rm",
];

/// Options of cargo in front of its subcommand that take no value.
const CARGO_FLAGS: [&str; 7] = [
    "--frozen",
    "--locked",
    "--offline",
    "--quiet",
    "--verbose",
    "-q",
    "-v",
];

/// Returns the beginning of a command line: its first command, which is not checked here, and the
/// filters that this is piped into.
pub fn generator(line: &str) -> String {
    let mut kept = String::new();
    for (separator, command) in commands(line) {
        let is_filter = separator == "|" && FILTERS.contains(&&*program(command));
        if !kept.is_empty() && !is_filter {
            break;
        }
        if !kept.is_empty() {
            kept.push_str(" | ");
        }
        kept.push_str(command.trim());
    }
    kept
}

/// Reports whether a recipe runs nothing but programs that work on files, and with cargo only the
/// program `generator`. `rows` are its rows, of which those that end with a backslash continue in
/// the next one.
pub fn is_harmless(rows: &[String], generator: &str) -> bool {
    let lines = rows.join("\n").replace("\\\n", " ");
    lines.lines().all(|line| {
        let mut commands = commands(line).into_iter();
        !has_substitution(line)
            && commands.all(|(_, command)| match &*program(command) {
                "cargo" => is_generating(command, generator),
                program => FILTERS.contains(&program) || WORK_ON_FILES.contains(&program),
            })
    })
}

/// Reports whether cargo only builds, or runs a program that is named `generator` or after CRDs.
fn is_generating(command: &str, generator: &str) -> bool {
    let words = command.split_whitespace().skip_while(is_assignment).skip(1);
    let is_flag = |word: &&str| word.starts_with('+') || CARGO_FLAGS.contains(word);
    let mut arguments = words.skip_while(is_flag);
    match arguments.next() {
        Some("build" | "fmt") => true,
        Some("run") => arguments.any(|word| word == generator || word.contains("crd")),
        _ => false,
    }
}

/// Reports whether the shell runs a command inside of a command line. `$(NAME)` is a variable of
/// make.
fn has_substitution(line: &str) -> bool {
    let mut dollars = line.match_indices("$(").map(|(at, _)| &line[at + 2..]);
    let is_variable = |rest: &str| {
        let name = rest.split(')').next().unwrap_or_default();
        name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    line.contains('`') || line.contains("<(") || dollars.any(|rest| !is_variable(rest))
}

/// Splits a command line at `|`, `||`, `&&`, `&` and `;` outside of quotes. Each command comes with
/// the separator before it, which is empty for the first one.
fn commands(line: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let (mut separator, mut start, mut quote) = ("", 0, None);
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        if c == '\\' && quote != Some('\'') {
            at += rest.chars().take(2).map(char::len_utf8).sum::<usize>();
            continue;
        }
        match quote {
            Some(open) if c == open => quote = None,
            None if "'\"".contains(c) => quote = Some(c),
            _ => {}
        }
        // In `2>&1` and `&>FILE`, the character belongs to a redirection.
        let is_redirect = line[..at].ends_with('>') || rest.starts_with("&>");
        let next = ["&&", "||", "|", "&", ";"]
            .into_iter()
            .find(|it| quote.is_none() && rest.starts_with(it) && !(c == '&' && is_redirect));
        if let Some(next) = next {
            found.push((separator, &line[start..at]));
            (separator, start) = (next, at + next.len());
        }
        at += next.map_or(c.len_utf8(), str::len);
    }
    found.push((separator, &line[start..]));
    found.retain(|(_, command)| !command.trim().is_empty());
    found
}

/// Returns the name of the program of a command, without variables in front of it and without its
/// directory. A variable of make stands for the program of its name: `$(CONTROLLER_GEN)`.
fn program(command: &str) -> String {
    let word = command.split_whitespace().find(|word| !is_assignment(word));
    let word = word.unwrap_or_default();
    let variable = word.trim_start_matches(['$', '(', '{']);
    if variable == word {
        return word.rsplit('/').next().unwrap_or_default().to_owned();
    }
    let name = variable.trim_end_matches([')', '}']);
    name.to_lowercase().replace('_', "-")
}

/// Reports whether a word in front of a program sets a variable: `RUST_LOG=off`.
fn is_assignment(word: &&str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_filters_stay_behind_a_generator() {
        for (line, expected) in [
            ("cargo run --bin crdgen", "cargo run --bin crdgen"),
            ("cargo run | kubectl apply -f -", "cargo run"),
            ("cargo run | k apply -f -", "cargo run"),
            ("cargo run | oc apply -f - > log", "cargo run"),
            ("cargo run | diff crd.yaml -", "cargo run"),
            (
                "cargo run | sed 's/a|b/c/' | yq -P | oc apply -f -",
                "cargo run | sed 's/a|b/c/' | yq -P",
            ),
            ("cargo run > crd.yaml && git push", "cargo run > crd.yaml"),
            ("cargo run > crd.yaml; git push", "cargo run > crd.yaml"),
            ("cargo run || exit 1", "cargo run"),
            ("cargo run && cat x", "cargo run"),
            ("cargo run & kubectl apply", "cargo run"),
            ("cargo run 2>&1 | grep -v x", "cargo run 2>&1 | grep -v x"),
            (r"cargo run \| x", r"cargo run \| x"),
            (
                r#"cargo run -- "a\"|b" | oc apply"#,
                r#"cargo run -- "a\"|b""#,
            ),
            ("", ""),
        ] {
            assert_eq!(generator(line), expected, "{line}");
        }
    }

    #[test]
    fn recipes_run_only_known_programs() {
        for (rows, expected) in [
            (&["cargo run --bin gen > a", "sed -i s/1/2/ a"][..], true),
            (&["cargo run --bin print-crds > a"], true),
            (&["cargo run --bin deployer -- apply"], false),
            (&["cargo run --bin deployer -- build"], false),
            (&["cargo xtask build"], false),
            (&["cargo --config build run --bin deployer"], false),
            (&["A=1 cargo +nightly -q --locked build"], true),
            (&["cargo publish"], false),
            (&["echo $(git push)"], false),
            (&["echo `git push`"], false),
            (&["cat <(git push)"], false),
            (&["cargo build & kubectl apply -f x"], false),
            (&["$(CARGO) run \\", "--bin crdgen | ${YQ} -P > a"], true),
            (&["RUST_LOG=off ./bin/controller-gen crd"], true),
            (&["mkdir -p a && cp b a"], true),
            (&["cargo build", "git commit -am crds && git push"], false),
            (&["cargo build | kubectl apply -f -"], false),
            (&["cargo build | $(KUBECTL) apply -f -"], false),
            (&["./hack/generate.sh"], false),
            (&["make deploy"], false),
        ] {
            let rows: Vec<_> = rows.iter().map(|row| (*row).to_owned()).collect();
            assert_eq!(is_harmless(&rows, "gen"), expected, "{rows:?}");
        }
    }
}
