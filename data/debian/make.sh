#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes a Debian package of a build that was set up with --prefix=/usr. Shared caches (icons, MIME
# types, desktop files, settings) follow by dpkg's triggers, udev looks at its folders by itself:
# there is no maintainer script.
#
#   make.sh BUILD FOLDER      prints the path of the package
set -euo pipefail
export LC_ALL=C.UTF-8
umask 022
build=$(realpath "$1") folder=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
source=$(realpath "$here/../..")
architecture=$(dpkg --print-architecture)
version=$(meson introspect --projectinfo "$build" | jq -r .version)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
DESTDIR=$root meson install -C "$build" --no-rebuild --quiet
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root"/usr/bin/*
find "$root/usr/share/man" -type f -exec gzip -9n {} +

doc=$root/usr/share/doc/armature
mkdir -p "$doc"
cp "$here/copyright" "$source/README.md" "$doc/"
printf 'armature (%s) stable; urgency=medium\n\n  * See README.md.\n\n -- %s  %s\n' "$version" \
  "$(sed -n 's/^Maintainer: //p' "$here/control.in")" "$(date -uRd "@$SOURCE_DATE_EPOCH")" |
  gzip -9n >"$doc/changelog.gz"

# dpkg-shlibdeps wants a source package around it
mkdir "$work/debian"
printf 'Source: armature\n\nPackage: armature\nArchitecture: any\n' >"$work/debian/control"
libraries=$(cd "$work" && dpkg-shlibdeps -O "$root"/usr/bin/* 2>"$work/shlibdeps.log") || {
  cat "$work/shlibdeps.log" >&2
  exit 1
}
size=$(du -sk --apparent-size "$root" | cut -f1)
mkdir "$root/DEBIAN"
sed -e "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$size/" \
  -e "s/@SHLIBS@/${libraries#shlibs:Depends=}/" "$here/control.in" >"$root/DEBIAN/control"
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"

package=$folder/armature_${version}_$architecture.deb
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group --build "$root" "$package" >&2
echo "$package"
