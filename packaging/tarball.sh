#!/usr/bin/env bash
# Makes target/spar-VERSION-MACHINE-linux.tar.gz: the program, man pages, completions, guides, systemd units.
#
#   packaging/tarball.sh
#   tar -xzf spar-*.tar.gz -C ~/.local --strip-components 1
set -euo pipefail
cd "$(dirname "$0")/.."

packaging/build.sh
version=$(cargo metadata --locked --no-deps --format-version 1 |
  sed -n 's/.*"name":"spar","version":"\([^"]*\)".*/\1/p')
[ -n "$version" ] || { echo "cargo metadata does not tell the version" >&2; exit 3; }
name=spar-$version-$(uname -m)-linux
root=target/$name
rm -rf "$root"
install -D -m 755 target/release/spar "$root/bin/spar"
install -D -m 644 -t "$root/share/man/man1" target/package/man1/*.1
install -D -m 644 target/package/completions/spar.bash "$root/share/bash-completion/completions/spar"
install -D -m 644 target/package/completions/_spar "$root/share/zsh/site-functions/_spar"
install -D -m 644 target/package/completions/spar.fish "$root/share/fish/vendor_completions.d/spar.fish"
install -D -m 644 -t "$root/share/doc/spar" README.md CHANGELOG.md LICENSE
install -D -m 644 -t "$root/lib/systemd/user" packaging/systemd/*.service
cp -r docs configs "$root/share/doc/spar/"
# The same files give the same archive: owners, order and times are fixed.
time=$(git log -1 --format=%ct 2>/dev/null || echo 0)
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" -C target -cf - "$name" | gzip -n > "target/$name.tar.gz"
echo "wrote target/$name.tar.gz"
