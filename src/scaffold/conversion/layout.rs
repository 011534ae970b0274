//! Formatting of the generated conversions, with long lines broken as rustfmt does.

const WIDTH: usize = 100;
/// The maximum width of a chain of several calls (rustfmt's `chain_width`).
const CHAIN: usize = 60;

/// Formats `name: value` as the initializer of a field with a trailing comma, indented by `indent`
/// spaces. A long chain of calls gets one line per call.
pub fn field(field: &str, indent: usize) -> String {
    let blanks = " ".repeat(indent);
    let line = format!("{blanks}{field},");
    let Some((name, value)) = field.split_once(": ") else {
        return line;
    };
    let calls = calls(value);
    let is_long = calls.len() > 1 && value.len() > CHAIN;
    if calls.is_empty() || line.len() <= WIDTH && !is_long {
        return line;
    }
    let root = &value[..calls[0]];
    let ends = calls.iter().skip(1).copied().chain([value.len()]);
    let calls: Vec<_> = calls
        .iter()
        .zip(ends)
        .map(|(&at, end)| &value[at..end])
        .collect();
    let chained = |deeper: usize| calls.join(&format!("\n{}", " ".repeat(indent + deeper)));
    if indent + name.len() + 2 + root.len() <= WIDTH {
        format!("{blanks}{name}: {root}\n{blanks}    {},", chained(4))
    } else if !is_long && indent + 4 + value.len() < WIDTH {
        format!("{blanks}{name}:\n{blanks}    {value},")
    } else {
        format!(
            "{blanks}{name}:\n{blanks}    {root}\n{blanks}        {},",
            chained(8)
        )
    }
}

/// Returns the positions of the dots at which the calls of a chain begin.
fn calls(value: &str) -> Vec<usize> {
    let mut depth = 0_usize;
    let mut calls = Vec::new();
    for (at, c) in value.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '.' if depth == 0 => calls.push(at),
            _ => {}
        }
    }
    calls
}

/// Returns `impl From<FROM> for TO {`, on three lines if it is too long for one.
pub fn head(from: &str, to: &str) -> String {
    let line = format!("impl From<{from}> for {to} {{");
    if line.len() <= WIDTH {
        line
    } else {
        format!("impl From<{from}>\n    for {to}\n{{")
    }
}
