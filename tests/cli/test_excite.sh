#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `excite --check`: what a motion tells, what it breaks, and files that are no motion.
# shellcheck disable=SC2016 # jq and awk have variables of their own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# ---- a pendulum and a slide on it, and motions of theirs -------------------------------------

cat >two.arm.json <<'JSON'
{"format": "armature-arm", "version": 1, "name": "two", "gravity_m_s2": [0, 0, -9.81], "joints": [
 {"type": "R", "beta_deg": 90, "limits": {"q_rad": [-2, 2], "speed_rad_s": 2.5, "accel_rad_s2": 8},
  "gear_ratio": 100, "torque_constant_Nm_A": {"value": 0.05}},
 {"type": "T", "beta_deg": 90, "b_m": 0.1,
  "limits": {"q_m": [-0.5, 0.5], "speed_m_s": 0.8, "accel_m_s2": 3}}]}
JSON

# motion SIZE COLUMNS: 4 s at 100 Hz; COLUMNS of q, qd, qdd
motion() {
  awk -v size="$1" -v columns="$2" 'BEGIN {
    head = "t_s,q1_rad,q2_m"
    if (columns ~ /qd /) head = head ",qd1_rad_s,qd2_m_s"
    if (columns ~ /qdd/) head = head ",qdd1_rad_s2,qdd2_m_s2"
    print head
    for (k = 0; k <= 400; k++) {
      t = k / 100; a = 1.2 * size; b = 0.3 * size; w = 1.7; v = 2.3
      printf "%.17g,%.17g,%.17g", t, a * sin(w * t), b * cos(v * t)
      if (columns ~ /qd /) printf ",%.17g,%.17g", a * w * cos(w * t), -b * v * sin(v * t)
      if (columns ~ /qdd/) printf ",%.17g,%.17g", -a * w * w * sin(w * t), -b * v * v * cos(v * t)
      print ""
    }
  }'
}
motion 1 'q qd qdd' >good.csv
motion 1.4 'q qd qdd' >fast.csv
motion 1 q >positions.csv
motion 1 'q qd ' >speeds.csv

check_keys() {
  holds "$1: agreed keys" out '
    .format == "armature-excitation" and .version == 1 and .method == "check" and
    (["criterion","seed","evaluations","feasible","duration_s","columns","cond_raw","cond_scaled",
      "log_det","S","predicted_sd","weakest","violations","contradictions","basis","csv"] - keys == []) and
    (.columns | length) == (.predicted_sd | length) and (.columns | length) == (.units | length) and
    ([.weakest[] | (.direction | length > 0) and (.motion | length > 0)] | all) and
    .feasible == (.violations == [] and .contradictions == [])'
}

expect "a motion within its limits" 0 excite --arm two.arm.json --check good.csv --json
check_keys "within"
holds "figures" out '.feasible and .duration_s == 4 and .samples == 401 and .rank == 6 and
  (.columns | length) == 6 and .cond_raw > .cond_scaled and .cond_scaled > 1 and
  ([.predicted_sd[] | . > 0] | all) and .noise == [1, 1] and .noise_assumed == [1, 2] and
  .speeds_derived == [] and .accelerations_derived == [] and .csv == "good.csv"'
cp out good.json
[[ ! -s err ]]
result $? "no message" "$(cat err)"

truncate -s 2G huge.csv
refuse "a file that is too large" 3 'huge.csv: expected at most [0-9]+ bytes, found more' \
  excite --arm two.arm.json --check huge.csv
expect "coupled drives" 0 \
  excite --arm "$robots/puma560-truth2.arm.json" --method fourier --evals 30 --rest --out coupled
grep -q 'Judged, too: the currents of joints 1, 2, 3, 4, 5, 6,' out
result $? "are held to their currents" "$(grep -i current out)"
expect "a motion beyond its limits" 4 excite --arm two.arm.json --check fast.csv --json
check_keys "beyond"
holds "which limits, when, by how much" out '
  [.violations[] | [.joint, .quantity]] == [[1, "speed"], [2, "speed"]] and
  (.violations[0] | .joint == 1 and .quantity == "speed" and .time_s == 0 and .limit == 2.5 and
    (.value - 1.4 * 1.2 * 1.7 | fabs) < 1e-12 and .samples > 10)'
