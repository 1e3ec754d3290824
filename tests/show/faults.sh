#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 3.4: the tests of faults through the whole chain; each is a figure, with what it says itself.
set -uo pipefail
build=${BUILD:-build/release}
bad=0

# translate STATUS: TAP to SHOW lines; a program that ends early is a failure
translate() {
  awk -v status="$1" '
    /^1\.\.[0-9]+$/ { planned = substr($0, 4) }
    /^# / && !/^# (random seed|Start of|End of)/ { said = substr($0, 3) }
    /^(not )?ok [0-9]+ / {
      good = /^ok / && !/# SKIP/
      name = $0; sub(/^(not )?ok [0-9]+ (- )?\/faults\//, "", name)
      printf "SHOW 3.4 %s measured=%s target=message, rows and state as they must be %s\n", name,
             said ? said : "as it must be", good ? "PASS" : "FAIL"
      said = ""; bad += !good; done++
    }
    END {
      if (done == planned && planned > 0 && !bad && status == 0) exit 0
      if (!bad) printf "SHOW 3.4 %s measured=exit %d after %d of %d tests target=all FAIL\n",
                       "a program of tests", status, done, planned
      exit 1
    }'
}

for name in bits motion stopped_host upload; do
  status=0
  output=$(ARMATURE_SOURCE=$PWD "$build/tests/faults/test_faults_$name" \
    "$build/src/sim/armature-sim" --tap) || status=$?
  translate "$status" <<<"$output" || bad=1
done
exit "$bad"
