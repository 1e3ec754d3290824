#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 15.3: a session that was written in English, read by others: what is kept in it, what was refused
# and what the driver said; and all pages of the window, its log and its banner. No word may be English.
set -uo pipefail
build=${BUILD:-build/release}
bad=0

# show WHAT TEST...
show() {
  local what=$1 name passed=0 verdict=PASS
  shift
  for name in "$@"; do
    meson test -C "$build" --no-rebuild "$name" >/dev/null 2>&1 && passed=$((passed + 1))
  done
  if ((passed < $#)); then verdict=FAIL bad=1; fi
  echo "SHOW 15.3 $what, pseudo-translation, German, Japanese: without an English word" \
    "measured=$passed of $# target=all $verdict"
}

show "reasons, outcomes, events, refusals, driver" words_pseudo words_de_DE words_ja_JP
show "all pages" english_written english_written_de_DE english_written_ja_JP
show "all pages of an imported recording" english_imported english_imported_de_DE english_imported_ja_JP
exit "$bad"