expect "the table of it" 4 excite --arm two.arm.json --check fast.csv
grep -q '^joint 1, speed: 2.856 rad/s at 0 s, limit 2.5; [0-9]* samples beyond$' out
result $? "says it in words" "$(cat out)"
narrow "the table is narrow" out

expect "the table" 0 excite --arm two.arm.json --check good.csv
grep -q '^Within all limits' out && grep -q '^What it shows least:' out &&
  grep -qE '^mXR?1 +[0-9.]+ +kg m$' out && grep -q '1 N m (T joints 1 N)' out
result $? "says what it shows" "$(cat out)"
narrow "it is narrow" out
cp out first
run excite --arm two.arm.json --check good.csv
same "twice the same" out first

expect "friction and rotors" 0 excite --arm two.arm.json --check good.csv --columns full --json
check_keys "full"
holds "have columns" out '(.columns | index("Fcp1")) and (.columns | index("Fvn2")) and
  (.columns | length) > 6'

# ---- currents, capsules, the table -----------------------------------------------------------

jq '.joints[].link = {"mass_kg": 3, "com_m": [0.2, 0.1, 0], "inertia_com_kg_m2": [0.1, 0.1, 0.05, 0, 0, 0]}' \
  two.arm.json >heavy.arm.json
expect "nothing to judge currents by" 0 excite --arm two.arm.json --check good.csv --json
holds "is said" out '.current_limits == [] and .clearances == 0'
jq '.joints[0].limits.current_A = 100' heavy.arm.json >strong.arm.json
expect "enough current" 0 excite --arm strong.arm.json --check good.csv --json
holds "is judged" out '.current_limits == [1] and .feasible'
jq '.joints[0].limits.current_A = 0.5' heavy.arm.json >weak.arm.json
expect "too little current" 4 excite --arm weak.arm.json --check good.csv --json
check_keys "weak"
holds "which joint" out '.violations | length == 1'
holds "how much" out '.violations[0] | .joint == 1 and .quantity == "current" and
  (.value | fabs) > 0.5 and (.limit | fabs) == 0.5 and .samples > 1'
run dynamics --arm heavy.arm.json --csv good.csv
awk -F, 'NR > 1 { i = $NF; for (k = 1; k <= NF; k++) if (head[k] == "tau1_Nm") i = $k / (100 * 0.05)
  if (i < 0) i = -i; if (i > most) most = i } NR == 1 { for (k = 1; k <= NF; k++) head[k] = $k }
  END { printf "%.17g\n", most }' out >most
run excite --arm weak.arm.json --check good.csv --json
jq -e --slurpfile most most '.violations[0].value | fabs / $most[0] - 1 | fabs < 1e-6' out >/dev/null
result $? "as dynamics has it" "$(cat most; jq -c .violations out)"
run excite --arm weak.arm.json --check good.csv
grep -qE '^joint 1, current: -?[0-9.]+ A at [0-9.]+ s, limit -?0.5; [0-9]+ samples beyond$' out
result $? "in words" "$(cat out)"
tr -s '\n ' ' ' <out >words
! grep -q 'Within all limits' out && grep -q 'Within the limits of position, speed and acceleration at every sample, but beyond others of the arm file: joint 1, current' words
result $? "and not as if it were within all limits" "$(cat out)"
jq '.joints[1].capsules = [{"from_m": [0, 0, 0], "to_m": [0.4, 0, 0], "radius_m": 0.05}] |
  .environment.table_z_m = -0.2' two.arm.json >table.arm.json
expect "into the table" 4 excite --arm table.arm.json --check good.csv --json
holds "how deep" out '.clearances == 2 and (.violations | length) == 1 and (.violations[0] |
  .joint == 2 and .quantity == "clearance" and .other == null and .value < 0 and .limit == 0)'
