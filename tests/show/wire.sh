#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 3.5: every codec of the protocol fuzzed for 30 s, and its files as firmware compiles them.
set -uo pipefail
bad=0
./dev fuzz 30 --show=3.5 fuzz_wire_device fuzz_wire_frame fuzz_wire_host || bad=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
output=$(tests/wire/test_freestanding.sh "$PWD" "$work") || bad=1
echo "$output"
passed=$(grep -c '^ok ' <<<"$output")
all=$(sed -nE 's/^1\.\.([0-9]+)$/\1/p' <<<"$output")
if ((passed > 0 && passed == ${all:-0})); then verdict=PASS; else verdict=FAIL bad=1; fi
echo "SHOW 3.5 device files freestanding: compiled, mem* only, no writable data" \
  "measured=$passed of ${all:-?} target=all $verdict"
exit "$bad"
