//! Suspects: findings that are confirmed by a second run before they are reported.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::torture::oracle::baseline::Baseline;
use crate::torture::oracle::finding::Finding;

/// A finding of one run. The baseline is that of its scenario; `None` if the run injected no fault.
pub type Sighting = (Option<Arc<Baseline>>, Finding);

/// The sightings of one cause.
pub struct Suspect {
    /// The first few sightings, at most [`MOST_SIGHTINGS`]: one fault may reproduce a race
    /// reliably, and another by chance. `others` of the first finding counts all further sightings.
    pub sightings: Vec<Sighting>,
}

/// The maximum number of sightings that are stored for each suspect.
const MOST_SIGHTINGS: usize = 3;

impl Suspect {
    /// Reports whether every sighting is from a run that injected a fault.
    pub fn needs_fault(&self) -> bool {
        self.sightings
            .iter()
            .all(|(baseline, _)| baseline.is_some())
    }
}

/// The suspects of a campaign, one for each cause.
#[derive(Default)]
pub struct Suspects(Vec<Suspect>);

impl Suspects {
    /// Adds the findings of a run. `baseline` is `None` if the run injected no fault.
    pub fn add(&mut self, baseline: Option<&Arc<Baseline>>, findings: Vec<Finding>) {
        for finding in findings {
            let mut known = self.0.iter_mut();
            let sighting = (baseline.cloned(), finding);
            match known.find(|known| known.sightings[0].1.cause() == sighting.1.cause()) {
                Some(known) => {
                    known.sightings[0].1.see_again(&sighting.1);
                    if known.sightings.len() < MOST_SIGHTINGS {
                        known.sightings.push(sighting);
                    }
                }
                None => self.0.push(Suspect {
                    sightings: vec![sighting],
                }),
            }
        }
    }

    /// Returns the number of causes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes all suspects in the order in which to confirm them: those without faults first, then
    /// those with the most sightings. None are left.
    pub fn take_sorted(&mut self) -> Vec<Suspect> {
        let mut all = std::mem::take(&mut self.0);
        all.sort_by_key(|suspect| {
            (
                suspect.needs_fault(),
                Reverse(suspect.sightings[0].1.others),
            )
        });
        all
    }
}