run excite --arm table.arm.json --check good.csv
grep -qE '^link 2 and the table, distance: -[0-9.]+ m at [0-9.]+ s, limit 0; [0-9]+ samples beyond$' out
result $? "into the table, in words" "$(cat out)"
narrow "these are narrow" out

# ---- speeds and accelerations that nobody gave -----------------------------------------------

expect "positions alone" 0 excite --arm two.arm.json --check positions.csv --json
holds "are differentiated" out '.speeds_derived == [1, 2] and .accelerations_derived == [1, 2]'
jq -e --slurpfile good good.json '
  [.predicted_sd, $good[0].predicted_sd] | transpose | map((.[0] / .[1] - 1 | fabs) < 5e-3) | all' out >/dev/null
result $? "and tell nearly the same" "$(jq -c .predicted_sd out good.json)"
run excite --arm two.arm.json --check positions.csv
tr -s '\n ' ' ' <out | grep -q 'Speeds of joints 1, 2 are central differences of the positions as given'
result $? "which is said" "$(cat out)"
expect "speeds without accelerations" 0 excite --arm two.arm.json --check speeds.csv --json
holds "are kept" out '.speeds_derived == [] and .accelerations_derived == [1, 2]'

# ---- columns that are of no one motion --------------------------------------------------------

awk -F, -v OFS=, 'NR > 200 { $2 = sprintf("%.17g", $2 - 0.5) } 1' good.csv >jump.csv
expect "a jump" 4 excite --arm two.arm.json --check jump.csv --json
check_keys "jump"
holds "is told, and where" out '.violations == [] and (.contradictions | length) == 1 and
  (.contradictions[0] | .joint == 1 and .quantity == "speed" and .line == 201 and
    .from_s == 1.98 and .to_s == 1.99 and (.stated | fabs) < 2.5 and .found < -45)'
expect "a jump, in words" 4 excite --arm two.arm.json --check jump.csv
! grep -q 'Within all' out && tr -s '\n ' ' ' <out | grep -qE 'contradicts itself.* joint 1, line 201: from 1.98 s to 1.99 s it states speeds of -[0-9.]+ rad/s, but positions that change by -[0-9.]+ rad/s What it states'
result $? "says line, stated and found" "$(cat out)"
narrow "a jump is narrow" out
awk -F, -v OFS=, 'NR > 1 { $4 = $5 = $6 = $7 = 0 } 1' good.csv >zeros.csv
expect "at rest, where it moves" 4 excite --arm two.arm.json --check zeros.csv --json
holds "both joints" out '[.contradictions[] | [.joint, .quantity]] == [[1, "speed"], [2, "speed"]]'
awk -F, -v OFS=, 'NR > 1 { $6 = $7 = 0 } 1' good.csv >zeros.csv
expect "no acceleration, where the speed changes" 4 excite --arm two.arm.json --check zeros.csv --json
holds "are told of" out '[.contradictions[] | [.joint, .quantity]] == [[1, "acceleration"], [2, "acceleration"]]'
awk -F, -v OFS=, 'NR > 1 { for (k = 2; k <= 3; k++) $k = sprintf("%.3f", $k)
  for (k = 4; k <= 7; k++) $k = sprintf("%.1f", $k) } NR % 10 == 1' good.csv >rough.csv
expect "what is rounded and coarse" 0 excite --arm two.arm.json --check rough.csv --json
holds "agrees" out '.contradictions == []'
sed 101,120d good.csv >gap.csv
expect "a gap" 0 excite --arm two.arm.json --check gap.csv --json
grep -qE 'warning: gap.csv:100: at 0.98 s, 0.21 s to the next row, where rows are 0.01 s apart' err
result $? "is warned of" "$(cat err)"

# ---- what a motion cannot show ---------------------------------------------------------------

awk 'BEGIN { print "t_s,q1_rad,q2_m,qd1_rad_s,qd2_m_s,qdd1_rad_s2,qdd2_m_s2"
  for (k = 0; k < 50; k++) print k "," (k - 25) / 20 "," (k % 7) / 20 ",0,0,0,0" }' >rest.csv
