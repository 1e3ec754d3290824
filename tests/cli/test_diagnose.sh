#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Why a model does not fit: what is wrong with a recording is named, with its size; what fits is not.
# shellcheck disable=SC2016,SC2154 # awk and jq have variables of their own; lib.sh sets demo
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# spoil NAME AWK: the demonstration with every row changed; J: the joint that moves
spoil() {
  awk -F, -v OFS=, "NR > 1 { J = \$2; $2 } 1" "$demo.csv" >"$1.csv"
}

expect "what fits needs no cause" 0 diagnose --arm "$demo.arm.json" --csv "$demo.csv" --json \
  --corrected none.arm.json
holds "and has none" out '.format == "armature-diagnosis" and .version == 1 and .verdict == "fits" and
  .causes == [] and ([.joints[].misfit.verdict] | unique == ["fits"])'
[[ ! -e none.arm.json ]] && grep -q 'warning: none.arm.json is not written: there is no cause' err
result $? "nor a corrected arm file" "$(cat err)"
expect "the same for people" 0 diagnose --arm "$demo.arm.json" --csv "$demo.csv"
grep -q '^Nothing to explain: the model fits.$' out
result $? "in a sentence" "$(cat out)"

spoil gear '$5 *= 1.1; $11 *= 1.1'
jq '.joints[2] += {gear_ratio: 50, motor_sign: -1}' "$demo.arm.json" >geared.arm.json
expect "positions that are 10 % too large do not fit" 4 diagnose --arm geared.arm.json \
  --csv gear.csv --json --corrected fixed.arm.json
holds "they are the gear ratio of that joint" out '.verdict == "misfit" and (.causes[0] |
  .code == "gear-ratio" and .joint == 3 and .explains_it and .rest < 1.3 and .explained > 100 and
  .tied_with == [] and .separate_by == null and
  .misfit_joint == 2 and .misfit_before_A > 0.01 and .misfit_after_A < 0.2 * .misfit_before_A and
  .values.true_over_recorded > 0.89 and .values.true_over_recorded < 0.93)'
holds "the corrected arm has it" fixed.arm.json '.joints[2].gear_ratio | . > 54 and . < 56'
grep -q 'fixed.arm.json supposes that the gear ratio of joint 3 is wrong' err &&
  grep -q 'record again' err
result $? "and it is said what it supposes" "$(cat err)"
cp fixed.arm.json before
refuse "it is not overwritten" 3 'fixed.arm.json' diagnose --arm geared.arm.json --csv gear.csv \
  --corrected fixed.arm.json
same "and stays as it was" before fixed.arm.json
expect "a cause that the arm file cannot hold" 4 diagnose --arm "$demo.arm.json" --csv gear.csv \
  --corrected other.arm.json
[[ ! -e other.arm.json ]] && grep -q 'other.arm.json is not written: the arm file states no gear' err
result $? "is not written, with the reason" "$(cat err)"
grep -q '^Likeliest: the gear ratio of joint 3 is wrong' out &&
  grep -q 'Look at the arm before you change' <(tr '\n' ' ' <out)
result $? "and is named in words" "$(cat out)"
grep -qE '^  Joint 2: [0-9.]+ mA -> ([0-9.]+ mA|nothing beyond noise)\.$' out
result $? "with what is missed before and after" "$(cat out)"
narrow "narrow ones" out

spoil ripple 'if (J == 2) $16 += 0.2 * sin(2 * $4)'
run diagnose --arm "$demo.arm.json" --csv ripple.csv --json
holds "a ripple, with joint, amplitude and how often" out '.causes[0] | .code == "ripple" and .joint == 2
  and .explains_it and .values.per_turn == 2 and (.values.amplitude_A * 100 | round) == 20'

# a step at a position is no cause that is known
spoil step 'if (J == 2) $16 += $4 > -1 && $4 < -0.6 ? 0.4 : 0'
expect "what is not among the causes" 4 diagnose --arm "$demo.arm.json" --csv step.csv \
  --corrected step.arm.json
grep -q '^None of the causes that this program knows explains the misfit' out &&
  ! grep -q Likeliest out
result $? "is not explained" "$(cat out)"
[[ ! -e step.arm.json ]] && grep -q 'the first cause does not explain the misfit' err
result $? "and corrects nothing" "$(cat err)"

spoil degrees '$(J + 8) *= 57.29577951308232'
expect "speeds in deg/s leave no misfit" 0 diagnose --arm "$demo.arm.json" --csv degrees.csv --json
holds "but are a cause" out '[.causes[] | select(.code == "speed-unit" and .explained == null and
  .misfit_before_A == null) | .joint] == [1,2,3,4,5,6]'
run diagnose --arm "$demo.arm.json" --csv degrees.csv --corrected degrees.arm.json
[[ ! -e degrees.arm.json ]] && grep -q 'is in the recording, not in the arm' err &&
  grep -q '^First of all, joint 1: its position' out
result $? "of the recording" "$(cat out err)"

refuse "a speed below 0" 2 'not negative' diagnose --arm "$demo.arm.json" --csv "$demo.csv" --min-speed -1
refuse "a recording is asked for" 2 'csv' diagnose --arm "$demo.arm.json"
# without a clock
awk -F, -v OFS=, 'NR > 1 { $1 = (NR - 2) / 10 } 1' "$demo.csv" >clocked.csv
cut -d, -f2- clocked.csv >even.csv
run diagnose --arm "$demo.arm.json" --csv clocked.csv --json
cp out clocked.json
code=$status
expect "a stated rate" "$code" diagnose --arm "$demo.arm.json" --csv even.csv --rate 10 --json
same "is as good as that time" clocked.json out
refuse "a rate of nothing" 2 '--rate: expected a frequency above 0 Hz' \
  diagnose --arm "$demo.arm.json" --csv even.csv --rate 0
finish
