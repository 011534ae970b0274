//! A bounded list.

use std::collections::VecDeque;

/// Maximum number of log lines, of requests and of reconciles.
pub const KEPT: usize = 5000;

/// A queue of numbered items that drops the oldest ones. Numbers start at 0 and are never reused.
#[derive(Debug)]
pub struct BoundedList<T> {
    /// The number of the oldest stored item.
    first: u64,
    kept: VecDeque<T>,
}

impl<T> Default for BoundedList<T> {
    fn default() -> Self {
        Self {
            first: 0,
            kept: VecDeque::new(),
        }
    }
}

impl<T> BoundedList<T> {
    /// Appends an item and returns its number. Drops the oldest items to keep at most `most`.
    pub fn push(&mut self, most: usize, one: T) -> u64 {
        self.kept.push_back(one);
        while self.kept.len() > most.max(1) {
            self.forget();
        }
        self.first + self.kept.len() as u64 - 1
    }

    /// Removes and returns the oldest item.
    pub fn forget(&mut self) -> Option<T> {
        let forgotten = self.kept.pop_front()?;
        self.first += 1;
        Some(forgotten)
    }

    /// Returns an item by its number; `None` if it was dropped.
    pub fn get(&self, number: u64) -> Option<&T> {
        self.kept.get(self.index(number)?)
    }

    /// Returns an item by its number for modification.
    pub fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let index = self.index(number)?;
        self.kept.get_mut(index)
    }

    /// Returns the index of a number in `kept`; `None` if it was dropped.
    fn index(&self, number: u64) -> Option<usize> {
        usize::try_from(number.checked_sub(self.first)?).ok()
    }

    /// Returns the numbers of all stored items.
    pub fn numbers(&self) -> std::ops::Range<u64> {
        self.first..self.first + self.kept.len() as u64
    }

    /// Returns all stored items, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.kept.iter()
    }

    /// Returns the number of stored items.
    pub fn len(&self) -> usize {
        self.kept.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_items_are_dropped_and_numbers_stay() {
        let mut ring = BoundedList::default();
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
