//! The command line: the output and the exit code of each command, and its changes to the tree. Add
//! a test to the module of its command; rules for all commands have their own modules.
//!
//! Commands run without `PATH` and `HOME`, and with a separate state directory. By default, a run
//! is expected to print nothing and to succeed, and a command that fails must not change the tree.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot go on should say where, and which seed gives the same again"
)]

mod adopt;
mod agents;
mod awkward;
mod bad_input;
mod book;
mod bundle;
mod chart;
mod completions;
mod create_api;
mod create_webhook;
mod dashboard;
mod delete_all;
mod delete_api;
mod descriptions;
mod disk;
mod docs;
mod documents;
mod dsl;
mod edit;
mod explain;
mod forged;
mod from_crd;
mod golden;
#[path = "../support/golden.rs"]
mod goldens;
mod help;
mod hostile;
mod import;
mod init;
mod install;
mod kill;
mod man;
mod manifests;
mod migrate;
mod no_resource;
mod output;
mod ownership;
mod package;
mod parts;
mod project_file;
mod prose;
mod public_api;
#[path = "../support/random.rs"]
mod random;
mod rbac_report;
mod rehearse;
mod release_workflow;
mod rooms;
mod run;
mod schema;
#[path = "../support/scratch.rs"]
mod scratch;
mod setup_action;
mod show;
mod simulate;
mod site;
mod special_files;
mod tls;
mod torture;
mod upgrade;
