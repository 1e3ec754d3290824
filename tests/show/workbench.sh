#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Lines 5.1 and 5.4 to 5.8: clicks, start, a technician's days, pictures, languages, the package.
#
#   workbench.sh clicks|start|flows|screens|languages|package
set -uo pipefail
build=${BUILD:?}
bad=0

# show LINE WHAT MEASURED TARGET STATUS
show() {
  local verdict=PASS
  if (($5)); then verdict=FAIL bad=1; fi
  echo "SHOW $1 $2 measured=$3 target=$4 $verdict"
}

flows() {
  local day log
  log=$(mktemp)
  for day in calibration calibration_german_dark stops reopen cable; do
    meson test -C "$build" --no-rebuild --timeout-multiplier 3 "technician_$day" >"$log" 2>&1
    show 5.5 "a technician's day, ${day//_/ }" "$(awk '/technician_/ { print $5, $6; exit }' "$log")" \
      "exit 0" "$(grep -q '^Ok: *1' "$log"; echo $?)"
  done
  rm -f "$log"
}

screens() {
  local shots=$build/tests/ui/screens size count
  rm -rf "$shots"
  meson test -C "$build" --no-rebuild --timeout-multiplier 3 screens >/dev/null 2>&1
  for size in 1280x800 1920x1080; do
    count=$(find "$shots" -name "*-$size-*.png" -exec identify -format '%wx%h\n' {} + 2>/dev/null |
      grep -c "^$size\$")
    show 5.6 "pictures of pages at $size, light and dark" "$count" 14 "$((count != 14))"
  done
}

# As dpkg and its trigger leave it, but in a folder.
first_frame_of_package() {
  local root
  root=$(mktemp -d)
  dpkg-deb -x "$1" "$root" && glib-compile-schemas "$root/usr/share/glib-2.0/schemas" &&
    tests/ui/with_display.sh "$root/usr/bin/armature" --benchmark-start | grep '^first frame'
  rm -rf "$root"
}

package() {
  local deb names missing='' name depends frame installed
  deb=$(./dev package 2>/dev/null | tail -n 1)
  names=$(dpkg-deb --fsys-tarfile "${deb:-none}" 2>/dev/null | tar -t)
  for name in usr/bin/armature usr/lib/udev/rules.d/70-armature.rules \
    usr/share/applications/org.armature.Armature.desktop usr/share/man/man1/armature.1.gz \
    usr/share/mime/packages/org.armature.Armature.xml \
    usr/share/metainfo/org.armature.Armature.metainfo.xml \
    usr/share/glib-2.0/schemas/org.armature.Armature.gschema.xml \
    usr/share/locale/de/LC_MESSAGES/armature.mo \
    usr/share/icons/hicolor/scalable/apps/org.armature.Armature.svg; do
    grep -qx "\./$name" <<<"$names" || missing+=" $name"
  done
  show 5.8 "the Debian package lacks" "${missing:-nothing}" nothing "${#missing}"
  depends=$(dpkg-deb -f "${deb:-none}" Depends 2>/dev/null | grep -c plplot-driver-cairo)
  show 5.8 "it depends on the cairo driver of PLplot" "$depends" 1 "$((depends != 1))"
  frame=$(first_frame_of_package "${deb:-none}" 2>/dev/null)
  show 5.8 "the packaged workbench starts" "${frame:-not}" "first frame" "$((${#frame} == 0))"
  installed=$(bash tests/lint/install.sh "$PWD" "$build" 2>/dev/null | grep -c '^ok ')
  show 5.8 "meson install, start, uninstall, nothing left" "$installed of 6" "6 of 6" \
    "$((installed != 6))"
}

# What the window's one button needs up to a validated fit, then Export and Save.
clicks() {
  local seen
  seen=$(LC_ALL=C.UTF-8 GTK_A11Y=test ARMATURE_SOURCE=$PWD tests/ui/with_display.sh \
    "$build/tests/ui/test_ui_frame" --tap -p /ui/frame/clicks 2>/dev/null |
    awk '/^# [0-9]+ clicks/ { n = $2 } /^ok / { ok = 1 } END { print ok ? n + 2 : "none" }')
  show 5.1 "clicks from the start to an exported, validated parameter file" "$seen" "<= 6" \
    "$([[ $seen =~ ^[1-6]$ ]]; echo $?)"
}

start() {
  tests/bench/start.sh "$build/src/ui/armature" || bad=1
}

languages() {
  local name log untold all passed
  log=$(mktemp)
  for name in de fr zh_TW ja; do
    untold=$(LC_ALL=C msgfmt --statistics -o /dev/null "po/$name.po" 2>&1)
    show 5.7 "$name" "${untold%.}" "0 fuzzy, 0 untranslated" \
      "$(grep -Eqv 'fuzzy|untranslated' <<<"$untold"; echo $?)"
  done
  meson test -C "$build" --no-rebuild --timeout-multiplier 3 --suite l10n >"$log" 2>&1
  all=$(meson test -C "$build" --list --suite l10n 2>/dev/null | grep -c ' / ')
  passed=$(awk '/^Ok:/ { print $2 }' "$log")
  show 5.7 "every string, glossary, label and number, moving, pseudo and right to left too" \
    "$passed of $all" "$all of $all" "$((${passed:-0} != all || all == 0))"
  rm -f "$log"
}

case ${1:-} in
clicks) clicks ;;
start) start ;;
languages) languages ;;
flows) flows ;;
screens) screens ;;
package) package ;;
*) exit 2 ;;
esac
exit "$bad"
