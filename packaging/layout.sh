#!/usr/bin/env bash
# Lays out a built program for installation, with man pages, completions, systemd units, guides and configurations.
#
#   packaging/layout.sh PROGRAM PREFIX      PREFIX: `usr` of a Debian package, or ~/.local
#
# PROGRAM needs the feature `man`.
set -euo pipefail
cd "$(dirname "$0")/.."

program=$(realpath "$1") prefix=$2
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$program" package-files "$made" >/dev/null
install -D -m 755 "$program" "$prefix/bin/spar"
install -D -m 644 -t "$prefix/share/man/man1" "$made"/man1/*.1
gzip -9n "$prefix"/share/man/man1/*.1
install -D -m 644 "$made/completions/spar.bash" "$prefix/share/bash-completion/completions/spar"
install -D -m 644 "$made/completions/_spar" "$prefix/share/zsh/vendor-completions/_spar"
install -D -m 644 "$made/completions/spar.fish" "$prefix/share/fish/vendor_completions.d/spar.fish"
install -D -m 644 -t "$prefix/lib/systemd/system" packaging/systemd/*.service
install -D -m 644 -t "$prefix/share/doc/spar" README.md CHANGELOG.md
install -D -m 644 LICENSE "$prefix/share/doc/spar/copyright"
cp -r docs configs "$prefix/share/doc/spar/"
