#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `predict` with parameters of kind "dynamics", of drives whose every number is known
# (make_dynamics.h), against the torques of `dynamics` from the links themselves.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

arm=$robots/puma560.arm.json
scara=$robots/scara.arm.json

# motion ARM ROWS HZ [JITTER]: t_s, q, qd, qdd of sines below 0.5 Hz within half a radian (5 cm); each
# time off by up to a share JITTER of a step
motion() {
  jq -r '[.joints[].type] | join(" ")' "$1" | awk -v rows="$2" -v hz="$3" -v jitter="${4:-0}" '{
    srand(7)
    printf "t_s"
    for (j = 1; j <= NF; j++) printf ",q%d_%s", j, ($j == "R" ? "rad" : "m")
    for (j = 1; j <= NF; j++) printf ",qd%d_%s_s", j, ($j == "R" ? "rad" : "m")
    for (j = 1; j <= NF; j++) printf ",qdd%d_%s_s2", j, ($j == "R" ? "rad" : "m")
    print ""
    for (r = 0; r < rows; r++) {
      t = (r + jitter * (2 * rand() - 1)) / hz
      printf "%.6f", t
      for (j = 1; j <= NF; j++) printf ",%.15g", a(j) * sin(w(j) * t + j) + ($j == "R" ? 0.3 : 0.05)
      for (j = 1; j <= NF; j++) printf ",%.15g", a(j) * w(j) * cos(w(j) * t + j)
      for (j = 1; j <= NF; j++) printf ",%.15g", -a(j) * w(j) * w(j) * sin(w(j) * t + j)
      print ""
    }
  }
  function a(j) { return $j == "R" ? 0.5 : 0.05 }
  function w(j) { return 1 + 0.3 * j }'
}

# worst N ROTORS [TERMS]: largest deviation of out.csv from the drives of make_dynamics.h moved by
# torque.csv, over 1 + the current; joints with a rotor of their own as words
worst() {
  paste -d, torque.csv out.csv | awk -F, -v n="$1" -v rotors=" $2 " -v terms="${3:-}" 'NR > 1 {
    for (j = 1; j <= n; j++) {
      eta = (0.05 + 0.01 * j) * (j % 2 ? 1 : -1); v = $(1 + n + j); acc = $(1 + 2 * n + j)
      want = eta * $(1 + 3 * n + j) + (v > 0 ? 0.4 + 0.1 * j + 0.2 * v : v < 0 ? -0.3 + 0.1 * v : 0)
      if (terms != "" && v != 0) {
        load = eta * $(1 + 3 * n + j); speed = v < 0 ? -v : v; way = (v < 0 ? -1 : 1) * (eta < 0 ? -1 : 1)
        if (j % 2 == 0 || j == 3) want += way * 0.125 * (load < 0 ? -load : load)
        if (j % 2 == 1) want -= way * 0.25 * exp(-speed / 0.5)
      }
      if (index(rotors, " " j " ")) want += 0.02 * acc
      d = $(1 + 4 * n + 1 + 3 * n + 2 * j - 1) - want; if (d < 0) d = -d
      if (want < 0) want = -want
      if (!(d / (1 + want) <= most)) most = d / (1 + want)
    } }
    END { print NR - 1, most + 0 }'
}

# agrees NAME ARM N
agrees() {
  local rows off rotors
  "$make_files" dynamics "$2" p.json stated
  motion "$2" 2500 100 >s.csv
  "$cli" dynamics --arm "$2" --csv s.csv --out torque.csv --force 2>err
  expect "$1" 0 predict --arm "$2" --params p.json --csv s.csv
  cp out out.csv
  rotors=$(jq -r '[.joints[] | select(.parameters.rotor_inertia_A_s2.reason_key != "regrouped") | .joint] | join(" ")' p.json)
  read -r rows off <<<"$(worst "$3" "$rotors")"
  awk -v r="$rows" -v o="$off" 'BEGIN { exit !(r == 2500 && o < 1e-12) }'
  result $? "$1: currents of its links and drives" "$rows rows, off by $off"
}

