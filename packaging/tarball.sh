#!/usr/bin/env bash
# Makes target/spar-VERSION-MACHINE-linux.tar.gz with the program, man pages, completions, guides and systemd units.
#
#   packaging/tarball.sh [PROGRAM]          default: the program that packaging/build.sh builds
#   tar -xzf spar-*.tar.gz -C ~/.local --strip-components 1
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || packaging/build.sh
program=${1:-target/release/spar}
name=spar-$("$program" --version | cut -d ' ' -f 2)-$(uname -m)-linux
rm -rf "target/$name"
packaging/layout.sh "$program" "target/$name"
# The same files give the same archive, because owners, order and times are fixed.
time=$(git log -1 --format=%ct 2>/dev/null || echo 0)
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" -C target -cf - "$name" | gzip -n > "target/$name.tar.gz"
echo "wrote target/$name.tar.gz"
