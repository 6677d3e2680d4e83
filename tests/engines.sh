#!/usr/bin/env bash
# Matches between real engines, and what is made of them: a second opinion on the PGN, and reports in a browser.
#
#   tests/engines.sh [FOLDER]
#
# Needs stockfish, fairy-stockfish, sjeng, fairymax, gnuchess, chromium-headless-shell and python3 of Debian, target/release/zeropoint, and in the
# folder (target/debug by default) spar and examples/random_mover, as `cargo test --no-run` builds them.
set -euo pipefail
cd "$(dirname "$0")/.."

built=$(realpath "${1:-target/debug}")
spar=$built/spar
export PATH="$PATH:/usr/games" NO_COLOR=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
runs="$work/runs"

step() { printf '\n-- %s\n' "$*"; }
# The name of the only run of this kind and name.
run_of() { basename "$(echo "$runs/$1"-*)"; }

step "each engine keeps to its protocol"
# Most of a check is waiting, so all run at once.
checks=() of=()
check() {
  "$spar" check "$@" > "$work/check-${#checks[@]}.txt" 2>&1 &
  checks+=($!) of+=("$*")
}
for engine in stockfish fairy-stockfish; do check "$engine" --option Hash=1; done
for engine in sjeng fairymax gnuchess; do check "$engine" --protocol xboard; done
check target/release/zeropoint --game 0.1
check target/release/zeropoint --game 0.1 --protocol codecup
failed=0 unjudged=()
for index in "${!checks[@]}"; do
  code=0
  wait "${checks[$index]}" || code=$?
  cat "$work/check-$index.txt"
  # 4: the host was too busy to tell whether the engine is in time.
  case $code in 0) ;; 4) unjudged+=("${of[$index]}") ;; *) failed=1 ;; esac
done
[ "$failed" = 0 ]
for words in ${unjudged[@]+"${unjudged[@]}"}; do
  echo "flaky: \`spar check $words\` is tried once more, alone"
  # No option of a check has a space.
  # shellcheck disable=SC2086
  "$spar" check $words || [ $? -eq 4 ]
done

step "Stockfish with 400 against 200 nodes: a test that passes"
"$spar" --runs "$runs" sprt configs/uci.toml
step "chess, Chess960, crazyhouse between UCI and XBoard, CodeCup"
"$spar" --runs "$runs" match configs/uci.toml --set match.pairs=10
"$spar" --runs "$runs" match configs/chess960.toml --set match.pairs=4
"$spar" --runs "$runs" match configs/crazyhouse.toml
"$spar" --runs "$runs" match configs/codecup.toml
step "XBoard engines of three kinds against Stockfish"
# GNU Chess does not keep to a depth, and Sjeng not to parts of a second.
limits=("sjeng depth=3" "fairymax depth=3" "gnuchess st=0.2")
for limit in "${limits[@]}"; do
  engine=${limit% *}
  "$spar" --runs "$runs" match --engine cmd=stockfish depth=2 option.Hash=1 \
    --engine "cmd=$engine" proto=xboard "${limit#* }" timemargin=500 --plies 4 --pairs 2 --name "$engine"
done
step "five engines over each schedule"
for schedule in gauntlet round-robin pyramid swiss knockout; do
  "$spar" --runs "$runs" match configs/debian.toml --schedule "$schedule" --name "debian-$schedule"
done
step "a league of six is stopped, a seventh joins, and it continues"
# Runs the league of a file until as many entrants as given have played.
league() {
  "$spar" --runs "$runs" league "$1" --concurrency 2 &
  local pid=$!
  until "$spar" --runs "$runs" league "$1" --show --json 2>/dev/null |
    python3 -c 'import json, sys; sys.exit(sum(row["played"] for row in json.load(sys.stdin)["entrants"]) < int(sys.argv[1]))' "$2" 2>/dev/null
  do
    kill -0 "$pid"
    sleep 1
  done
  kill -TERM "$pid"
  wait "$pid" || [ $? -eq 130 ]
}
cp configs/debian.toml "$work/debian.toml"
league "$work/debian.toml" 6
printf '\n[[entrant]]\nname = "newcomer"\ncmd = "fairy-stockfish"\nlimit = "depth 3"\n' >> "$work/debian.toml"
league "$work/debian.toml" 7
# By the file without it, the newcomer is gone, and is rated all the same.
"$spar" --runs "$runs" league configs/debian.toml --show
"$spar" --runs "$runs" league configs/debian.toml --show --json |
  python3 -c 'import json, sys
league = json.load(sys.stdin)
rows = {row["name"]: row for row in league["entrants"]}
assert len(rows) == 7 and all(row["played"] for row in rows.values()), rows
assert [name for name, row in rows.items() if not row["current"]] == ["newcomer"], rows
assert len(league["runs"]) == 2 and rows["newcomer"]["pairs"] >= 1, league'
for run in "$runs"/match-* "$runs"/ladder-league-*; do
  "$spar" --runs "$runs" show "$(basename "$run")" --json |
    python3 -c 'import json, sys; run = json.load(sys.stdin); sys.exit(run["faults"] != run["excused"])' ||
    { echo "$run: an engine lost by a fault of its own" >&2; "$spar" show "$run" --faults >&2; exit 1; }
done

step "UCI options are tuned"
"$spar" --runs "$runs" tune configs/tune-uci.toml --set tune.pairs=60 --set tune.verify.max_pairs=40 || [ $? -eq 4 ]

step "python-chess reads the games"
# CI has made one with more packages; it stays where it is, for it knows its place.
python=target/python
if ! "$python/bin/python" -c 'import chess' 2>/dev/null; then
  python=$work/python
  python3 -m venv "$python"
  "$python/bin/pip" --quiet --disable-pip-version-check install chess==1.11.2
fi
for name in stockfish-nodes chess960 crazyhouse sjeng fairymax gnuchess; do
  "$spar" --runs "$runs" export "$(run_of "match-$name")" --pgn > "$work/$name.pgn"
done
"$python/bin/python" tests/python/read_pgn.py "$work"/*.pgn

step "random games of all kinds, judged by python-chess"
tests/referee.sh "$python/bin/python" "$spar" "$built/examples/random_mover"

step "reports in a browser"
"$spar" --runs "$runs" sprt configs/sprt.toml --set sprt.max_pairs=100 || [ $? -eq 4 ]
"$spar" --runs "$runs" tune configs/tune.toml --set tune.pairs=200 --set tune.verify.enabled=false
"$spar" --runs "$runs" ladder configs/ladder.toml --set ladder.pairs=128
pages=()
for run in "$(run_of match-stockfish-nodes)" "$(run_of match-crazyhouse)" "$(run_of sprt-quiet-checks)" \
  "$(run_of ladder-evaluations)" "$(run_of tune-published)"; do
  "$spar" --runs "$runs" report "$run"
  pages+=("$runs/$run/report.html")
done
tests/browser/check_report.py "${pages[@]}"
