//! Match statistics: counts in, numbers out. No I/O.
