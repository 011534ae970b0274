//! Formatting of attributes as rustfmt formats them.

use super::model::Arg;
use crate::sources::comments::is_directive;

/// The maximum width of an argument list on one line.
const LIST: usize = 70;
/// The maximum width of a line.
const LINE: usize = 100;

/// Returns the lines of `#[name(args)]`. rustfmt does not format an attribute with an argument that
/// it cannot parse.
pub fn attribute(name: &str, args: &[Arg], indent: &str) -> String {
    let inner = args.iter().map(one_line).collect::<Vec<_>>().join(", ");
    let line = format!("{indent}#[{name}({inner})]\n");
    if args.iter().any(is_verbatim) {
        return loose(name, args, indent, line);
    }
    if (inner.len() <= LIST || is_one_leaf(args)) && line.len() <= LINE + 1 {
        return line;
    }
    format!("{indent}#[{}]\n", broken(name, args, indent))
}

/// Formats an attribute that rustfmt does not format.
fn loose(name: &str, args: &[Arg], indent: &str, line: String) -> String {
    if line.len() <= LINE + 1 || args.len() == 1 {
        return line;
    }
    let args = args
        .iter()
        .map(|arg| format!("{indent}    {}", one_line(arg)));
    let args = args.collect::<Vec<_>>().join(",\n");
    format!("{indent}#[{name}(\n{args}\n{indent})]\n")
}

fn is_verbatim(arg: &Arg) -> bool {
    match arg {
        Arg::Leaf(_) => false,
        Arg::Verbatim(_) => true,
        Arg::Call(_, args) => args.iter().any(is_verbatim),
    }
}

/// Reports whether there is a single argument without arguments of its own. rustfmt moves it to its
/// own line only if the attribute is too long.
fn is_one_leaf(args: &[Arg]) -> bool {
    matches!(args, [Arg::Leaf(_)])
}

fn one_line(arg: &Arg) -> String {
    match arg {
        Arg::Leaf(text) | Arg::Verbatim(text) => text.clone(),
        Arg::Call(name, args) => {
            let args = args.iter().map(one_line).collect::<Vec<_>>().join(", ");
            format!("{name}({args})")
        }
    }
}

/// Returns `name(..)` with one argument per line. If the only argument is a call, its arguments are
/// broken instead.
fn broken(name: &str, args: &[Arg], indent: &str) -> String {
    if let [Arg::Call(inner, more)] = args {
        return format!("{name}({})", broken(inner, more, indent));
    }
    let deeper = format!("{indent}    ");
    let lines = args.iter().map(|arg| {
        let line = one_line(arg);
        match arg {
            Arg::Call(name, inner)
                if deeper.len() + line.len() + 1 > LINE
                    || (line.len() - name.len() - 2 > LIST && !is_one_leaf(inner)) =>
            {
                format!("{deeper}{}", broken(name, inner, &deeper))
            }
            _ => format!("{deeper}{line}"),
        }
    });
    format!(
        "{name}(\n{}\n{indent})",
        lines.collect::<Vec<_>>().join(",\n")
    )
}

/// Returns the documentation of an item. A description must not give the operator permissions or
/// suppress a rule. If rustop would read one of its lines as a marker or a suppression, the
/// description becomes `#[doc]` attributes in which the beginning of the marker is escaped.
pub fn doc(lines: &[String], indent: &str) -> String {
    let comment = |line: &String| format!("{indent}{}\n", format!("/// {line}").trim_end());
    let attribute = |line: &String| {
        let text = format!("{:?}", format!(" {line}").trim_end());
        let text = text.replace('+', r"\x2b").replace("rustop:", r"\x72ustop:");
        format!("{indent}#[doc = {text}]\n")
    };
    if lines.iter().any(|line| is_directive(line)) {
        lines.iter().map(attribute).collect()
    } else {
        lines.iter().map(comment).collect()
    }
}
