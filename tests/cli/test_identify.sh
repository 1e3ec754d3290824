#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `identify`: an arm whose links, drives and friction are known moves, and is found again; the agreed
# keys; recordings that are not what they say.
# shellcheck disable=SC2016 # jq and awk have variables of their own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

nominal=$robots/puma560.arm.json
# A tool off the axis, which the nominal arm does not know of.
jq '.joints[5].link |= {mass_kg: 2.09, com_m: [0.05, 0.02, 0.12],
  inertia_com_kg_m2: [0.006, 0.006, 0.004, 0, 0, 0]}' "$nominal" >true.arm.json

# motion SEED SECONDS >FILE: five sines a joint at 100 Hz, exact speeds and accelerations
motion() {
  awk -v seed="$1" -v seconds="$2" 'BEGIN {
    srand(seed); pi = atan2(0, -1)
    printf "t_s,joint"
    for (j = 1; j <= 6; j++) printf ",q%d_rad", j
    for (j = 1; j <= 6; j++) printf ",qd%d_rad_s", j
    for (j = 1; j <= 6; j++) printf ",qdd%d_rad_s2", j
    print ""
    for (j = 1; j <= 6; j++) for (k = 1; k <= 5; k++) { a[j, k] = (0.2 + 0.3 * rand()) / k; p[j, k] = 2 * pi * rand() }
    for (s = 0; s <= 100 * seconds; s++) {
      t = s / 100; q = v = x = ""
      for (j = 1; j <= 6; j++) {
        y = j == 3 ? 1.2 : 0; d = e = 0
        for (k = 1; k <= 5; k++) {
          w = 2 * pi * 0.1 * k
          y += a[j, k] * sin(w * t + p[j, k]); d += a[j, k] * w * cos(w * t + p[j, k])
          e -= a[j, k] * w * w * sin(w * t + p[j, k])
        }
        q = q sprintf(",%.12g", y); v = v sprintf(",%.12g", d); x = x sprintf(",%.12g", e)
      }
      printf "%.2f,0%s%s%s\n", t, q, v, x
    }
  }'
}

etas=$(jq -r '[.joints[] | .motor_sign / (.gear_ratio * .torque_constant_Nm_A.value)] | join(",")' "$nominal")
# drive NOISE [LOAD] <torques >FILE: currents of drives with friction against the motion, LOAD of it growing with the
# load, speeds and accelerations left out
drive() {
  awk -F, -v etas="$etas" -v noise="$1" -v load="${2:-0}" '
    function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.28318530718 * rand()) }
    BEGIN { split(etas, eta, ","); srand(7) }
    NR == 1 { printf "t_s,joint"
      for (j = 1; j <= 6; j++) printf ",q%d_rad", j
      for (j = 1; j <= 6; j++) printf ",i%d_A", j
      print ""; next }
    { printf "%s,%s", $1, $2
      for (j = 1; j <= 6; j++) printf ",%s", $(2 + j)
      for (j = 1; j <= 6; j++) {
        v = $(8 + j); x = $(14 + j); sign = v > 0 ? 1 : v < 0 ? -1 : 0
        i = eta[j] * $(20 + j) * (1 + 0.03 * (j - 3))
        friction = load * sign * (i < 0 ? -i : i) + 0.3 * sign + 0.1 * v + 0.02 * sign * sign
        printf ",%.12g", i + (eta[j] < 0 ? -friction : friction) + noise * normal()
      }
      print "" }'
}

motion 1 40 >m1.csv
motion 2 20 >m2.csv
for k in 1 2; do
  "$cli" dynamics --arm true.arm.json --csv m$k.csv >tau$k.csv 2>/dev/null
  "$cli" dynamics --arm true.arm.json --rotor --csv m$k.csv 2>/dev/null | drive 0.01 >r$k.csv
done

# ---- currents ----

expect "currents" 0 identify --arm "$nominal" --csv r1.csv --validate r2.csv --json --out p.json
cp out all.json
same "--out is what is printed" all.json p.json
holds "agreed keys" all.json '.format == "armature-parameters" and .kind == "dynamics" and
  .arm.name and (.arm.digest | test("^sha256:")) and .gauge == {kind: "datasheet", joint: null} and
  (.base | length) == 36 and ([.base[] | .name, .unit] | all(type == "string")) and
  ([.base[].terms[] | .link, .coefficient] | all(type == "number")) and
  ([.joints[].joint] == [1,2,3,4,5,6]) and
  ([.joints[] | .rows_used, .residual_sd_A, .r2_centred, .lag1, .widening] | all(type == "number")) and
  ([.joints[].parameters | keys - ["rotor_inertia_A_s2"]] |
    all(. == ["coulomb_neg_A","coulomb_pos_A","viscous_neg","viscous_pos"])) and
  ([.eta[] | .joint, .group, .A_per_Nm.used, .ratio_to_reference.used] | all(type == "number")) and
  ([.links[] | .is_consistent and .mass_kg > 0 and (.com_m | length) == 3 and
    (.inertia_com_kg_m2 | length) == 6] | all) and (.links | length) == 6 and
  (.validation[0].name == "r2.csv") and
  ([.validation[0].joints[] | .rms_error_A < 0.1 * .rms_A] | all) and
  (.covariance.lower | length) == ((.covariance.names | length) as $n | $n * ($n + 1) / 2) and
  .verdict == "fits" and ([.joints[].misfit.verdict] | all(. == "fits")) and
  (.provenance.recordings[0].name == "r1.csv")'
