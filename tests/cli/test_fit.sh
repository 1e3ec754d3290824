#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `fit`: the agreed JSON, the table, and when the exit status is 4.
# shellcheck disable=SC2016 # jq has variables of its own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
make_rt

expect "the demonstration" 0 fit --arm "$demo.arm.json" --csv "$demo.csv" --json
cp out demo.json
grep -q 'warning: .*eta5/eta6.*not identifiable' err
result $? "weak ratios are a warning" "$(cat err)"
holds "agreed keys" demo.json '
  .format == "armature-parameters" and .version == 1 and .kind == "gravity" and
  (["format","version","kind","arm","joints","ratios","clusters","covariance","recursive"] - keys == []) and
  (.arm | .name != null and (.digest | test("^sha256:[0-9a-f]{64}$")))'
holds "agreed keys of a joint" demo.json '
  [.joints[], .recursive.joints[]] | length == 12 and
  all((["joint","type","rows_used","rows_excluded","rank","cond_raw","cond_equilibrated",
  "cond_centred","residual_sd_A","r2","max_abs_A","lag1","parameters"] - keys) == [] and
  (.parameters | keys == ["coulomb_neg_A","coulomb_pos_A","kx_star","ky_star","viscous_neg","viscous_pos"]))'
holds "agreed keys of an estimate" demo.json '
  [.joints[].parameters[], .ratios[].estimate, .recursive.joints[].parameters[]] |
  all((["value","sd","identifiable","used","reason"] - keys == []) and (.used | type == "number") and
  (if .identifiable then (.value | type == "number") and (.sd | type == "number") and .reason == null
   else .value == null and .sd == null and (.reason | type == "string") end))'
holds "every pair of the cluster" demo.json '
  .clusters == [[2,3,4,5,6]] and ([.ratios[] | [.i, .j]] ==
  [[2,3],[2,4],[2,5],[2,6],[3,4],[3,5],[3,6],[4,5],[4,6],[5,6]]) and (.recursive.ratios | length) == 10'
holds "the covariance is a triangle of its names" demo.json '
  .covariance | (.names | length) as $m | (.lower | length) == $m * ($m + 1) / 2 and
  ([.names[] | test("^(kx_star|ky_star|coulomb_(pos|neg)_A|viscous_(pos|neg))_[1-6]$|^ratio_[1-6]_[1-6]$")] | all)'
holds "the sd is the root of the variance" demo.json '
  . as $p | .covariance.names | index("kx_star_2") as $k |
  ($p.covariance.lower[$k * ($k + 1) / 2 + $k] | sqrt) / $p.joints[1].parameters.kx_star.sd |
  . > 0.999999 and . < 1.000001'
holds "known numbers" demo.json '
  (.joints[1].parameters.kx_star.value - 0.22363 | fabs) < 0.001 and
  .joints[0].parameters.kx_star.reason_key == "axis_vertical" and
  (.ratios[9].estimate | .identifiable | not)'
! grep -qiE '\b(nan|inf)\b' demo.json && grep -qE '"value": -?0\.[0-9]{16,}' demo.json
result $? "17 digits, no nan, no inf"

expect "--out beside the table" 0 fit --arm "$demo.arm.json" --csv "$demo.csv" --out p.json \
  --truth "$demo.truth.csv"
same "--out writes what --json prints" p.json demo.json
narrow "the table is narrow" out
[[ $(grep -c '±' out) -ge 40 ]] && grep -q 'kx\* .* A s²/m' out && grep -q 'Against the truth: of 40' out &&
  grep -q 'eta5/eta6 not identifiable: ' out && grep -q 'kx\*, ky\* not identifiable: redundant' out
result $? "the table names values, units, reasons and the truth" "$(cat out)"
far=$(printf 'far%.0s' {1..60})
mkdir "$far"
cp "$demo.csv" "$far/$far.csv"
run fit --arm "$demo.arm.json" --csv "$far/$far.csv"
narrow "and stays so for a file far away" out
sed 's/"RT"/"R\\u001b[31mT\\u009b"/; s/{"type": "R"/{"name": "\\u001b]0;x\\u0007", "type": "R"/' \
  rt.arm.json >evil.arm.json
