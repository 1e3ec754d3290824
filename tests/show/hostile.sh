#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 4.4: sessions of older and newer versions, and hostile ones, which neither crash the program
# nor make it open, delete or load a file.
set -uo pipefail
build=${BUILD:-build/release}
bad=0
output=$(ARMATURE_SOURCE=$PWD "$build/tests/io/test_io_store_versions" --tap) || bad=1
passed=$(grep -E '^ok ' <<<"$output" | grep -vc '# SKIP')
all=$(sed -nE 's/^1\.\.([0-9]+)$/\1/p' <<<"$output" | head -n 1)
if ((passed > 0 && passed == ${all:-0})); then verdict=PASS; else verdict=FAIL bad=1; fi
echo "SHOW 4.4 versions, migration and hostile files, tests passed" \
  "measured=$passed of ${all:-?} target=all $verdict"
./dev fuzz 30 --show=4.4 fuzz_session || bad=1
exit "$bad"
