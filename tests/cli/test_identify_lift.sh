#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `identify` and who uses what it found, of an arm that lifts: base parameters weigh the rotor of a
# sliding joint along gravity, and Coulomb friction takes that off in motion, not at rest.
# shellcheck disable=SC2016 # jq and awk have variables of their own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# arm ROTOR DRIVE >FILE: a lift of 14 kg; JSON of its rotor inertia and of its torque constant
arm() {
  jq -n --argjson rotor "$1" --argjson constant "$2" '{format: "armature-arm", version: 1,
    name: "lift", gravity_m_s2: [0, 0, -9.81], joints: [{name: "z", type: "T", beta_deg: 0, b_m: 0,
      theta_deg: 0, d_m: 0, limits: {q_m: [-0.4, 0.4], speed_m_s: 1, accel_m_s2: 5, current_A: 100},
      link: {mass_kg: 14, com_m: [0, 0, 0], inertia_com_kg_m2: [0.1, 0.1, 0.1, 0, 0, 0]}} +
      if $constant then {gear_ratio: 300, motor_sign: 1, torque_constant_Nm_A: $constant} else {} end +
      if $rotor then {rotor_inertia_kg_m2: $rotor} else {} end]}'
}
arm 1e-4 '{"value": 0.2, "rel_sd": 0.2}' >lift.arm.json
arm null '{"value": 0.2, "rel_sd": 0.2}' >norotor.arm.json
arm null null >bare.arm.json

# lift SEED >FILE: 20 s; a rotor of 9 kg beside 14 kg, 1/60 A/N, friction +0.3 -0.25 A
lift() {
  awk -v seed="$1" 'BEGIN {
    srand(seed); pi = atan2(0, -1); print "t_s,joint,q1_m,qd1_m_s,qdd1_m_s2,i1_A"
    for (k = 1; k <= 5; k++) { a[k] = (0.05 + 0.05 * rand()) / k; p[k] = 2 * pi * rand() }
    for (s = 0; s <= 2000; s++) {
      t = s / 100; q = v = x = noise = 0
      for (k = 1; k <= 5; k++) {
        w = 2 * pi * 0.2 * k
        q += a[k] * sin(w * t + p[k]); v += a[k] * w * cos(w * t + p[k]); x -= a[k] * w * w * sin(w * t + p[k])
      }
      for (k = 0; k < 12; k++) noise += rand() / 100
      i = (14 * (x + 9.81) + 9 * x) / 60 + (v > 0 ? 0.3 + 0.15 * v : -0.25 + 0.12 * v)
      printf "%.2f,0,%.9f,%.9f,%.9f,%.6f\n", t, q, v, x, i + noise - 0.06
    } }' </dev/null
}
lift 1 >a.csv
lift 2 >v.csv
cat >rest.csv <<'CSV'
t_s,joint,q1_m,qd1_m_s,qdd1_m_s2
0,0,0.1,0,0
0.01,0,0.1,0.2,1
CSV
rest=2.289 # 14 * 9.81 / 60
moving=3.00233 # (14 * 10.81 + 9) / 60 + 0.3 + 0.03

# near VALUE TRUTH MOST
near() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { d = a - b; exit !(a != "" && d <= most && -d <= most) }'; }

# ---- the rotor of a data sheet -----------------------------------------------------------------

expect "a lift fits: its friction does not help" 0 identify --arm lift.arm.json --csv a.csv --validate v.csv --out p.json
result "$(grep -c 'friction helps' err)" "nothing is said of friction that helps" "$(cat err)"
grep -q 'FcpR, FcnR of joint 1:' out
result $? "the table says what motions show" "$(cat out)"
holds "it fits" p.json '.verdict == "fits"'
holds "friction with the rotor is told as it is: 0.3 - 9.81 * 9 / 60" p.json '.joints[0].parameters |
  (.FcpR_A.value + 1.1715 | fabs) < 0.05 and .FcpR_A.sd < 0.05 and
  (.FcnR_A.value + 1.7215 | fabs) < 0.05 and .FcnR_A.sd < 0.05'
holds "friction alone as well as the rotor is known" p.json '.joints[0].parameters |
  (.coulomb_pos_A | (.value - 0.3 | fabs) < 3 * .sd and .sd > 0.5 and .sd < 3) and
  (.coulomb_neg_A | (.value + 0.25 | fabs) < 3 * .sd and .sd > 0.5 and .sd < 3) and
  (.coulomb_pos_A.used + .rotor_weight_A.used - .FcpR_A.used | fabs) < 1e-12'
holds "and by the data sheet, which is right here" p.json '.joints[0].parameters |
  (.rotor_weight_A.value + 9.81 * 9 / 60 | fabs) < 0.1 and
  (.coulomb_pos_A.value - 0.3 | fabs) < 0.1 and (.coulomb_neg_A.value + 0.25 | fabs) < 0.1'