"$make_files" dynamics "$arm" terms.json terms
holds "friction terms make it version 2, with what they lean on" terms.json '.version == 2 and
  .joints[1].parameters.load.value == 0.125 and .joints[1].parameters.load_seen_A == [0, 100] and
  .joints[1].parameters.friction_sign == -1 and .joints[0].parameters.curve_speed_rad_s == 0.5 and
  [.joints[1].parameters.terms[] | .chosen] == [true, false]'
motion "$arm" 500 100 >s.csv
"$cli" dynamics --arm "$arm" --csv s.csv --out torque.csv --force 2>err
expect "friction terms" 0 predict --arm "$arm" --params terms.json --csv s.csv
cp out out.csv
read -r rows off <<<"$(worst 6 "$(jq -r '[.joints[] | select(.parameters.rotor_inertia_A_s2.reason_key != "regrouped") | .joint] | join(" ")' terms.json)" terms)"
awk -v r="$rows" -v o="$off" 'BEGIN { exit !(r == 500 && o < 1e-12) }'
result $? "friction terms: currents of links, drives and terms" "$rows rows, off by $off"
sed '0,/"version": *2/s//"version": 1/' terms.json >old.json
refuse "terms in a file of version 1" 3 'old.json:[0-9]+:[0-9]+: version: expected 2, as the file has friction terms' \
  predict --arm "$arm" --params old.json --csv s.csv
agrees "a SCARA" "$scara" 4
agrees "a PUMA" "$arm" 6
[[ $(head -n 1 out.csv) == "$(head -n 1 s.csv),i1_A,i1_sd_A,i2_A,i2_sd_A,i3_A,i3_sd_A,i4_A,i4_sd_A,i5_A,i5_sd_A,i6_A,i6_sd_A" ]]
result $? "input columns, then currents" "$(head -n 1 out.csv)"
cut -d, -f1-19 out.csv >kept
same "the input cells are untouched" kept s.csv
awk -F, 'NR > 1 { for (j = 1; j <= 6; j++) if (!($(19 + 2 * j) > 0.001 && $(19 + 2 * j) < 1)) exit 1 }' out.csv
result $? "an sd for each" "$(sed -n 2p out.csv)"
expect "its own output" 0 predict --arm "$arm" --params p.json --csv out.csv
same "gives the same again" out out.csv
expect "--out" 0 predict --arm "$arm" --params p.json --csv s.csv --out o.csv
same "writes the same to a file" o.csv out.csv
refuse "an existing file" 3 'o.csv: exists; use --force' \
  predict --arm "$arm" --params p.json --csv s.csv --out o.csv
expect "--with-noise" 0 predict --arm "$arm" --params p.json --csv s.csv --with-noise
paste -d, out.csv out | awk -F, 'NR > 1 { for (j = 1; j <= 6; j++) {
  d = $(50 + 2 * j) ^ 2 - $(19 + 2 * j) ^ 2 - 0.03125 ^ 2; if (!(d < 1e-12 && d > -1e-12)) exit 1 } }'
result $? "adds the residual sd" "$(sed -n 2p out)"

# ---- speeds and accelerations that are not given ------------------------------------------------

