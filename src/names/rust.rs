//! Names with a special meaning in Rust or Cargo.

/// Names that a project cannot have: its own crates (`api`, `crdgen`), dependencies of the template
/// `Cargo.toml`, common dependencies of operators, the crates of Rust, and directories in
/// `target/`, which would conflict with the binary.
pub const RESERVED_PROJECT_NAMES: &[&str] = &[
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

/// The strict, reserved and weak keywords of Rust 2024.
const RUST_KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Reports whether a word is a strict, reserved or weak keyword of Rust 2024.
pub fn is_rust_keyword(word: &str) -> bool {
    RUST_KEYWORDS.contains(&word)
}

/// Returns a valid Rust module name for a kind, group or version. `-` and `.` become `_`. Keywords
/// and `bin`, `lib`, `main` and `mod`, whose files have a special meaning, get a `_` at the end; a
/// name that begins with a digit gets one at the beginning.
pub fn module(word: &str) -> String {
    let module = word.replace(['-', '.'], "_");
    if is_rust_keyword(&module) || ["bin", "lib", "main", "mod"].contains(&module.as_str()) {
        format!("{module}_")
    } else if module.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{module}")
    } else {
        module
    }
}
