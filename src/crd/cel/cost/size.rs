//! Sizes of values: characters, bytes, items or entries.

/// The least and the most that a size can be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Size {
    pub least: u64,
    pub most: u64,
}

impl Size {
    /// A size that nothing bounds.
    pub const UNKNOWN: Self = Self {
        least: 0,
        most: u64::MAX,
    };

    /// One size.
    pub fn exactly(size: u64) -> Self {
        Self {
            least: size,
            most: size,
        }
    }

    /// At most a size.
    pub fn up_to(most: u64) -> Self {
        Self { least: 0, most }
    }

    /// That of one of two values.
    pub fn or(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    /// That of two values behind each other.
    pub fn plus(self, other: Self) -> Self {
        Self {
            least: self.least.saturating_add(other.least),
            most: self.most.saturating_add(other.most),
        }
    }

    /// That of as many values as another size says.
    pub fn times(self, other: Self) -> Self {
        Self {
            least: self.least.saturating_mul(other.least),
            most: self.most.saturating_mul(other.most),
        }
    }
}

/// The cost of reading a text of a size.
pub fn traversal(size: u64) -> u64 {
    share(size, 0.1)
}

/// A part of a size, rounded up.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rounded and saturated as the API server does"
)]
pub fn share(size: u64, factor: f64) -> u64 {
    (size as f64 * factor).ceil() as u64
}

/// The size of a text in which one part is replaced by another wherever it occurs.
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