cut -d, -f1-7 s.csv >q.csv
expect "positions and time alone" 0 predict --arm "$arm" --params p.json --csv q.csv
cp out computed.csv
grep -q 'q.csv: [0-9]* of 2500 rows have no current: .*3.2 periods' err
result $? "the ends are told" "$(cat err)"
# close_to FIRST LAST SHARE: rows of computed.csv whose speeds are all beyond 0.03 rad/s (near a reversal
# friction is another, or none) have the currents of out.csv but for a share of 1 + current
close_to() {
  awk -F, -v first="$1" -v last="$2" 'NR > 1 { slow = 0
    for (j = 8; j <= 13; j++) if ($j < 0.03 && $j > -0.03) slow = 1
    if (!slow && NR > first && NR < last) print NR }' s.csv >rows
  paste -d, out.csv computed.csv | awk -F, -v share="$3" 'NR == FNR { want[$1] = 1; next }
    want[FNR] { n++; for (j = 1; j <= 6; j++) { w = $(18 + 2 * j); d = $(31 + 6 + 2 * j) - w
      if ($(31 + 6 + 2 * j) == "" || $(31 + 7 + 2 * j) == "") bad = 1
      if (d < 0) d = -d; if (w < 0) w = -w; if (!(d <= share * (1 + w))) { bad = 1; print FNR, j, w, d } } }
    END { exit bad || n < 1000 }' rows - >differences
}
close_to 80 2420 1e-3
result $? "the others are those of true speeds and accelerations" "$(head -n 5 differences; wc -l <rows)"
awk -F, 'NR == 1 || NR > 2501 { next } NR < 40 || NR > 2462 { if ($8 != "") exit 1 } NF != 19 { exit 1 }' computed.csv
result $? "cells of the ends are empty" "$(sed -n 2p computed.csv)"
cut -d, -f1-7 computed.csv >kept
same "each row in its place" kept q.csv
cp s.csv even.csv
cp out.csv even.out
motion "$arm" 2500 100 0.3 >s.csv
expect "a logger that asks now and then" 0 predict --arm "$arm" --params p.json --csv s.csv
cp out out.csv
cut -d, -f1-7 s.csv >uneven.csv
expect "positions and uneven times" 0 predict --arm "$arm" --params p.json --csv uneven.csv
cp out computed.csv
close_to 80 2420 1e-3
result $? "give the currents of the rows' own times" "$(head -n 5 differences; wc -l <rows)"
cut -d, -f1-7 computed.csv >kept
same "each row in its place, too" kept uneven.csv
awk -F, -v OFS=, 'NR == 1001 || NR == 1003 { $3 = "" } NR > 1300 { $1 -= 13 } 1' uneven.csv >two.csv
expect "two recordings, and rows without a position" 0 predict --arm "$arm" --params p.json --csv two.csv
cut -d, -f1-7 out >kept
same "keep their order" kept two.csv
awk -F, 'NR == 1001 || NR == 1003 || (NR > 1270 && NR < 1330) { if ($8 != "") exit 1; next }
  NR > 80 && NR < 1230 || NR > 1370 && NR < 2420 { if ($8 == "") exit 1 }' out
result $? "and their own ends" "$(sed -n 1001p out)"
mv even.csv s.csv
mv even.out out.csv
expect "another cut-off" 0 predict --arm "$arm" --params p.json --csv q.csv --lowpass 10
[[ $(awk -F, '$8 != ""' out | wc -l) -gt $(awk -F, '$8 != ""' computed.csv | wc -l) ]]
result $? "leaves out less at the ends" "$(cat err)"
cut -d, -f1-13 s.csv >qd.csv
expect "accelerations alone are missing" 0 predict --arm "$arm" --params p.json --csv qd.csv
paste -d, out.csv out | awk -F, 'NR > 100 && NR < 2400 { n++; for (j = 1; j <= 6; j++) {
    w = $(18 + 2 * j); d = $(31 + 12 + 2 * j) - w; if (d < 0) d = -d; if (w < 0) w = -w
    if (!(d <= 1e-3 * (1 + w))) { bad = 1; print FNR, j, w, d } } } END { exit bad || n < 2000 }' >differences
result $? "speeds are those that are given" "$(head -n 5 differences)"

refuse "a cut-off beyond the samples" 3 '--lowpass: expected a cut-off above 0 and below half .*100 Hz.*found 60 Hz' \
  predict --arm "$arm" --params p.json --csv q.csv --lowpass 60
refuse "no cut-off" 3 '--lowpass: expected a cut-off above 0' \
  predict --arm "$arm" --params p.json --csv q.csv --lowpass -1
