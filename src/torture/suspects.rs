//! What runs showed and has to be seen a second time.

use std::sync::Arc;

use super::finding::Finding;
use super::reference::Reference;

/// Of each cause the first finding, with the scenario of the fault if it needs one; the others are counted.
#[derive(Default)]
pub struct Suspects(Vec<(Option<Arc<Reference>>, Finding)>);

impl Suspects {
    /// What a run showed.
    pub fn add(&mut self, reference: Option<&Arc<Reference>>, findings: Vec<Finding>) {
        for finding in findings {
            let mut known = self.0.iter_mut();
            match known.find(|(_, known)| known.cause() == finding.cause()) {
                Some((_, known)) => known.others += 1,
                None => self.0.push((reference.cloned(), finding)),
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

    /// Those first that need no fault, and then those that many faults showed.
    pub fn most_often_first(self) -> Vec<(Option<Arc<Reference>>, Finding)> {
        let mut all = self.0;
        all.sort_by_key(|(reference, finding)| {
            (reference.is_some(), std::cmp::Reverse(finding.others))
        });
        all
    }
}
