//! The choice of serde's `rename_all` that needs the fewest `rename` attributes.

/// A value of `rename_all`, and the function that applies it to a Rust name.
type RenameRule = (&'static str, fn(&str) -> String);

/// Returns the rule with which the fewest fields need a `rename`, or `None` if no rule saves any.
/// Each pair has the Rust name of a field and its name in JSON.
pub fn of_fields(pairs: &[(&str, &str)]) -> Option<RenameRule> {
    best(
        pairs,
        &[
            ("camelCase", camel_of_field),
            ("PascalCase", pascal_of_field),
            ("kebab-case", |field| field.replace('_', "-")),
            ("UPPERCASE", str::to_ascii_uppercase),
        ],
    )
}

/// Returns the rule with which the fewest variants need a `rename`, or `None` if no rule saves any.
/// Each pair has the Rust name of a variant and its value in JSON.
pub fn of_variants(pairs: &[(&str, &str)]) -> Option<RenameRule> {
    best(
        pairs,
        &[
            ("lowercase", str::to_ascii_lowercase),
            ("UPPERCASE", str::to_ascii_uppercase),
            ("camelCase", camel_of_variant),
            ("snake_case", snake_of_variant),
            ("SCREAMING_SNAKE_CASE", |variant| {
                snake_of_variant(variant).to_ascii_uppercase()
            }),
            ("kebab-case", |variant| {
                snake_of_variant(variant).replace('_', "-")
            }),
        ],
    )
}

fn best(pairs: &[(&str, &str)], rules: &[RenameRule]) -> Option<RenameRule> {
    let count = |rule: &dyn Fn(&str) -> String| {
        let fitting = pairs.iter().filter(|(rust, json)| rule(rust) == *json);
        fitting.count()
    };
    let plain = count(&str::to_owned);
    let mut found = (plain, None);
    for rule in rules {
        let fitting = count(&rule.1);
        if fitting > found.0 {
            found = (fitting, Some(*rule));
        }
    }
    found.1
}

fn pascal_of_field(field: &str) -> String {
    let mut pascal = String::new();
    let mut capital = true;
    for c in field.chars() {
        if c == '_' {
            capital = true;
        } else if capital {
            pascal.push(c.to_ascii_uppercase());
            capital = false;
        } else {
            pascal.push(c);
        }
    }
    pascal
}

fn camel_of_field(field: &str) -> String {
    camel_of_variant(&pascal_of_field(field))
}

/// Returns an empty text, which is not a name, if the first letter is not ASCII: serde's derive
/// panics on such a name without a `rename`.
fn camel_of_variant(variant: &str) -> String {
    match variant.split_at_checked(1) {
        Some((first, rest)) => first.to_ascii_lowercase() + rest,
        None => String::new(),
    }
}

fn snake_of_variant(variant: &str) -> String {
    let mut snake = String::new();
    for (i, c) in variant.char_indices() {
        if i > 0 && c.is_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}
