#!/usr/bin/env python3
"""Reads PGN files with python-chess and checks every game by other people's rules.

Needs python-chess; `--help` tells the options.

Each game is replayed on the board its Variant and FEN tags ask for: every move must be legal and be made before the
game was over, PlyCount must agree, and after a normal termination the final position must give the result, for the
reason that the last comment tells. With --by-the-rules every game must have ended so. Prints what was read, and how
often a castling was followed by the same move once more; any problem is printed and makes the exit status 1.
"""

import argparse
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
    # A variant's own end goes first, and leaves no moves either.
    mated = board.is_checkmate() and not board.is_variant_end()
    if comment.endswith("mates") != mated:
        return f"mate on the board: {mated}, told: {comment!r}"
    return None


def over(board):
    """Whether the rules end the game here, claims not needed."""
    drawn = board.is_repetition(3) or board.halfmove_clock >= 100
    return drawn or board.is_insufficient_material() or board.is_variant_end()


def problems(game, by_the_rules):
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
        if over(board):
            yield f"the game went on though it was over after ply {plies}, in {board.fen()}"
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
    elif by_the_rules:
        yield f"Termination is {headers.get('Termination')}, in {board.fen()}"


def echoes(game):
    """How many castlings were followed by the same player's same move, as Chess960 writes moves."""
    moves = list(game.mainline_moves())
    board, count = game.board(), 0
    for ply, move in enumerate(moves):
        count += board.is_castling(move) and moves[ply + 2 : ply + 3] == [move]
        board.push(move)
    return count


def read(path, by_the_rules):
    """Reads a file; returns how many games, problems, and echoes of castlings it has."""
    games, found, echoed = 0, 0, 0
    with open(path, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            games += 1
            before = found
            for problem in problems(game, by_the_rules):
                found += 1
                print(f"{path}: game {games} (round {game.headers.get('Round')}): {problem}")
            if found == before:
                echoed += echoes(game)
    return games, found, echoed


def main():
    parser = argparse.ArgumentParser(description="Checks the games of PGN files by other people's rules.")
    parser.add_argument("--by-the-rules", action="store_true", help="every game must have ended by the rules")
    parser.add_argument("--games", type=int, help="how many games each file must have")
    parser.add_argument("--echoes", type=int, default=0, help="how many castlings at least must be followed by the same move")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    failed, echoed = False, 0
    for path in arguments.files:
        games, found, here = read(path, arguments.by_the_rules)
        echoed += here
        print(f"{path}: {games} games, {found} problems, {here} castlings followed by the same move")
        failed |= found > 0 or games != (arguments.games or games) or games == 0
    if echoed < arguments.echoes:
        print(f"{echoed} castlings were followed by the same move, expected {arguments.echoes} at least")
        failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
