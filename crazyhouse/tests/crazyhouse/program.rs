//! The program over UCI.
