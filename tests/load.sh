#!/usr/bin/env bash
# Plays a match at 1 s + 10 ms while twice as many busy loops run as there are processors, and fails if an engine lost on
# time that the host is not to blame for: then starvation goes unnoticed, or spar itself is late.
#
#     tests/load.sh [GAMES]      20 games by default, about 40 s on two processors
#
# SPAR is the program to test (target/release/spar by default), ENGINE the engine that plays itself (stockfish).
set -euo pipefail
spar=$(realpath "${SPAR:-$(dirname "$0")/../target/release/spar}")
engine=$(PATH=$PATH:/usr/games command -v "${ENGINE:-stockfish}")
pairs=$(((${1:-20} + 1) / 2))
processors=$(nproc)

folder=$(mktemp -d)
loops=()
finish() {
  kill "${loops[@]}" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
for ((loop = 0; loop < 2 * processors; loop++)); do
  sh -c 'while :; do :; done' &
  loops+=($!)
done

cat >"$folder/load.toml" <<END
game = "chess"
concurrency = $processors
[match]
pairs = $pairs
[each]
cmd = "$engine"
limit = "1s+10ms"
options = { Hash = 16, Threads = 1 }
[[entrant]]
name = "one"
[[entrant]]
name = "two"
END
cd "$folder"
"$spar" match load.toml
faults=$("$spar" show match-load-1 --faults --json)
blamed=$(grep -c '"excused": false' <<<"$faults" || true)
excused=$(grep -c '"excused": true' <<<"$faults" || true)
echo "$((2 * pairs)) games: $excused lost on time because the host starved an engine, $blamed for another reason"
if ((blamed > 0)); then
  "$spar" show match-load-1 --faults
  exit 1
fi