"$cli" base --arm "$nominal" --with rotor,friction --json >with.json
jq -n --slurpfile a all.json --slurpfile b with.json -e \
  'def all: map({name, terms: (.terms | sort)}); ($a[0].base | all) as $told | ($b[0].parameters | all)[:36] == $told and
    ([$told[] | select(.terms[] | .parameter == "rotor_inertia") | .name] == ["ZZR1", "ZZR2"])' >off
result $? "base parameters are what \`base\` says they are, rotors of joints 1 and 2 among them" "$(cat off)"
holds "joints 1 and 2 say where their rotors went" all.json '[.joints[].parameters.rotor_inertia_A_s2 |
  .identifiable == false and .reason_key == "regrouped"] == [true, true, false, false, false, false]'
# Links 1 to 5 are those of the arm file, which states the rotors, too.
holds "links are free of rotors" all.json '[.links[0, 1, 2] | .mass_kg] as $m | ($m[0] - 13 | fabs) < 2 and
  ($m[1] - 17.4 | fabs) < 3 and ($m[2] - 4.8 | fabs) < 2.5 and
  ([.links[] | has("rotor_inertia")] == [true, true, false, false, false, false]) and
  ([.links[0, 1] | .rotor_inertia] as $r | ($r[0] - 1.14 | fabs) < 0.4 and ($r[1] - 4.75 | fabs) < 0.5)'
jq -r '.eta[] | [.joint, .ratio_to_reference.value, .ratio_to_reference.sd] | @csv' all.json >ratios
awk -F, -v etas="$etas" 'BEGIN { split(etas, e, ",") }
  { truth = e[$1] * (1 + 0.03 * ($1 - 3)) / (e[1] * 0.94); d = $2 - truth; if (d < 0) d = -d
    if (!(d <= 4 * $3 + 1e-9)) { bad = 1; print $1, $2, $3, truth } } END { exit bad || NR != 6 }' ratios >off
result $? "ratios are the true ones, within 4 sds" "$(cat off)"
holds "Coulomb friction is found" all.json '[.joints[].parameters.coulomb_pos_A | ((.value | fabs) - 0.32) as $d |
  ($d < 5 * .sd + 0.01 and -$d < 5 * .sd + 0.01)] | all'
expect "--with-noise" 0 predict --arm "$nominal" --params all.json --csv r2.csv --with-noise
paste -d, r2.csv out | awk -F, 'NR > 1 && $24 != "" { for (j = 1; j <= 6; j++) {
    z = ($(8 + j) - $(21 + 2 * j)) / $(22 + 2 * j); within[j] += z * z < 1.96 * 1.96; n++ } }
  END { for (j = 1; j <= 6; j++) { share = 6 * within[j] / n; printf "%.3f ", share; if (share < 0.9 || share > 0.98) bad = 1 }
    exit bad }' >shares
result $? "95 % intervals of single measurements hold in 90 to 98 %" "$(cat shares)"
holds "tool of 2 kg is found" all.json '.links[5].mass_kg > 1 and .links[5].mass_kg < 4'
expect "table" 0 identify --arm "$nominal" --csv r1.csv --validate r2.csv
narrow "the table is narrow" out
cp out table
grep -q 'r2.csv, not fitted' out && grep -q 'Joint 6: ' out && grep -q 'What the recordings show least' out &&
  grep -q 'ZZR1 holds the rotor of joint 1, ZZR2 holds the rotor of joint 2' out &&
  grep -q '^Rotor of joint 2 beside them: .* (stated: 4.75)' out
result $? "the table has joints, validation, what is weak" "$(head -n 30 out)"

