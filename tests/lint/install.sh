#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is built is installed, works where it is installed, and is gone after being uninstalled.
#
#   install.sh SOURCE BUILD
set -uo pipefail
export LC_ALL=C
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root number=0 bad=0

# result STATUS NAME [WHY]
result() {
  number=$((number + 1))
  if (($1 == 0)); then
    echo "ok $number - $2"
  else
    echo "not ok $number - $2"
    echo "# ${3//$'\n'/$'\n# '}"
    bad=1
  fi
}

DESTDIR=$root meson install -C "$build" --no-rebuild --quiet >"$work/log" 2>&1
result $? "meson install" "$(tail -n 5 "$work/log")"
program=$(find "$root" -path '*/bin/armature-cli')
prefix=${program%/bin/armature-cli}

wanted=(bin/armature-cli bin/armature-sim share/man/man1/armature-cli.1 share/man/man1/armature-sim.1
  share/bash-completion/completions/armature-cli share/armature/arm.schema.json
  lib/udev/rules.d/70-armature.rules)
while read -r arm; do wanted+=("share/armature/robots/${arm##*/}"); done \
  < <(find "$source/data/robots" -name '*.arm.json')
if [[ -e $prefix/bin/armature ]]; then
  wanted+=(share/man/man1/armature.1 share/applications/org.armature.Armature.desktop
    share/metainfo/org.armature.Armature.metainfo.xml share/mime/packages/org.armature.Armature.xml
    share/icons/hicolor/scalable/apps/org.armature.Armature.svg
    share/glib-2.0/schemas/org.armature.Armature.gschema.xml)
  if [[ -s $source/po/LINGUAS ]]; then
    while read -r language; do wanted+=("share/locale/$language/LC_MESSAGES/armature.mo"); done \
      < <(grep -oE '^[a-zA-Z_@]+$' "$source/po/LINGUAS")
  fi
fi
missing=$(for file in "${wanted[@]}"; do [[ -s $prefix/$file ]] || echo "$file is missing"; done)
[[ $program && ! $missing ]]
result $? "${#wanted[@]} files that must be there" "$missing"

said=$(cd "$work" && "$program" info --port sim:scara 2>&1)
grep -q '^controller' <<<"$said"
result $? "the installed program finds the installed arms" "$said"

# With a DESTDIR meson leaves the compiling of the schemas to whoever packs.
if [[ ! -e $prefix/bin/armature ]]; then
  result 0 "the installed workbench shows its first frame # SKIP built without it"
elif ! command -v Xvfb >/dev/null; then
  result 0 "the installed workbench shows its first frame # SKIP Xvfb is not installed"
else
  glib-compile-schemas "$prefix/share/glib-2.0/schemas"
  said=$(cd "$work" && "$source/tests/ui/with_display.sh" "$prefix/bin/armature" --benchmark-start 2>&1)
  grep -q '^first frame after' <<<"$said"
  result $? "the installed workbench shows its first frame" "$said"
  rm -f "$prefix/share/glib-2.0/schemas/gschemas.compiled"
fi

ninja -C "$build" uninstall >"$work/log" 2>&1
result $? "ninja uninstall" "$(tail -n 5 "$work/log")"
left=$(find "$work" -mindepth 1 -path "$root*")
[[ ! $left ]]
result $? "nothing is left" "$left"
echo "1..$number"
exit "$bad"
