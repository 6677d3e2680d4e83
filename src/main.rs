//! The command line of spar: parses, wires and shows progress.

fn main() {}