expect "two recordings" 0 identify --arm "$nominal" --csv r1.csv --csv r2.csv --json
holds "two recordings: more rows, verdict unknown" out "([.joints[].rows_used] | add) >
  $(jq '[.joints[].rows_used] | add' all.json) and .verdict == \"unknown\" and
  ([.warnings[].code] | index(\"verdict_unknown\") != null) and (.provenance.recordings | length) == 2"
expect "--time" 0 identify --arm "$nominal" --csv r1.csv --time 5:30 --json
holds "--time: fewer rows" out "([.joints[].rows_used] | add) < $(jq '[.joints[].rows_used] | add' all.json)"

# ---- friction terms ----

expect "nothing more than Coulomb and viscous to be found" 0 identify --arm "$nominal" --csv r1.csv --validate r2.csv --json --friction base
cmp -s out all.json
result $? "auto is base where no joint gets a term" "$(diff out all.json | head -n 3)"
for k in 1 2; do drive 0.01 0.1 <tau$k.csv >loaded$k.csv; done
expect "friction that grows with the load" 0 identify --arm "$nominal" --csv loaded1.csv --validate loaded2.csv --json --out terms.json
cp out terms
holds "is found on joints 2 and 3, in a file of version 2" terms '.version == 2 and .verdict == "fits" and
  ([.joints[1, 2].parameters | (.load.value - 0.1 | fabs) < 0.01 and .load.sd < 0.02 and .load_seen_A[1] > 1 and
    (.friction_sign | fabs) == 1 and .terms[0].chosen and .terms[0].gain > 0.02] | all) and
  ([.joints[].parameters.terms | length] | all(. == 2)) and
  (.covariance.names | index("load_2") != null) and .provenance.options.friction == "auto"'
errors() { jq '[.validation[0].joints[1, 2].rms_error_A] | add' "$1"; }
expect "without: what is missed is said" 4 identify --arm "$nominal" --csv loaded1.csv --validate loaded2.csv --json --friction base
awk -v a="$(errors terms)" -v b="$(errors out)" 'BEGIN { exit !(a < 0.5 * b) }'
result $? "another motion is predicted better with it" "$(errors terms) $(errors out)"
holds "--friction base: none" out '.version == 1 and ([.joints[].parameters | has("terms") or has("load")] | any | not)'
expect "a curve alone" 4 identify --arm "$nominal" --csv loaded1.csv --validate loaded2.csv --json --friction curve
holds "--friction curve: no load" out '[.joints[].parameters | has("load")] | any | not'
expect "the table" 0 identify --arm "$nominal" --csv loaded1.csv --validate loaded2.csv --friction load
narrow "the table is narrow" out
tr -s ' \n' ' ' <out | grep -q 'Joint 2: friction grows with the load, by 0.*strokes left out are predicted .* % better' &&
  ! grep -q load_seen out
result $? "the table says so" "$(cat out)"
expect "what was found predicts" 0 predict --arm "$nominal" --params terms.json --csv loaded2.csv
refuse "another word" 2 '--friction: expected base, auto, load, curve or load,curve, found "speed"' \
  identify --arm "$nominal" --csv r1.csv --friction speed

# ---- torques ----

cut -d, -f1-8,21-26 tau1.csv >t1.csv
cut -d, -f1-8,21-26 tau2.csv >t2.csv
jq 'del(.joints[] | .gear_ratio, .torque_constant_Nm_A, .rotor_inertia_kg_m2, .motor_sign)' "$nominal" >bare.arm.json
expect "torques" 0 identify --arm bare.arm.json --csv t1.csv --validate t2.csv --json
holds "torques: eta is 1, keys say Nm" out '.gauge.kind == "torque" and
  ([.eta[].A_per_Nm.value] | all(. == 1)) and
  ([.joints[] | .residual_sd_Nm] | all(type == "number")) and
  ([.joints[].parameters.coulomb_pos_Nm] | all(type == "object")) and
  ([.validation[0].joints[] | .rms_error_Nm < 0.001 * .rms_Nm] | all)'
# A base that leans by 0.3 deg pulls joint 1, whose axis stands, one way: both motions take it up as friction.
jq '.gravity_m_s2 = [0.0514, 0, -9.8099]' true.arm.json >leans.arm.json
for k in 1 2; do
  "$cli" dynamics --arm leans.arm.json --csv m$k.csv 2>/dev/null | awk -F, -v OFS=, 'NR == 1 { print; next }
    { for (j = 1; j <= 6; j++) { noise = -6; for (k = 0; k < 12; k++) noise += rand()
        $(20 + j) += 0.4 * (($(8 + j) > 0) - ($(8 + j) < 0)) + 0.2 * noise } print }' | cut -d, -f1-8,21-26 >leans$k.csv
done
run identify --arm bare.arm.json --csv leans1.csv --validate leans2.csv --json
holds "what pulls one way is told" out '[.warnings[] | select(.code == "friction_offset" and .joint == 1).message |
  test("joint 1: Coulomb friction of both ways has -?[0-9.]+ .{1,2} [0-9.]+ in common, [0-9.]+ % of it.*a base that leans")] == [true]'
holds "not of others" out '[.warnings[] | select(.code == "friction_offset").joint] == [1]'
# Torques of joints whose drives are coupled, as `dynamics` has them.
jq '.coupling = [range(6) as $j | [range(6) as $k | if $j == 4 and $k == 3 then 0.2 elif $j == 5 and $k == 4 then -0.3 else 0 end]]' \
  bare.arm.json >coupled.arm.json
expect "of coupled drives" 0 identify --arm coupled.arm.json --csv t1.csv --validate t2.csv --json
holds "they fit" out '[.validation[0].joints[] | .rms_error_Nm < 0.001 * .rms_Nm] | all'
sed '1s/tau5_Nm/i5_A/' t1.csv >one_coupled.csv
refuse "a torque beside a current of a drive it turns with" 3 'one_coupled.csv: joint 4: expected torques of joints 4 and 5, whose drives are coupled' \
  identify --arm coupled.arm.json --csv one_coupled.csv
expect "no torque constant stated" 0 identify --arm bare.arm.json --csv r1.csv --json
holds "no scale: base in amperes of a reference, eta null" out '.gauge == {kind: "reference", joint: 1} and
  ([.eta[].A_per_Nm.value] | all(. == null)) and ([.base[].unit] | all(test("^A s"))) and
  ([.base[].estimate.value] | all(type == "number")) and .links == [] and
  ([.eta[1,2].ratio_to_reference.value] | all(type == "number"))'

# ---- what is wrong in both: the model of the arm ----

holds "what is promised is told and kept" all.json '([.validation[0].joints[].promised_A] | all(. > 0)) and
  ([.validation[0].joints[] | .rms_error_A < 2 * .promised_A] | all) and
  ([.joints[].misfit | .promised_A > 0 and .p > 1e-4 and .gravity_A == null] | all) and
  ([.warnings[].code] | index("unpromised") == null)'
grep -q 'joint  *error  *promised' table
result $? "the table says what is promised" "$(cat table)"

# both ARM WHAT: recordings of two motions of that arm, WHAT done to the torques
both() {
  for k in 1 2; do
    "$cli" dynamics --arm "$1" --csv m$k.csv 2>/dev/null | awk -F, -v OFS=, "$2"' { print }' | drive 0.01 >wrong$k.csv
  done
}
jq '(9.81 * 0.052336) as $x | .gravity_m_s2 = [$x, 0, -9.79656]' true.arm.json >leans.arm.json
both leans.arm.json ''
"$cli" identify --arm "$nominal" --csv wrong1.csv --validate wrong2.csv --json >leans 2>err
holds "a base that leans by 3 deg: joint 1 is missed, and its sds are wide" leans '
  ([.warnings[] | select(.code == "unpromised") | .joint] | index(1) != null) and
  ([.warnings[] | select(.joint == 1) | .message] | any(test("misses another motion, wrong2.csv, by .* A rms where noise and sds promise .* A: sds are widened .* times; something is not in the model"))) and
  (.joints[0] | .misfit.p < 1e-4 and .widening > 5 and .misfit.promised_A < 0.5 * .misfit.validation_A)'
holds "friction of joint 1 is within 3 of them" leans '.joints[0].parameters.coulomb_pos_A | (.value - 0.32) as $d |
  $d < 3 * .sd and -$d < 3 * .sd'
both true.arm.json 'NR > 1 { $22 += 20 * ($4 + 1) }'
expect "a spring at joint 2" 4 identify --arm "$nominal" --csv wrong1.csv --validate wrong2.csv --json
holds "friction cannot help" out '([.warnings[] | select(.code == "unsigned_current") | .joint] == [2]) and
  ([.warnings[].message] | any(test("joint 2: friction helps the motion (forward|back) .* A.: a spring, an unsigned current or an offset"))) and
  .joints[1].misfit.verdict == "misfit" and .verdict == "misfit"'
expect "without --validate, too" 4 identify --arm "$nominal" --csv wrong1.csv --json
holds "it does not fit" out '.verdict == "misfit"'

# ---- what is wrong with a recording ----

sed '1s/i\([1-6]\)_A/tau\1_Nm/g' r1.csv >currents_as_torques.csv
sed '1s/tau\([1-6]\)_Nm/i\1_A/g' t1.csv >torques_as_currents.csv
refuse "torques under the name of currents" 3 'torques_as_currents.csv: i[1-6]_A: expected a current, found what is .* times larger' \
  identify --arm "$nominal" --csv torques_as_currents.csv
refuse "currents under the name of torques" 3 'currents_as_torques.csv: tau[1-6]_Nm: expected a torque, found what is .* times smaller' \
  identify --arm "$nominal" --csv currents_as_torques.csv
refuse "a filter above half the rate" 3 'r1.csv: --lowpass: expected a frequency below half of the sampling rate of 100 Hz, 50 Hz, found 60' \
  identify --arm "$nominal" --csv r1.csv --lowpass 60
cp r1.csv again.csv
refuse "what is fitted as its own validation" 3 'again.csv: --validate: expected a recording that is not fitted, found the content of r1.csv' \
  identify --arm "$nominal" --csv r1.csv --validate again.csv
{ cat r1.csv && echo; } >longer.csv
refuse "with an empty line" 3 'longer.csv: --validate: expected a recording that is not fitted, found the content of r1.csv .100 % of the rows.' \
  identify --arm "$nominal" --csv r1.csv --validate longer.csv
awk -F, -v OFS=, 'NR == 1 || NR > 1000 { if (NR > 1) $1 = sprintf("%.3f", $1 + 7); print }' r1.csv >part.csv
refuse "a part of it, later" 3 'part.csv: --validate: expected a recording that is not fitted' \
  identify --arm "$nominal" --csv r1.csv --validate part.csv
refuse "all of which a part is fitted" 3 'longer.csv: --validate: expected a recording that is not fitted' \
  identify --arm "$nominal" --csv r1.csv --time 0:10 --validate longer.csv
{ cat r1.csv && awk -F, -v OFS=, 'NR > 1 { $1 = sprintf("%.2f", $1 + 50); print }' r1.csv; } >twice.csv
expect "rows twice in one file" 0 identify --arm "$nominal" --csv twice.csv --validate r2.csv --json
holds "are warned of" out '[.warnings[] | select(.code == "rows_repeated").message] | length == 1 and
  (.[0] | test("^twice.csv: 100 % of its rows are there more than once"))'
refuse "the same content twice" 3 'again.csv: --csv: expected another recording, found the content of r1.csv again' \
  identify --arm "$nominal" --csv r1.csv --csv r2.csv --csv again.csv
awk -F, -v OFS=, 'NR > 1 { for (j = 9; j <= 14; j++) $j *= 1000 } { print }' r1.csv >mA.csv
refuse "currents in mA" 3 'mA.csv:[0-9]*: i[1-6]_A: expected currents of at most some [0-9.]* A, .*are these currents in mA' \
  identify --arm "$nominal" --csv mA.csv
jq 'del(.joints[].limits.current_A)' "$nominal" >unlimited.arm.json
refuse "currents in mA, no limit stated" 3 'mA.csv:[0-9]*: i[1-6]_A: expected about a thousandth of that, .*are these currents in mA' \
  identify --arm unlimited.arm.json --csv mA.csv
cut -d, -f1-12,14 r1.csv >no_i5.csv
expect "a current without a column" 4 identify --arm "$nominal" --csv no_i5.csv --json
holds "its name is said" out '[.warnings[] | select(.code == "joint_without_rows").message |
  test("joint 5: .*no_i5.csv: expected a column i5_A or tau5_Nm, found none")] == [true]'
