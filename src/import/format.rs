//! Attributes as rustfmt breaks them.

use super::model::Arg;
use crate::sources::comments::is_directive;

/// The widest list of arguments on one line.
const LIST: usize = 70;
/// The widest line.
const LINE: usize = 100;

/// `#[name(args)]` in lines. What rustfmt does not take for arguments it leaves alone.
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

/// Lines of our own for what rustfmt leaves alone.
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

/// One argument that has none itself stands alone on a line only where it must.
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

/// `name(` with one argument a line, or with its only argument broken in its place.
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

/// Documents an item. A description must not give the operator rights or silence a rule, so one with a line that rustop would
/// read as a marker or an allow becomes attributes in which nothing of it begins like that.
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
