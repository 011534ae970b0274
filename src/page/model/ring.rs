//! The last of many.

use std::collections::VecDeque;

/// So many lines, requests and reconciles are kept.
pub const KEPT: usize = 5000;

/// Numbered things, of which the oldest are forgotten.
#[derive(Debug)]
pub struct Ring<T> {
    first: u64,
    kept: VecDeque<T>,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self {
            first: 0,
            kept: VecDeque::new(),
        }
    }
}

impl<T> Ring<T> {
    /// Adds one, so that at most `most` are kept; its number.
    pub fn push(&mut self, most: usize, one: T) -> u64 {
        self.kept.push_back(one);
        while self.kept.len() > most.max(1) {
            self.forget();
        }
        self.first + self.kept.len() as u64 - 1
    }

    /// Forgets the oldest.
    pub fn forget(&mut self) -> Option<T> {
        let forgotten = self.kept.pop_front()?;
        self.first += 1;
        Some(forgotten)
    }

    /// One by its number, if it is not forgotten.
    pub fn get(&self, number: u64) -> Option<&T> {
        self.kept.get(self.place(number)?)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let place = self.place(number)?;
        self.kept.get_mut(place)
    }

    fn place(&self, number: u64) -> Option<usize> {
        usize::try_from(number.checked_sub(self.first)?).ok()
    }

    /// The numbers of all that are kept.
    pub fn numbers(&self) -> std::ops::Range<u64> {
        self.first..self.first + self.kept.len() as u64
    }

    /// All that are kept, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.kept.iter()
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.kept.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten_and_numbers_stay() {
        let mut ring = Ring::default();
        let numbers: Vec<_> = ["a", "b", "c"]
            .into_iter()
            .map(|one| ring.push(2, one))
            .collect();
        assert_eq!(numbers, [0, 1, 2]);
        assert_eq!(
            (ring.get(0), ring.get(2), ring.get(3)),
            (None, Some(&"c"), None)
        );
        assert_eq!(ring.numbers(), 1..3);
    }
}
