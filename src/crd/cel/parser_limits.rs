//! The limits of cel-go's parser, which the API server uses: it rejects an expression of more than
//! 100,000 characters, one in which a rule of its grammar is nested more than 250 deep, and one
//! whose tree has more than 250 operators and selections around each other. The limits are checked
//! before parsing, since the parser here takes time that grows with the square of the depth.

/// The largest number of characters of an expression.
const LENGTH: usize = 100_000;

/// The largest nesting of one rule of the grammar, and of the tree.
const DEPTH: usize = 250;

/// Checks an expression against the limits.
///
/// # Errors
/// Returns the reason for which the API server rejects the expression.
pub fn check(expression: &str) -> Result<(), String> {
    let length = expression.chars().count();
    if length > LENGTH {
        return Err(format!(
            "it has {length} characters, and the API server accepts {LENGTH}"
        ));
    }
    if depth(expression) > DEPTH {
        return Err(format!(
            "it is nested more than {DEPTH} deep, which the API server does not accept"
        ));
    }
    Ok(())
}

/// The part of an expression between two brackets, up to the last token.
#[derive(Clone, Copy, Default)]
struct Level {
    /// The depth of each rule outside of the brackets, in the order of [`Level::depths`].
    outer: [usize; 3],
    /// The number of nodes that the brackets are: 1 for an index and the arguments of a method.
    nodes: usize,
    /// The number of `?:` whose last part is open: that part is an expression in the expression.
    conditionals: usize,
    /// True between the `?` and the `:` of a conditional.
    is_conditional: bool,
    /// True if the last operand is a selection, an index or the call of a method.
    is_selected: bool,
    /// The heights of the tree to the left of the last operator of each kind.
    relation: Option<usize>,
    sum: Option<usize>,
    product: Option<usize>,
    /// The height of the last operand.
    operand: usize,
    /// The largest height of the operands of `&&` and `||`, which are no nodes.
    logical: usize,
    /// The largest height of the other parts.
    height: usize,
}

impl Level {
    /// Returns the depth of the rules `expr`, `relation` and `calc` at the last operand. The right
    /// operand of an operator is one more context of its rule; the left one is closed by then.
    fn depths(&self) -> [usize; 3] {
        let right = |left: Option<usize>| usize::from(left.is_some());
        let [expr, relation, calc] = self.outer;
        [
            expr + 1 + self.conditionals,
            relation + 1 + right(self.relation),
            calc + 1 + right(self.sum) + right(self.product),
        ]
    }

    /// Ends the operand of a product, and returns its height with the product to its left.
    fn end_product(&mut self) -> usize {
        self.is_selected = false;
        joined(self.product.take(), std::mem::take(&mut self.operand))
    }

    /// Ends the operand of a sum.
    fn end_sum(&mut self) -> usize {
        let right = self.end_product();
        joined(self.sum.take(), right)
    }

    /// Ends the operand of a relation.
    fn end_relation(&mut self) -> usize {
        let right = self.end_sum();
        joined(self.relation.take(), right)
    }

    /// Ends the operand of `&&` and `||`.
    fn end_logical(&mut self) {
        self.logical = self.end_relation().max(self.logical);
    }

    /// Ends one of the first two parts of a conditional, or with `nodes` 0 the last one.
    fn end_part(&mut self, nodes: usize) {
        self.end_logical();
        let height = std::mem::take(&mut self.logical) + self.conditionals + nodes;
        self.height = self.height.max(height);
    }

    /// Adds a token that is neither an operand nor a bracket. `is_after_operand` is true if it
    /// follows one or the other: signs and the dots and question marks of other places count not.
    fn add(&mut self, token: Token, is_after_operand: bool) {
        match token {
            Token::Dot if is_after_operand => self.select(),
            Token::Sum | Token::Minus if is_after_operand => self.sum = Some(self.end_sum()),
            Token::Product => self.product = Some(self.end_product()),
            Token::Relation => self.relation = Some(self.end_relation()),
            Token::Logical => self.end_logical(),
            Token::Question if is_after_operand => {
                self.end_part(1);
                self.is_conditional = true;
            }
            Token::Colon if self.is_conditional => {
                self.end_part(1);
                self.is_conditional = false;
                self.conditionals += 1;
            }
            Token::Colon | Token::Comma => {
                self.end_part(0);
                self.conditionals = 0;
            }
            _ => {}
        }
    }