expect "a filter too near to half the rate of what can be differentiated" 0 identify --arm "$nominal" --csv r1.csv --lowpass 11 --json
holds "is warned of" out '[.warnings[] | select(.code == "coarse_sampling").message | test("r1.csv: sampled at 100 Hz, positions are low-passed at 20 Hz, too near to the 11 Hz .* --lowpass 10 or less")] == [true]'
expect "one below" 0 identify --arm "$nominal" --csv r1.csv --lowpass 10 --json
holds "is not" out '[.warnings[].code] | index("coarse_sampling") == null'
# An encoder of 12 bit: its errors are in the columns, too.
awk -F, -v OFS=, 'NR > 1 { step = 8 * atan2(1, 1) / 4096
  for (j = 3; j <= 8; j++) $j = sprintf("%.9g", step * int($j / step + ($j < 0 ? -0.5 : 0.5))) } { print }' r1.csv >steps.csv
expect "positions in coarse steps" 0 identify --arm "$nominal" --csv steps.csv --json
holds "are told, with what sds have grown by" out '[.warnings[] | select(.code == "position_step").message |
  test("joint 1, 2, 3, 4, 5, 6: positions come in steps of 0.00153 rad.* up to [0-9.]+ times")] == [true]'
holds "friction of the wrist is within 3 of them" out '[.joints[3,4,5].parameters |
  (.coulomb_pos_A | (.value + 0.32) / .sd), (.coulomb_neg_A | (.value - 0.28) / .sd),
  (.viscous_pos | (.value + 0.1) / .sd), (.viscous_neg | (.value + 0.1) / .sd)] | all(. < 3 and . > -3)'
