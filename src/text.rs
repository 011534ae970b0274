//! Formatting of counts, shell words, Markdown, tables and URLs.

use std::fmt::Display;
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// The stack size of threads that handle deeply nested documents and expressions, in bytes. The
/// operating system allocates only the memory that is used.
pub const STACK: usize = 256 << 20;

/// Returns the SHA-256 of a text, in hexadecimal.
pub fn sha256(text: impl AsRef<[u8]>) -> String {
    format!("{:x}", Sha256::digest(text))
}

/// Returns a count with its noun: `1 file`, `2 copies`, `3 crashes`, `4 children`.
pub fn count(n: usize, singular: &str) -> String {
    let (stem, ending) = match (n, singular.strip_suffix('y')) {
        (1, _) => (singular, ""),
        (_, Some(stem)) => (stem, "ies"),
        _ if singular == "child" => (singular, "ren"),
        _ if singular.ends_with("sh") => (singular, "es"),
        _ => (singular, "s"),
    };
    format!("{n} {stem}{ending}")
}

/// Escapes text for HTML and XML, also inside of quoted attributes.
pub fn markup_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Quotes a word for a POSIX shell, if it needs quotes.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+:@,=%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        shell_quoted(word)
    }
}

/// Returns the argument of `cd`: a path that a shell takes for a path, also if it begins with a
/// dash.
pub fn shell_path(path: &str) -> String {
    if path.starts_with('-') {
        shell_word(&format!("./{path}"))
    } else {
        shell_word(path)
    }
}

/// Returns `file:line`, or the file only if `line` is 0, which means that the line is unknown.
pub fn place(file: &Path, line: usize) -> String {
    match line {
        0 => file.display().to_string(),
        line => format!("{}:{line}", file.display()),
    }
}

