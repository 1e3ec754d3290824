#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 13.5: `calibrate` on simulated arms that are as their file says, and on a PUMA that is not.
#
#   misfit.sh [SEEDS of each sound arm [SEEDS of each fault]]    13 (52 runs), 3
#
# A sound run passes when it ends with exit status 0. One with a fault is told when it ends with 4
# and nothing in it says that fit or validation passed. What time ended - no answer, a motion that
# did not end - because nobody got a processor is repeated, at most twice, and this is printed.
set -uo pipefail
build=${BUILD:-build/release}
cli=$PWD/$build/src/cli/armature-cli
robots=$PWD/data/robots
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export cli work

# one NAME ARM SIMULATED_ARM TIME_FACTOR SEED: NAME.result holds "NAME EXIT"
one() {
  local try status said at=$work/$1.$5
  for try in 1 2 3; do
    rm -f "$at".armsession*
    "$cli" calibrate --arm "$2" --port "sim:$3,speed=$4,seed=$5" --session "$at.armsession" \
      >"$at.out" 2>"$at.err"
    status=$?
    ((status == 5)) || break
    echo "# $1, seed $5, attempt $try: $(grep error "$at.err" | head -n 1)"
  done
  rm -f "$at".armsession*
  grep -qE '^(Fit|Validate): passed' "$at.err" && said=passed || said=nothing
  echo "$1 $5 $status $said" >"$at.result"
  grep error "$at.err" | sed "s/^/# $1, seed $5: /"
}
export -f one

# simulated arms that differ from what their file says; truth 2 carries a tool, so that the wrist
# sees gravity
altered() { # NAME JQ_FILTER
  jq "$2" "$robots/puma560-truth2.arm.json" >"$work/$1.arm.json"
}
tilt='.gravity_m_s2 = (A * 3.14159265358979 / 180 | [9.81 * sin, 0, -9.81 * cos])'
for angle in 1 2 5; do
  altered "tilt_$angle" "${tilt/A/$angle}"
done
altered zero_of_joint_3 '.joints[2].theta_deg += 5'

{
  for ((seed = 1; seed <= ${1:-13}; seed++)); do
    for arm in puma560-table1:60 scara:30 stanford:30 planar2r:60; do
      echo "sound_${arm%:*} $robots/${arm%:*}.arm.json $robots/${arm%:*}.arm.json ${arm#*:} $seed"
    done
  done
  for ((seed = 1; seed <= ${2:-3}; seed++)); do
    for fault in tilt_1 tilt_2 tilt_5 zero_of_joint_3; do
      echo "$fault $robots/puma560-truth2.arm.json $work/$fault.arm.json 30 $seed"
    done
  done
} | xargs -P "$((2 * $(nproc)))" -L 1 bash -c 'one "$@"' one

cat "$work"/*.result | awk '
  $1 ~ /^sound_/ { runs++; passed += $3 == 0; next }
  { faults[$1]++; told[$1] += $3 == 4 && $4 == "nothing" }
  function show(what, measured, target, is_good) {
    printf "SHOW 13.5 %s measured=%d target=%s %s\n", what, measured, target, is_good ? "PASS" : "FAIL"
    bad += !is_good
  }
  END {
    least = int(0.98 * runs)
    show("sound runs of PUMA, Stanford, SCARA, planar 2R that pass", passed, ">=" least " of " runs,
         runs > 0 && passed >= least)
    for (f in faults)
      show("PUMA, " f ": told", told[f], faults[f], told[f] == faults[f])
    exit bad > 0
  }'
