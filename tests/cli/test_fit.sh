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
[[ ! -s err ]]
result $? "a clean recording needs no warning" "$(cat err)"
expect "one row that was hit" 0 fit --arm rt.arm.json --csv hit.csv --csv rt.csv --csv rt.csv \
  --csv rt.csv --csv rt.csv --csv rt.csv
grep -qE 'warning: joint 1: the largest residual is [0-9]+ residual sds \(.* A\): a stop, a coll' err
result $? "is warned of" "$(cat err)"
awk -F, -v OFS=, 'NR > 1 && $2 == 1 { $7 = 2.5 } { print }' rt.csv >still.csv
run fit --arm rt.arm.json --csv still.csv
grep -q 'warning: joint 1: the current is 2.5 in all 72 used rows' err
result $? "a current that never changes is warned of" "$(cat err)"
refuse "a cut-off beyond the sampling" 3 \
  'error: --lowpass 400: expected a cut-off below 50 Hz, half the sampling rate of rt.csv' \
  fit --arm rt.arm.json --csv rt.csv --lowpass 400

sed '1s/i1_A/tau1_Nm/' rt.csv >tau.csv
expect "a torque instead of a current" 0 fit --arm rt.arm.json --csv tau.csv
grep -q 'warning: tau.csv: joint 1 has torques instead of currents' err && grep -q ' N m s²/m' out
result $? "is said, with its unit" "$(cat err)"
finish
