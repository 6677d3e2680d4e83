#!/usr/bin/env bash
# Builds the program of the packages, target/release/spar, with all features. It runs on every x86-64 processor since 2009
# (x86-64-v2). The 0.1 engine's evaluation detects AVX2 when it starts.
#
#   packaging/build.sh
set -euo pipefail
cd "$(dirname "$0")/.."

# The environment overrides `target-cpu=native` in .cargo/config.toml.
case "$(uname -m)" in
  x86_64) export RUSTFLAGS="-C target-cpu=x86-64-v2" ;;
  *) export RUSTFLAGS="" ;;
esac
cargo build --release --locked --features bundle,fleet,man,png,serve
