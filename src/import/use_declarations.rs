//! The `use` declarations of a file.

use std::collections::BTreeSet;

/// rustfmt's maximum line width.
const WIDTH: usize = 100;

/// Returns the `use` declarations in rustfmt's order.
pub fn lines(paths: &BTreeSet<String>) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for path in paths {
        let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
        let is_type =
            ["kube", "serde", "serde_json"].contains(&module) || module.starts_with("super::");
        match groups.last_mut() {
            Some((last, names)) if is_type && *last == module => names.push(name),
            _ => groups.push((module, vec![name])),
        }
    }
    let written = |is_of: fn(&str) -> bool| -> String {
        let these = groups.iter().filter(|(module, _)| is_of(module));
        these.map(|(module, names)| line(module, names)).collect()
    };
    let std = written(|module| module.starts_with("std"));
    let siblings = written(|module| module.starts_with("super"));
    let others = written(|module| !module.starts_with("std") && !module.starts_with("super"));
    let others = siblings + &others;
    if std.is_empty() {
        others
    } else {
        format!("{std}\n{others}")
    }
}

fn line(module: &str, names: &[&str]) -> String {
    let [name] = names else {
        let mut names = names.to_vec();
        names.sort_unstable();
        let names = names.join(", ");
        let line = format!("use {module}::{{{names}}};\n");
        // rustfmt reserves two columns for what may follow the braces.
        return if line.len() < WIDTH {
            line
        } else {
            format!("use {module}::{{\n{}}};\n", filled(&names))
        };
    };
    format!("use {module}::{name};\n")
}

/// Returns the names with commas: on one line if they fit, otherwise on as few lines as possible.
fn filled(names: &str) -> String {
    let all = format!("    {names},\n");
    if all.len() <= WIDTH + 1 {
        return all;
    }
    let mut lines: Vec<String> = Vec::new();
    for name in names.split(", ") {
        match lines.last_mut() {
            // If there are several lines, rustfmt leaves the last column free.
            Some(last) if last.len() + name.len() + 2 < WIDTH => last.extend([" ", name, ","]),
            _ => lines.push(format!("    {name},")),
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected lengths are those of rustfmt's output for these names.
    #[test]
    fn lines_break_where_rustfmt_breaks_them() {
        let used = |lengths: &[usize]| {
            let names = lengths.iter().zip('A'..);
            let path = |(length, letter): (&usize, char)| {
                format!("super::x::{}", letter.to_string().repeat(*length))
            };
            let lines = lines(&names.map(path).collect());
            lines.lines().map(str::len).collect::<Vec<_>>()
        };
        assert_eq!(used(&[40, 39]), [98]);
        assert_eq!(used(&[40, 40]), [15, 87, 2]);
        assert_eq!(used(&[40, 53]), [15, 100, 2]);
        assert_eq!(used(&[40, 54]), [15, 45, 59, 2]);
        assert_eq!(used(&[40, 52, 9]), [15, 99, 14, 2]);
        assert_eq!(used(&[40, 53, 9]), [15, 45, 69, 2]);
    }
}
