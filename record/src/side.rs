//! The two sides of a game.

use serde::{Deserialize, Serialize};
use std::ops::{Index, IndexMut, Not};

/// One of the two seats of a game: the first and the second mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The first mover.
    First,
    /// The second mover.
    Second,
}

impl Not for Side {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// One value for each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BySide<T> {
    /// The first mover's.
    pub first: T,
    /// The second mover's.
    pub second: T,
}

impl<T> Index<Side> for BySide<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::First => &self.first,
            Side::Second => &self.second,
        }
    }
}

impl<T> IndexMut<Side> for BySide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::First => &mut self.first,
            Side::Second => &mut self.second,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_index_and_negate() {
        let mut by = BySide { first: 1, second: 2 };
        by[Side::Second] += by[!Side::Second];
        assert_eq!(by, BySide { first: 1, second: 3 });
    }
}
