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

# halfway JOINT NAME AWK: the later half of one joint's time changed
halfway() {
  local middle
  middle=$(awk -F, -v j="$1" '$2 == j { if (!n++) first = $1; last = $1 } END { print (first + last) / 2 }' \
    "$demo.csv")
  awk -F, -v OFS=, "NR > 1 && \$2 == $1 && \$1 > $middle { $3 } 1" "$demo.csv" >"$2.csv"
}
halfway 5 gain5 '$19 *= 1.2'
expect "a gain that changes amid the sweeps of joint 5" 4 diagnose --arm "$demo.arm.json" --csv gain5.csv \
  --json --corrected gain5.arm.json
holds "is named, not a zero 80 deg off" out '(.causes[0] | .code == "current-gain" and .joint == 5 and
  .explains_it and .doubt == null and (.values.gain * 20 | round) == 24) and
  ([.causes[] | select(.code == "joint-zero" and (.values.zero_deg | fabs) > 20) |
    .explains_it == false and (.doubt | test("can be seen on the arm"))] | all)'
[[ ! -e gain5.arm.json ]] && grep -q 'gain5.arm.json is not written: it happened while recording' err
result $? "and corrects nothing" "$(cat err)"
run diagnose --arm "$demo.arm.json" --csv gain5.csv
grep -A 99 '^Less likely' out | tr -s '\n ' ' ' | grep -q 'What would tell it from others that explain as much: repeat the first'
result $? "what would tell less likely causes apart is said, too" "$(cat out)"
narrow "narrowly" out
halfway 2 gain2 '$16 *= 1.1'
run diagnose --arm "$demo.arm.json" --csv gain2.csv --json
holds "of joint 2: no ripple whose size is unknown is first" out '(.causes[0] | .code == "current-gain" and
  .joint == 2) and ([.causes[] | select(.code == "ripple" and
  .values.amplitude_A < 2 * .values.amplitude_sd_A) | .explains_it == false and .doubt != null] | all)'
spoil constant 'if (J == 3) $17 = 0.123'
run diagnose --arm "$demo.arm.json" --csv constant.csv --json
holds "nor is it when nothing else is known" out '.verdict == "misfit" and
  ([.causes[] | select(.explained != null)][0] |
    . == null or (.doubt // "" | test("size cannot be told") | not))'
# of a current without sign friction would grow by 4 times the load
spoil unsigned 'if (J == 3) $17 = $17 < 0 ? -$17 : $17'
run diagnose --arm "$demo.arm.json" --csv unsigned.csv --json
holds "no friction takes more than half of the load" out '[.causes[] | select(.code == "load-friction" and
  .values.load > 0.5) | .explains_it == false and (.doubt | test("check sign and unit"))] |
  length > 0 and all'

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

# noise alone, the same in every awk
awk -F, -v OFS=, -v x=4711 'NR > 1 && $2 == 3 {
  for (s = k = 0; k < 12; k++) { x = x * 16807 % 2147483647; s += x / 2147483647 } $17 = s - 6 } 1' \
  "$demo.csv" >noise.csv
expect "a current that is noise leaves no misfit" 0 diagnose --arm "$demo.arm.json" --csv noise.csv
grep -A 9 '^Whether the model fits cannot be told' out | tr -s '\n ' ' ' |
  grep -q 'joint 3: its current does not follow its motion (gravity and friction make r2 [-0-9.e]* of it, expected at least 0.8)'
result $? "and is the reason why nothing is told" "$(cat out)"
# a joint that does not fit is not one of which nothing can be told
spoil both '$3 = $3; if (J == 2) $16 += 3 * sin(2 * $4)'
run fit --arm "$demo.arm.json" --csv both.csv --json
holds "nor is it said of a misfit" out '([.joints[].misfit.verdict] | index("misfit")) as $j | $j != null and
  ([.warnings[] | select(.code == "verdict_unknown" and .joint == $j + 1)] == [])'

# friction beyond Coulomb and viscous: as `fit` has it, so does what is looked for
expect "parameters" 0 fit --arm "$demo.arm.json" --csv "$demo.csv" --out demo.json
awk -F, -v OFS=, 'NR > 1 { $9 = $10 = $11 = $12 = $13 = $14 = 0 } 1' "$demo.csv" >still.csv
run predict --arm "$demo.arm.json" --params demo.json --csv still.csv --out gravity.csv
awk -F, -v OFS=, 'NR == FNR { g[FNR] = $17 < 0 ? -$17 : $17; next }
  FNR > 1 && $2 == 2 { $16 += ($10 > 0 ? 0.06 : -0.06) * g[FNR] } 1' gravity.csv "$demo.csv" >load.csv
expect "friction that grows with the load" 0 diagnose --arm "$demo.arm.json" --csv load.csv
grep -q '^Nothing to explain: the model fits.$' out && grep -q '^Joint 2: friction grows with the load' out
result $? "is a term of the fit and no misfit" "$(cat out)"
expect "without terms" 4 diagnose --arm "$demo.arm.json" --csv load.csv --friction base --json
holds "it is the cause" out '.verdict == "misfit" and (.causes[0] | .code == "load-friction" and .joint == 2) and
  ([.joints[].terms[]] == [])'
refuse "a term that is none" 2 '--friction: expected base' \
  diagnose --arm "$demo.arm.json" --csv load.csv --friction heat

# alike NAME RECORDING OPTION...: exit status and every size are those of `fit`
alike() {
  local name=$1 csv=$2 code
  shift 2
  run fit --arm "$demo.arm.json" --csv "$csv" --json "$@"
  code=$status
  cp out fit.json
  expect "$name" "$code" diagnose --arm "$demo.arm.json" --csv "$csv" --json "$@"
  jq -n --slurpfile a fit.json --slurpfile b out '
    $a[0].verdict == $b[0].verdict and
    [$a[0].joints[].misfit] == [$b[0].joints[].misfit] and ([$b[0].joints[].misfit] | length) == 6 and
    ([$a[0].joints[] | [.parameters.load.value, .parameters.curve.value] | map(values)] ==
      [$b[0].joints[].terms | map(.value)])' >same
  holds "$name: as fit says" same '.'
}
spoil both 'if (J == 3) $17 += 0.2 * sin(2 * $5)'
awk -F, -v OFS=, 'NR == FNR { i[FNR] = $16; next } FNR > 1 { $16 = i[FNR] } 1' load.csv both.csv >mixed.csv
alike "a misfit beside a term" mixed.csv
alike "and without the term" mixed.csv --friction base
alike "with acceleration" load.csv --acceleration --lowpass 2 --min-speed 0.02
alike "of some joints" load.csv --joints 2,3 --friction base
# of each joint the first pose alone
awk -F, 'NR > 1 { hold = ""; for (j = 1; j <= 6; j++) if (j != $2) hold = hold "," $(2 + j)
  if (!($2 in first)) first[$2] = hold } NR == 1 || first[$2] == hold' "$demo.csv" >one.csv
alike "one hold" one.csv
expect "which does not tell all parameters" 4 diagnose --arm "$demo.arm.json" --csv one.csv
grep -q 'error: .*kx\* of joint 2.* not identifiable' err && grep -q '^No misfit to explain' out
result $? "says so" "$(cat out err)"
awk -F, -v OFS=, 'NR > 1 { $2 = 0 } 1' "$demo.csv" >nobody.csv
alike "no row at all" nobody.csv

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