holds "exact ones have none" all.json '[.warnings[].code] | index("position_step") == null'
# An encoder that scatters by half a mrad.
awk -F, -v OFS=, 'BEGIN { srand(7) } NR > 1 { for (j = 3; j <= 8; j++) { noise = -6
  for (k = 0; k < 12; k++) noise += rand()
  $j = sprintf("%.9g", $j + 0.0005 * noise) } } { print }' r1.csv >scattered.csv
expect "positions that scatter" 0 identify --arm "$nominal" --csv scattered.csv --json
holds "are told, with what sds have grown by" out '[.warnings[] | select(.code == "position_scatter").message |
  test("joint 1, 2, 3, 4, 5, 6: positions scatter by 0.000[45][0-9]* rad .1 sd.* up to [0-9.]+ times")] == [true]'
holds "friction of the wrist is within 3 of them, too" out '[.joints[3,4,5].parameters |
  (.coulomb_pos_A | (.value + 0.32) / .sd), (.coulomb_neg_A | (.value - 0.28) / .sd),
  (.viscous_pos | (.value + 0.1) / .sd), (.viscous_neg | (.value + 0.1) / .sd)] | all(. < 3 and . > -3)'
holds "exact ones do not" all.json '[.warnings[].code] | index("position_scatter") == null'
# m1.csv has t_s, joint, q, qd, qdd, six each: speeds of three samples ago beside r1.csv's q and i
awk -F, 'NR == FNR { for (c = 9; c <= 14; c++) qd[FNR] = qd[FNR] "," $c; next }
  { late = FNR == 1 ? 1 : FNR < 5 ? 2 : FNR - 3
    for (c = 1; c <= 8; c++) printf "%s%s", (c == 1 ? "" : ","), $c
    printf "%s", qd[late]
    for (c = 9; c <= 14; c++) printf ",%s", $c
    print "" }' m1.csv r1.csv >late.csv
expect "speeds that are late, without accelerations" 0 identify --arm "$nominal" --csv late.csv --validate r2.csv --json
jq 'del(.provenance, .digest)' out >late.values
jq 'del(.provenance, .digest)' all.json >all.values
same "are not what friction is seen by" late.values all.values
refuse "too coarse to differentiate" 3 'r1.csv: sampled at 100 Hz, too coarse to differentiate positions low-passed at 30 Hz: expected --lowpass 20' \
  identify --arm "$nominal" --csv r1.csv --lowpass 30
refuse "no filter and no speeds" 3 'r1.csv: --lowpass 0: expected columns of speeds' \
  identify --arm "$nominal" --csv r1.csv --lowpass 0
head -n 40 r1.csv >short.csv
refuse "too short" 3 'short.csv: joint 1 moves in stretches that are all shorter than the filter' \
  identify --arm "$nominal" --csv short.csv
head -n 2 r1.csv >one.csv
refuse "one row" 3 'one.csv: expected two rows or more' identify --arm "$nominal" --csv one.csv
refuse "no row in --time" 3 'r1.csv: expected rows with t_s from 100 to 200, found none' \
  identify --arm "$nominal" --csv r1.csv --time 100:200
