//! The binary of an operator.

/// The program of an operator, and the commands for it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OperatorProgram {
    /// The name of the binary.
    pub name: String,
    /// The name of its package; `None` in Go.
    pub package: Option<String>,
    /// The shell line that builds it at the top of the repository.
    pub build: String,
    /// The path of the built binary, relative to the repository: `target/debug/barn`.
    pub command: String,
}
