//! Names with a special meaning in Rust or Cargo.

/// Names that a project cannot have: the crates that it depends on by name, those of Rust itself, and directories in
/// `target/` that would conflict with a binary.
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
    "rustop-manager",
    "schemars",
    "serde",
    "serde-json",
    "std",
    "test",
    "thiserror",
    "tokio",
    "tracing",
];

/// The keywords of Rust 2024: strict, reserved and weak ones.
const RUST_WORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Reports whether a word is a keyword of Rust.
pub fn is_rust_word(word: &str) -> bool {
    RUST_WORDS.contains(&word)
}

/// Returns the Rust module for a word. `-` and `.` become `_`. A `_` is appended to a name that the file of a module
/// cannot have: a keyword, or a name with a special meaning for Cargo.
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
