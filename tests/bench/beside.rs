//! Figures of a generated operator, beside those of one in Go.

/// What was measured, how much it was, and its unit: `s`, `ms`, `MiB`, `/s`, or none for a count.
pub type Figure = (&'static str, f64, &'static str);

/// The columns of what [`print`] prints; without a peer it says why.
pub fn head(title: &str, is_go_there: bool) {
    if is_go_there {
        println!("{title:<44} {:>9} {:>9} {:>9}", "rustop", "go", "ratio");
    } else {
        println!("{title} (go is not installed: there is no peer to compare with)");
    }
}

/// A line for each figure; the peer has the same ones.
pub fn print(phase: &str, ours: &[Figure], theirs: Option<&[Figure]>) {
    for (n, (what, value, unit)) in ours.iter().enumerate() {
        let label = format!("{phase}, {what}");
        let Some((_, peer, _)) = theirs.map(|theirs| theirs[n]) else {
            println!("{label:<44} {}", shown(*value, unit));
            continue;
        };
        let ratio = if peer > 0.0 {
            format!("{:.2}", value / peer)
        } else {
            "-".to_owned()
        };
        let (value, peer) = (shown(*value, unit), shown(peer, unit));
        println!("{label:<44} {value:>9} {peer:>9} {ratio:>9}");
    }
}

fn shown(value: f64, unit: &str) -> String {
    match unit {
        "" if value.fract() == 0.0 => format!("{value:.0}"),
        "MiB" => format!("{value:.1} MiB"),
        "/s" => format!("{value:.0}/s"),
        _ => format!("{value:.2} {unit}").trim_end().to_owned(),
    }
}
