#!/usr/bin/env bash
# Makes a Debian package in target/debian, by `cargo-deb` (cargo install cargo-deb --locked).
#
#   packaging/deb.sh
#   sudo apt install ./target/debian/spar_*.deb
#   sudo systemctl enable --now spar-serve        the runs in the browser, at http://127.0.0.1:8099/
set -euo pipefail
cd "$(dirname "$0")/.."

command -v cargo-deb >/dev/null || { echo "cargo-deb is missing: cargo install cargo-deb --locked" >&2; exit 3; }
packaging/build.sh
cargo deb --no-build --locked