refuse "samples too coarse" 3 'q.csv: expected samples at 5 times the cut-off .* found 100 Hz for 30 Hz' \
  predict --arm "$arm" --params p.json --csv q.csv --lowpass 30
cut -d, -f2-7 s.csv >poses.csv
refuse "neither rates nor time" 3 'poses.csv: expected qd and qdd of all joints \(qd is missing\), or a column t_s' \
  predict --arm "$arm" --params p.json --csv poses.csv
head -n 1 q.csv >one.csv
sed -n 2p q.csv >>one.csv
refuse "one moment" 3 'one.csv: t_s: expected times that increase' \
  predict --arm "$arm" --params p.json --csv one.csv
run fit --arm "$demo.arm.json" --csv "$demo.csv" --out fit.json
refuse "a filter for what needs none" 2 '--lowpass belongs to parameters of .identify.' \
  predict --arm "$demo.arm.json" --params fit.json --csv "$demo.csv" --lowpass 5
head -n 40 q.csv >short.csv
expect "a motion shorter than the filter" 0 predict --arm "$arm" --params p.json --csv short.csv
awk -F, 'NR > 1 && $8 != "" { exit 1 }' out && grep -q '39 of 39 rows have no current' err
result $? "has no current, which is told" "$(cat err)"

# ---- at rest -------------------------------------------------------------------------------------

awk -F, -v OFS=, 'NR == 1 { print $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13; next }
  NR < 12 { print $2, $3, $4, $5, $6, $7, 0, "", 0, 0, 0, 0 }' s.csv >rest.csv
awk -F, -v OFS=, 'NR == 1 { for (j = 1; j <= 6; j++) $0 = $0 ",qdd" j "_rad_s2"; print; next }
  { print $0, 0, 0, 0, 0, 0, 0 }' rest.csv >held.csv
"$cli" dynamics --arm "$arm" --csv held.csv --out torque.csv --force 2>err
expect "poses that are held, without acceleration and time" 0 predict --arm "$arm" --params p.json --csv rest.csv
paste -d, torque.csv out | awk -F, 'NR > 1 { for (j = 1; j <= 6; j++) {
  d = $(24 + 12 + 2 * j - 1) - (0.05 + 0.01 * j) * (j % 2 ? 1 : -1) * $(18 + j)
  if (!(d < 1e-12 && d > -1e-12)) exit 1
  half = 1.25 * (0.7 + 0.1 * j) / 2; centre = (0.1 + 0.1 * j) / 2
  if (!($(24 + 12 + 2 * j) > 0.999999 * sqrt(half * half / 3 + centre * centre))) exit 1 } }'
result $? "gravity alone, with the band of friction in the sd" "$(sed -n 2p out)"
cp out gravity.csv
expect "the centre of the band" 0 predict --arm "$arm" --params p.json --csv rest.csv --zero-speed band
paste -d, gravity.csv out | awk -F, 'NR > 1 { for (j = 1; j <= 6; j++) {
  d = $(24 + 12 + 2 * j - 1) - $(12 + 2 * j - 1) - (0.1 + 0.1 * j) / 2
  if (!(d < 1e-12 && d > -1e-12)) exit 1 } }'
result $? "is another current" "$(sed -n 2p out)"
refuse "sign-error without desired positions" 3 'expected a column q1_des_rad' \
  predict --arm "$arm" --params p.json --csv rest.csv --zero-speed sign-error
awk -F, -v OFS=, 'NR == 1 { for (j = 1; j <= 6; j++) $0 = $0 ",q" j "_des_rad"; print; next }
  { print $0, $1 + 0.1, $2 - 0.1, $3, $4, $5, $6 }' rest.csv >desired.csv
expect "sign-error" 0 predict --arm "$arm" --params p.json --csv desired.csv --zero-speed sign-error
paste -d, gravity.csv out | awk -F, 'NR > 1 {
  a = $(24 + 19) - $13 - 0.5; b = $(24 + 21) - $15 + 0.3; c = $(24 + 23) - $17
  if (!(a < 1e-12 && a > -1e-12 && b < 1e-12 && b > -1e-12 && c < 1e-12 && c > -1e-12)) exit 1 }'