for verb in "structure" "plan" "fit --csv rt.csv"; do
  # shellcheck disable=SC2086 # words are arguments
  run $verb --arm evil.arm.json
  [[ -s out ]] && ! cat out err | LC_ALL=C.UTF-8 grep -qP '[\x00-\x08\x0b-\x1f\x7f-\x9f]'
  result $? "${verb%% *}: names give no orders to the terminal" "$(cat -v out err)"
done
if [[ -z $preload ]]; then
  run_locale=C run fit --arm "$demo.arm.json" --csv "$demo.csv"
  [[ $status -eq 0 && -s out ]] && ! grep -qP '[^\x00-\x7F]' out && grep -q '+- ' out
  result $? "the table is ASCII where the locale is" "$(grep -P '[^\x00-\x7F]' out)"
fi
refuse "an existing file" 3 'p.json: exists; use --force' \
  fit --arm "$demo.arm.json" --csv "$demo.csv" --out p.json
expect "an existing file with --force" 0 \
  fit --arm "$demo.arm.json" --csv "$demo.csv" --out p.json --force

expect "a sliding joint" 0 fit --arm rt.arm.json --csv rt.csv --json
holds "a sliding joint has mhat_star" out '.joints[1] | .type == "T" and
  (.parameters | has("mhat_star") and (has("kx_star") | not)) and
  (.parameters.mhat_star.value | fabs - 0.1529 | fabs) < 0.002'
cp out rt.json
expect "the same recording twice" 0 fit --arm rt.arm.json --csv rt.csv --csv rt.csv --json
holds "counts both" out '.joints[0].rows_used == 144'
grep -q 'warning: rt.csv: the same recording as rt.csv: its rows count twice' err
result $? "and says what that does to error bars" "$(cat err)"
jq .joints[0].parameters.kx_star.value rt.json out >twice
[[ $(awk 'NR == 1 { a = $1 } END { d = a - $1; print (d < 1e-9 && d > -1e-9) }' twice) == 1 ]]
result $? "and finds the same" "$(cat twice)"
expect "acceleration at constant speed" 4 fit --arm rt.arm.json --csv rt.csv --acceleration --json
holds "is not a number" out '[.joints[].parameters.own_acceleration |
  .value == null and .reason_key == "no_acceleration"] | all'
expect "minimum speed" 4 fit --arm rt.arm.json --csv rt.csv --min-speed 0.3 --json
holds "minimum speed of both kinds" out '.joints[0].rows_used == 36 and
  .joints[0].rows_excluded == {"below_min_speed":36} and .joints[1].rows_used == 36'
expect "minimum speed of sliding joints" 0 \
  fit --arm rt.arm.json --csv rt.csv --min-speed 0.3 --min-speed-t 0.001 --json --joints 2
holds "is its own" out '.joints[0].rows_used == 36 and .joints[1].rows_used == 72'
expect "plateau" 0 fit --arm rt.arm.json --csv rt.csv --plateau --json
holds "leaves out the ends" out '.joints[0].rows_excluded.off_plateau > 0'

awk -F, -v OFS=, 'NR > 1 && $2 == 2 { $2 = 0 } { print }' rt.csv >one.csv
expect "a joint without rows" 4 fit --arm rt.arm.json --csv one.csv --json
holds "is printed all the same" out '.joints[1] | .rows_used == 0 and
  .rows_excluded.no_moving_joint == 72 and (.parameters[] | .reason_key == "no_rows")'
grep -q 'error: no usable row moves joint 2' err
result $? "and named" "$(cat err)"
expect "unless it is not meant" 0 fit --arm rt.arm.json --csv one.csv --json --joints 1
awk -F, 'NR == 1 || $2 != 4' "$demo.csv" >without4.csv
expect "joint 4 never swept" 4 fit --arm "$demo.arm.json" --csv without4.csv --json --out without4.json
grep -q 'error: no usable row moves joint 4' err
result $? "is named" "$(cat err)"
grep -q 'not identifiable: known only together with the load of a joint that was never swept' err
result $? "and what hangs on its load" "$(cat err)"
holds "no ratio to it is given" out '[.ratios[] | select(.i == 4 or .j == 4) | .estimate |
  .value == null and .reason_key == "never_swept"] | length == 4 and all'
expect "nor is it fine without it" 4 fit --arm "$demo.arm.json" --csv without4.csv --json \
  --joints 1,2,3,5,6
expect "predicts the others" 0 predict --arm "$demo.arm.json" --params without4.json \
  --csv "$demo.csv"

