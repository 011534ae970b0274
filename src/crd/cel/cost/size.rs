//! Sizes of values, in characters, bytes, items or entries.

/// A range of possible sizes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Size {
    pub least: u64,
    pub most: u64,
}

impl Size {
    /// The size of a value without limits.
    pub const UNKNOWN: Self = Self {
        least: 0,
        most: u64::MAX,
    };

    /// Returns the range that contains only this size.
    pub fn exactly(size: u64) -> Self {
        Self {
            least: size,
            most: size,
        }
    }

    /// Returns the range from 0 to this size.
    pub fn up_to(most: u64) -> Self {
        Self { least: 0, most }
    }

    /// Returns the size of a value that is one of two.
    pub fn or(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    /// Returns the size of the concatenation of two values.
    pub fn plus(self, other: Self) -> Self {
        Self {
            least: self.least.saturating_add(other.least),
            most: self.most.saturating_add(other.most),
        }
    }

    /// Returns the total size of a number of values, which is given as a size as well.
    pub fn times(self, other: Self) -> Self {
        Self {
            least: self.least.saturating_mul(other.least),
            most: self.most.saturating_mul(other.most),
        }
    }
}

/// Returns the cost of traversing a string of this size.
pub fn traversal(size: u64) -> u64 {
    share(size, 0.1)
}

/// Returns a fraction of a size, rounded up.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rounded and saturated as the API server does"
)]
pub fn share(size: u64, factor: f64) -> u64 {
    (size as f64 * factor).ceil() as u64
}

/// Returns the size of a string in which all occurrences of one part are replaced.
pub fn replaced(whole: Size, from: Size, to: Size) -> Size {
    let most = if from.least == 0 {
        let count = whole.most.saturating_add(1);
        count.saturating_mul(to.most).saturating_add(whole.most)
    } else if to.most <= from.least {
        whole.most
    } else {
        whole.most.div_ceil(from.least).saturating_mul(to.most)
    };
    let least = if from.most == 0 {
        let count = whole.least.saturating_add(1);
        count.saturating_mul(to.least).saturating_add(whole.least)
    } else if from.most <= to.least {
        whole.least
    } else {
        whole.least.div_ceil(from.most).saturating_mul(to.least)
    };
    Size { least, most }
}
