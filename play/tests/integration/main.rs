//! Tests of single games, players and the formats that they read, through play's public interface.

mod book;
mod chess;
mod chess_book;
mod child;
mod dialogues;
mod endgames;
mod pgn;
mod protocol;
mod referee;
mod scripted;