awk -F, -v OFS=, 'NR == 1 || $2 == 2 || $5 > 0' rt.csv >up.csv
expect "one direction only" 4 fit --arm rt.arm.json --csv up.csv --out up.json
grep -q 'Coulomb - of joint 1, viscous - of joint 1 not identifiable: no usable row in this dir' err &&
  grep -q 'not found' out
result $? "is said" "$(cat err)"
holds "and written" up.json '.joints[0].parameters.coulomb_neg_A.reason_key == "one_direction"'
sed '2,$s/,[12],/,0,/' rt.csv >none.csv
expect "no usable row at all" 4 fit --arm rt.arm.json --csv none.csv --json
holds "is a complete file" out '(.joints | length) == 2 and .covariance.names == [] and
  ([.joints[].parameters[].identifiable] | any | not)'
expect "and as a table" 4 fit --arm rt.arm.json --csv none.csv

awk -F, -v OFS=, 'NR == 40 { $7 += 9 } { print }' rt.csv >hit.csv
run fit --arm rt.arm.json --csv rt.csv
! grep -vE 'joint [12]: (whether the model fits cannot be told: it has no sweep of a dozen|8 of its 8 sweeps have less than 20 samples|its position changes [0-9.]+ times as fast)' err
result $? "a clean recording needs no warning but that its sweeps are short and faster than they say" "$(cat err)"
expect "one row that was hit" 0 fit --arm rt.arm.json --csv hit.csv --csv rt.csv --csv rt.csv \
  --csv rt.csv --csv rt.csv --csv rt.csv
grep -qE 'warning: joint 1: 1 samples far off were left out, the farthest [0-9.]+ A where those around it say [-0-9.]+ A, row 39 of the recording' err
result $? "is left out, and told with its place" "$(cat err)"
grep -qx 'armature-cli: warning: joint 1: left out as wild: hit.csv, line 40' err
result $? "by file and line" "$(cat err)"
expect "as a reason of its own" 0 fit --arm rt.arm.json --csv hit.csv --csv rt.csv --csv rt.csv \
  --csv rt.csv --csv rt.csv --csv rt.csv --json
holds "in the file" out '.joints[0].rows_excluded.wild == 1 and
  ([.warnings[] | select(.code == "wild" and .joint == 1)] | length) == 1 and
  .provenance.wild[0].recording == "hit.csv" and .provenance.wild[0].first_line == 40 and
  .provenance.wild[0].last_line == 40 and .provenance.wild[0].samples == 1 and
  (.provenance.wild | length) == 1 and .provenance.wild_more == 0'
cp out hit.json
run fit --arm "$demo.arm.json" --csv "$demo.csv" --lowpass 1 --friction base --json
cp out smooth.json
awk -F, -v OFS=, '$2 == 2 && ++n == 40 { $16 += 90 } { print }' "$demo.csv" >spike.csv
run fit --arm "$demo.arm.json" --csv spike.csv --lowpass 1 --friction base --json
jq -n --slurpfile a smooth.json --slurpfile b out '
  [$a[0], $b[0] | .joints[1]] as [$clean, $hit] | $hit.rows_excluded.wild == 1 and
  ($hit.residual_sd_A < 1.01 * $clean.residual_sd_A) and
  (($hit.parameters.kx_star.value - $clean.parameters.kx_star.value | fabs) <
   $clean.parameters.kx_star.sd)' >alike
holds "and leaves no wave behind a low-pass" alike '.'
expect "that file is read again" 0 predict --arm rt.arm.json --params hit.json --csv rt.csv
awk -F, -v OFS=, '{ $1 = NR > 1 ? $1 + 1000 : $1 } NR == 40 || NR == 50 { $7 += 9 } { print }' \
  rt.csv >later.csv
run fit --arm rt.arm.json --csv rt.csv --csv rt.csv --csv later.csv --csv rt.csv --json
holds "of the second file its own line and time" out '
  [.provenance.wild[] | [.recording, .first_line, .from_s > 1000]] ==
  [["later.csv", 40, true], ["later.csv", 50, true]]'