expect "poses at rest" 4 excite --arm two.arm.json --check rest.csv --json
check_keys "rest"
holds "show no inertia" out '.feasible and .cond_raw == null and .log_det == null and .rank < 6 and
  (.predicted_sd | map(select(. == null)) | length) > 0 and .weakest[0].sd == null and
  (.weakest[0].motion | test("^joint"))'
run excite --arm two.arm.json --check rest.csv
grep -q 'not identifiable' out && grep -q 'not at all. Needed: joint' out
result $? "in words" "$(cat out)"

jq '.joints[1].limits.accel_deg_s2 = 1e-6' "$robots/puma560.arm.json" >stiff.arm.json
run excite --arm stiff.arm.json --method fourier --evals 60
grep -q '^What it shows least:' out && ! grep -q '^ *: sd' out
result $? "a direction has a name whatever happens" "$(sed -n '/least/,$p' out)"
jq '.joints[0].limits.accel_deg_s2 = 1e-6' "$robots/puma560.arm.json" >stiff.arm.json
expect "all is identifiable, hardly" 0 excite --arm stiff.arm.json --method fourier --evals 60 --json
holds "by its rank" out '.rank == (.columns | length) and (.predicted_sd | all(. != null)) and .cond_raw > 1e6'
grep -qE 'warning: motion.csv: this motion tells hardly anything of some parameters \(condition .*, first of all of .*ZZR1.*, whose sd is [0-9.e+]+: are the limits' err
result $? "is said" "$(cat err)"

# ---- noise of an earlier fit -----------------------------------------------------------------

R=$root/data/demo/puma560_table1.csv
if [[ -s $R ]]; then
  jq '.joints[] += {"limits": {"q_rad": [-3, 3], "speed_rad_s": 2, "accel_rad_s2": 5},
    "gear_ratio": 60, "torque_constant_Nm_A": {"value": 0.2}}' "$demo.arm.json" >puma.arm.json
  run fit --arm puma.arm.json --csv "$R" --out p.json
  awk 'BEGIN { print "t_s,q1_rad,q2_rad,q3_rad,q4_rad,q5_rad,q6_rad"
    for (k = 0; k < 600; k++) { t = k / 100; printf "%.17g", t
      for (j = 1; j <= 6; j++) printf ",%.17g", sin((0.6 + 0.2 * j) * t + j)
      print "" } }' >puma.csv
  expect "noise of a fit" 0 excite --arm puma.arm.json --check puma.csv --params p.json --json
  jq -e --slurpfile p p.json '.noise_assumed == [] and (.noise | length) == 6 and
    ([.noise[] | . > 0 and . != 1] | all)' out >/dev/null
  result $? "is what it left over, in N m" "$(jq -c '.noise, .noise_assumed' out)"
fi

# ---- designs ---------------------------------------------------------------------------------

for method in fourier spline; do
  expect "a design, $method" 0 excite --arm two.arm.json --method "$method" --time 8 --harmonics 8 \
    --rest --evals 200 --columns full --out "design-$method" --json
  holds "$method: agreed keys" out '.format == "armature-excitation" and .method == "'"$method"'" and
    .criterion == "d" and .seed == 1 and .evaluations == 200 and .feasible and .violations == [] and
    .duration_s == 8 and .samples == 8001 and .csv == "motion.csv" and .basis.rest and
    .basis.period_s == 8 and (.basis.coefficients | length) == 2'
  same "$method: the file is what was printed" out "design-$method/excitation.json"
  result $(($(head -n 1 "design-$method/motion.csv" | tr -d '\n' | cksum | cut -d' ' -f1) != $(
    printf 't_s,q1_rad,q2_m,qd1_rad_s,qd2_m_s,qdd1_rad_s2,qdd2_m_s2' | cksum | cut -d' ' -f1))) \
    "$method: the columns of a motion" "$(head -n 1 "design-$method/motion.csv")"
  sed -n '2p;$p' "design-$method/motion.csv" |
    awk -F, '{ for (k = 4; k <= 7; k++) if ($k > 1e-9 || $k < -1e-9) bad = 1 } END { exit bad || NR != 2 }'
  result $? "$method: ends at rest" "$(sed -n '2p;$p' "design-$method/motion.csv")"
  cp out designed.json
  expect "$method: judged as anybody's" 0 excite --arm two.arm.json \
    --check "design-$method/motion.csv" --columns full --json
  jq -e --slurpfile d designed.json '(.cond_raw / $d[0].cond_raw - 1 | fabs) < 1e-9 and
    (.log_det - $d[0].log_det | fabs) < 1e-6' out >/dev/null
  result $? "$method: alike" "$(jq -c '.cond_raw, .log_det' out designed.json)"