/// Returns a word in quotes of a POSIX shell. Characters that a terminal cannot show are written as
/// escape sequences, so that a command with the word can be shown on one line and copied.
pub fn shell_quoted(word: &str) -> String {
    // The form below is a command substitution, which removes line feeds at the end.
    if !word.contains(is_unprintable) || word.ends_with('\n') {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let mut format = String::new();
    for c in word.chars() {
        match c {
            '\n' => format.push_str("\\n"),
            '\\' => format.push_str("\\\\"),
            '%' => format.push_str("%%"),
            c if c == '\'' || is_unprintable(c) => {
                let mut buffer = [0; 4];
                let bytes = c.encode_utf8(&mut buffer).bytes();
                format.extend(bytes.map(|byte| format!("\\{byte:03o}")));
            }
            c => format.push(c),
        }
    }
    format!("\"$(printf '{format}')\"")
}

/// Splits a command line into words, as a POSIX shell does without expansions. `None` if a
/// quotation mark is open.
pub fn shell_words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// Reports whether a character cannot be shown as it is: a control character, one that changes the
/// direction of writing, or an invisible one.
pub fn is_unprintable(c: char) -> bool {
    c.is_control() || is_direction(c) || is_invisible(c)
}

/// Reports whether a character takes no space, so that two names that look equal can differ by it,
/// or a text can be hidden in another one; also a line separator, at which some terminals end a
/// line. The joiners U+200C and U+200D are not invisible characters here: Persian and Indic scripts
/// and emoji are written with them.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{2060}'..='\u{2064}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Reports whether a character changes the direction of writing, so that text after it can appear
/// in another order.
pub fn is_direction(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Returns a text as a Markdown code span on one line. Nothing in it is interpreted as markup.
pub fn code_span(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // A backtick at an edge would lengthen the fence.
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Returns a name unchanged, or as a code span if it could be Markdown markup.
pub fn markdown_name(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    if name.chars().all(is_plain) {
        name.to_owned()
    } else {
        code_span(name)
    }
}

/// Joins lines, each indented by two spaces, for display below a message. A line feed in a line is
/// escaped.
pub fn indented(lines: &[impl Display]) -> String {
    let lines = lines
        .iter()
        .map(|line| format!("  {line}").replace('\n', "\\n"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Formats a table, with `head` as its first line. Columns are as wide as their widest cell, and
/// separated by two spaces. Every row has as many cells as `head`.
pub fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let head = head.iter().map(ToString::to_string).collect();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().enumerate();
        let cells = cells.map(|(column, cell)| format!("{cell:<0$}", width(column).unwrap_or(0)));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Parts of the names of URL parameters that contain secrets.
const SECRET: [&str; 8] = [
    "auth",
    "credential",
    "key",
    "pass",
    "secret",
    "session",
    "sig",
    "token",
];

/// Returns a text with the URLs in it without user and password, and with secret parameters hidden.
pub fn without_secrets(text: &str) -> String {
    let words: Vec<_> = text.split(' ').map(url_without_secrets).collect();
    words.join(" ")
}

fn url_without_secrets(url: &str) -> String {
    // Also of an invalid URL, which is shown in errors: `https:/user:password@host`.
    let Some((scheme, rest)) = url.split_once(":/") else {
        return url.to_owned();
    };
    let slashes = if rest.starts_with('/') { "://" } else { ":/" };
    let rest = rest.trim_start_matches('/');
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let is_port = |text: &str| {
        text.trim_end_matches('`')
            .bytes()
            .all(|it| it.is_ascii_digit())
    };
    let is_valid = |authority: &str| {
        let port = authority.split_once(':').map_or("", |(_, port)| port);
        authority.contains('@') || authority.starts_with('[') || is_port(port)
    };
    // A password with a slash is not a valid one, and its part before the slash is no port.
    let end = match rest.rfind('@') {
        Some(at) if at > end && !is_valid(&rest[..end]) => rest[at..]
            .find(['/', '?', '#'])
            .map_or(rest.len(), |it| at + it),
        _ => end,
    };
    let (authority, rest) = rest.split_at(end);
    let host = authority.rsplit('@').next().unwrap_or_default();
    let Some((path, query)) = rest.split_once('?') else {
        return format!("{scheme}{slashes}{host}{rest}");
    };
    let parameters = query.split('&').map(|parameter| {
        let (name, _) = parameter.split_once('=')?;
        let lower = name.to_lowercase();
        let is_secret = SECRET.iter().any(|word| lower.contains(word));
        is_secret.then(|| format!("{name}=(hidden)"))
    });
    let parameters = parameters
        .zip(query.split('&'))
        .map(|(hidden, whole)| hidden.unwrap_or_else(|| whole.to_owned()));
    let parameters = parameters.collect::<Vec<_>>().join("&");
    format!("{scheme}{slashes}{host}{path}?{parameters}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_agree_with_their_nouns() {
        for (n, noun, text) in [
            (1, "file", "1 file"),
            (0, "file", "0 files"),
            (1, "child", "1 child"),
            (3, "child", "3 children"),
            (1, "copy", "1 copy"),
            (2, "copy", "2 copies"),
            (1, "crash", "1 crash"),
            (0, "crash", "0 crashes"),
        ] {
            assert_eq!(count(n, noun), text);
        }
    }

    #[test]
    fn command_lines_are_split_outside_of_quotes() {
        for (line, words) in [
            ("kopf run  op.py ", Some(&["kopf", "run", "op.py"][..])),
            (
                "a 'b \"c' \"d\\\"e\" f\\ g ''",
                Some(&["a", "b \"c", "d\"e", "f g", ""]),
            ),
            (" ", Some(&[])),
            ("a 'b", None),
        ] {
            let words = words.map(|words| words.iter().map(|it| (*it).to_owned()).collect());
            assert_eq!(shell_words(line), words, "{line}");
        }
    }

    #[test]
    fn markup_is_escaped_inside_of_quotes_too() {
        assert_eq!(
            markup_escaped("<a b='1' c=\"2\"> & é"),
            "&lt;a b=&#39;1&#39; c=&quot;2&quot;&gt; &amp; é"
        );
    }

    #[test]
    fn code_spans_hold_any_text() {
        for (text, span) in [
            ("nginx:1.29", "`nginx:1.29`"),
            ("a`b", "``a`b``"),
            ("`a``", "``` `a`` ```"),
            ("a\n\n# b", "`a  # b`"),
        ] {
            assert_eq!(code_span(text), span);
        }
        assert_eq!(
            markdown_name("example.org/cow-operator"),
            "example.org/cow-operator"
        );
        assert_eq!(markdown_name("[x](y)"), "`[x](y)`");
    }

    #[test]
    fn a_shell_reads_a_word_as_it_is() {
        for word in [
            "a.b/c",
            "",
            "a b",
            "it's $(id) `id` \\ \"",
            "~",
            "*",
            "a\n",
            "a\nb;c",
            "\u{1b}\u{7}7\u{202e}%s\\n'; id \"$(id)\n`\n.",
        ] {
            let line = format!("printf %s {}", shell_word(word));
            let said = std::process::Command::new("sh")
                .args(["-c", &line])
                .output();
            assert_eq!(said.unwrap().stdout, word.as_bytes(), "{line}");
        }
        assert_eq!(shell_word("a.b/c"), "a.b/c");
        assert_eq!(shell_path("-rf"), "./-rf");
        let hidden = shell_word("a\nb\u{202e}");
        assert_eq!(hidden, r#""$(printf 'a\nb\342\200\256')""#);
    }

    #[test]
    fn a_url_is_shown_without_its_secrets() {
        for (url, shown) in [
            ("https://u:p@host:8/a@b", "https://host:8/a@b"),
            ("https://p@host?x=1", "https://host?x=1"),
            (
                "https://host/a?ref=main&X-Amz-Signature=ab&access_token=c=d#e",
                "https://host/a?ref=main&X-Amz-Signature=(hidden)&access_token=(hidden)",
            ),
            ("config/a@b.yaml?key=c", "config/a@b.yaml?key=c"),
            ("https:/u:p@host/x", "https:/host/x"),
            ("https://u:p/q@host/x", "https://host/x"),
            (
                "https://host/npm/a@1.2/crd.yaml",
                "https://host/npm/a@1.2/crd.yaml",
            ),
            (
                "only https: http://u:p@host:8/err",
                "only https: http://host:8/err",
            ),
            ("https://[::1]:8/a@b", "https://[::1]:8/a@b"),
        ] {
            assert_eq!(without_secrets(url), shown);
        }
    }
}
