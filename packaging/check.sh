#!/usr/bin/env bash
# Makes the Debian package and installs it into an empty root. Then runs a test and checks a man page from there.
#
#   packaging/check.sh [PROGRAM]
set -euo pipefail
cd "$(dirname "$0")/.."

packaging/deb.sh "$@"
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status"
# The empty root has no C library, so this does not check dependencies.
as_root=$([ "$(id -u)" = 0 ] || echo fakeroot)
$as_root dpkg --root="$root" --force-depends --log=/dev/null --install target/debian/spar_*.deb
[ "$(dpkg-query --root="$root" -W -f='${Status}' spar)" = "install ok installed" ]
"$root/usr/bin/spar" --runs "$root/runs" sprt "$root/usr/share/doc/spar/configs/sprt.toml"
zcat "$root/usr/share/man/man1/spar-sprt.1.gz" | grep -q '^\.TH'
for unit in spar-serve spar-worker; do [ -s "$root/usr/lib/systemd/system/$unit.service" ]; done
