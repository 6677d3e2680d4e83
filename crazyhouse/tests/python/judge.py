#!/usr/bin/env python3
"""Plays games of the engine of crazyhouse against random moves, with python-chess as the referee.

    judge.py ENGINE NETWORK GAMES NODES

python-chess has rules of its own: it refuses an illegal move of the engine, and a move in a game that is over. Each game
begins with random plies. Prints how the games ended; any problem makes the exit status 1.
"""

import collections
import random
import sys

import chess.engine
import chess.variant

LONGEST = 300


def game(engine, rng, number, nodes):
    """Plays a game; returns how it ended."""
    board = chess.variant.CrazyhouseBoard()
    for _ in range(rng.randrange(12)):
        if not board.is_game_over():
            board.push(rng.choice(list(board.legal_moves)))
    engine_is_white = number % 2 == 0
    while not board.is_game_over() and len(board.move_stack) < LONGEST:
        if (board.turn == chess.WHITE) == engine_is_white:
            answer = engine.play(board, chess.engine.Limit(nodes=nodes), game=number, info=chess.engine.INFO_ALL)
            line = answer.info.get("pv", [])
            assert not line or line[0] == answer.move, f"{answer.move} is not the first of {line}"
            after = board.copy()
            for move in line:
                assert move in after.legal_moves, f"{move} of the variation is illegal in {after.fen()}"
                after.push(move)
            board.push(answer.move)
        else:
            board.push(rng.choice(list(board.legal_moves)))
    outcome = board.outcome()
    if outcome is None:
        return "unfinished"
    if outcome.winner is None:
        return "drawn"
    return "won" if (outcome.winner == chess.WHITE) == engine_is_white else "lost"


def main():
    program, network, games, nodes = sys.argv[1:]
    rng = random.Random(1)
    ends = collections.Counter()
    with chess.engine.SimpleEngine.popen_uci([program, "--network", network], timeout=60) as engine:
        for number in range(int(games)):
            ends[game(engine, rng, number, int(nodes))] += 1
    print(", ".join(f"{count} {end}" for end, count in sorted(ends.items())))
    assert ends["won"] > ends["lost"], "it should beat random moves"


if __name__ == "__main__":
    main()