awk -F, 'NR == 30 { $1 = "0.01" } { OFS = ","; print }' OFS=, r1.csv >back.csv
refuse "time runs back" 3 'back.csv:30: t_s: expected a time after 0.27 ' identify --arm "$nominal" --csv back.csv
cut -d, -f1-8 r1.csv >no_current.csv
refuse "no current" 3 'no_current.csv:1: .*expected a column i1_A' identify --arm "$nominal" --csv no_current.csv
sed '1s/q3_rad/q3_deg/' r1.csv >deg.csv
refuse "another unit" 3 'deg.csv:1:.*q3_deg: expected q3_rad' identify --arm "$nominal" --csv deg.csv
refuse "another arm" 3 'r1.csv:1:.*expected a joint from 1 to 2' identify --arm "$robots/planar2r.arm.json" --csv r1.csv
refuse "a torque and a current" 3 'joint 1: expected a current as in r1.csv, found a torque' \
  identify --arm "$nominal" --csv r1.csv --csv t1.csv

# Joint 4 stands.
awk -F, -v OFS=, 'NR > 1 { $6 = "0.5" } { print }' m1.csv | awk -F, -v OFS=, 'NR > 1 { $12 = $18 = 0 } { print }' >m3.csv
"$cli" dynamics --arm true.arm.json --csv m3.csv 2>/dev/null | drive 0.01 >stands.csv
expect "a joint that stands" 4 identify --arm "$nominal" --csv stands.csv --json
holds "it is named, nothing of it is a number" out '([.warnings[] | select(.code == "joint_without_rows") | .joint] == [4]) and
  .joints[3].rows_used == 0 and ([.joints[3].parameters[].value] | all(. == null)) and
  ([.warnings[].message | select(test("joint 4: .*never moves faster"))] | length) == 1'

# Joint 1 stands: what only it would tell is no number, and predictions of motions of all joints are not wild.
awk -F, -v OFS=, 'NR > 1 { $3 = "0.3"; $9 = $15 = 0 } { print }' m1.csv >m4.csv
"$cli" dynamics --arm true.arm.json --csv m4.csv 2>/dev/null | drive 0.01 >first.csv
expect "the first joint stands" 4 identify --arm "$nominal" --csv first.csv --validate r2.csv --json
holds "nothing is wild" out '([.base[].estimate | .used, (.value // 0), (.sd // 0) | fabs] | max < 20) and
  ([.base[] | select(.name == "XXR2").estimate | .identifiable, .used] == [false, 0]) and
  ([.base[].estimate | select(.identifiable)] | length > 20) and
  ([.validation[].joints[].r2_centred | values] | min > -10)'

awk -F, -v OFS=, 'NR == 700 { $10 = "1e160" } { print }' r1.csv >wild.csv
refuse "a current that no arm has" 3 'wild.csv:700: i2_A: expected a number from -1e9 to 1e9, found 1e\+160' \
  identify --arm "$nominal" --csv wild.csv

# Joint 4 turns, and its encoder does not: all the time, or from 10 s on.
for from in 0 10; do
  awk -F, -v OFS=, -v from=$from 'NR > 1 && $1 >= from { if (at == "") at = $6; $6 = at } { print }' r1.csv >stuck$from.csv
done
expect "an encoder that is stuck" 4 identify --arm "$nominal" --csv stuck0.csv --validate r2.csv --json
holds "is asked for where it matters, and nothing runs off" out '
  ([.warnings[] | select(.code == "joint_without_rows").message |
    test("joint 4: .*stuck0.csv:2: q4_rad is .* in every row from 0 to 40 s, .* is its encoder stuck")] == [true]) and
  ([.warnings[] | select(.code == "validation").message | test("q4_rad stays the same .* is its encoder stuck")] | length > 0 and all) and
  ([.base[].estimate.used | fabs] | max < 1000) and ([.warnings[].code] | index("not_converged") == null)'
expect "an encoder that sticks on the way" 0 identify --arm "$nominal" --csv stuck10.csv --json
holds "is asked for" out '[.warnings[] | select(.code == "position_constant") | .joint] == [4]'
holds "it is not where encoders turn" all.json '[.warnings[].code] | index("position_constant") == null'

# A search that did not converge, as its file would be.
jq '.base[].estimate |= (.identifiable = false | .value = null | .sd = null | .reason_key = "not_converged")' all.json >lost.json
for verb in "predict --csv r2.csv" "dynamics --csv m2.csv" "export --format c"; do
  read -ra words <<<"$verb"
  refuse "${words[0]} of what was not found" 3 'lost.json: expected parameters that were found, found those of a search that did not converge' \
    "${words[0]}" --arm "$nominal" --params lost.json "${words[@]:1}"
done

awk -F, -v OFS=, 'NR > 1 { $14 = 0 } { print }' r1.csv >dead.csv
expect "a current that is 0" 4 identify --arm "$nominal" --csv dead.csv --json
holds "it is named" out '[.warnings[] | select(.code == "current_zero") | .joint] == [6]'

awk -F, -v OFS=, 'NR > 1 { $14 = 0.5 } { print }' r1.csv >stuck.csv
expect "a current that never changes" 4 identify --arm "$nominal" --csv stuck.csv --json
holds "it is named" out '[.warnings[] | select(.code == "current_constant") | .joint] == [6]'
awk -F, -v OFS=, 'NR > 1 { for (j = 9; j <= 14; j++) $j = 0 } { print }' r1.csv >silent.csv
refuse "no current at all" 3 'silent.csv: every current or torque is 0' \
  identify --arm "$nominal" --csv silent.csv
