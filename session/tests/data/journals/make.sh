#!/usr/bin/env bash
# Plays the runs beside this script again, with the program `spar` that is given, and packs their journals for the tests that damage
# them: after a change of what journals hold.
#
#     session/tests/data/journals/make.sh target/debug/spar
set -euo pipefail
spar=$(realpath "${1:?which spar?}")
cd "$(dirname "$0")"
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
for configuration in match:match sprt:sprt tune:tune chess:match; do
  name=${configuration%:*} job=${configuration#*:}
  code=0
  # 1 and 4: so few pairs decide nothing, or for the wrong side.
  "$spar" --runs "$runs" "$job" "$name.toml" >/dev/null 2>&1 || code=$?
  [[ "$code" = [014] ]] || { echo "$name.toml: spar ended with code $code" >&2; exit 1; }
  zstd -q -19 --force "$runs/$job-$name-1/journal.sqlite" -o "$name.sqlite.zst"
done
