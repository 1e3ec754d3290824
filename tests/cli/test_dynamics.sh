#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `dynamics`: motions in, torques out, against an arm whose torques are known.
# shellcheck disable=SC2016 # jq and awk have variables of their own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# The golden arm R R T R T R R and its two states: tests/golden/dyn_pinocchio.txt
awk '
  function list(from, count,   k, text) {
    for (k = 0; k < count; k++) text = text (k ? "," : "") $(from + k)
    return text
  }
  $1 == "arm" { inside = $2 == "pinocchio_random_rrprprr"; joints = 0 }
  !inside { next }
  $1 == "gravity" {
    printf "{\"format\":\"armature-arm\",\"version\":1,\"name\":\"random\",\"gravity_m_s2\":[%s],\"joints\":[", list(2, 3)
  }
  $1 == "joint" {
    type[++joints] = $2
    printf "%s{\"type\":\"%s\",\"beta_rad\":%s,\"b_m\":%s,\"theta_rad\":%s,\"d_m\":%s,", \
      (joints > 1 ? "," : ""), $2, $3, $4, $5, $6
  }
  $1 == "link" {
    printf "\"link\":{\"mass_kg\":%s,\"com_m\":[%s],\"inertia_com_kg_m2\":[%s]}}", $2, list(3, 3), list(6, 6)
  }
  $1 == "sample" && ++samples == 1 {
    print "]}"
    for (i = 1; i <= joints; i++) head = head sprintf("q%d_%s,", i, (type[i] == "R" ? "rad" : "m"))
    for (i = 1; i <= joints; i++) head = head sprintf("qd%d_%s,", i, (type[i] == "R" ? "rad_s" : "m_s"))
    for (i = 1; i <= joints; i++) head = head sprintf("qdd%d_%s%s", i, (type[i] == "R" ? "rad_s2" : "m_s2"), (i < joints ? "," : ""))
    print head >"s.csv"
  }
  samples > 2 { next }
  $1 == "q" { printf "%s,", list(2, joints) >"s.csv" }
  $1 == "qd" { printf "%s,", list(2, joints) >"s.csv" }
  $1 == "qdd" { print list(2, joints) >"s.csv" }
  $1 == "tau" { print list(2, joints) >"tau.csv" }
' "$root/tests/golden/dyn_pinocchio.txt" >a.arm.json

# near NAME FILE FIRST: the torques from column FIRST on are those of tau.csv
near() {
  tail -n +2 "$2" | paste -d, - tau.csv | awk -F, -v first="$3" '
    { for (i = 0; i < 7; i++) {
        e = $(first + i) - $(first + 7 + i); w = $(first + 7 + i)
        if (e < 0) e = -e; if (w < 0) w = -w
        if (!(e <= 1e-12 * (100 + w))) { bad = 1; print i + 1, $(first + i), $(first + 7 + i) } } }
    END { exit bad || NR != 2 }' >differences
  result $? "$1" "$(cat differences)"
}

expect "a known arm" 0 dynamics --arm a.arm.json --csv s.csv
[[ ! -s err ]]
result $? "no message" "$(cat err)"
cp out all.csv
near "gives the known torques" all.csv 22
[[ $(head -n 1 all.csv) == "$(head -n 1 s.csv),tau1_Nm,tau2_Nm,tau3_N,tau4_Nm,tau5_N,tau6_Nm,tau7_Nm" ]]
result $? "input columns, then torques and forces" "$(head -n 1 all.csv)"
cut -d, -f1-21 all.csv >kept
same "the input cells are untouched" kept s.csv
expect "its own output" 0 dynamics --arm a.arm.json --csv all.csv
same "gives the same again" out all.csv
expect "--out" 0 dynamics --arm a.arm.json --csv s.csv --out o.csv
same "writes the same to a file" o.csv all.csv
[[ ! -s out ]]
result $? "and nothing to standard output"
refuse "an existing file" 3 'o.csv: exists; use --force' dynamics --arm a.arm.json --csv s.csv --out o.csv
expect "an existing file with --force" 0 dynamics --arm a.arm.json --csv s.csv --out o.csv --force

# ---- a pendulum on a slide, by hand: 2 kg and 0.5 m, no tensor about the centre ---------------

