#!/usr/bin/env bash
# Random games of every kind of chess over UCI, judged by python-chess: moves legal, ended exactly when the rules say, with
# the right result for the right reason. Chess960 has positions beside in which castling and the move after it are written
# alike.
#
#   tests/referee.sh PYTHON [SPAR] [MOVER] [GAMES]
#
# PYTHON has the package chess; MOVER is the example random_mover; 200 games a kind by default.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(realpath -s "$1")
spar=$(realpath "${2:-target/release/spar}")
mover=$(realpath "${3:-target/release/examples/random_mover}")
games=${4:-200}
export NO_COLOR=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Plays GAMES games of a kind between two random movers, openings and options as given, and checks that none was lost by a
# fault.
play() {
  local name=$1 kind=$2 options=$3
  shift 3
  cat > "$work/$name.toml" <<END
name = "$name"
game = "$kind"
[match]
pairs = $((games / 2))
[each]
cmd = "$mover"
limit = "1 nodes"
answer_within = "5s"
[openings]
$(printf '%s\n' "$@")
[[entrant]]
name = "one"
options = { Seed = 1, $options }
[[entrant]]
name = "two"
options = { Seed = 2, $options }
END
  "$spar" --runs "$work/runs" match "$work/$name.toml" > "$work/$name.txt" || { cat "$work/$name.txt" >&2; exit 1; }
  "$spar" --runs "$work/runs" export "match-$name-1" --pgn > "$work/$name.pgn"
}

kinds=(chess chess960 crazyhouse three-check king-of-the-hill atomic antichess horde racing-kings)
for kind in "${kinds[@]}"; do play "$kind" "$kind" "Castle = false" "plies = 0"; done
play castling chess960 "Castle = true" "file = \"$PWD/tests/data/castling-960.epd\""

files=()
for name in "${kinds[@]}"; do files+=("$work/$name.pgn"); done
"$python" tests/python/read_pgn.py --by-the-rules --games "$games" "${files[@]}"
"$python" tests/python/read_pgn.py --by-the-rules --games "$games" --echoes "$((games / 4))" "$work/castling.pgn"
