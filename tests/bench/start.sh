#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 5.4: how long the workbench takes from exec to its first complete frame, each time on a
# display and in a home of its own, as a newcomer starts it.
#
#   start.sh PROGRAM
#
# Warm: the first of eleven starts is left out; the median of the other ten.
set -uo pipefail
program=${1:?}
with_display=$(dirname "$0")/../ui/with_display.sh

for ((k = 0; k < 11; k++)); do
  LC_ALL=C.UTF-8 "$with_display" "$program" --benchmark-start 2>/dev/null
done | awk '/^first frame after/ && ++n > 1 { print $4 }' | sort -n | awk '
  { t[NR] = $1 }
  END {
    is_met = NR == 10 && (t[5] + t[6]) / 2 < 1000
    print "SHOW 5.4 from exec to the first complete frame, median of 10 [ms]",
      "measured=" (NR == 10 ? (t[5] + t[6]) / 2 : "none"), "target=< 1000",
      is_met ? "PASS" : "FAIL"
    exit !is_met
  }'
