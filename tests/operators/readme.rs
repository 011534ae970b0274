//! Every link of the README to a line leads to a line that has the linked text. To bring them up to date:
//! `RUSTOP_OVERWRITE=1 cargo test --test operators readme`.

use std::fmt::Write as _;
use std::fs;

use crate::project::home;

#[test]
fn readme_links_to_the_lines_it_speaks_of() {
    let path = home().join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    // Each part but the first begins with the linked text.
    let mut parts = readme.split("[`");
    let mut right = parts.next().unwrap().to_owned();
    let mut links = 0;
    for part in parts {
        let (text, rest) = part.split_once("`](").unwrap();
        let (file, rest) = rest.split_once("#L").unwrap();
        let (_, rest) = rest.split_once(')').unwrap();
        let source = fs::read_to_string(home().join(file)).unwrap();
        // A bar would end the cell of the table.
        let linked = text.replace("\\|", "|");
        let line = source.lines().position(|line| line.contains(&linked));
        let line = line.unwrap_or_else(|| panic!("{file} has no `{linked}`")) + 1;
        write!(right, "[`{text}`]({file}#L{line}){rest}").unwrap();
        links += 1;
    }
    assert!(links > 20, "{links}");
    if std::env::var_os("RUSTOP_OVERWRITE").is_some() {
        fs::write(path, right).unwrap();
    } else {
        assert_eq!(readme, right);
    }
}
