#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `import`: another tool's units come out as SI; what cannot be fitted is refused with the reason.
# shellcheck disable=SC2016 # jq and awk have variables of their own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
make_rt

cat >map.json <<'JSON'
{"format": "armature-columns", "version": 1, "delimiter": ";", "decimal": ",",
 "time": {"column": "ms", "unit": "ms"}, "moving_joint": {"column": "axis"},
 "joints": [
  {"joint": 1, "position": {"column": "a", "unit": "deg"}, "speed": {"column": "va", "unit": "deg_s"},
   "current": {"column": "ia", "unit": "mA", "sign": -1}},
  {"joint": 2, "position": {"column": "b", "unit": "mm"}, "speed": {"column": "vb", "unit": "mm_s"},
   "current": {"column": "ib", "unit": "mA", "sign": -1}}]}
JSON
# the recording of lib.sh as the other tool would have written it: both currents, always
awk -F, 'BEGIN { deg = 57.29577951308232; print "ms;axis;a;b;va;vb;ia;ib" }
  NR > 1 {
    line = sprintf("%.1f;%d;%.9f;%.6f;%.9f;%.6f;%.4f;%.4f", 5000 * $1, $2, deg * $3, 1000 * $4,
      deg * $5, 1000 * $6, -1000 * $7 + ($2 == 2 ? 5 * sin(NR * NR) : 0),
      -1000 * $8 + ($2 == 1 ? 5 * sin(NR * NR) : 0))
    gsub(/\./, ",", line); print line }' rt.csv >tool.csv

expect "units, signs, decimal commas" 0 \
  import --arm rt.arm.json --map map.json --csv tool.csv --out rec.csv
[[ ! -s out && ! -s err ]]
result $? "says nothing" "$(cat out err)"
[[ $(head -n 1 rec.csv) == "t_s,joint,q1_rad,q2_m,qd1_rad_s,qd2_m_s,i1_A,i2_A" ]]
result $? "writes a recording" "$(head -n 1 rec.csv)"
paste -d, rt.csv rec.csv | awk -F, 'function off(a, b) { return (a - b) * (a - b) > 1e-10 }
  NR > 1 && ($2 != $10 || off($3, $11) || off($4, $12) || ($2 == 1 && off($7, $15)) ||
             ($2 == 2 && off($8, $16))) { bad = 1; print }
  END { exit bad }' >differ
result $? "in SI, joint side, with the right sign" "$(head -n 3 differ)"
run fit --arm rt.arm.json --csv rec.csv --json
cp out imported.json
run fit --arm rt.arm.json --csv rt.csv --json
jq -n --slurpfile a imported.json --slurpfile b out '
  [$a[0], $b[0] | .joints[1].parameters.mhat_star] | (.[0].value - .[1].value) / .[1].sd | fabs < 0.01' >near
holds "which fits as the original does" near '.'
refuse "an existing file" 3 'rec.csv: exists; use --force' \
  import --arm rt.arm.json --map map.json --csv tool.csv --out rec.csv
expect "--report" 0 import --arm rt.arm.json --map map.json --csv tool.csv --report
grep -q '144 of 144 rows kept' out && grep -q '^i2_A ' out
result $? "shows rows and columns" "$(cat out)"
narrow "and is narrow" out
expect "--report --json" 0 import --arm rt.arm.json --map map.json --csv tool.csv --report --json
holds "gives the same as JSON" out '.format == "armature-import-report" and .rows_kept == 144 and
  .rows_moving == [72, 72] and ([.columns[].name] | index("i1_A")) != null'

# the same without a clock
cut -d';' -f2- tool.csv >even.csv
jq 'del(.time)' map.json >even.json
refuse "a map without time" 3 'state the rate: --rate HZ' \
  import --arm rt.arm.json --map even.json --csv even.csv --out even.rec.csv
expect "a stated rate" 0 \
  import --arm rt.arm.json --map even.json --csv even.csv --rate 20 --out even.rec.csv
awk -F, 'NR > 1 && ($1 - (NR - 2) / 20) ^ 2 > 1e-20 { bad = 1; print } END { exit bad }' \
  even.rec.csv >differ && cmp <(cut -d, -f2- rec.csv) <(cut -d, -f2- even.rec.csv)
result $? "is the time, and nothing else is different" "$(head -n 3 differ)"
jq '.from_s = 1 | .to_s = 2' even.json >part.json
run import --arm rt.arm.json --map part.json --csv even.csv --rate 20 --report --json
holds "from_s and to_s go by it" out '.rows_kept == 21 and .rows_before == 20 and (.median_step_s - 0.05 | fabs) < 1e-9'
refuse "a rate beside a time" 3 'map.json:2:10: time: expected no time beside a stated sample rate' \
  import --arm rt.arm.json --map map.json --csv tool.csv --rate 20 --out twice.rec.csv
