#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `identify`: what is said against a recording, and what is not said of a right one, on a light head
# of two joints that is mostly rotor.
# shellcheck disable=SC2016 # jq and awk have variables of their own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

jq -n 'def joint($name; $beta; $inertia): {name: $name, type: "R", beta_deg: $beta, b_m: 0, theta_deg: 0, d_m: 0,
    limits: {q_deg: [-150, 150], speed_deg_s: 360, accel_deg_s2: 600, current_A: 20}, gear_ratio: 100,
    motor_sign: 1, torque_constant_Nm_A: {value: 0.05, rel_sd: 0.2}, rotor_inertia_kg_m2: 2e-5,
    link: {mass_kg: 1, com_m: [0, 0, 0], inertia_com_kg_m2: $inertia}};
  {format: "armature-arm", version: 1, name: "head", gravity_m_s2: [0, 0, -9.81],
    joints: [joint("pan"; 0; [0.01, 0.01, 0.01, 0, 0, 0]), joint("tilt"; 90; [0.01, 0.02, 0.02, 0, 0, 0])]}' >head.arm.json

# motion SEED >FILE: three sines a joint, 30 s at 100 Hz, exact speeds and accelerations
motion() {
  awk -v seed="$1" 'BEGIN {
    srand(seed); pi = atan2(0, -1)
    print "t_s,joint,q1_rad,q2_rad,qd1_rad_s,qd2_rad_s,qdd1_rad_s2,qdd2_rad_s2"
    for (j = 1; j <= 2; j++) for (k = 1; k <= 3; k++) { a[j, k] = (0.3 + 0.2 * rand()) / k; p[j, k] = 2 * pi * rand() }
    for (s = 0; s <= 3000; s++) {
      t = s / 100
      for (j = 1; j <= 2; j++) {
        q[j] = v[j] = x[j] = 0
        for (k = 1; k <= 3; k++) {
          w = 2 * pi * 0.2 * k
          q[j] += a[j, k] * sin(w * t + p[j, k]); v[j] += a[j, k] * w * cos(w * t + p[j, k])
          x[j] -= a[j, k] * w * w * sin(w * t + p[j, k])
        }
      }
      printf "%.2f,0,%.12g,%.12g,%.12g,%.12g,%.12g,%.12g\n", t, q[1], q[2], v[1], v[2], x[1], x[2]
    }
  }'
}

# record MOTION UNIT ETA NOISE [--rotor] >FILE: what columns of UNIT show, friction and noise beside, speeds left out
record() {
  "$cli" dynamics --arm head.arm.json --csv "$1" "${@:5}" 2>/dev/null | awk -F, -v unit="$2" -v eta="$3" -v noise="$4" '
    function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.28318530718 * rand()) }
    BEGIN { srand(7) }
    NR == 1 { print "t_s,joint,q1_rad,q2_rad," (unit == "A" ? "i1_A,i2_A" : "tau1_Nm,tau2_Nm"); next }
    { printf "%s,%s,%s,%s", $1, $2, $3, $4
      for (j = 1; j <= 2; j++) {
        v = $(4 + j); sign = v > 0 ? 1 : v < 0 ? -1 : 0
        printf ",%.12g", eta * $(8 + j) + eta * (0.5 * sign + 0.3 * v) + noise * normal()
      }
      print "" }'
}

for k in 1 2; do
  motion $k >m$k.csv
  record m$k.csv A 0.2 0.005 --rotor >i$k.csv
  record m$k.csv Nm 1 0.001 >tau$k.csv
done

# ---- currents that drive rotors ----

expect "right currents of a head that is mostly rotor" 0 identify --arm head.arm.json --csv i1.csv --validate i2.csv --json
holds "fit" out '.verdict == "fits"'
jq 'del(.joints[].rotor_inertia_kg_m2)' head.arm.json >unstated.arm.json
expect "they are not refused where no rotor is stated" 0 identify --arm unstated.arm.json --csv i1.csv --validate i2.csv --json
expect "right torques" 0 identify --arm head.arm.json --csv tau1.csv --validate tau2.csv --json
awk -F, -v OFS=, 'NR > 1 { $5 *= 1000; $6 *= 1000 } { print }' i1.csv >mA.csv
jq 'del(.joints[].limits.current_A)' head.arm.json >unlimited.arm.json
refuse "currents in mA" 3 'mA.csv:[0-9]*: i[12]_A: expected about a thousandth of that, .*are these currents in mA' \
  identify --arm unlimited.arm.json --csv mA.csv

# ---- positions of another unit ----

