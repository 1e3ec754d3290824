#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 15.1: sessions of each earlier schema, and of before sentences were kept, open with the same
# parameters, are fitted again to the last bit, and go on in the middle of a sweep.
set -uo pipefail
build=${BUILD:-build/release}
bad=0
output=$(ARMATURE_SOURCE=$PWD "$build/tests/session/test_session_versions" --tap) || bad=1
for what in results goes-on; do
  passed=$(grep -cE "^ok [0-9]+ /session/versions/$what/" <<<"$output")
  all=$(grep -cE "^(not )?ok [0-9]+ /session/versions/$what/" <<<"$output")
  if ((bad == 0 && passed >= 4 && passed == all)); then verdict=PASS; else verdict=FAIL bad=1; fi
  echo "SHOW 15.1 sessions of schemas 1 and 2, with texts and with sentences: $what" \
    "measured=$passed of $all target=all $verdict"
done
exit "$bad"