refuse "a rate of nothing" 2 '--rate: expected a frequency above 0 Hz' \
  import --arm rt.arm.json --map even.json --csv even.csv --rate 0 --report

# bad NAME PATTERN AWK: the table, changed
bad() {
  awk -F';' -v OFS=';' "$3 1" tool.csv >bad.csv
  refuse "refused: $1" 3 "$2" import --arm rt.arm.json --map map.json --csv bad.csv --out bad.rec.csv
}
bad "time runs back" 'bad.csv:9: time: expected a time after' 'NR == 9 { $1 = "1000,5" }'
bad "time repeats" 'again' 'NR == 9 { $1 = last } { last = $1 }'
bad "time is missing" 'bad.csv:9: time: expected a time in every row' 'NR == 9 { $1 = "" }'
bad "unsigned currents" '[Uu]nsigned|sign' 'NR > 1 { sub(/^-/, "", $7); sub(/^-/, "", $8) }'
awk -F';' -v OFS=';' 'NR > 1 { $7 = $8 = "100,0" } { print }' tool.csv >$'two\nlines.csv'
run import --arm rt.arm.json --map map.json --csv $'two\nlines.csv' --out bad.rec.csv
[[ $(wc -l <err) == 2 && $(grep -c '^\(armature-cli: error: \)\?two.u000alines.csv: joint .: the current is constant' err) == 2 ]]
result $? "each joint has its line, and no more" "$(cat err)"
run import --arm rt.arm.json --map map.json --csv $'none\narmature-cli: error: forged' --report
[[ $(wc -l <err) == 1 ]]
result $? "a name that is not there has one" "$(cat err)"
bad "constant currents" 'constant|never changes|same' 'NR > 1 { $7 = "100,0" }'
bad "a column that is not there" 'map.json:[0-9]+:[0-9]+: .*"?ib' 'NR == 1 { $8 = "other" }'
bad "not a number" 'bad.csv:5:' 'NR == 5 { $3 = "east" }'
sed 's/"mm"/"deg"/' map.json >units.json
refuse "refused: degrees of a sliding joint" 3 'units.json:[0-9]+:[0-9]+: joint 2' \
  import --arm rt.arm.json --map units.json --csv tool.csv --out bad.rec.csv
sed 's/"axis"}/"axis"}, "comment": "x"/' map.json >key.json
refuse "refused: an unknown key in the map" 3 'key.json:[0-9]+:[0-9]+: .*"comment"' \
  import --arm rt.arm.json --map key.json --csv tool.csv --out bad.rec.csv
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 12345\n' 7 >lfs
refuse "refused: a Git LFS pointer" 3 'LFS' \
  import --arm rt.arm.json --map map.json --csv lfs --out bad.rec.csv
[[ ! -e bad.rec.csv ]]
result $? "what is refused leaves no file"

sed 's/{"column": "axis"}/{"detect": true, "min_speed_rad_s": 9, "min_speed_m_s": 9}/' map.json >slow.json
expect "no row with a moving joint" 0 \
  import --arm rt.arm.json --map slow.json --csv tool.csv --out slow.csv
grep -q 'warning: tool.csv: no row has a moving joint' err
result $? "is warned of" "$(cat err)"
sed 's/{"column": "axis"}/{"value": 0}/' map.json >rest.json
run import --arm rt.arm.json --map rest.json --csv tool.csv --out rest.csv
[[ ! -s err ]]
result $? "unless it was asked for" "$(cat err)"

# ---- real recordings, where they are -----------------------------------------------------------

shared=${ARMATURE_SHARED:-$root/../shared}
log=$shared/datasets/ur10e/single_joint/joint_2.csv
if [[ -r $log ]]; then
  expect "a real UR10e" 0 import --arm "$robots/ur10e.arm.json" \
    --map "$root/data/maps/ur10e_31_columns.columns.json" --csv "$log" --out ur.csv
  expect "is fitted, and its friction grows with load" 4 fit --arm "$robots/ur10e.arm.json" --csv ur.csv --joints 2 --acceleration \
    --min-speed 0.03 --lowpass 7.5 --json
  ! grep -q 'turn with the direction' err
  result $? "which is no misfit" "$(cat err)"
  holds "but a part of its friction" out '
    .joints[1].parameters.load | (.value - 0.067 | fabs) < 0.01 and .sd < 0.01'
  holds "to 5 % of its current" out '.joints[1] | .residual_sd_A < 0.5 and .r2 > 0.99'
else
  skip "a real UR10e" "the shared recordings are not here"
fi
finish
