//! The causes of a reconcile, for the log, the metrics, the priority in the queue and the detection
//! of reconcile loops. A reconcile must not decide by them: they are lost when the operator
//! restarts.

use std::fmt;

/// One cause of a reconcile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The object existed when the operator started.
    Start,
    /// The object is new, or something other than its status changed.
    Changed,
    /// Another writer changed the status.
    Status,
    /// A child changed: its kind and name, such as `Deployment/web`.
    Child(String),
    /// A watched object changed that a mapper of the user maps to this one, or that this one names,
    /// such as `Secret/web`; or the kind with this plural name, such as `servicemonitors`, became
    /// available or unavailable.
    Mapped(String),
    /// A stream of `Controller::triggered_by` yielded the object.
    Trigger,
    /// The requeue delay of the last reconcile has passed.
    Time,
    /// The last reconcile failed.
    Retry,
}

/// The priority of an object in the queue. The smallest value comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Priority {
    /// The object itself changed.
    Own,
    /// Another object changed, which concerns this one.
    Related,
    /// A routine reconcile without a change.
    Routine,
}

impl Priority {
    /// All priorities, from the first to the last.
    pub const ALL: [Self; 3] = [Self::Own, Self::Related, Self::Routine];

    /// Returns the priority in controller-runtime's terms, where a higher number comes first.
    /// Objects listed at startup have -100 there too.
    pub fn number(self) -> i32 {
        match self {
            Self::Own => 100,
            Self::Related => 0,
            Self::Routine => -100,
        }
    }
}

impl Cause {
    /// The values of the metric's label `cause`.
    pub const WORDS: [&'static str; 8] = [
        "start", "changed", "status", "child", "mapped", "trigger", "time", "retry",
    ];

    /// Returns the index of the cause in `WORDS`.
    pub fn number(&self) -> usize {
        match self {
            Self::Start => 0,
            Self::Changed => 1,
            Self::Status => 2,
            Self::Child(_) => 3,
            Self::Mapped(_) => 4,
            Self::Trigger => 5,
            Self::Time => 6,
            Self::Retry => 7,
        }
    }

    /// Returns the word of the cause in `WORDS`.
    pub fn word(&self) -> &'static str {
        Self::WORDS[self.number()]
    }

    /// Returns the priority that the cause gives to the object in the queue.
    pub fn priority(&self) -> Priority {
        match self {
            Self::Changed => Priority::Own,
            Self::Start | Self::Time | Self::Retry => Priority::Routine,
            _ => Priority::Related,
        }
    }

    /// Returns true if the cause is external: no write of the operator can have triggered it.
    pub fn is_outside(&self) -> bool {
        matches!(self, Self::Start | Self::Changed | Self::Trigger)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self {
            Self::Child(what) | Self::Mapped(what) => write!(f, " {what}"),
            _ => Ok(()),
        }
    }
}

/// Maximum number of different causes that are named, except external ones.
const NAMED: usize = 4;

/// All causes of one reconcile, each named once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Causes {
    named: Vec<Cause>,
    /// Number of added causes that are not in `named`: further ones, and repetitions.
    more: u32,
}

impl Causes {
    /// Adds a cause. A repetition, and from the fifth different cause each that is not external,
    /// only increases a number. External causes are always named, because [`Causes::are_outside`]
    /// looks for them.
    pub fn add(&mut self, cause: Cause) {
        let has_room = self.named.len() < NAMED || cause.is_outside();
        if has_room && !self.named.contains(&cause) {
            self.named.push(cause);
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    /// Returns the named causes, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Cause> {
        self.named.iter()
    }

    /// Returns true if one cause is external, so that this reconcile is not part of a loop.
    pub fn are_outside(&self) -> bool {
        self.iter().any(Cause::is_outside)
    }
}

impl From<Cause> for Causes {
    fn from(cause: Cause) -> Self {
        Self {
            named: vec![cause],
            more: 0,
        }
    }
}

impl fmt::Display for Causes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, cause) in self.named.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            write!(f, "{comma}{cause}")?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(f, ", {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_of_a_reconcile_are_summarized() {
        let mut causes = Causes::from(Cause::Child("Deployment/web".to_owned()));
        causes.add(Cause::Time);
        assert_eq!(causes.to_string(), "child Deployment/web, time");
        for number in 0..10 {
            causes.add(Cause::Mapped(format!("Secret/{}", number % 5)));
        }
        causes.add(Cause::Changed);
        let said = "child Deployment/web, time, mapped Secret/0, mapped Secret/1, changed, 8 more";
        assert_eq!(causes.to_string(), said);
    }

    #[test]
    fn each_has_a_word() {
        let causes = [
            Cause::Start,
            Cause::Changed,
            Cause::Status,
            Cause::Child(String::new()),
            Cause::Mapped(String::new()),
            Cause::Trigger,
            Cause::Time,
            Cause::Retry,
        ];
        let numbers = causes.iter().map(Cause::number);
        assert!(numbers.eq(0..Cause::WORDS.len()));
    }
}
