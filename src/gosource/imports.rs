//! The imports of a Go file.

use std::collections::BTreeMap;

use super::lexer::{Lexeme, Token};

/// Returns the imported packages of a Go file: the name in the file, and the path of the import.
pub fn imports<'a>(lexemes: &[Lexeme<'a>]) -> BTreeMap<&'a str, &'a str> {
    let mut found = BTreeMap::new();
    let mut rest = lexemes;
    while let Some(at) = rest
        .iter()
        .position(|(_, token)| *token == Token::Word("import"))
    {
        rest = &rest[at + 1..];
        let length = match rest {
            [(_, Token::Sign('(')), ..] => rest
                .iter()
                .position(|(_, token)| *token == Token::Sign(')')),
            [(_, Token::Literal(_)), ..] => Some(1),
            _ => Some(rest.len().min(2)),
        };
        let Some((specs, behind)) = length.and_then(|it| rest.split_at_checked(it)) else {
            break;
        };
        for (at, (_, token)) in specs.iter().enumerate() {
            let Token::Literal(literal) = token else {
                continue;
            };
            let path = literal.trim_matches(['"', '`']);
            let name = match at.checked_sub(1).map(|before| specs[before].1) {
                Some(Token::Word(alias)) => alias,
                _ => path.rsplit('/').next().unwrap_or_default(),
            };
            found.insert(name, path);
        }
        rest = behind;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gosource::lexer::lex;

    #[test]
    fn imports_have_names_and_paths() {
        let text = "package a\n\nimport \"fmt\"\nimport core \"k8s.io/api/core/v1\"\nimport (\n\t. \"x/y\"\n\
                    \tfarmv1 \"example.org/farm/api/v1\" // a comment\n\t\"example.org/pen\"\n)\n\nvar a = \"b/c\"\n";
        let found = imports(&lex(text));
        let expected = [
            ("core", "k8s.io/api/core/v1"),
            ("farmv1", "example.org/farm/api/v1"),
            ("fmt", "fmt"),
            ("pen", "example.org/pen"),
            ("y", "x/y"),
        ];
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
        assert!(imports(&lex("import (\n\t\"a\"")).is_empty());
    }
}
