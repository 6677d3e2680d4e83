#!/usr/bin/env bash
# Runs the whole suite again and again beside busy loops, and counts the runs that failed: a test that depends on how quick
# the machine is fails here.
#
#     tests/stress.sh [TIMES [THREADS [LOOPS]]]      10 times, 4 tests at once, 8 loops by default
#
# Further words for `cargo test` come from ARGS ("--workspace" by default).
set -euo pipefail
cd "$(dirname "$0")/.."
times=${1:-10} threads=${2:-4} loops=${3:-8}
read -ra args <<<"${ARGS:---workspace}"

cargo test "${args[@]}" --locked --no-run
busy=()
log=$(mktemp)
trap 'kill "${busy[@]}" 2>/dev/null || true; rm -f "$log"' EXIT
for ((loop = 0; loop < loops; loop++)); do
  sh -c 'while :; do :; done' &
  busy+=($!)
done

failed=0
for ((run = 1; run <= times; run++)); do
  began=$SECONDS
  if cargo test "${args[@]}" --locked --no-fail-fast -- --test-threads "$threads" >"$log" 2>&1; then
    printf 'run %s of %s: passed (%s s)\n' "$run" "$times" $((SECONDS - began))
  else
    failed=$((failed + 1))
    printf 'run %s of %s: FAILED (%s s)\n' "$run" "$times" $((SECONDS - began))
    grep -E '^test .*FAILED|^---- .* stdout|panicked at' "$log" || tail -n 30 "$log"
  fi
done
printf '%s of %s runs failed.\n' "$failed" "$times"
[ "$failed" = 0 ]