    /// Adds a selection or an index, which is a node around the operand.
    fn select(&mut self) {
        self.operand += 1;
        self.is_selected = true;
    }

    /// Returns the level inside of a bracket.
    fn open(&mut self, bracket: char, is_after_operand: bool) -> Self {
        if bracket == '[' && is_after_operand {
            self.select();
        }
        Self {
            outer: self.depths(),
            nodes: usize::from(is_after_operand && self.is_selected),
            ..Self::default()
        }
    }

    /// Adds what is inside of brackets to the operand that has them.
    fn close(&mut self, mut inside: Self) {
        inside.end_part(0);
        self.operand = self.operand.max(inside.height + inside.nodes);
    }
}

/// Returns the height of a binary node, or of the right operand if there is no left one.
fn joined(left: Option<usize>, right: usize) -> usize {
    left.map_or(right, |left| 1 + left.max(right))
}

/// A token, as far as the depth depends on it.
#[derive(Clone, Copy, PartialEq)]
enum Token {
    /// A name, a number or a string.
    Operand,
    Open(char),
    Close,
    Dot,
    Sum,
    Minus,
    Product,
    Relation,
    Logical,
    Question,
    Colon,
    Comma,
    /// A space, a comment, a `!`, or a character that is not part of the language.
    Other,
}

/// Returns the larger one of cel-go's two depths: of one rule of the grammar within itself, and of
/// the nodes of the tree that are an operator, a selection, an index or the call of a method. Stops
/// at the first rule beyond the limit.
fn depth(expression: &str) -> usize {
    let mut deepest = 0;
    let mut levels = Vec::new();
    let mut level = Level::default();
    let mut is_after_operand = false;
    let mut rest = expression;
    while deepest <= DEPTH
        && let Some(first) = rest.chars().next()
    {
        let (token, length) = next(rest, first);
        rest = &rest[length..];
        if matches!(token, Token::Operand | Token::Open(_)) {
            deepest = level.depths().into_iter().fold(deepest, usize::max);
        }
        match token {
            Token::Open(bracket) => {
                let inside = level.open(bracket, is_after_operand);
                levels.push(std::mem::replace(&mut level, inside));
            }
            Token::Close => {
                let Some(outside) = levels.pop() else { break };
                let inside = std::mem::replace(&mut level, outside);
                level.close(inside);
            }
            _ => level.add(token, is_after_operand),
        }
        if token != Token::Other {
            is_after_operand = matches!(token, Token::Operand | Token::Close);
        }
    }
    level.end_part(0);
    deepest.max(level.height)
}

/// Returns the first token of a text that starts with the character `first`, and its length.
fn next(rest: &str, first: char) -> (Token, usize) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let until = |end: &str| rest.find(end).unwrap_or(rest.len());
    if rest.starts_with("//") {
        return (Token::Other, until("\n"));
    }
    if let Some(length) = string(rest) {
        return (Token::Operand, length);
    }
    if first.is_ascii_digit() {
        // The sign of an exponent is part of the number, too.
        let mut previous = first;
        let end = rest.find(|c: char| {
            let is_exponent = matches!(previous, 'e' | 'E') && !rest.starts_with("0x");
            let is_part = is_word(c) || c == '.' || is_exponent && matches!(c, '+' | '-');
            previous = c;
            !is_part
        });
        return (Token::Operand, end.unwrap_or(rest.len()));
    }
    if is_word(first) {
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let token = if &rest[..length] == "in" {
            Token::Relation
        } else {
            Token::Operand
        };
        return (token, length);
    }
    if matches!(rest.get(..2), Some("==" | "!=" | "<=" | ">=")) {
        return (Token::Relation, 2);
    }
    let token = match first {
        '(' | '[' | '{' => Token::Open(first),
        ')' | ']' | '}' => Token::Close,
        '.' => Token::Dot,
        '+' => Token::Sum,
        '-' => Token::Minus,
        '*' | '/' | '%' => Token::Product,
        '<' | '>' => Token::Relation,
        '&' | '|' => Token::Logical,
        '?' => Token::Question,
        ':' => Token::Colon,
        ',' => Token::Comma,
        _ => Token::Other,
    };
    (token, first.len_utf8())
}

