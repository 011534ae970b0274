//! The figures of a generated operator next to those of another one, by default an operator in Go.

use crate::spread;

/// A measurement: its name, its value, and its unit: `s`, `ms`, `MiB`, `/s`, or empty for a count.
pub type Figure = (&'static str, f64, &'static str);

/// The columns of what [`print`] prints; without a peer it says why.
pub fn head(title: &str, has_peer: bool) {
    if has_peer {
        println!("{title:<44} {:>9} {:>9} {:>9}", "rustop", "peer", "ratio");
    } else {
        println!("{title} (go is not installed: there is no peer to compare with)");
    }
}

/// Prints a line for each figure: the medians of all rounds, and of the ratios within each round,
/// with the lowest and the highest. The two operators run alternately, so that both parts of a
/// round have the same load of the machine. Both have the same figures; without a peer `theirs` is
/// empty.
pub fn print(phase: &str, ours: &[Vec<Figure>], theirs: &[Vec<Figure>]) {
    for (n, (what, _, unit)) in ours[0].iter().enumerate() {
        let of = |rounds: &[Vec<Figure>]| rounds.iter().map(|round| round[n].1).collect::<Vec<_>>();
        let (value, peer) = (of(ours), of(theirs));
        let ratios: Vec<_> = value
            .iter()
            .zip(&peer)
            .map(|(value, peer)| value / peer)
            .collect();
        let label = format!("{phase}, {what}");
        let value = shown(spread(value).1, unit);
        if theirs.is_empty() {
            println!("{label:<44} {value}");
            continue;
        }
        let peer = shown(spread(peer).1, unit);
        let ratio = match spread(ratios) {
            (_, median, _) if !median.is_finite() => "-".to_owned(),
            (_, median, _) if ours.len() == 1 => format!("{median:.2}"),
            (low, median, high) => format!("{median:.2} ({low:.2} to {high:.2})"),
        };
        println!("{label:<44} {value:>9} {peer:>9}      {ratio}");
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