awk -F, -v OFS=, 'NR >= 40 && NR < 43 { $7 += 9 } { print }' rt.csv >hits.csv
run fit --arm rt.arm.json --csv hits.csv --csv rt.csv --csv rt.csv --csv rt.csv --csv rt.csv
grep -qE 'warning: joint 1: the largest residual is [0-9]+ residual sds \(.* A\): a stop, a coll' err
result $? "three in succession are no slip of the measurement" "$(cat err)"
awk -F, -v OFS=, 'NR > 1 && $2 == 1 { $7 = 2.5 } { print }' rt.csv >still.csv
expect "a current that never changes" 4 fit --arm rt.arm.json --csv still.csv --json
grep -q 'error: joint 1: its current is 2.5 A in all 72 used rows, forth and back (column i1_A, expec' err
result $? "is no motor's" "$(cat err)"
holds "and gives no parameters" out '.joints[0].parameters | all(.[] | objects; .identifiable == false and
  .value == null)'
awk -F, -v OFS=, 'NR > 1 && $2 == 1 { $7 = 0 } { print }' rt.csv >dead.csv
expect "a current that is 0 throughout" 4 fit --arm rt.arm.json --csv dead.csv --json
grep -q 'error: joint 1: its current is 0 in all 72 used rows: .*column i1_A' err &&
  ! grep -q 'friction helps' err &&
  jq -e '.joints[0].misfit.verdict == "unknown"' out >/dev/null
result $? "fits nothing" "$(cat err)"
jq '.joints[].limits.current_A = 5' "$demo.arm.json" >limited.arm.json
awk -F, -v OFS=, 'NR == 1 { for (k = 1; k <= NF; k++) is[k] = $k ~ /^i[0-9]_A/ }
  NR > 1 { for (k = 1; k <= NF; k++) if (is[k] && $k != "") $k *= 1000 } { print }' "$demo.csv" >mA.csv
expect "currents in mA" 4 fit --arm limited.arm.json --csv mA.csv --json
grep -q 'error: joint 1: its current is beyond the limit of the arm file in .*: is it in A' err
result $? "are none" "$(cat err)"
holds "whose verdict is not that they fit" out '.verdict == "unknown" and
  (.joints | all(.misfit.verdict == "unknown" and .misfit.untold == "no_current"))'
jq '.joints[0].limits.q_deg = [-180, 180] | .joints[1].limits.q_m = [-1, 1]' rt.arm.json >ranged.arm.json
awk -F, -v OFS=, 'NR > 1 { $3 *= 57.29578; $4 *= 1000; $5 *= 57.29578; $6 *= 1000 } { print }' rt.csv >other.csv
run fit --arm ranged.arm.json --csv other.csv
grep -q 'joint 1: its position is far outside of the limits .*expected within -*3.142 rad): is it in deg where' err &&
  grep -q 'joint 2: its position is far outside of the limits .*expected within -*1 m): is it in mm where m' err
result $? "positions and speeds of another unit are asked for, though they agree" "$(cat err)"
awk -F, -v OFS=, 'NR > 1 && $2 == 1 { $7 = "" } { print }' rt.csv >none.csv
expect "a current that is missing" 4 fit --arm rt.arm.json --csv none.csv --json
grep -q 'error: the current of joint 1 is missing in all rows that move it' err &&
  jq -e '.joints[0].parameters.coulomb_pos_A.reason_key == "rows_left_out"' out >/dev/null
result $? "is said so" "$(cat err)"
refuse "a cut-off beyond the sampling" 3 \
  'error: --lowpass 400: expected a cut-off below 50 Hz, half the sampling rate of rt.csv' \
  fit --arm rt.arm.json --csv rt.csv --lowpass 400

sed '1s/i1_A/tau1_Nm/' rt.csv >tau.csv
expect "a torque instead of a current" 0 fit --arm rt.arm.json --csv tau.csv
grep -q 'warning: tau.csv: joint 1 has torques instead of currents' err && grep -q ' N m s²/m' out
result $? "is said, with its unit" "$(cat err)"
[[ $(grep -o 'times g \[[^]]*\]' out | tr '\n' ' ') == 'times g [N m] times g [A] times g [N m] ' ]] &&
  grep -qE '^  eta1/eta2 .* N/A ' out
result $? "its units in the heads and of the ratio" "$(grep -E 'times g|eta1' out)"
# ---- does the model fit? ----

holds "a sound recording fits, with its figures" demo.json '
  .verdict == "fits" and .warnings == [] and ([.joints[].misfit] | length == 6 and
  all((["gravity_A","direction_A","speed_relative","scatter_relative","trend_relative",
  "promised_A","p","verdict"] - keys == []) and .verdict == "fits" and .alarms == [] and
  .gravity_A < 0.005 and .promised_A > 0))'
