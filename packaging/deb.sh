#!/usr/bin/env bash
# Makes target/debian/spar_VERSION_ARCHITECTURE.deb with `dpkg-deb`.
#
#   packaging/deb.sh [PROGRAM]              default: the program that packaging/build.sh builds
#   sudo apt install ./target/debian/spar_*.deb
#   sudo systemctl enable --now spar-serve  shows runs in the browser, at http://127.0.0.1:8099/
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || packaging/build.sh
program=${1:-target/release/spar}
version=$("$program" --version | cut -d ' ' -f 2)
architecture=$(dpkg --print-architecture)
# The oldest C library that has all functions of the program.
libc=$(objdump -T "$program" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
root=target/debian/spar
rm -rf "$root"
packaging/layout.sh "$program" "$root/usr"
mkdir "$root/DEBIAN"
cat > "$root/DEBIAN/control" <<END
Package: spar
Version: $version
Architecture: $architecture
Maintainer: the spar authors <spar@localhost>
Section: games
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Depends: libc6 (>= ${libc#GLIBC_}), libgcc-s1
Recommends: git
Suggests: stockfish, nats-server
Description: match testing and tuning for game engines
 Plays engines against each other and decides with as few games as possible:
 sequential tests of patches, tuning of parameters, Elo curves of releases.
 Runs survive crashes and are reproducible.
END
dpkg-deb --root-owner-group -Zgzip --build "$root" "target/debian/spar_${version}_$architecture.deb"
