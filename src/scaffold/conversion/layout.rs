//! Long lines, broken as rustfmt breaks them.

const WIDTH: usize = 100;
/// How wide a chain of several calls may be.
const CHAIN: usize = 60;

/// A field that is set, on as many lines as it takes.
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

/// Where the calls of a chain begin, each with its dot.
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

/// The head of an `impl`, with its brace.
pub fn head(from: &str, to: &str) -> String {
    let line = format!("impl From<{from}> for {to} {{");
    if line.len() <= WIDTH {
        line
    } else {
        format!("impl From<{from}>\n    for {to}\n{{")
    }
}