awk -F, -v OFS=, 'NR > 1 && $2 == 2 { $16 += 0.2 * sin(2 * $4) } 1' "$demo.csv" >ripple.csv
expect "a current that no weight explains is told" 4 fit --arm "$demo.arm.json" --csv ripple.csv --json
grep -q 'error: joint 2: the gravity model misses by .* mA rms (promised .* mA), worst in hold' err
result $? "with joint, size, what was promised and where to look" "$(cat err)"
holds "in the JSON as well" out '
  .verdict == "misfit" and .joints[1].misfit.verdict == "misfit" and
  (.joints[1].misfit.alarms | index("gravity") != null) and .joints[1].misfit.gravity_A > 0.05 and
  ([.warnings[] | select(.code == "gravity" and .joint == 2)] | length == 1)'
cp out ripple.params.json
# ---- is it plausible? ----

# spoil NAME AWK: the demonstration with every row changed; J: the joint that moves
spoil() {
  awk -F, -v OFS=, "NR > 1 { J = \$2; $2 } 1" "$demo.csv" >"$1.csv"
}
spoil degrees '$(J + 8) *= 57.29577951308232'
expect "speeds in deg/s are told, though they leave no misfit" 0 fit --arm "$demo.arm.json" \
  --csv degrees.csv --json
grep -q 'warning: joint 3: its position changes 0.01745 times as fast as its speed says (expected 1, in 20 of 20 sweeps): is the speed in deg/s where rad/s is meant?' err
result $? "with what was found, expected and to do" "$(cat err)"
holds "in the JSON as well" out '[.warnings[] | select(.code == "speed_unit") | .joint] == [1,2,3,4,5,6]'
spoil backwards '$(J + 8) *= -1'
run fit --arm "$demo.arm.json" --csv backwards.csv --json
holds "speeds of the wrong sign" out '[.warnings[] | select(.code == "speed_sign")] | length == 6'
spoil magnitude '$(J + 14) = $(J + 14) < 0 ? -$(J + 14) : $(J + 14)'
run fit --arm "$demo.arm.json" --csv magnitude.csv --json
holds "magnitudes" out '[.warnings[] | select(.code == "unsigned_current") | .joint] | index(1) != null'
jq '.joints |= [to_entries[] | .value + {gear_ratio: 100, motor_sign: (if .key < 2 then 1 else -1 end),
  torque_constant_Nm_A: {value: 0.02, rel_sd: 5}}]' \
  "$demo.arm.json" >motors.arm.json
spoil third '$(J + 14) *= J == 3 ? -1 : 1'
expect "a current of the wrong sign does not pass" 4 fit --arm motors.arm.json --csv third.csv --json
grep -q 'error: joint 3: eta3/eta. has the wrong sign (found .*, the arm file says -\?1)' err &&
  grep -q "error: joint 3: friction helps the motion" err
result $? "with the ratio and the friction that say so" "$(cat err)"
holds "and its joint in the JSON" out '[.warnings[] | select(.code == "ratio_sign") | .joint] == [3] and
  [.warnings[] | select(.code == "current_sign") | .joint] == [3]'
sed '2,$s/,[1-6],/,0,/' "$demo.csv" | awk -F, -v OFS=, 'NR > 1 { $9 = 0.3; $10 = 0.4 } 1' >many.csv
expect "joints that move at once" 4 fit --arm "$demo.arm.json" --csv many.csv --json
holds "are told even where nothing can be fitted" out '[.warnings[] |
  select(.code == "many_joints_move" and .joint == null and (.message | test("full dynamics")))] | length == 1'
expect "predictions go on from such a file" 0 predict --arm "$demo.arm.json" \
  --params ripple.params.json --csv "$demo.csv"
grep -q 'warning: ripple.params.json: the model did not fit: joint 2: the gravity model misses' err
result $? "and say so again" "$(cat err)"
expect "other joints than those listed are a warning" 0 fit --arm "$demo.arm.json" \
  --csv ripple.csv --json --joints 6
