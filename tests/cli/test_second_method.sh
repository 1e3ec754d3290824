#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Parameters of an invented method (tests/session/method/second_method.h): what needs no more than
# the set takes them, all else refuses them in words. The program differs from armature-cli in its
# list of methods alone.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
make_second=$shim # the fifth argument
make_rt
"$make_second" -1 a.json && "$make_second" -2 b.json || exit 1
run fit --arm rt.arm.json --csv rt.csv --out gravity.json

expect "diff, of itself" 0 diff a.json a.json --json
holds "is equal" out '.equal and (.parameters | length) == 16'
expect "diff, of two" 0 diff a.json b.json
grep -qE '^A_per_Nm_1 +2\.50 .* 0 +A/\(N m\)$' out && grep -qE '^XXR2 +0\.25 .* - +kg m\^2$' out
result $? "has names and units of the set" "$(cat out)"
jq '.joints[0].parameters.rotor_inertia_A_s2 = .joints[1].parameters.rotor_inertia_A_s2 |
  .covariance |= (.names += ["rotor_inertia_A_s2_1"] | .lower += [range(15) * 0, 0.25])' a.json >more.json
only='(.equal | not) and (.parameters | length) == 17 and (.parameters[4] |
  .name == "rotor_inertia_A_s2_1" and .difference == null and .sds == null and'
expect "diff, of a parameter that only A has" 0 diff more.json a.json --json
holds "is not equal" out "$only .a.identifiable and (.b.identifiable | not))"
expect "diff, of one that only B has" 0 diff a.json more.json --json
holds "is not equal" out "$only .b.identifiable and (.a.identifiable | not))"
jq '.joints[0].parameters.rotor_inertia_A_s2 |= (.identifiable = false | .value = null | .sd = null)' more.json >unknown.json
for sides in "unknown.json a.json" "a.json unknown.json"; do
  # shellcheck disable=SC2086 # two names
  expect "diff, of one that only one has, and does not know: $sides" 0 diff $sides --json
  holds "is not equal either" out '(.equal | not) and (.parameters | length) == 17'
done
run diff a.json unknown.json
grep -q 'not there *- *not identifiable' out
result $? "and is told from one that is there" "$(cat out)"
refuse "diff, beside another kind" 3 'a.json is of kind "second" and gravity.json of kind "gravity"' \
  diff a.json gravity.json

expect "export as a table" 0 export --arm rt.arm.json --params a.json --format csv
grep -qx '2,XXR2,0.25,0.5,kg m^2,true,0.25,' out
result $? "has a row of it" "$(cat out)"
grep -q 'warning' err
result $(($? == 0)) "of a whole file, without a warning" "$(cat err)"
sed 's/4\.25/4.5/' a.json >changed.json
expect "export of one that was changed" 0 export --arm rt.arm.json --params changed.json --format csv
grep -q 'changed.json was changed after it was written' err
result $? "warns" "$(cat err)"
refuse "export as C" 3 'no C code of parameters of kind "second": export them as a table' \
  export --arm rt.arm.json --params a.json --format c

elsewhere='a.json: expected parameters of kind "gravity", found "second": .*export.*diff'
refuse "predict" 3 "$elsewhere" predict --arm rt.arm.json --params a.json --csv rt.csv
refuse "plan" 3 "$elsewhere" plan --arm rt.arm.json --params a.json
sed 's/"second"/"third"/' a.json >third.json
known='third.json:4:11: kind: expected parameters of kind "gravity", "dynamics" or "second", found "third"'
refuse "diff of a kind that nobody knows" 3 "$known" diff a.json third.json
refuse "export" 3 "$known" export --arm rt.arm.json --params third.json --format csv
refuse "predict" 3 "$known" predict --arm rt.arm.json --params third.json --csv rt.csv
finish
