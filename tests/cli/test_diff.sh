#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Two calibrations side by side.
# shellcheck disable=SC2016 # jq has variables of its own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
make_rt
run fit --arm rt.arm.json --csv rt.csv --out a.json
awk -F, -v OFS=, 'NR > 1 && $2 == 1 { $7 += $5 > 0 ? 0.05 : 0 } 1' rt.csv >shifted.csv
run fit --arm rt.arm.json --csv shifted.csv --min-speed 0.01 --out b.json
sed 's/"beta_deg": 90}/"beta_deg": 80}/' rt.arm.json >other.arm.json
"$make_files" session rt.arm.json a.armsession a.json
"$make_files" session other.arm.json b.armsession b.json
"$make_files" session rt.arm.json none.armsession

expect "of itself" 0 diff a.json a.json
grep -q '^Equal: every parameter and every setting\.$' out
result $? "is equal" "$(cat out)"
expect "of itself, JSON" 0 diff a.json a.json --json
holds "equal" out '.equal and .settings == [] and (.parameters | length) > 10 and
  all(.parameters[]; .sds == 0 or .a.identifiable == false)'

expect "of two" 0 diff a.json b.json
narrow "the table is narrow" out
grep -qE '^coulomb_pos_A_1 .* \* +A$' out && grep -qE '^[1-9][0-9]* of [0-9]+ parameters differ' out
result $? "what changed is marked" "$(cat out)"
expect "of two, JSON" 0 diff a.json b.json --json
holds "the difference in sds of itself" out '(.equal | not) and (.parameters[] |
  select(.name == "coulomb_pos_A_1") | (.difference - (.b.value - .a.value) | fabs) < 1e-12 and
  (.sds - .difference / ((.a.sd * .a.sd + .b.sd * .b.sd) | sqrt) | fabs) < 1e-9 and .sds > 3)'
holds "what did not change" out '.parameters[] | select(.name == "mhat_star_2") | (.sds | fabs) < 0.5'
holds "settings" out '[.settings[] | .key] | index("fit: provenance.options.min_speed_rad_s") != null'
expect "the other way round" 0 diff b.json a.json --json
holds "has the other sign" out '.parameters[] | select(.name == "coulomb_pos_A_1") | .sds < -3'

expect "of two sessions" 0 diff a.armsession b.armsession --json
holds "the arm file counts" out '.settings | length == 1 and .[0].key == "arm: joint 1: beta_deg" and
  .[0].a == 90 and .[0].b == 80'
holds "and the last fit" out 'any(.parameters[]; .sds > 3)'
expect "of a session and a file" 0 diff a.armsession a.json --json
holds "compares parameters" out 'all(.parameters[]; .sds == 0 or .a.identifiable == false)'
expect "of a session without a fit" 3 diff a.armsession none.armsession

# what one of both has not is 0: never "equal", and 15 sds are 15 sds
params=$root/tests/fuzz/corpus/params_file
expect "of a fit with friction terms and one without" 0 diff "$params/terms.json" "$params/rt.json" --json
holds "counts the terms" out '(.equal | not) and ([.parameters[] | select(.name == "load_1" or .name == "curve_2") |
  [.a.identifiable, .b.value, .difference, .sds < -3 or .sds > 3]] == [[true, 0, -0.0625, true], [true, 0, 0.25, true]])'
expect "the other way round" 0 diff "$params/rt.json" "$params/terms.json"
grep -qE '^load_1 .* 15\.6 +\* +1$' out && grep -q '^2 of [0-9]* parameters differ' out
result $? "as well" "$(cat out)"
jq '.joints[1].parameters.curve_speed_m_s = 0.1' "$params/terms.json" >slower.json
expect "of curves that end at another speed" 0 diff "$params/terms.json" slower.json --json
holds "cannot be compared, and are not equal" out '(.equal | not) and
  (.parameters[] | select(.name == "curve_2") | .difference == null and .sds == null)'

run fit --arm "$demo.arm.json" --csv "$demo.csv" --out six.json
refuse "of different arms" 3 'are of different arms' diff a.json six.json
refuse "of one" 2 'B is missing' diff a.json
refuse "of what is neither" 3 'rt.csv:1:1: ' diff a.json rt.csv
refuse "of nothing" 3 'no.json: ' diff no.json a.json

# ---- of kind "dynamics" --------------------------------------------------------------------------

puma=$robots/puma560.arm.json
for what in stated heavier scale torque; do "$make_files" dynamics "$puma" "$what.json" "$what"; done
expect "of identified parameters and themselves" 0 diff stated.json stated.json
grep -q '^Equal: every parameter and every setting' out
result $? "is equal" "$(cat out)"
expect "of two" 0 diff stated.json heavier.json
narrow "the table is narrow" out
grep -qE '^ZZR1 .* \* +kg m\^2$' out && grep -qE '^A_per_Nm_2 .* A/\(N m\)$' out &&
  grep -qE '^rotor_inertia_A_s2_3 .* A s\^2/rad$' out
result $? "has base parameters, torque constants, rotors" "$(cat out)"
grep -q '^Joint 1, 2, 3, 4, 5, 6: the common scale of torque constants, .* %, is that of the same data$' out
result $? "says what is left out" "$(cat out)"
expect "of two, JSON" 0 diff stated.json heavier.json --json
holds "what changed" out '(.equal | not) and (.parameters | length > 60) and (.parameters[] |
  select(.name == "ZZR1") | (.difference - 0.1 * .a.value | fabs) < 1e-12 and
  .sds > .difference / ((.a.sd * .a.sd + .b.sd * .b.sd) | sqrt) and .sds > 3)'
holds "the scale of the same data sheets is a figure of its own" out '.shared_scales | length == 1 and
  .[0].joints == [1, 2, 3, 4, 5, 6] and .[0].relative_sd > 0.005 and .[0].relative_sd < 0.05'
holds "what did not" out '.parameters[] | select(.name == "coulomb_pos_A_1") | .difference == 0'
"$make_files" dynamics "$puma" terms.json terms
expect "of one with friction terms" 0 diff stated.json terms.json --json
holds "a term that only one of them has" out '.parameters[] | select(.name == "load_2") |
  .a.value == 0 and .difference == 0.125'
expect "of one whose scale nobody states" 0 diff stated.json scale.json --json
holds "nothing is shared with it" out '.shared_scales == []'
holds "no number where the units differ" out 'all(.parameters[] | select(.name | test("^(ZZ|XX|m)"));
  .a.identifiable and .b.identifiable and .difference == null and .sds == null)'
holds "a number where they do not" out '.parameters[] | select(.name == "viscous_pos_2") | .difference == 0'
refuse "of kinds" 3 'stated.json is of kind "dynamics" and six.json of kind "gravity": expected two' \
  diff stated.json six.json
sed 's/"ZZR1"/"ZZ,1"/' stated.json >bad.json
refuse "of what is broken" 3 'bad.json:[0-9]+:[0-9]+: ' diff stated.json bad.json
finish