expect "predict" 0 predict --arm lift.arm.json --params p.json --csv rest.csv
IFS=, read -r _ _ _ _ _ current sd < <(sed -n 2p out)
near "$current" "$rest" "$(awk "BEGIN { print 3 * $sd }")" && near "$sd" 1.5 1.2
result $? "the current at rest is right within its sds" "$current $sd, not $rest"
IFS=, read -r _ _ _ _ _ current sd < <(sed -n 3p out)
near "$current" "$moving" 0.02 && near "$sd" 0 0.02
result $? "the current in motion is known well" "$current $sd, not $moving"
expect "dynamics --params" 0 dynamics --arm lift.arm.json --params p.json --csv rest.csv
IFS=, read -r _ _ _ _ _ torque sd < <(sed -n 2p out)
near "$torque" 137.34 "$(awk "BEGIN { print 3 * $sd }")" && near "$sd" 90 70
result $? "the force at rest is right within its sds" "$torque $sd, not 137.34"
if command -v cc >/dev/null; then
  expect "export" 0 export --arm lift.arm.json --params p.json --format c --out lift.h --force
  printf '%s\n' '#include <stdio.h>' '#include "lift.h"' 'int main(void) {' \
    'double q[1] = {0.1}, v[1] = {0}, a[1] = {0}, i[1];' \
    'lift_current(q, v, a, i); printf("%.9g ", i[0]);' \
    'v[0] = 0.2; a[0] = 1; lift_current(q, v, a, i); printf("%.9g\n", i[0]); return 0; }' >main.c
  cc -o main main.c -lm && read -r at_rest in_motion < <(./main)
  run predict --arm lift.arm.json --params p.json --csv rest.csv
  near "$at_rest" "$(sed -n 2p out | cut -d, -f6)" 1e-6 && near "$in_motion" "$(sed -n 3p out | cut -d, -f6)" 1e-6
  result $? "code in C is the prediction, at rest and in motion" "$at_rest $in_motion $(cat out)"
fi

# ---- no rotor is stated ------------------------------------------------------------------------

expect "without the rotor's data sheet" 0 identify --arm norotor.arm.json --csv a.csv --validate v.csv --out n.json
expect "predict" 0 predict --arm norotor.arm.json --params n.json --csv rest.csv
IFS=, read -r _ _ _ _ _ current sd < <(sed -n 2p out)
[[ -z $sd ]] || near "$current" "$rest" "$(awk "BEGIN { print 3 * $sd }")"
result $? "the current at rest is right within its sds, or has none" "$current $sd, not $rest"

# ---- nothing is stated -------------------------------------------------------------------------

run identify --arm bare.arm.json --csv a.csv --validate v.csv --out b.json
grep -q 'coulomb_pos_A_1, coulomb_neg_A_1, rotor_weight_A_1 not identifiable: .*rotor' err
result $? "what is not known of friction is said" "exit $status: $(cat err)"
holds "friction alone is not identifiable, its sum with the rotor is" b.json '.joints[0].parameters |
  ([.coulomb_pos_A, .coulomb_neg_A, .rotor_weight_A] | all(.identifiable == false and .value == null and
    .reason_key == "rotor_not_known")) and (.FcpR_A.value + 1.1715 | fabs) < 0.05'
run predict --arm bare.arm.json --params b.json --csv rest.csv
[[ $(sed -n 2p out) == *, ]] && IFS=, read -r _ _ _ _ _ current sd < <(sed -n 3p out) &&
  near "$current" "$moving" 0.02 && near "$sd" 0 0.02
result $? "no sd at rest, a small one in motion" "$(cat out err)"
run dynamics --arm bare.arm.json --params b.json --csv rest.csv
result $((status != 4)) "no force" "exit $status: $(cat out err)"

# ---- torques: of the motor, its rotor included, or beyond it ------------------------------------

# torques ROTOR OFFSET FILE: forces of recording FILE, with so much of the rotor; N on both ways beside
torques() {
  awk -F, -v OFS=, -v rotor="$1" -v offset="$2" 'NR == 1 { $6 = "tau1_N"; print; next }
    { $6 = 60 * $6 + (rotor - 9) * $5 + offset; print }' "$3"
}
for k in a v; do
  torques 9 0 $k.csv >motor_$k.csv
  torques 0 0 $k.csv >beyond_$k.csv
  torques 0 60 $k.csv >off_$k.csv
done
expect "torques of the motor fit" 0 identify --arm lift.arm.json --csv motor_a.csv --validate motor_v.csv --out m.json
result "$(grep -c 'friction helps' err)" "nothing is said of friction that helps" "$(cat err)"
tr -s ' \n' ' ' <out | grep -q 'torques were measured, those of motors with their rotors'
result $? "where they were measured is said" "$(cat out)"
holds "friction alone as well as the rotor is known" m.json '.joints[0].parameters |
  (.coulomb_pos_N | (.value - 18 | fabs) < 3 * .sd and .sd > 30) and
  (.FcpR_N.value + 70.3 | fabs) < 1 and (.rotor_weight_N.value + 88.3 | fabs) < 6'
expect "predict" 0 predict --arm lift.arm.json --params m.json --csv rest.csv
IFS=, read -r _ _ _ _ _ force sd < <(sed -n 2p out)
near "$force" 137.34 "$(awk "BEGIN { print 3 * $sd }")" && near "$sd" 90 70
result $? "the force at rest is right within its sds" "$force $sd, not 137.34"
IFS=, read -r _ _ _ _ _ force sd < <(sed -n 3p out)
near "$force" 180.14 1.2 && near "$sd" 0 1.2
result $? "the force in motion is known well" "$force $sd, not 180.14"
expect "of a rotor that nobody states, too" 0 identify --arm norotor.arm.json --csv motor_a.csv --validate motor_v.csv --json
expect "torques beyond the rotor fit" 0 identify --arm lift.arm.json --csv beyond_a.csv --validate beyond_v.csv --out y.json
holds "and have friction alone" y.json '.joints[0].parameters | has("FcpR_N") == false and
  (.coulomb_pos_N | (.value - 18 | fabs) < 4 * .sd and .sd < 1)'
expect "an offset is no rotor" 4 identify --arm lift.arm.json --csv off_a.csv --validate off_v.csv
grep -q 'joint 1: friction helps the motion back' err
result $? "and is said" "$(cat err)"

finish
