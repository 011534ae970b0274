//! Conversion of words of a schema to names of types, and of plurals to singulars.

use heck::{ToSnakeCase as _, ToUpperCamelCase as _};

/// Reports whether a character can be part of a Rust identifier. Combining characters are excluded,
/// since rustc normalizes identifiers, which makes different names equal.
pub fn continues_identifier(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || (c.is_alphanumeric() && syn::parse_str::<syn::Ident>(&format!("a{c}")).is_ok())
}

/// Reports whether a character can be the first one of a Rust identifier: a digit of any script
/// cannot.
pub fn begins_identifier(c: char) -> bool {
    c.is_ascii_alphabetic() || syn::parse_str::<syn::Ident>(&c.to_string()).is_ok()
}

/// Returns a text in `UpperCamelCase`, without the characters that an identifier cannot have.
pub fn upper_camel(text: &str) -> String {
    text.to_upper_camel_case()
        .chars()
        .filter(|c| continues_identifier(*c))
        .collect()
}

/// Returns a word of a schema as a name of a type, or a part of one.
pub fn camel(word: &str) -> String {
    let camel = upper_camel(&acronyms(word));
    match camel.chars().next() {
        None => "Type".to_owned(),
        Some(first) if !begins_identifier(first) => format!("N{camel}"),
        Some(_) => camel,
    }
}

/// Singular words that look like plurals.
const ONE: &[&str] = &["dns", "mtls", "ns", "series", "tls"];

/// Endings of plurals and of their singulars; the first match applies. The first letter of a word
/// is omitted, since it may be a capital.
const ENDINGS: &[(&str, &str)] = &[
    ("liases", "lias"),
    ("tatuses", "tatus"),
    ("eplicas", "eplica"),
    ("chemas", "chema"),
    ("uotas", "uota"),
    ("pis", "pi"),
    ("ris", "ri"),
    ("epos", "epo"),
    ("pus", "pu"),
    ("ss", "ss"),
    ("us", "us"),
    ("is", "is"),
    ("os", "os"),
    ("as", "as"),
    ("ookies", "ookie"),
    ("ies", "y"),
    ("sses", "ss"),
    ("xes", "x"),
    ("aches", "ache"),
    ("ches", "ch"),
    ("s", ""),
];

/// Returns the singular of a word.
pub fn singular(word: &str) -> String {
    let words = word.to_snake_case();
    let last = words.rsplit('_').next().unwrap_or_default();
    let mut cuts = ENDINGS
        .iter()
        .filter_map(|&(many, one)| Some((word.strip_suffix(many)?, one)));
    match cuts.next() {
        Some((stem, one)) if !ONE.contains(&last) && stem.len() + one.len() > 1 => {
            format!("{stem}{one}")
        }
        _ => word.to_owned(),
    }
}

/// Converts plural acronyms to ordinary words: `nodeIPs` to `nodeIps`.
pub fn acronyms(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let mut begin = 0;
    for at in 0..letters.len() {
        let ends = letters.get(at + 1).is_none_or(|c| !c.is_lowercase());
        if letters[at] == 's' && at - begin > 1 && ends {
            letters[begin + 1..at]
                .iter_mut()
                .for_each(char::make_ascii_lowercase);
        }
        if !letters[at].is_ascii_uppercase() {
            begin = at + 1;
        }
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::names::fields;
    use super::{camel, singular};

    #[test]
    fn acronyms_are_words_in_the_plural_too() {
        let found = fields(
            [
                "nodeIPs",
                "serverURLs",
                "IDs",
                "idsOfARNsThere",
                "IPv6",
                "sS",
            ]
            .into_iter(),
        );
        let expected = [
            "node_ips",
            "server_urls",
            "ids",
            "ids_of_arns_there",
            "ipv6",
            "s_s",
        ];
        assert_eq!(found, expected);
        assert_eq!(camel("serverURLs"), "ServerUrls");
    }

    #[test]
    fn one_of_many_is_called_as_in_english() {
        let pairs = "hostAliases hostAlias statuses status TLS TLS mtls mtls tls tls sysctls sysctl series series \
            podStatuses podStatus replicas replica crdSchemas crdSchema gpus gpu apis api analysis analysis \
            policies policy addresses address prefixes prefix matches match caches cache databases database \
            ingress ingress chaos chaos conditions condition ns ns s s";
        let words: Vec<_> = pairs.split_whitespace().collect();
        for pair in words.chunks(2) {
            assert_eq!(singular(pair[0]), pair[1]);
        }
    }
}