done
expect "the same again" 0 excite --arm two.arm.json --method spline --time 8 --harmonics 8 --rest \
  --evals 200 --columns full --json
same "is the same" out designed.json
run excite --arm two.arm.json --method spline --evals 200
tr -s '\n ' ' ' <out >words
run excite --arm two.arm.json --method spline --evals 200 --json
result $(($(jq '[.weakest[] | select(.gain <= 1)] | length' out) != $(grep -o 'nothing tells more of it' words | wc -l) ||
  $(jq '[.weakest[] | select(.gain > 1)] | length' out) != $(grep -o 'Shown by' words | wc -l))) \
  "what would show more, or that nothing does" "$(cat words; jq -c .weakest out)"
expect "another seed, minimum condition" 0 excite --arm two.arm.json --method fourier --seed 2 \
  --criterion cond --evals 150
grep -q '^Designed: Fourier series of 5 harmonics, criterion cond, seed 2, 150 evaluations' out &&
  grep -q 'at every sample, and between them' out
result $? "says how it was designed" "$(cat out)"
narrow "in narrow lines" out
expect "a design, points" 0 excite --arm two.arm.json --method points --points 14 --rest --evals 300 \
  --out design-points --json
holds "points: agreed keys" out '.format == "armature-excitation" and .method == "points" and
  .criterion == "d" and .seed == 1 and .evaluations == 300 and .feasible and .violations == [] and
  .csv == "motion.csv" and .basis.kind == "points" and .basis.rows == 14 and
  (.basis.points | length) == 17 and (.basis.points[-1].t_s - .duration_s | fabs) < 1e-9 and
  ([.basis.points[0, -1].qd[] | fabs < 1e-9] | all) and .samples > 1000 * .duration_s'
same "points: the file is what was printed" out design-points/excitation.json
cp out designed.json
expect "points: judged as anybody's" 0 excite --arm two.arm.json --check design-points/motion.csv --json
jq -e --slurpfile d designed.json '.feasible and (.cond_raw / $d[0].cond_raw - 1 | fabs) < 1e-9' \
  out >/dev/null
result $? "points: alike" "$(jq -c '.feasible, .cond_raw' out designed.json)"
expect "points: in words" 0 excite --arm two.arm.json --method points --criterion cond+s --evals 200
tr -s '\n ' ' ' <out | grep -qE 'Designed: 13 points, condition of their energies [0-9.]+, criterion cond\+s, seed 1, 200 evaluations'
result $? "say what they are" "$(head -n 5 out)"
narrow "in narrow lines, too" out
refuse "too few rows" 2 '--points: expected at least 6, the base parameters of two.arm.json, found 5' \
  excite --arm two.arm.json --method points --points 5
refuse "a period of points" 2 '--harmonics and --time belong to --method fourier and spline' \
  excite --arm two.arm.json --method points --time 5
refuse "points of a series" 2 '--points belongs to --method points' \
  excite --arm two.arm.json --method fourier --points 30

expect "a design off the table" 0 excite --arm table.arm.json --method fourier --evals 200 --json
holds "keeps off it" out '.feasible and .clearances == 2'
jq '.joints[0].limits.current_A = 1.3' heavy.arm.json >weak.arm.json
expect "a design that could take more" 0 excite --arm heavy.arm.json --method fourier --evals 200 \
  --rest --out strong --json