cat >p.arm.json <<'JSON'
{"format": "armature-arm", "version": 1, "name": "p", "gravity_m_s2": [0, 0, -10],
 "joints": [{"type": "T", "gear_ratio": 100, "rotor_inertia_kg_m2": 1e-4},
            {"type": "R", "beta_deg": 90, "gear_ratio": 50, "rotor_inertia_kg_m2": 4e-4,
             "link": {"mass_kg": 2, "com_m": [0.5, 0, 0]}}],
 "coupling": [[0, 0], [0.5, 0]]}
JSON
# force = 2 (10 + a + 0.5 (cos q) qdd - 0.5 (sin q) qd^2), torque = 2 0.5 cos q (10 + a) + 0.5 qdd
printf '%s\n' note,q2_rad,qd2_rad_s,qdd2_rad_s2,q1_m,qd1_m_s,qdd1_m_s2,tau2_Nm \
  'x,0,0,0,0,0,0,9' 'y,0,0,2,7,1,3,' ',0,,,7,,,' 'z,0,1,,0,0,0,' ',,0,0,0,0,0,' >p.csv
expect "any order, other columns, gaps" 0 dynamics --arm p.arm.json --csv p.csv
[[ $(head -n 1 out) == note,q2_rad,qd2_rad_s,qdd2_rad_s2,q1_m,qd1_m_s,qdd1_m_s2,tau1_N,tau2_Nm ]]
result $? "replaces torques, keeps the rest" "$(head -n 1 out)"
[[ $(sed -n 2p out) == x,0,0,0,0,0,0,20,10 ]]
result $? "at rest it holds the weight" "$(sed -n 2p out)"
[[ $(sed -n 3p out) == y,0,0,2,7,1,3,28,14 ]]
result $? "accelerations add up" "$(sed -n 3p out)"
[[ $(sed -n 4p out) == ,0,,,7,,,20,10 ]]
result $? "an empty speed, and then acceleration, is 0" "$(sed -n 4p out)"
[[ $(sed -n 5p out) == z,0,1,,0,0,0,, && $(sed -n 6p out) == ,,0,0,0,0,0,, ]]
result $? "a moving joint's acceleration and a position are needed" "$(tail -n 2 out)"
[[ $(cat err) == "armature-cli: warning: p.arm.json: joint 1: no link; counted as massless
armature-cli: warning: p.arm.json: joint 2: no inertia tensor; counted as a point mass" ]]
result $? "what the arm file lacks is said once" "$(cat err)"

# rotors: 1 (slide) and 1 (turn), coupled by 0.5: [[1.25, 0.5], [0.5, 1]]
expect "--rotor" 0 dynamics --arm p.arm.json --csv p.csv --rotor
awk -F, 'NR == 3 { a = $8 - (28 + 1.25 * 3 + 0.5 * 2); b = $9 - (14 + 0.5 * 3 + 2)
  exit !(a * a < 1e-24 && b * b < 1e-24) }' out
result $? "adds (I+L)^T diag(G^2 J) (I+L) qdd" "$(sed -n 3p out)"
[[ $(sed -n 2p out) == x,0,0,0,0,0,0,20,10 ]]
result $? "and nothing at rest" "$(sed -n 2p out)"
sed 's/, "rotor_inertia_kg_m2": 1e-4//' p.arm.json >one.arm.json
expect "--rotor with one rotor unknown" 0 dynamics --arm one.arm.json --csv p.csv --rotor
grep -q 'warning: one.arm.json: joint 1: no gear ratio or rotor inertia; counted as 0' err
result $? "is warned of" "$(cat err)"
refuse "--rotor without any" 3 'a.arm.json: --rotor: expected gear_ratio and rotor_inertia_kg_m2 of' \
  dynamics --arm a.arm.json --csv s.csv --rotor
sed 's/"link": {[^}]*}/"x_none": 0/' p.arm.json >bare.arm.json
expect "an arm without links" 0 dynamics --arm bare.arm.json --csv p.csv
[[ $(cat err) == "armature-cli: warning: bare.arm.json: joints 1, 2: no link; counted as massless" ]]
result $? "is one warning" "$(cat err)"
[[ $(sed -n 3p out) == y,0,0,2,7,1,3,0,0 ]]
result $? "and zeros" "$(sed -n 3p out)"

cut -d, -f1-3,5-6 p.csv >noqdd.csv
refuse "samples without accelerations" 3 'noqdd.csv:1.*expected a column qdd1_m_s2' \
  dynamics --arm p.arm.json --csv noqdd.csv
cut -d, -f1-6 p.csv >noone.csv
refuse "or without those of one joint" 3 'noone.csv:1.*expected a column qdd1_m_s2' \
  dynamics --arm p.arm.json --csv noone.csv
cut -d, -f1-2,4-7 p.csv >noqd.csv
refuse "samples without speeds" 3 'noqd.csv:1.*expected a column qd2_rad_s' \
  dynamics --arm p.arm.json --csv noqd.csv
refuse "no file" 3 'none.csv' dynamics --arm p.arm.json --csv none.csv
head -n 1 p.csv >empty.csv
run dynamics --arm p.arm.json --csv empty.csv
cp out header.csv
[[ $status -eq 0 && $(wc -l <header.csv) -eq 1 ]] || [[ $status -eq 3 ]]
result $? "a table without rows is a header or refused" "exit $status: $(cat out err)"
# ---- rows do not depend on where they stand, nor on how many there are --------------------------

for times in 8 12 600 513; do
  (head -n 1 s.csv; for ((k = 0; k < times; k++)); do tail -n +2 s.csv; done) >many.csv
  run dynamics --arm a.arm.json --csv many.csv
  [[ $(wc -l <out) -eq $((2 * times + 1)) && $(tail -n +2 out | sort -u | wc -l) -eq 2 ]]
  result $? "$((2 * times)) rows are two again and again" "$(tail -n +2 out | sort | uniq -c | head -n 4)"
done

# ---- --params: identified links in place of the arm file's ---------------------------------------

puma=$robots/puma560.arm.json
"$make_files" dynamics "$puma" stated.json stated
awk 'BEGIN {
  for (j = 1; j <= 6; j++) printf "q%d_rad,qd%d_rad_s,qdd%d_rad_s2,", j, j, j
  print "tau2_sd_Nm,note"
  for (r = 0; r < 1500; r++) {
    for (k = 1; k <= 18; k++) printf "%.6f,", 2 * sin(k * k + 1.7 * r)
    print "9,x"
  } }' >m.csv
