#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `base`: the agreed keys, known arms, and refusals.
# shellcheck disable=SC2016 # jq has variables of its own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# check_keys NAME: what the contract says of every answer
check_keys() {
  holds "$1: agreed keys" out '
    .format == "armature-base" and .version == 1 and .count == (.parameters | length) and
    (["format","version","count","parameters","snapped"] - keys == []) and
    ([.parameters[].name] | unique | length) == .count and
    ([.parameters[].terms[] | .link, .coefficient | type] | all(. == "number")) and
    ([.parameters[].terms[].parameter] - ["XX","XY","XZ","YY","YZ","ZZ","mX","mY","mZ","m",
      "rotor_inertia","coulomb_pos","viscous_pos","coulomb_neg","viscous_neg","spring",
      "spring_bias","balance_cos","balance_sin","balance"] == []) and
    ([.parameters[] | (.terms | length > 1) == (.name | test("R[0-9]+$"))] | all)'
  holds "$1: every parameter is told of" out '
    [.parameters[].name] as $base |
    ([.standard[] | select(.fate == "base")] | length) == .count and
    ([.standard[] | select(.fate != "base") | .reason | length > 10] | all) and
    ([.standard[] | select(.fate == "regrouped") | .into | length > 0] | all) and
    ([.standard[] | select(.fate == "no_effect") | .into == []] | all) and
    ([.standard[].into[]] - $base == [])'
  holds "$1: three ways agree" out '.ways.agree and .ways.closed_form == .ways.qr and
    .ways.composite_constants == .ways.qr and .ways.distance < 1e-12'
}

for arm in "$robots"/*.arm.json "$demo.arm.json"; do
  name=$(basename "$arm" .arm.json)
  expect "$name" 0 base --arm "$arm" --json
  check_keys "$name"
  holds "$name: nothing is snapped" out '.snapped == [] and (.standard | length) == 10 * .n'
  [[ ! -s err ]]
  result $? "$name: no message" "$(cat err)"
  expect "$name, everything" 0 base --arm "$arm" --with rotor,friction,spring,counterbalance --json
  check_keys "$name, everything"
  expect "$name, table" 0 base --arm "$arm" --with rotor
  narrow "$name: the table is narrow" out
done

# count NAME ARM COUNT [OPTION...]
count() {
  local name=$1 arm=$2 count=$3
  shift 3
  run base --arm "$robots/$arm.arm.json" --json "$@"
  holds "$name: $count" out ".count == $count"
}
count "PUMA 560" puma560 36
count "PUMA 560 with rotors" puma560 40 --with rotor
count "PUMA 560 with rotors and friction" puma560 64 --with rotor,friction
count "Stanford arm" stanford 33
count "SCARA" scara 8
count "UR10e" ur10e 36
count "UR10e with rotors" ur10e 40 --with rotor
count "KUKA LWR4+" kuka-lwr4 43
count "KUKA LWR4+ with rotors" kuka-lwr4 48 --with rotor
count "Panda" panda 43
count "Panda with rotors" panda 48 --with rotor

run base --arm "$robots/puma560.arm.json" --json
holds "combinations" out '
  (.parameters[] | select(.name == "XXR6").terms) ==
    [{"link":6,"parameter":"XX","coefficient":1},{"link":6,"parameter":"YY","coefficient":-1}] and
  (.parameters[] | select(.name == "ZZ6").terms | length) == 1 and
  (.standard[] | select(.name == "YY6") | .reason_key == "round_part" and (.into | index("XXR6"))) and
  (.standard[] | select(.name == "mX1") | .reason_key == "bearings" and .fate == "no_effect")'
run base --arm "$robots/puma560.arm.json"
grep -q '36 combinations' out && grep -q '^XXR6 *kg m^2 *XX6 - YY6$' out &&
  grep -q '^mZ6, m6: on the axis of joint 6 it moves as a part of link 5' out &&
  grep -q '^mX1, mY1: the axis of joint 1 is parallel to gravity' out
result $? "the table has combinations and reasons" "$(cat out)"
cp out first
run base --arm "$robots/puma560.arm.json"
same "twice the same" out first

cat >near.arm.json <<'JSON'
{"format": "armature-arm", "version": 1, "name": "near", "gravity_m_s2": [0.05, 0, -9.81],
 "joints": [{"type": "R"}, {"type": "R", "beta_deg": 0.2, "b_m": 0.5},
   {"type": "T", "beta_deg": -89.9, "theta_deg": 89.95, "d_m": 0.3}]}
JSON
expect "calibrated axes" 0 base --arm near.arm.json --json
holds "what was taken as exact is listed" out '
  [.snapped[] | [.joint, .quantity, .unit]] ==
    [[2,"beta","rad"],[3,"beta","rad"],[3,"gamma","rad"],[null,"gravity","rad"]] and
  .snapped[0].taken_as == 0 and (.snapped[2].taken_as - 1.5707963267948966 | fabs) < 1e-15'
check_keys "calibrated axes"
run base --arm near.arm.json
grep -q '^joint 2, beta: 0.2 deg as 0 deg$' out && grep -q '^gravity, 0.292 deg off' out
result $? "also in the table" "$(cat out)"

make_rt
expect "a sliding joint" 0 base --arm rt.arm.json --with rotor,friction --json
check_keys "a sliding joint"
holds "units of a sliding joint" out '
  (.parameters[] | select(.name == "Fvp2").unit) == "N s/m" and
  (.parameters[] | select(.name == "Fcp1").unit) == "N m"'

refuse "unknown word" 2 '--with: expected rotor, friction, spring or counterbalance' \
  base --arm "$demo.arm.json" --with rotors
refuse "empty word" 2 '--with: expected' base --arm "$demo.arm.json" --with rotor,
refuse "no arm" 2 '--arm ARM.arm.json is missing' base --json
refuse "a missing file" 3 'nowhere.arm.json' base --arm nowhere.arm.json
echo '{"format": "armature-arm"' >bad.arm.json
refuse "a broken file" 3 'bad.arm.json:' base --arm bad.arm.json --json
finish