/// Returns the length of a string or of a name in backticks, with its prefix and quotes, if the
/// text starts with one. An unclosed string ends at the end of the text.
fn string(rest: &str) -> Option<usize> {
    let prefix = rest.find(|c| !matches!(c, 'r' | 'R' | 'b' | 'B'))?;
    let is_raw = rest[..prefix].contains(['r', 'R']) || rest[prefix..].starts_with('`');
    let quote = ["\"\"\"", "'''", "\"", "'", "`"]
        .into_iter()
        .find(|quote| rest[prefix..].starts_with(quote))?;
    let start = prefix + quote.len();
    let mut characters = rest[start..].char_indices();
    while let Some((at, c)) = characters.next() {
        if rest[start + at..].starts_with(quote) {
            return Some(start + at + quote.len());
        }
        if c == '\\' && !is_raw {
            characters.next();
        }
    }
    Some(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_beyond_the_limits_of_the_parser_are_rejected_at_once() {
        let chain = |n: usize| format!("self{} == 1", ".a".repeat(n));
        let nested = |n: usize| format!("{}1{}", "(".repeat(n), ")".repeat(n));
        let sum = |n: usize| format!("1{} > 0", " + 1".repeat(n));
        for make in [&chain as &dyn Fn(usize) -> String, &nested, &sum] {
            assert!(check(&make(200)).is_ok(), "{}", make(200));
            for n in [260, 20_000] {
                let error = check(&make(n)).unwrap_err();
                assert!(error.contains("250 deep"), "{error}");
            }
        }
        let error = check(&"a".repeat(100_001)).unwrap_err();
        assert!(error.contains("100001 characters"), "{error}");
    }

    #[test]
    fn long_expressions_without_depth_are_accepted() {
        for part in [
            "self.a.b == 1 || ",
            "x in self.a && ",
            "\"....\" == '..\\'..' || ",
            "f(1, 2).g[3] < 4 && ",
            "1 in [{'a': -1 + 2, 'b': r'\\'}.b, 3 * 4] || ",
            "has(self.?a[?b]) && ",
        ] {
            assert_eq!(check(&(part.repeat(400) + "true")), Ok(()), "{part}");
        }
        let list = format!("[{}]", "a ? b : c, ".repeat(400));
        assert_eq!(check(&list), Ok(()));
    }

    #[test]
    fn depth_is_that_of_cel_go() {
        for (start, part, end, deepest_accepted) in [
            ("1", " + 1", "", 250),
            ("1", " * 1", "", 250),
            ("1", " == 1", "", 250),
            ("1", " + a * b", "", 249),
            ("1", " - -1", "", 250),
            ("1", " * 2 + 1", "", 249),
            ("self", ".a", "", 250),
            ("self", "[0]", "", 250),
            ("self", ".a()", "", 250),
            ("", "(", "1", 249),
            ("", "[", "1", 249),
            ("", "a ? b : ", "c", 249),
            ("", "a + (", "b", 124),
            ("", "a.b(", "c", 249),
            ("", "{'a': ", "1", 249),
        ] {
            let expression = |n: usize| {
                let close = match part.as_bytes()[part.trim_end().len() - 1] {
                    b'(' => ")",
                    b'[' => "]",
                    _ if part.starts_with('{') => "}",
                    _ => "",
                };
                format!("{start}{}{end}{}", part.repeat(n), close.repeat(n))
            };
            let accepted = (1..300).rev().find(|n| check(&expression(*n)).is_ok());
            assert_eq!(accepted, Some(deepest_accepted), "{start}{part}");
        }
    }
}