run excite --arm weak.arm.json --check strong/motion.csv --json
holds "and would" out '.violations[0] | .quantity == "current"'
expect "a design for few amperes" 0 excite --arm weak.arm.json --method fourier --evals 200 --rest --json
holds "takes few" out '.feasible and .current_limits == [1]'
jq '.joints = [.joints[1] + {"beta_deg": 0, "gear_ratio": 100, "torque_constant_Nm_A": {"value": 0.05}}] |
  .joints[0].limits.current_A = 3' heavy.arm.json >weak.arm.json # lifts 29 N by 5 N/A
refuse "an arm that is too weak" 4 'cannot hold itself within limits.current_A' \
  excite --arm weak.arm.json --method spline --evals 50

# ---- what errors cost ------------------------------------------------------------------------

for method in fourier points; do
  for weights in torque prior; do
    expect "$method: a by $weights" 0 excite --arm heavy.arm.json --method $method --criterion a \
      --weights $weights --evals 300 --json
    holds "$method: a by $weights: feasible" out '.criterion == "a" and .weights == "'$weights'" and .feasible'
    cp out "a-$weights.json"
  done
  jq -e --slurpfile t a-torque.json '.predicted_sd != $t[0].predicted_sd' a-prior.json >/dev/null
  result $? "$method: which differ"
done
refuse "no prior" 3 'two.arm.json: --weights prior: expected links with masses' \
  excite --arm two.arm.json --method fourier --criterion a --weights prior
refuse "weights of d" 2 '--weights belongs to --criterion a' \
  excite --arm heavy.arm.json --method fourier --weights prior
refuse "other weights" 2 '--weights: expected torque or prior, found "1"' \
  excite --arm heavy.arm.json --method fourier --criterion a --weights 1

# ---- what an identification knows ------------------------------------------------------------

run excite --arm strong.arm.json --method fourier --evals 100 --out known
run dynamics --arm strong.arm.json --csv known/motion.csv --out torque.csv
# every tenth sample, with something else for noise
awk -F, -v OFS=, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; print $0, "joint"; next }
  NR % 10 == 2 { $at["tau1_Nm"] += 0.1 * sin(47 * NR); $at["tau2_N"] += 0.2 * sin(31 * NR); print $0, 0 }' \
  torque.csv >moving.csv