result $? "has friction with the sign of the error" "$(sed -n 2p out)"

# ---- what is not known ---------------------------------------------------------------------------

"$make_files" dynamics "$arm" no-rows.json no-rows
expect "a joint without rows" 0 predict --arm "$arm" --params no-rows.json --csv s.csv
awk -F, 'NR > 1 && !($22 == "" && $23 == "" && $20 != "" && $24 != "") { exit 1 }' out &&
  grep -q 'no-rows.json knows nothing of joint 2' err
result $? "has empty cells" "$(cat err)"
"$make_files" dynamics "$arm" scale.json scale
expect "torque constants that nobody states" 0 predict --arm "$arm" --params scale.json --csv s.csv
paste -d, out.csv out | awk -F, 'NR > 1 { for (j = 1; j <= 6; j++) {
  d = $(31 + 18 + 2 * j) - $(18 + 2 * j); if (!(d < 1e-12 && d > -1e-12 && $(31 + 19 + 2 * j) > 0)) exit 1 } }'
result $? "give the same currents" "$(sed -n 2p out)"
"$make_files" dynamics "$arm" torque.json torque
expect "measured torques" 0 predict --arm "$arm" --params torque.json --csv s.csv
grep -q 'torque.json was identified from torques of joint 1, 2, 3, 4, 5, 6' err
result $? "are told" "$(cat err)"
sed '0,/"value": 0\.5,/s//"value": 0.6,/' p.json >edited.json
expect "edited parameters" 0 predict --arm "$arm" --params edited.json --csv s.csv
grep -q 'edited.json was changed after it was written' err
result $? "are warned of" "$(cat err)"
refuse "plan" 3 'p.json: expected parameters of kind "gravity", found "dynamics".*.fit. wrote.*.diff. take these' \
  plan --arm "$arm" --params p.json
refuse "parameters of another arm" 3 'joints' predict --arm "$scara" --params p.json --csv s.csv

# ---- there and back: simulated, identified, another motion predicted --------------------------------

# fourier K: five harmonics of 0.1 Hz on all six joints, 20 s
fourier() {
  awk -v k="$1" 'BEGIN {
    printf "t_s,joint"
    for (j = 1; j <= 6; j++) printf ",q%d_rad", j
    for (j = 1; j <= 6; j++) printf ",qd%d_rad_s", j
    for (j = 1; j <= 6; j++) printf ",qdd%d_rad_s2", j
    print ""
    for (r = 0; r < 1400; r++) {
      t = r / 70
      printf "%.17g,0", t
      for (d = 0; d < 3; d++) for (j = 1; j <= 6; j++) {
        x = 0
        for (h = 1; h <= 5; h++) {
          w = 0.6283185307179586 * h; a = 0.6 / h * sin(3 * k + 7 * j + 11 * h); p = w * t + k + j * j + 2 * h
          x += d == 0 ? a * sin(p) : d == 1 ? a * w * cos(p) : -a * w * w * sin(p)
        }
        printf ",%.17g", x
      }
      print ""
    } }'
}
for k in 1 2; do
  fourier $k >motion$k.csv
  "$cli" predict --arm "$arm" --params p.json --csv motion$k.csv 2>err |
    cut -d, -f1-21,23,25,27,29,31 >recording$k.csv
done
run identify --arm "$arm" --csv recording1.csv --lowpass 0 --out found.json # motor_sign is another: 4
expect "parameters that were identified" 0 predict --arm "$arm" --params found.json --csv motion2.csv
paste -d, recording2.csv out | awk -F, 'NR > 1 { for (j = 1; j <= 6; j++) {
  d = $(20 + j) - $(26 + 20 + 2 * j - 1); if (d < 0) d = -d; if (!(d <= most)) most = d } }
  END { print most; exit !(NR == 1401 && most < 1e-9) }' >most
result $? "predict another motion to 1e-9" "$(cat most err)"
finish
