//! What runs showed and has to be seen a second time.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::torture::oracle::baseline::Baseline;
use crate::torture::oracle::finding::Finding;

/// What was seen, in the scenario of its fault if it needs one.
pub type Sighting = (Option<Arc<Baseline>>, Finding);

/// What may be wrong.
pub struct Suspect {
    /// How it was seen. What depends on who comes first one fault shows surely, and another by chance. The first one counts
    /// the others.
    pub sights: Vec<Sighting>,
}

/// So many sights of each are kept.
const SIGHTS: usize = 3;

impl Suspect {
    /// Whether only a fault showed it.
    pub fn needs_fault(&self) -> bool {
        self.sights.iter().all(|(baseline, _)| baseline.is_some())
    }
}

/// Of each cause how it was seen first.
#[derive(Default)]
pub struct Suspects(Vec<Suspect>);

impl Suspects {
    /// What a run showed.
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

    /// How many causes there seem to be.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was seen.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those first that need no fault, and then those that many faults showed. None is left.
    pub fn most_often_first(&mut self) -> Vec<Suspect> {
        let mut all = std::mem::take(&mut self.0);
        all.sort_by_key(|suspect| (suspect.needs_fault(), Reverse(suspect.sights[0].1.others)));
        all
    }
}