run identify --arm strong.arm.json --csv moving.csv --json
cp out dynamics.json
expect "noise of an identification" 0 excite --arm strong.arm.json --check good.csv --params dynamics.json --json
jq -e --slurpfile p dynamics.json '.noise_assumed == [] and .current_friction and .current_limits == [1] and
  ([.noise, [$p[0].joints[] | .sample_sd_Nm // .sample_sd_N]] | transpose | map(.[0] == .[1]) | all)' out >/dev/null
result $? "is that of its samples, not what a filter left over" "$(jq -c '.noise, .noise_assumed, .current_friction, .current_limits' out) $(jq -c '.joints[] | keys' dynamics.json)"

# ---- ended by a clock, by a signal, on one core ----------------------------------------------

for method in fourier points; do
  expect "$method: for half a second" 0 excite --arm two.arm.json --method "$method" --seconds 0.3 --json
  cp out timed.json
  expect "$method: as many evaluations" 0 excite --arm two.arm.json --method "$method" --json \
    --evals "$(jq .evaluations timed.json)"
  same "$method: give the same design" out timed.json
  for signal in INT TERM; do
    rm -rf stopped # made before the search begins
    env --default-signal=INT "$cli" excite --arm two.arm.json --method "$method" \
      --evals 1000000000 --out stopped --json >out 2>err &
    pid=$!
    until [[ -d stopped ]] || ! kill -0 $pid 2>/dev/null; do :; done
    kill -s $signal $pid
    code=0
    wait $pid || code=$?
    ((code == 128 + $(kill -l $signal))) && jq -e '.feasible' out >/dev/null &&
      cmp -s out stopped/excitation.json && [[ -s stopped/motion.csv ]]
    result $? "$method: $signal leaves the best design" "exit $code: $(cat err)"
  done
done
if [[ $(type -t taskset) ]]; then
  run excite --arm two.arm.json --method fourier --evals 300 --columns full --json
  cp out all-cores.json
  taskset -c "$(taskset -cp $$ | sed 's/.*[:,-] *//')" \
    "$cli" excite --arm two.arm.json --method fourier --evals 300 --columns full --json >out
  same "on one core the same design" out all-cores.json
fi
refuse "both ends" 2 'either --evals or --seconds' \
  excite --arm two.arm.json --method fourier --evals 5 --seconds 1
refuse "no seconds" 2 '--seconds: expected a time above 0' \
  excite --arm two.arm.json --method fourier --seconds 0

refuse "not over another design" 3 'motion.csv' excite --arm two.arm.json --method spline --evals 9 \
  --json --out design-spline
refuse "neither of both" 2 'either --check MOTION.csv or --method' excite --arm two.arm.json
refuse "both" 2 'either --check MOTION.csv or --method' \
  excite --arm two.arm.json --check good.csv --method spline
refuse "a design's option with a check" 2 'belong to --method' \
  excite --arm two.arm.json --check good.csv --evals 5
refuse "another method" 2 '--method: expected fourier, spline or points, found "sines"' \
  excite --arm two.arm.json --method sines
refuse "S of torques" 2 'cond.s belongs to --method points' \
  excite --arm two.arm.json --method fourier --criterion cond+s
refuse "another criterion" 2 '--criterion: expected d, a, cond or cond.s, found "e"' \
  excite --arm two.arm.json --method fourier --criterion e
refuse "no evaluations" 2 '--evals: expected a whole number from 1' \
  excite --arm two.arm.json --method fourier --evals 0
refuse "no time" 2 '--time: expected a period above 0' \
  excite --arm two.arm.json --method fourier --time 0

# ---- refusals --------------------------------------------------------------------------------

jq 'del(.joints[1].limits.accel_m_s2)' two.arm.json >lame.arm.json
refuse "an arm without acceleration limits" 3 'lame.arm.json: joint 2: limits.accel_m_s2: expected a limit of the acceleration, found none' \
  excite --arm lame.arm.json --check good.csv
jq 'del(.joints[0].limits)' two.arm.json >lame.arm.json
refuse "an arm without limits" 3 'joint 1: limits.q_rad' excite --arm lame.arm.json --check good.csv
cut -d, -f2- good.csv >bad.csv
refuse "no time" 3 'bad.csv:1: .*t_s' excite --arm two.arm.json --check bad.csv
cut -d, -f1,2 good.csv >bad.csv
refuse "no position" 3 'bad.csv:1: .*q2_m' excite --arm two.arm.json --check bad.csv
awk -F, -v OFS=, 'NR == 5 { $3 = "" } 1' good.csv >bad.csv
refuse "an empty position" 3 'bad.csv:5: q2_m: expected a position in every row, found an empty cell' \
  excite --arm two.arm.json --check bad.csv
awk -F, -v OFS=, 'NR == 7 { $1 = 0.01 } 1' good.csv >bad.csv
refuse "time that runs back" 3 'bad.csv:7: t_s: expected a time after 0.04 of the line before, found 0.01' \
  excite --arm two.arm.json --check bad.csv
awk -F, -v OFS=, 'NR == 9 { $2 = "x" } 1' good.csv >bad.csv
refuse "no number" 3 'bad.csv:9:[0-9]+: q1_rad: expected a number' \
  excite --arm two.arm.json --check bad.csv
head -n 3 good.csv >bad.csv
refuse "too short" 3 'bad.csv: expected three rows or more, found 2' \
  excite --arm two.arm.json --check bad.csv
refuse "another kind of columns" 2 '--columns: expected base or full, found "all"' \
  excite --arm two.arm.json --check good.csv --columns all
refuse "a missing motion" 3 'nowhere.csv' excite --arm two.arm.json --check nowhere.csv
finish
