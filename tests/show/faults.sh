#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# faults.sh [LINE]: the tests of faults, each a figure with what it says itself: line 3.4 through the
# whole chain, line 4.2 as a session and its file take them.
set -uo pipefail
build=${BUILD:-build/release}
line=${1:-3.4}
bad=0

# translate STATUS: TAP to SHOW lines; a program that ends early is a failure
translate() {
  awk -v status="$1" -v line="$line" '
    /^1\.\.[0-9]+$/ { planned = substr($0, 4) }
    /^# / && !/^# (random seed|Start of|End of)/ { said = substr($0, 3) }
    /^(not )?ok [0-9]+ / {
      good = /^ok / && !/# SKIP/
      name = $0; sub(/^(not )?ok [0-9]+ (- )?\/faults\//, "", name)
      printf "SHOW %s %s measured=%s target=message, rows and state as they must be %s\n", line, name,
             said ? said : "as it must be", good ? "PASS" : "FAIL"
      said = ""; bad += !good; done++
    }
    END {
      if (done == planned && planned > 0 && !bad && status == 0) exit 0
      if (!bad) printf "SHOW %s %s measured=exit %d after %d of %d tests target=all FAIL\n",
                       line, "a program of tests", status, done, planned
      exit 1
    }'
}

if [[ $line == 4.2 ]]; then
  programs=("$build"/tests/session/test_session_faults{,_process})
  arguments=()
else
  programs=("$build"/tests/faults/test_faults_{bits,motion,stopped_host,upload})
  arguments=("$build/src/sim/armature-sim")
fi
for program in "${programs[@]}"; do
  status=0
  output=$(ARMATURE_SOURCE=$PWD "$program" "${arguments[@]}" --tap) || status=$?
  translate "$status" <<<"$output" || bad=1
done
exit "$bad"