awk -F, -v OFS=, 'NR > 1 { for (j = 3; j <= 8; j++) $j *= 57.29577951308232 } { print }' r1.csv >deg.csv
expect "positions in degrees" 4 identify --arm "$nominal" --csv deg.csv --json
grep -q 'joint 1: deg.csv:[0-9]*: q1_rad: expected .* rad, the limits of the arm file, found .*: is it in deg where rad is meant' err &&
  ! grep -q 'is its column that of another joint' err
result $? "it is asked for, with column and line, and nothing else" "$(cat err)"

# Sweeps alone: each joint in turn, the others held.
awk -F, -v OFS=, 'NR > 1 {
  $2 = 1 + int((NR - 2) / 700) % 6
  for (j = 1; j <= 6; j++) if (j != $2) { $(2 + j) = 0.4; $(8 + j) = $(14 + j) = 0 } } { print }' m1.csv >m4.csv
"$cli" dynamics --arm true.arm.json --csv m4.csv 2>/dev/null | drive 0.01 >sweeps.csv
expect "one joint at a time" 4 identify --arm "$nominal" --csv sweeps.csv --lowpass 5 --json
holds "it is said what that leaves open" out '([.warnings[] | select(.code == "sweeps_only")] | length == 1) and
  ([.warnings[] | select(.code == "not_identifiable")] | length > 0) and ([.base[].estimate.value] | any(. == null))'

awk -F, -v OFS=, 'NR > 1 { $2 = 0 } { print }' sweeps.csv >unmarked.csv
"$cli" identify --arm "$nominal" --csv unmarked.csv --json >out 2>/dev/null
holds "it is, too, where rows do not say that one moves alone, and no encoder is blamed" out '
  ([.warnings[] | select(.code == "sweeps_only")] | length == 1) and ([.warnings[].code] | index("position_constant") == null)'
awk -F, -v OFS=, 'NR > 1 && $12 < 0 { $12 = -$12 } { print }' r1.csv >unsigned.csv
"$cli" identify --arm "$nominal" --csv unsigned.csv --validate r2.csv --json >out 2>/dev/null
holds "a current without its sign" out '[.warnings[] | select(.joint == 4).message] | any(test("i4_A is never negative in unsigned.csv: has it lost its sign"))'

# Columns swapped, a direction reversed, another arm's recording among the others.
sed '1s/i2_A,i3_A/i3_A,i2_A/' r2.csv >swapped.csv
expect "swapped columns in what validates" 4 identify --arm "$nominal" --csv r1.csv --validate swapped.csv --json
holds "misfit of joints 2 and 3" out '.verdict == "misfit" and
  ([.joints[] | select(.misfit.verdict == "misfit") | .joint] == [2, 3]) and
  ([.warnings[] | select(.code == "validation") | .joint] == [2, 3])'
awk -F, -v OFS=, 'NR > 1 { $5 = -$5 } { print }' r2.csv >reversed.csv
# Without the tool currents hardly tell the torque constant of joint 6, and friction tells its sign.
for x in 1 2; do
  "$cli" dynamics --arm "$nominal" --rotor --csv m$x.csv 2>/dev/null | drive 0.02 |
    awk -F, -v OFS=, 'NR > 1 { $14 = -$14 } { print }' >"turned$x.csv"
done
expect "a current with the other sign where ratios are not told" 4 identify --arm "$nominal" --csv turned1.csv --validate turned2.csv --json
holds "is told by friction" out '.verdict == "misfit" and (.eta[5].A_per_Nm.identifiable | not) and
  ([.warnings[] | select(.code == "friction_sign") | .joint] == [6]) and
  ([.warnings[].message] | any(test("joint 6: friction .0.3.* A. helps the motion, by motor_sign of the arm file: is")))'
jq '.joints[5].link |= {mass_kg: 0.3, com_m: [0.05, 0.02, 0.12],
  inertia_com_kg_m2: [0.0006, 0.0006, 0.0004, 0, 0, 0]}' "$nominal" >light.arm.json
"$cli" dynamics --arm light.arm.json --rotor --csv m1.csv 2>/dev/null | drive 0.05 |
  awk -F, -v OFS=, 'NR > 1 { $14 = -$14 } { print }' >turned.csv
expect "a current with the other sign where ratios are hardly told" 4 identify --arm "$nominal" --csv turned.csv --json
holds "is told by what fits" out '(.eta[5].A_per_Nm.identifiable | not) and .eta[5].A_per_Nm.used > 0 and
  ([.warnings[] | select(.code == "sign") | .joint] == [6]) and
  ([.warnings[].message] | any(test("joint 6: its current has the other sign than motor_sign of the arm file")))'
expect "a reversed joint in what validates" 4 identify --arm "$nominal" --csv r1.csv --validate reversed.csv --json
holds "misfit" out '.verdict == "misfit"'
expect "a recording with another payload" 4 identify --arm "$nominal" --csv r1.csv --csv swapped.csv --json
holds "it is named" out '[.warnings[] | select(.code == "recordings_differ")] | length > 0'
echo '{"format":"armature-limits","version":1,"validation_relative":0.001}' >limits.json
expect "--limits" 4 identify --arm "$nominal" --csv r1.csv --validate r2.csv --limits limits.json --json
holds "by the lab's limits it does not fit" out '.verdict == "misfit" and .provenance.options.limit_validation_relative == 0.001'

# ---- joint by joint ----

