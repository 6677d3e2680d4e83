#!/usr/bin/env bash
# Builds what packages hold: the program with all features for every x86-64 processor since 2009 (x86-64-v2), its man
# pages and its completion scripts, into target/package. The 0.1 engine's evaluation looks for AVX2 when it starts.
#
#   packaging/build.sh
set -euo pipefail
cd "$(dirname "$0")/.."

features=bundle,fleet,man,png,serve
# The environment wins over `target-cpu=native` in .cargo/config.toml.
case "$(uname -m)" in
  x86_64) export RUSTFLAGS="-C target-cpu=x86-64-v2" ;;
  *) export RUSTFLAGS="" ;;
esac
cargo build --release --locked --features "$features"
rm -rf target/package
target/release/spar package-files target/package
