//! Small boards side by side, each with a caption: positions to look at, not to step through.

use crate::board::Board;
use crate::html::plain;
use maud::{Markup, html};

/// The width of a square in units of the drawing.
const CELL: usize = 20;
/// The space for the labels of rows and columns.
const EDGE: usize = 14;

/// A position and its caption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The position's text.
    pub position: String,
    /// The title of the diagram.
    pub title: String,
    /// The text below the title.
    pub says: String,
}

/// The boards; leaves out positions that cannot be drawn.
pub(crate) fn drawn(diagrams: &[Diagram]) -> Markup {
    html! {
        div.diagrams {
            @for diagram in diagrams {
                @if let Some(board) = Board::of_text(&diagram.position) {
                    "\n" figure.diagram {
                        (svg(&board, &diagram.title))
                        figcaption { strong { (plain(&diagram.title)) } br; (plain(&diagram.says)) }
                    }
                }
            }
        }
        "\n"
    }
}

fn svg(board: &Board, title: &str) -> Markup {
    let (columns, rows) = (board.columns.len(), board.rows.len());
    let (width, height) = (EDGE + columns * CELL, rows * CELL + EDGE);
    let row = |square: usize| square / columns;
    let (x, y) = (|square: usize| EDGE + square % columns * CELL, |square: usize| row(square) * CELL);
    html! {
        svg viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(plain(title)) {
            @for (square, piece) in board.squares.iter().enumerate() {
                @let shade = if (square % columns + row(square)) % 2 == 0 { "light" } else { "dark" };
                rect x=(x(square)) y=(y(square)) width=(CELL) height=(CELL) fill={ "var(--" (shade) ")" } {}
                @if let Some(letter) = piece {
                    @let colour = if letter.is_uppercase() { "#b3261e" } else { "#1f4e9e" };
                    circle cx=(x(square) + CELL / 2) cy=(y(square) + CELL / 2) r=(CELL * 2 / 5) fill=(colour)
                        stroke="#fff" {}
                    text x=(x(square) + CELL / 2) y=(y(square) + CELL / 2) fill="#fff" font-size="11" font-weight="600"
                        text-anchor="middle" dominant-baseline="central" { (letter.to_uppercase()) }
                }
            }
            @for (index, label) in board.rows.iter().enumerate() {
                text x=(EDGE / 2) y=(index * CELL + CELL / 2) class="label" { (plain(label)) }
            }
            @for (index, label) in board.columns.iter().enumerate() {
                text x=(EDGE + index * CELL + CELL / 2) y=(rows * CELL + EDGE / 2) class="label" { (plain(label)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_drawn_with_their_captions() {
        let diagram =
            |position: &str| Diagram { position: position.to_owned(), title: "<1>".to_owned(), says: "a".to_owned() };
        let whole = diagram("AFADDAAD/AAADAFWN/......../......../......../......../nwfadaaa/daaddafa - r 2");
        let drawn = drawn(&[whole, diagram("nonsense")]).into_string();
        let counted = ["<figure", "</rect>", "</circle>"].map(|tag| drawn.matches(tag).count());
        assert_eq!(counted, [1, 64, 32]);
        assert!(drawn.contains("&lt;1&gt;") && !drawn.contains("<1>"), "{drawn}");
    }
}