for k in 1 2; do awk -F, -v OFS=, 'NR > 1 { $3 *= 57.29577951308232 } { print }' i$k.csv >deg$k.csv; done
expect "joint 1 in degrees" 4 identify --arm head.arm.json --csv deg1.csv --validate deg2.csv --json
holds "is asked for" out '[.warnings[] | select(.code == "position_limits") | .joint, .message] |
  .[0] == 1 and (.[1] | test("deg1.csv:[0-9]*: q1_rad: expected .* is it in deg where rad is meant"))'
holds "whatever makes up for it, it does not fit" out '.verdict == "misfit" and
  ([.joints[].misfit.verdict] == ["misfit", "fits"]) and ([.warnings[].code] | index("validation") == null)'
expect "joint 1 in degrees, the table" 4 identify --arm head.arm.json --csv deg1.csv --validate deg2.csv
grep -q 'the model does not fit' out
result $? "says so, too" "$(head -n 2 out)"
expect "in degrees where it is held out alone" 4 identify --arm head.arm.json --csv i1.csv --validate deg2.csv --json
holds "is asked for, too" out '[.warnings[] | select(.code == "position_limits").message] | any(test("deg2.csv:[0-9]*: q1_rad"))'

# ---- currents at their limit ----

for k in 1 2; do
  awk -F, -v OFS=, 'NR > 1 { $6 = $6 > 0.25 ? 0.25 : $6 < -0.25 ? -0.25 : $6 } { print }' i$k.csv >clipped$k.csv
done
jq '.joints[1].limits.current_A = 0.25' head.arm.json >limited.arm.json
expect "currents that are limited" 0 identify --arm limited.arm.json --csv clipped1.csv --validate clipped2.csv --json
holds "are left out and counted, of both recordings" out '.verdict == "fits" and
  ([.warnings[] | select(.code == "saturated") | .joint] == [2, 2]) and
  ([.warnings[] | select(.code == "saturated").message] | (.[0] | test("clipped1.csv: .* the limit of the arm file, 0.25 A, in [0-9]+ of [0-9]+ samples, which are left out")) and
    (.[1] | test("clipped2.csv"))) and .joints[1].samples.at_limit > 100 and (.joints[0].samples | has("at_limit") | not)'
cp out limited
"$cli" identify --arm head.arm.json --csv i1.csv --validate i2.csv --json >out 2>/dev/null
jq -n --slurpfile a limited --slurpfile b out -e '[$a[0], $b[0]] | map(.joints[1].parameters.coulomb_pos_A) |
  (.[0].value - .[1].value | fabs) < 4 * .[0].sd' >off
result $? "friction is what it is without a limit" "$(jq -c '.joints[1].parameters.coulomb_pos_A' limited out)"
holds "and nobody is asked about" out '[.warnings[].code] | index("saturated") == null'

# ---- noise ----

for k in 1 2; do record m$k.csv A 0.2 0.4 --rotor >noisy$k.csv; done
expect "noise of more than a tenth of the current" 4 identify --arm head.arm.json --csv noisy1.csv --validate noisy2.csv --json
holds "is called noise" out '[.warnings[] | select(.code == "validation") | .joint, (.message |
  test("noisy2.csv is missed by .* of what was measured .limit 10 %.*: noise promises [0-9.]+ A: it hides whether the model fits"))] ==
  [1, true, 2, true]'
for k in 1 2; do sed '1s/i1_A,i2_A/i2_A,i1_A/' i$k.csv >swapped$k.csv; done
expect "currents of each other's joint" 4 identify --arm head.arm.json --csv swapped1.csv --validate swapped2.csv --json
holds "are not" out '([.warnings[] | select(.code == "validation" or .code == "fit_r2").message] |
  length > 0 and (any(test("noise promises|the rest is noise")) | not))'

# ---- filters, and columns that are not used ----

refuse "a filter of next to nothing" 3 'i1.csv: --lowpass: expected 0, or a frequency of at least 0.001 Hz at a sampling rate of 100 Hz, found 1e-300' \
  identify --arm head.arm.json --csv i1.csv --lowpass 1e-300
awk -F, -v OFS=, 'NR > 1 { $1 *= 1000 } { print }' i1.csv >ms.csv
refuse "times in ms" 3 'ms.csv: --lowpass: expected a frequency below half of the sampling rate of 0.1 Hz, 0.05 Hz, found 5: are times in ms in t_s' \
  identify --arm head.arm.json --csv ms.csv
paste -d, i1.csv <(cut -d, -f5,6 m1.csv) >speeds.csv
expect "speeds without accelerations" 0 identify --arm head.arm.json --csv speeds.csv --csv i2.csv
grep -q 'speeds.csv: its speeds are not used' err
result $? "are said not to be used" "$(cat err)"
paste -d, i1.csv <(cut -d, -f5-8 m1.csv) >rates.csv
expect "speeds and accelerations" 0 identify --arm head.arm.json --csv rates.csv
grep -q 'are not used' err
result $((! $?)) "are" "$(cat err)"

finish
