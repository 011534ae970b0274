//! The English plural of a kind, in lower case.
//!
//! The plural is determined by a table of endings, of which the longest match applies. The results
//! are those of kubebuilder, so that a migrated project keeps its URLs, unless kubebuilder's plural
//! is not English (`price`, or `saves` for `safe`).

use heck::ToTitleCase as _;

/// Endings and their plurals. A leading space limits an entry to whole words: `Ox`, but not `Box`.
#[rustfmt::skip]
const ENDINGS: &[(&str, &str)] = &[
    // Endings by sound.
    ("ch", "ches"), ("sh", "shes"), ("ss", "sses"), ("us", "uses"), ("x", "xes"),
    ("iz", "izzes"), ("ez", "ezzes"), ("tz", "tzes"), ("zz", "zzes"), ("z", "zes"),
    ("y", "ies"), ("ay", "ays"), ("ey", "eys"), ("oy", "oys"), ("uy", "uys"), ("quy", "quies"),
    // Plurals and names: `Endpoints`, `Metrics`, `Redis`, `Kubernetes`.
    ("s", "s"),
    // `-f` and `-fe`.
    ("half", "halves"), ("calf", "calves"), ("elf", "elves"), ("knife", "knives"), ("leaf", "leaves"), ("life", "lives"),
    ("loaf", "loaves"), ("scarf", "scarves"), ("thief", "thieves"), ("wharf", "wharves"), ("wife", "wives"), ("wolf", "wolves"),
    // `-o`: most words get `-s`, so only the exceptions are listed.
    ("buffalo", "buffaloes"), ("cargo", "cargoes"), ("domino", "dominoes"), ("echo", "echoes"), ("hero", "heroes"),
    ("potato", "potatoes"), ("tomato", "tomatoes"), ("torpedo", "torpedoes"), ("zero", "zeroes"),
    // Words of Germanic origin.
    ("child", "children"), ("foot", "feet"), ("goose", "geese"), ("man", "men"), ("mouse", "mice"), ("tooth", "teeth"),
    ("person", "people"), (" die", " dice"), (" louse", " lice"), (" ox", " oxen"),
    ("german", "germans"), ("human", "humans"), ("mongoose", "mongooses"), ("norman", "normans"),
    ("ottoman", "ottomans"), ("roman", "romans"), ("shaman", "shamans"), ("talisman", "talismans"),
    // Greek and Latin words with their original plurals.
    ("alumna", "alumnae"), ("larva", "larvae"), ("vertebra", "vertebrae"), ("nebula", "nebulae"), (" vita", " vitae"),
    ("apex", "apices"), ("codex", "codices"), ("index", "indices"), ("latex", "latices"), ("vertex", "vertices"),
    ("vortex", "vortices"), ("appendix", "appendices"), ("helix", "helices"), ("matrix", "matrices"),
    ("radix", "radices"),
    ("alumnus", "alumni"), ("cactus", "cacti"), ("corpus", "corpora"), ("focus", "foci"), ("genus", "genera"),
    ("locus", "loci"), ("nucleus", "nuclei"), ("radius", "radii"), ("syllabus", "syllabi"),
    ("axis", "axes"), ("basis", "bases"), ("crisis", "crises"), ("ellipsis", "ellipses"), ("genesis", "geneses"),
    ("gnosis", "gnoses"), ("mesis", "meses"), ("oasis", "oases"), ("opsis", "opses"), ("thesis", "theses"),
    ("ysis", "yses"),
    ("criterion", "criteria"), ("lexicon", "lexica"), ("phenomenon", "phenomena"), ("taxon", "taxa"),
    ("addendum", "addenda"), ("aquarium", "aquaria"), ("auditorium", "auditoria"), ("bacterium", "bacteria"),
    ("compendium", "compendia"), ("consortium", "consortia"), ("datum", "data"), ("erratum", "errata"),
    ("gymnasium", "gymnasia"), ("maximum", "maxima"), ("medium", "media"), ("memorandum", "memoranda"),
    ("minimum", "minima"), ("momentum", "momenta"), ("optimum", "optima"), ("podium", "podia"), ("quantum", "quanta"),
    ("referendum", "referenda"), ("serum", "sera"), ("spectrum", "spectra"), ("stratum", "strata"),
    ("symposium", "symposia"),
    ("plateau", "plateaux"), ("tableau", "tableaux"), ("chateau", "chateaux"),
    // Singulars that end in `s`.
    ("alias", "aliases"), ("atlas", "atlases"), ("bias", "biases"), ("canvas", "canvases"), (" gas", " gases"),
    (" lens", " lenses"),
    // Words in which `ch` is pronounced `k`.
    ("epoch", "epochs"), ("monarch", "monarchs"), ("patriarch", "patriarchs"), ("stomach", "stomachs"), ("tech", "techs"),
    // Uncountable words, and words whose plural is the same.
    ("aircraft", "aircraft"), ("deer", "deer"), ("equipment", "equipment"), ("fish", "fish"), ("graffiti", "graffiti"),
    ("information", "information"), ("money", "money"), (" moose", " moose"), ("rice", "rice"), ("price", "prices"),
    ("salmon", "salmon"), ("sheep", "sheep"), ("trout", "trout"),
    ("police", "police"),
];

/// Returns the plural of a kind in `PascalCase` for URLs and roles: `cronjobs` for `CronJob`.
pub fn of(kind: &str) -> String {
    let words = format!(" {}", kind.to_title_case().to_lowercase());
    // Words that are already plural stay unchanged: `Children`, `Metadata`.
    let plural = ENDINGS.iter().map(|(_, plural)| (*plural, *plural));
    let fitting = ENDINGS.iter().copied().chain(plural);
    let fitting =
        fitting.filter_map(|(ending, plural)| Some((words.strip_suffix(ending)?, plural)));
    let longest = fitting.min_by_key(|(stem, _)| stem.len());
    let (stem, ending) = longest.unwrap_or((&words, "s"));
    format!("{stem}{ending}").replace(' ', "")
}

#[cfg(test)]
mod tests {
    use super::of;

    /// Parses lines with a kind and its plural.
    fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.split_once(' ').expect("a kind and a plural"))
    }

    #[test]
    fn plurals_are_those_of_kubebuilder() {
        let mut all = 0;
        for (kind, plural) in pairs(include_str!("testdata/flect.txt")) {
            assert_eq!(of(kind), plural, "{kind}");
            all += 1;
        }
        assert!(all > 1000, "only {all} kinds");
    }

    #[test]
    fn plurals_are_english_where_those_are_not() {
        for (kind, plural) in pairs(include_str!("testdata/english.txt")) {
            assert_eq!(of(kind), plural, "{kind}");
        }
    }

    #[test]
    fn every_kind_gets_a_valid_plural() {
        for kind in ["K8s", "X", "S", "Y", "HTTP2", "A1"] {
            of(kind).parse::<crate::names::Plural>().expect(kind);
        }
    }
}
