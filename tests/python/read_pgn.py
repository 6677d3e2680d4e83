#!/usr/bin/env python3
"""Reads PGN files with python-chess and checks every game by other people's rules.

Usage: read_pgn.py FILE...    (needs: pip install chess)

Each game is replayed on the board its Variant and FEN tags ask for: every move must be legal, PlyCount must agree, and
after a normal termination the final position must give the result, for the reason that the last comment tells. Prints what
was read; any problem is printed and makes the exit status 1.
"""

import sys

import chess.pgn

# What the last comment says, and how python-chess puts it. Draws are checked without a claim's being made.
DRAWS = {
    "Draw by 3-fold repetition": lambda board: board.is_repetition(3),
    "Draw by fifty moves rule": lambda board: board.halfmove_clock >= 100,
    "Draw by stalemate": lambda board: board.is_stalemate(),
    "Draw by insufficient mating material": lambda board: board.is_insufficient_material(),
    "Draw by the rules of the variant": lambda board: board.is_variant_draw(),
}


def normal_ending(board, result, comment):
    """What is wrong with a normal termination, if anything."""
    if result == "1/2-1/2":
        for words, holds in DRAWS.items():
            if comment.endswith(words):
                return None if holds(board) else f"the position does not agree: {words}"
        return f"a draw for no known reason: {comment!r}"
    if comment.endswith(" resigns"):
        loser = "Black" if result == "1-0" else "White"
        if not comment.split(", ")[-1].startswith(loser):
            return f"the winner resigned: {comment!r}"
        return "a resignation after the game was over" if board.is_game_over() else None
    # The result by the board alone: mate or the variant's own end.
    if board.result() != result:
        return f"the position says {board.result()}"
    winner = "White" if result == "1-0" else "Black"
    if not comment.split(", ")[-1].startswith(winner):
        return f"the last comment does not name the winner: {comment!r}"
    if comment.endswith("mates") and not board.is_checkmate():
        return "no mate on the board"
    return None


def problems(game):
    """Everything wrong with one game."""
    for error in game.errors:
        yield f"python-chess: {error}"
    headers = game.headers
    board = game.board()
    plies = 0
    node = game
    while node.variations:
        node = node.variation(0)
        if node.move not in board.legal_moves:
            yield f"ply {plies + 1}, {node.move}, is illegal in {board.fen()}"
            return
        if board.is_repetition(3) or board.halfmove_clock >= 100 or board.is_insufficient_material():
            yield f"the game went on though it was drawn after ply {plies}, in {board.fen()}"
            return
        board.push(node.move)
        plies += 1
    if headers.get("PlyCount") != str(plies):
        yield f"PlyCount is {headers.get('PlyCount')}, plies are {plies}"
    if headers["Result"] not in ("1-0", "0-1", "1/2-1/2"):
        yield f"Result is {headers['Result']}"
    if headers.get("Termination") == "normal":
        wrong = normal_ending(board, headers["Result"], " ".join(node.comment.split()))
        if wrong:
            yield f"{wrong}, in {board.fen()}"


def read(path):
    """Reads a file; returns how many games it has and how many problems were found."""
    games, found = 0, 0
    with open(path, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            games += 1
            for problem in problems(game):
                found += 1
                print(f"{path}: game {games} (round {game.headers.get('Round')}): {problem}")
    return games, found


def main(paths):
    if not paths:
        sys.exit("expected PGN files")
    failed = False
    for path in paths:
        games, found = read(path)
        print(f"{path}: {games} games, {found} problems")
        failed |= found > 0 or games == 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
