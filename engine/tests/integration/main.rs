//! Tests of the engine through its public interface, its protocols and its program.

mod dialogues;
mod evaluation;
mod fuzz;
mod mcts;
mod naive;
mod other_game;
mod perft;
mod program;
mod protocol;
mod random_games;
mod search;
mod texts;
mod threads;
mod vectors;
mod walks;
