//! The engine for the board game 0.1 (Zero Point One).
