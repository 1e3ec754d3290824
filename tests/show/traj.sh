#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 18.1: the shared vectors of exciting trajectories, and gradients against differences, by the
# tests of the release build.
set -uo pipefail
build=${BUILD:-build/release}
bad=0

for name in criterion energy energy_fit points segment sequence basis limits check designs scene trajectory trajectory_scene weights; do
  output=$(ARMATURE_SOURCE=$PWD CMOCKA_MESSAGE_OUTPUT=TAP "$build/tests/core/excite/test_core_excite_$name" 2>&1)
  passed=$(grep -E '^ok ' <<<"$output" | grep -vc '# SKIP')
  all=$(sed -nE 's/^1\.\.([0-9]+)$/\1/p' <<<"$output" | head -n 1)
  verdict=PASS
  if ((passed == 0 || passed != ${all:-0})); then verdict=FAIL bad=1; fi
  echo "SHOW 18.1 $name measured=$passed of ${all:-?} target=all $verdict"
done
exit "$bad"
