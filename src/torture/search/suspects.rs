//! Suspects: findings that must show a second time before they are reported.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::torture::oracle::baseline::Baseline;
use crate::torture::oracle::finding::Finding;

/// A finding, with the baseline of its scenario if it needs a fault.
pub type Sighting = (Option<Arc<Baseline>>, Finding);

/// The sightings of one cause.
pub struct Suspect {
    /// Several, since one fault may show a race reliably and another by chance. The first one counts the others.
    pub sights: Vec<Sighting>,
}

/// The number of sightings that are kept for each suspect.
const SIGHTS: usize = 3;

impl Suspect {
    /// Reports whether the suspect shows with faults only.
    pub fn needs_fault(&self) -> bool {
        self.sights.iter().all(|(baseline, _)| baseline.is_some())
    }
}

/// The suspects of a campaign, one for each cause.
#[derive(Default)]
pub struct Suspects(Vec<Suspect>);

impl Suspects {
    /// Adds the findings of a run.
    pub fn add(&mut self, baseline: Option<&Arc<Baseline>>, findings: Vec<Finding>) {
        for finding in findings {
            let mut known = self.0.iter_mut();
            let sight = (baseline.cloned(), finding);
            match known.find(|known| known.sights[0].1.cause() == sight.1.cause()) {
                Some(known) => {
                    known.sights[0].1.see_again(&sight.1);
                    if known.sights.len() < SIGHTS {
                        known.sights.push(sight);
                    }
                }
                None => self.0.push(Suspect {
                    sights: vec![sight],
                }),
            }
        }
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes all suspects: those without faults first, then those with the most sightings.
    pub fn most_often_first(&mut self) -> Vec<Suspect> {
        let mut all = std::mem::take(&mut self.0);
        all.sort_by_key(|suspect| (suspect.needs_fault(), Reverse(suspect.sights[0].1.others)));
        all
    }
}
