//! Controllers and webhooks that read the machine's clock, or random numbers without a seed.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::lints::conventions::{SYSTEM_CLOCK, UNSEEDED_RANDOM};
use crate::sources::hidden_inputs::{HiddenInput, Input};

/// Returns the warning about a call.
pub fn warning(found: &HiddenInput) -> Diagnostic {
    let place = &found.place;
    let call = &place.line.text[place.span.clone()];
    let (lint, message, help) = match found.input {
        Input::Clock => (
            &SYSTEM_CLOCK,
            format!("`{call}` reads the machine's clock, which a test cannot set"),
            "write `ctx.now()` in a controller, and `request.now()` in a webhook; to measure time, write \
             `tokio::time::Instant::now()`",
        ),
        Input::Random => (
            &UNSEEDED_RANDOM,
            format!("`{call}` returns random numbers that a test cannot repeat"),
            "write `ctx.random()`; for a secret, use the crate `getrandom`",
        ),
    };
    Diagnostic::at(&place.line, place.span.clone(), message)
        .warning(lint)
        .help(help)
}