grep -q 'warning: joint 2: the gravity model misses' err
result $? "which is told all the same" "$(cat err)"
awk -F, -v OFS=, '$2 == 3 && $11 > 0.85 && $11 < 0.9 && $6 > 1 { $17 += 0.3 } 1' "$demo.csv" >lean.csv
expect "somebody leans on one sweep" 4 fit --arm "$demo.arm.json" --csv lean.csv --json
grep -q 'error: joint 3: the sweep that starts .* (hold .*, +0.873 rad/s) stands out' err
result $? "which is named" "$(cat err)"
echo '{"format": "armature-limits", "version": 1, "gravity_relative": 0.5}' >wide.json
expect "what counts is the lab's" 0 fit --arm "$demo.arm.json" --csv ripple.csv --json --limits wide.json
holds "which stand in the file" out '.provenance.options.limit_gravity_relative == 0.5 and
  (.provenance.options | has("limit_r2") | not)'
holds "significance alone is a warning" out '
  .verdict == "fits" and ([.warnings[] | select(.code == "gravity_small")] | length > 0)'
awk -F, 'NR == 1 || $2 != 2 || ($10 > -0.53 && $10 < 0.53)' "$demo.csv" >one_speed.csv
expect "one speed is not enough to tell" 0 fit --arm "$demo.arm.json" --csv one_speed.csv --json --joints 3,4,5,6
holds "and is said to be unknown" out '
  .verdict == "unknown" and .joints[1].misfit.verdict == "unknown" and
  .joints[1].misfit.untold == "one_speed" and
  ([.warnings[] | select(.code == "verdict_unknown" and .joint == 2)] | length == 1)'
grep -q 'warning: joint 2: whether the model fits cannot be told: .*record a second speed' err
result $? "with what to record" "$(cat err)"
echo '{"format": "armature-limits", "version": 1, "gravity": 0.5}' >bad.json
expect "a limit that is none" 3 fit --arm "$demo.arm.json" --csv "$demo.csv" --limits bad.json
grep -q 'bad.json:1:.*gravity' err
result $? "is named with its place" "$(cat err)"
echo '{"format": "armature-limits", "version": 1, "r2": -1}' >bad.json
expect "a limit below zero" 3 fit --arm "$demo.arm.json" --csv "$demo.csv" --limits bad.json
printf '{"format": "armature-limits", "version": 1,\n "r2": 1.5}' >bad.json
expect "a limit that nothing can reach" 3 fit --arm "$demo.arm.json" --csv "$demo.csv" --limits bad.json
grep -q 'bad.json:2:.*r2: expected a number from 0 to 1, found 1.5' err
result $? "is named with its place" "$(cat err)"
for beyond in gravity_promised_factor:1e308 gravity_promised_factor:1001 direction_A:101; do
  echo "{\"format\": \"armature-limits\", \"version\": 1, \"${beyond%:*}\": ${beyond#*:}}" >bad.json
  expect "a limit beyond reason: $beyond" 3 fit --arm "$demo.arm.json" --csv "$demo.csv" \
    --limits bad.json
  grep -q "bad.json:1:.*${beyond%:*}: expected a number from 0 to" err
  result $? "is named with its place" "$(cat err)"
done
echo '{"format": "armature-limits", "version": 1, "direction_relative": 1.01}' >bad.json
expect "a part above the whole" 3 fit --arm "$demo.arm.json" --csv "$demo.csv" --limits bad.json
echo '{"format": "armature-limits", "version": 1, "r2": 0.997}' >strict.json
expect "a strict limit" 0 fit --arm "$demo.arm.json" --csv "$demo.csv" --limits strict.json --json
grep -q 'warning: joint 4: its current does not follow its motion (.* r2 0.995 of it, expected at least 0.997)' err
result $? "is told as it is" "$(cat err)"
expect "no file of limits" 3 fit --arm "$demo.arm.json" --csv "$demo.csv" --limits none.json

# friction beyond Coulomb and viscous: gravity of joint 2, and 6 % of it against the motion
expect "a term that is none" 2 fit --arm "$demo.arm.json" --csv "$demo.csv" --friction load,heat
expect "nothing to be found" 0 fit --arm "$demo.arm.json" --csv "$demo.csv" --json --friction base
same "is byte by byte a fit that tried" out demo.json
awk -F, -v OFS=, 'NR > 1 { $9 = $10 = $11 = $12 = $13 = $14 = 0 } 1' "$demo.csv" >still.csv
expect "its gravity" 0 predict --arm "$demo.arm.json" --params demo.json --csv still.csv --out gravity.csv
awk -F, -v OFS=, 'NR == FNR { g[FNR] = $17 < 0 ? -$17 : $17; next }
  FNR > 1 && $2 == 2 { $16 += ($10 > 0 ? 0.06 : -0.06) * g[FNR] } 1' gravity.csv "$demo.csv" >load.csv
