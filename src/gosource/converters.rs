//! The conversions between API versions in a Go file: methods `ConvertTo` and `ConvertFrom` of
//! kinds, as in controller-runtime.

use super::lexer::{Lexeme, Token, lex};

/// Returns the kinds with conversions, without duplicates, in the order of the text.
pub fn converters(text: &str) -> Vec<String> {
    let mut lexemes = lex(text);
    lexemes.retain(|(_, token)| !matches!(token, Token::Line(_)));
    let mut found: Vec<String> = Vec::new();
    for kind in (0..lexemes.len()).filter_map(|at| receiver(&lexemes[at..])) {
        if found.iter().all(|other| other != kind) {
            found.push(kind.to_owned());
        }
    }
    found
}

/// Parses `func (src *Lolcow) ConvertTo(` and returns `Lolcow`.
fn receiver<'a>(lexemes: &[Lexeme<'a>]) -> Option<&'a str> {
    let [(_, Token::Word("func")), (_, Token::Sign('(')), rest @ ..] = lexemes else {
        return None;
    };
    let rest = match rest {
        [(_, Token::Word(_)), (_, Token::Sign('*')), rest @ ..]
        | [(_, Token::Sign('*')), rest @ ..] => rest,
        [(_, Token::Word(_)), rest @ ..] if matches!(rest.first(), Some((_, Token::Word(_)))) => {
            rest
        }
        rest => rest,
    };
    match rest {
        [
            (_, Token::Word(kind)),
            (_, Token::Sign(')')),
            (_, Token::Word("ConvertTo" | "ConvertFrom")),
            (_, Token::Sign('(')),
            ..,
        ] => Some(kind),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_that_convert_name_their_kind() {
        let text = "func (src *Cow) ConvertTo(hub conversion.Hub) error {\n\treturn nil\n}\n\
                    func (dst *Cow) ConvertFrom(hub conversion.Hub) error { return nil }\n\
                    func (*Hen) ConvertTo(conversion.Hub) error { return nil }\n\
                    // func (src *Pig) ConvertTo(hub conversion.Hub) error\n\
                    func (src *Cat) Convert() {}\nfunc ConvertTo() {}\n";
        assert_eq!(converters(text), ["Cow", "Hen"]);
    }
}
