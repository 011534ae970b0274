//! Words that mean something to Rust or to Cargo.

/// The crates that the generated project depends on by name, those of Rust itself, and the
/// directories of `target/` that a binary may not be called after.
pub const TAKEN_CRATES: &[&str] = &[
    "alloc",
    "api",
    "build",
    "clap",
    "core",
    "crdgen",
    "deps",
    "examples",
    "futures",
    "incremental",
    "jiff",
    "k8s-openapi",
    "kube",
    "manager",
    "proc-macro",
    "schemars",
    "serde",
    "serde-json",
    "std",
    "test",
    "thiserror",
    "tokio",
    "tracing",
];

/// The keywords of Rust 2024, strict and reserved, with those that are words only at some places.
const RUST_WORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Whether a word is a keyword of Rust.
pub fn is_rust_word(word: &str) -> bool {
    RUST_WORDS.contains(&word)
}

/// The Rust module for a word: `-` and `.` become `_`, and a word that no file of a module can have
/// (a keyword, or a name that Cargo gives a meaning to) gets a `_` at its end.
pub fn module(word: &str) -> String {
    let module = word.replace(['-', '.'], "_");
    if is_rust_word(&module) || ["bin", "lib", "main", "mod"].contains(&module.as_str()) {
        format!("{module}_")
    } else if module.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{module}")
    } else {
        module
    }
}
