//! The limits of cel-go's parser, which the API server uses: it rejects an expression of more than
//! 100,000 characters and one in which a rule of its grammar is nested more than 250 deep. The
//! limits are checked before parsing, since the parser here takes time that grows with the square
//! of the depth.

/// The largest number of characters of an expression.
const LENGTH: usize = 100_000;

/// The largest nesting of one rule of the grammar.
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

/// The largest depth of one rule: of brackets within each other, of one operand (`a.b.c` is a
/// selection of a selection), and of one sum or product, whose operators associate to the left.
/// Never more than that of cel-go, except in a sum of products or of negative numbers: all their
/// operators and signs count.
fn depth(expression: &str) -> usize {
    let mut deepest = 0;
    // For each open bracket, the selections of the operand and the operators of the sum so far.
    let mut open = vec![(1, 1)];
    let mut previous = ' ';
    let mut characters = expression.chars();
    while let Some(c) = characters.next() {
        let Some((operand, sum)) = open.last_mut() else {
            return deepest;
        };
        match c {
            '"' | '\'' => {
                while let Some(inside) = characters.next() {
                    match inside {
                        '\\' => _ = characters.next(),
                        _ if inside == c => break,
                        _ => {}
                    }
                }
            }
            '.' => *operand += 1,
            '+' | '-' | '*' | '/' | '%' => (*operand, *sum) = (1, *sum + 1),
            '<' | '>' | '=' | '!' | '&' | '|' | '?' | ':' | ',' => (*operand, *sum) = (1, 1),
            '(' | '[' | '{' => open.push((1, 1)),
            ')' | ']' | '}' => {
                open.pop();
            }
            // `in` is an operator without a sign: the operand after it is another one.
            c if c.is_alphanumeric() && previous.is_whitespace() => *operand = 1,
            _ => {}
        }
        let (operand, sum) = open.last().copied().unwrap_or_default();
        deepest = deepest.max(operand).max(sum).max(open.len());
        previous = c;
    }
    deepest
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
            "f(1, 2).g[3] < 4 ? 5 : ",
        ] {
            assert_eq!(check(&(part.repeat(400) + "true")), Ok(()), "{part}");
        }
    }
}
