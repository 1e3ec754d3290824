#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a program in a locale, made here if need be, once for all tests that start in this folder.
#
#   in_locale.sh LOCALE ROOT PROGRAM [argument...]
# LOCALE: as de_DE; "pseudo": German numbers, and texts made longer from what there is to translate;
# "pseudo-rtl": the same from right to left.
set -uo pipefail
name=$1 root=$2
shift 2
export ARMATURE_LOOK=$name
unset LC_ALL LANGUAGE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [[ $name == pseudo* ]]; then
  command -v msgen >/dev/null || {
    echo "1..0 # SKIP gettext is not installed"
    exit 0
  }
  mkdir -p "$folder/en_XA/LC_MESSAGES"
  "$root/po/extract.sh" "$folder/fresh.pot" 2>/dev/null
  msgen --no-wrap "$folder/fresh.pot" 2>/dev/null | awk -f "$(dirname "$0")/pseudo.awk" >"$folder/pseudo.po"
  msgfmt --check-format -o "$folder/en_XA/LC_MESSAGES/armature.mo" "$folder/pseudo.po" \
    2>"$folder/log" || {
    echo "Bail out! no pseudo-translation: $(tail -n 3 "$folder/log")"
    exit 1
  }
  export LANGUAGE=en_XA ARMATURE_TEXTS=$folder
  [[ $name == *-rtl ]] && export ARMATURE_RTL=1
  name=de_DE
fi
[[ -d ${LOCPATH:-/nowhere}/$name.UTF-8 ]] || locale -a | grep -qix "$name.utf-\?8" || {
  export LOCPATH=$PWD/locale
  if [[ ! -d $LOCPATH/$name.UTF-8 ]]; then
    made=$(mktemp -d "$PWD/locale.XXXXXX") || exit 1
    localedef -i "$name" -f UTF-8 "$made/$name.UTF-8" >"$folder/log" 2>&1 || true
    mkdir -p "$LOCPATH"
    mv -T "$made/$name.UTF-8" "$LOCPATH/$name.UTF-8" 2>/dev/null # another test may have been first
    rm -rf "$made"
  fi
  [[ -d $LOCPATH/$name.UTF-8 ]] || {
    echo "1..0 # SKIP the locale $name cannot be made here: $(tail -n 1 "$folder/log")"
    exit 0
  }
}
LC_ALL=$name.UTF-8 "$@"
