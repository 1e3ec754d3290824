#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 4.1: calibrations of four simulated arms through the whole chain, many seeds of each, pooled.
#
#   calibrate.sh [SEEDS [ARM:TIME_FACTOR ..]]    50, all four
#
# Truth 1 and 2 are judged by the targets of the acceptance table. The Stanford arm and the SCARA
# have none there; ours are that 3 sd holds in 97 % and that no joint's predictions are off by more
# than 1.5 of their own sds (rms); and for all four, that 95 % pass their own validation, which
# allows for what 3 sd of drift show by chance.
#
# Time is compressed as far as a machine with two free processors follows; what it did not follow is
# printed. A calibration that time ended - no answer, no end of a motion - because nobody got a
# processor is repeated, and this is printed too.
set -uo pipefail
build=${BUILD:-build/release}
seeds=${1:-50}
(($#)) && shift
arms=("$@")
((${#arms[@]})) || arms=(puma560-table1:60 puma560-truth2:30 scara:30 stanford:30)
export ARMATURE_SOURCE=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# one BUILD FOLDER ARM SEED TIME_FACTOR
one() {
  local out=$2/$3.$4 try
  for try in 1 2 3; do
    "$1/tests/show/show_calibrate" "$3" "$4" 1 "$5" >"$out" 2>&1 && return
    echo "# $3, seed $4, attempt $try: $(grep 'ERROR' "$out")"
    grep -qE 'no answer from the controller|is not decided|did not end in time' "$out" || return
  done
}
export -f one

for ((seed = 1; seed <= seeds; seed++)); do
  for arm in "${arms[@]}"; do
    echo "$build $work ${arm%:*} $seed ${arm#*:}"
  done
done | xargs -P "$((2 * $(nproc)))" -L 1 bash -c 'one "$@"' one

cat "$work"/* | awk -v seeds="$seeds" -v arms="${arms[*]%:*}" -f tests/show/calibrate.awk