# alone POSES JOINTS >FILE: each of the first JOINTS joints moves alone in POSES poses, two seconds each at 100 Hz
alone() {
  awk -v poses="$1" -v joints="$2" 'BEGIN {
    srand(5); pi = atan2(0, -1)
    printf "t_s,joint"
    for (j = 1; j <= 6; j++) printf ",q%d_rad", j
    for (j = 1; j <= 6; j++) printf ",qd%d_rad_s", j
    for (j = 1; j <= 6; j++) printf ",qdd%d_rad_s2", j
    print ""
    for (i = 1; i <= joints; i++) for (pose = 1; pose <= poses; pose++) {
      start += 10; phase = 2 * pi * rand()
      for (j = 1; j <= 6; j++) held[j] = 3 * rand() - 1.5
      for (s = 0; s <= 200; s++) {
        t = s / 100; q = v = x = ""
        for (j = 1; j <= 6; j++) {
          y = held[j]; d = e = 0
          for (k = 1; j == i && k <= 2; k++) {
            w = 2 * pi * 0.4 * k
            y += 0.5 * sin(w * t + phase) / k; d += 0.5 * w * cos(w * t + phase) / k
            e -= 0.5 * w * w * sin(w * t + phase) / k
          }
          q = q sprintf(",%.12g", y); v = v sprintf(",%.12g", d); x = x sprintf(",%.12g", e)
        }
        printf "%.2f,%d%s%s%s\n", start + t, i, q, v, x
      }
    }
  }'
}
alone 4 6 >m5.csv
"$cli" dynamics --arm true.arm.json --csv m5.csv >alone.csv 2>/dev/null
expect "sequential" 0 identify --arm bare.arm.json --csv alone.csv --validate tau2.csv --method sequential --json --out alone.json
cp out sequential
holds "sequential: exact without noise, and the file says how" sequential '.provenance.options.method == "sequential" and
  .verdict == "fits" and ([.base[].estimate | .value, .sd] | all(type == "number")) and
  ([.validation[0].joints[] | .rms_error_Nm < 1e-6 * .rms_Nm] | all) and .gauge.kind == "torque" and
  ([.warnings[].code] | index("sweeps_only") | not)'
holds "batch says so, too" all.json '.provenance.options.method == "batch"'
expect "all at once" 0 identify --arm bare.arm.json --csv tau1.csv --method batch --friction base --json
jq -n --slurpfile a sequential --slurpfile b out \
  '[$a[0].base, $b[0].base] | transpose | map([.[0].estimate.value, .[1].estimate.value] | (.[0] - .[1]) | fabs) | max' >apart
awk '{ exit !($1 < 1e-6) }' apart
result $? "joint by joint and at once are the same arm" "$(cat apart)"
expect "what was found predicts" 0 predict --arm bare.arm.json --params alone.json --csv tau2.csv
expect "sequential, the table" 0 identify --arm bare.arm.json --csv alone.csv --method sequential
narrow "the table is narrow" out
awk -F, -v OFS=, '$2 == 1 { $2 = 0 } { print }' alone.csv >together.csv
"$cli" identify --arm bare.arm.json --csv together.csv --method sequential --json >out 2>/dev/null
holds "a joint that moves, but never alone" out '[.warnings[] | select(.joint == 1) | .message] | any(test("never moves alone"))'
alone 1 1 >m6.csv
"$cli" dynamics --arm true.arm.json --csv m6.csv >little.csv 2>/dev/null
expect "sequential, joint 1 alone in one pose" 4 identify --arm bare.arm.json --csv little.csv --method sequential --json
holds "what that does not show is not told" out '([.base[].estimate.value] | any(. == null)) and
  ([.base[].estimate | (.value == null) == (.reason != null)] | all) and
  ([.warnings[] | select(.code == "not_identifiable")] | length > 0)'
sed '1s/tau3_Nm/i3_A/' alone.csv >one_current.csv
refuse "a current among the torques" 3 'one_current.csv: --method sequential: expected a column tau3_Nm, .*found a current' \
  identify --arm bare.arm.json --csv one_current.csv --method sequential
cut -d, -f1-23,25,26 alone.csv >no_tau4.csv
refuse "a torque is missing" 3 'no_tau4.csv: --method sequential: expected a column tau4_Nm, .*found none' \
  identify --arm bare.arm.json --csv no_tau4.csv --method sequential
refuse "all joints at once" 3 'tau1.csv: --method sequential: expected rows in which one joint moves alone.*found joint = 0' \
  identify --arm bare.arm.json --csv tau1.csv --method sequential
refuse "friction terms, joint by joint" 2 '--method sequential has no friction terms' \
  identify --arm bare.arm.json --csv alone.csv --method sequential --friction auto

# ---- uneven steps ----

awk -F, -v OFS=, 'BEGIN { srand(3) } NR == 1 || rand() < 0.8 { print }' r1.csv >uneven.csv
expect "uneven steps" 0 identify --arm "$nominal" --csv uneven.csv --validate r2.csv --json
holds "uneven steps: predicts as well" out '.verdict == "fits"'

# ---- options ----

refuse "an unknown method" 2 'expected batch or sequential, found "x"' identify --arm "$nominal" --csv r1.csv --method x
refuse "--time backwards" 2 'expected A:B' identify --arm "$nominal" --csv r1.csv --time 3:1
refuse "--time that is no numbers" 2 'expected A:B' identify --arm "$nominal" --csv r1.csv --time 3
refuse "an existing --out" 3 'p.json' identify --arm "$nominal" --csv r1.csv --out p.json

finish