expect "the arm file's links" 0 dynamics --arm "$puma" --csv m.csv --out links.csv
expect "the same links, identified" 0 dynamics --arm "$puma" --params stated.json --csv m.csv
cp out found.csv
[[ $(head -n 1 out | cut -d, -f18-) == "qdd6_rad_s2,note,tau1_Nm,tau2_Nm,tau3_Nm,tau4_Nm,tau5_Nm,tau6_Nm,tau1_sd_Nm,tau2_sd_Nm,tau3_sd_Nm,tau4_sd_Nm,tau5_sd_Nm,tau6_sd_Nm" ]]
result $? "torques, then their sds, in place of old ones" "$(head -n 1 out)"
paste -d, links.csv found.csv | awk -F, 'NR > 1 { for (j = 1; j <= 6; j++) {
  want = $(20 + j); d = $(26 + 19 + j) - want; if (d < 0) d = -d; if (want < 0) want = -want
  if (!(d <= 1e-12 * (1 + want)) || !($(26 + 25 + j) > 0)) { print NR, j, want, d; bad = 1 } } }
  END { exit bad || NR != 1501 }' >differences
result $? "give the same torques" "$(head -n 5 differences)"
grep -q 'stated.json: the rotor of joint 1, 2 cannot be told from its links' err
result $? "rotors that they hold are told" "$(cat err)"
expect "its own output" 0 dynamics --arm "$puma" --params stated.json --csv found.csv
same "gives the same again" out found.csv
"$make_files" dynamics "$puma" scale.json scale
expect "torque constants that nobody states" 4 dynamics --arm "$puma" --params scale.json --csv m.csv
awk -F, 'NR > 1 { for (j = 20; j <= 31; j++) if ($j != "") exit 1 } NF != 31 { exit 1 }' out
result $? "give no torque" "$(sed -n 2p out)"
[[ $(grep -c 'scale.json: the torque of joint [1-6] is not known, only in the amperes of a reference joint: state torque_constant_Nm_A' err) == 6 ]]
result $? "each joint says why, and what to do" "$(cat err)"
refuse "--rotor" 2 '--rotor adds rotors of the arm file' \
  dynamics --arm "$puma" --params stated.json --rotor --csv m.csv
run fit --arm "$demo.arm.json" --csv "$demo.csv" --out fit.json
refuse "parameters of sweeps" 3 'kind: expected .*"dynamics".*found "gravity"' \
  dynamics --arm "$demo.arm.json" --params fit.json --csv m.csv
finish