expect "friction that grows with the load" 0 fit --arm "$demo.arm.json" --csv load.csv --out load.json
tr '\n' ' ' <out | grep -q 'Joint 2: friction grows with the load, by 0\.0[56].* strokes left out are predicted' &&
  grep -q 'Joint 1.*: load-dependent friction cannot be seen' out && grep -q '^  load  *0\.05' out
result $? "is said, and where it cannot be seen" "$(cat out)"
narrow "in a narrow table" out
holds "the file is of version 2" load.json '
  .version == 2 and .units.load_2 == "1" and (.covariance.names | index("load_2")) != null and
  (.joints[1].parameters | (.load.value - 0.06 | fabs) < 0.005 and .load.sd > 0 and
    .load_seen_A[1] > .load_seen_A[0] and .friction_sign == 1 and (has("curve") | not) and
    ([.terms[] | [.name, .offered, .chosen]] == [["load", true, true], ["curve", true, false]]) and
    .terms[0].gain > 0.02 and .terms[0].reason == null and (.terms[1].reason | type == "string")) and
  .joints[0].parameters.terms[0].reason_key == "unseen" and .provenance.options.friction_load'
expect "without the term" 4 fit --arm "$demo.arm.json" --csv load.csv --json --friction base
grep -q 'error: joint 2: .*turn with the direction' err
result $? "it is a misfit" "$(cat err)"
expect "prediction with the term" 0 predict --arm "$demo.arm.json" --params load.json --csv load.csv --out again.csv
awk -F, 'NR == FNR { i[FNR] = $16; next }
  FNR > 1 && $2 == 2 { e = $17 - i[FNR]; s += e * e; n++ } END { exit !(sqrt(s / n) < 0.035) }' load.csv again.csv
result $? "predicts what it was fitted to"
jq '.joints[1].parameters.load_seen_A = [0, 1] | del(.digest)' load.json >narrow.json
expect "a load beyond those recorded" 0 predict --arm "$demo.arm.json" --params narrow.json --csv load.csv --out again.csv --force
grep -q 'warning: the load of joint 2 leaves the range' err
result $? "is told" "$(cat err)"
expect "its table" 0 export --arm "$demo.arm.json" --params load.json --format csv
awk -F, '$1 == 2 && $2 ~ /^(load|curve|friction_s)/ { printf "%s %.12g\n", $2, $7 }' out >found
jq -r '.joints[1].parameters | "load_2 \(.load.used)", "load_seen_least_2 \(.load_seen_A[0])",
  "load_seen_most_2 \(.load_seen_A[1])", "friction_sign_2 \(.friction_sign)"' load.json |
  awk '{ printf "%s %.12g\n", $1, $2 }' >wanted
same "has all that the term needs" found wanted
expect "its C code" 0 export --arm "$demo.arm.json" --params load.json --format c --out load.h
grep -q '_load(' load.h && ! grep -q 'exp(' load.h
result $? "has the term"

# without a clock: evenly sampled, the rate is stated
awk -F, -v OFS=, 'NR > 1 { $1 = (NR - 2) / 20 } 1' rt.csv >clocked.csv
cut -d, -f2- clocked.csv >even.csv
refuse "a recording without time" 3 'even.csv:1: expected a column t_s' \
  fit --arm rt.arm.json --csv even.csv
run fit --arm rt.arm.json --csv clocked.csv --acceleration --lowpass 5 --json
cp out clocked.json
code=$status
expect "a stated rate" "$code" \
  fit --arm rt.arm.json --csv even.csv --rate 20 --acceleration --lowpass 5 --json
jq -n --slurpfile a clocked.json --slurpfile b out '
  ($b[0].provenance.options.rate_Hz == 20) and ($a[0].provenance.options | has("rate_Hz") | not) and
  ([$a[0], $b[0]] | map(del(.provenance, .digest)) | .[0] == .[1])' >alike
holds "is as good as that time, and is told" alike '.'
refuse "a rate beside a time" 3 'rt.csv:1:1: t_s: expected no time beside a stated sample rate' \
  fit --arm rt.arm.json --csv rt.csv --rate 20
refuse "a rate below nothing" 2 '--rate: expected a frequency above 0 Hz' \
  fit --arm rt.arm.json --csv even.csv --rate -1
finish
