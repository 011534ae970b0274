//! What the log of an operator and the answers that it got say of it.

use super::Run;
use crate::torture::journal::{self, Entry};
use crate::torture::played::Sign;
use crate::torture::refused;

impl Run<'_> {
    /// What log and answers say.
    pub(super) fn read_signs(&mut self, entries: &[Entry], log: &str) {
        let panic = log.lines().find(|line| {
            line.contains("panicked at")
                || line.starts_with("panic:")
                || line.contains("Observed a panic")
        });
        if let Some(line) = panic {
            let mut after = log.lines().skip_while(|other| *other != line).skip(1);
            let said = after
                .next()
                .filter(|_| line.ends_with(':'))
                .unwrap_or_default();
            let of_end = |(step, sign): &(usize, Sign)| match sign {
                Sign::Ended(_) => Some(*step),
                _ => None,
            };
            let step = self.signs.iter().find_map(of_end).unwrap_or_default();
            // Who panicked and ended did one thing wrong.
            self.signs.retain(|sign| of_end(sign).is_none());
            self.signs.push((
                step,
                Sign::Panic(format!("{line} {said}").trim_end().to_owned()),
            ));
        }
        for (step, request) in journal::requests(entries) {
            let message = request.answer["message"].as_str().unwrap_or_default();
            // Neither who deletes a namespace nor a webhook says anything of rights.
            let ends = message.contains("because it is being terminated");
            let is_denied = refused::denied_by(message).is_some();
            if request.status == 403 && !request.injected && !ends && !is_denied {
                let sign = Sign::Forbidden(request.call.to_string());
                if !self.signs.contains(&(step, sign.clone())) {
                    self.signs.push((step, sign));
                }
            }
        }
    }
}
