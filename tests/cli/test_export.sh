#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `export`: headers of every shipped arm, compiled strictly, against `predict`; the table.
# shellcheck disable=SC2016 # jq and awk have variables of their own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

strict=(-std=c99 -Wall -Wextra -Wpedantic -Wdouble-promotion -Werror)

# invent ARM: parameters for it, none identifiable, all used, made of nothing but joint numbers
invent() {
  "$cli" structure --arm "$1" --json >structure.json
  jq -n --slurpfile s structure.json --slurpfile a "$1" '
    def e($v): {value: null, sd: null, identifiable: false, used: $v, reason: null};
    def wave($k): ($k * 12.9898 | sin);
    $s[0] as $s | $a[0].joints as $joints
    | [range($s.n) | {joint: (. + 1), type: $joints[.].type, rows_used: 100, rows_excluded: {},
        rank: 0, cond_raw: null, cond_equilibrated: null, cond_centred: null, residual_sd_A: 0.01,
        r2: null, max_abs_A: null, lag1: null,
        parameters: ((if $joints[.].type == "R"
            then {kx_star: e(wave(. + 1)), ky_star: e(wave(. + 20))}
            else {mhat_star: e(wave(. + 40))} end)
          + {coulomb_pos_A: e(0.5 + 0.1 * wave(. + 50)), viscous_pos: e(wave(. + 60)),
             coulomb_neg_A: e(-0.4 + 0.1 * wave(. + 70)), viscous_neg: e(wave(. + 80))})}] as $p
    | {format: "armature-parameters", version: 1, kind: "gravity",
       arm: {name: "invented", digest: null}, joints: $p,
       ratios: [$s.clusters[] as $c | $c[] as $i | $c[] as $j | select($i < $j)
         | {i: $i, j: $j, estimate: e(wave($i + 7 * $j))}],
       clusters: $s.clusters, covariance: {names: [], lower: []}}' >invented.json
}

# states ARM N [MOTION]: random rows with q, qd, of a MOTION also qdd; every third speed is 0
states() {
  jq -r '.joints | map(.type) | join(" ")' "$1" | awk -v rows="$2" -v motion="${3:-}" '{
    srand(4)
    for (j = 1; j <= NF; j++) printf "%sq%d_%s", (j > 1 ? "," : ""), j, ($j == "R" ? "rad" : "m")
    for (j = 1; j <= NF; j++) printf ",qd%d_%s_s", j, ($j == "R" ? "rad" : "m")
    for (j = 1; j <= NF && motion; j++) printf ",qdd%d_%s_s2", j, ($j == "R" ? "rad" : "m")
    print ""
    for (r = 0; r < rows; r++) {
      for (j = 1; j <= NF; j++)
        printf "%s%.6f", (j > 1 ? "," : ""), ($j == "R" ? 6.2 * rand() - 3.1 : rand() - 0.5)
      for (j = 1; j <= NF; j++) printf ",%.6f", (rand() < 1 / 3 ? 0 : 2 * rand() - 1)
      for (j = 1; j <= NF && motion; j++) printf ",%.6f", 4 * rand() - 2
      print ""
    }
  }'
}

# build CC HEADER N [FLAG]: strictly, as ./run
build() {
  "$1" "${strict[@]}" ${4:+"$4"} -DHEADER="\"$2\"" -DJOINTS="$3" -I. -o run "$root/tests/cli/export_main.c" \
    -lm >build.log 2>&1
}

# worst N LIMITS [INPUTS]: largest deviation in double and float, relative to 1 A or the current
worst() {
  tail -n +2 predicted.csv | paste -d, - computed.csv | awk -F, -v n="$1" -v limits="$2" -v k="${3:-2}" '
    function deviation(a, b, w) { w = a < 0 ? -a : a; a -= b; return (a < 0 ? -a : a) / (w > 1 ? w : 1) }
    BEGIN { split(limits, limit, " ") }
    { for (j = 1; j <= n; j++) {
        want = $(k * n + 2 * j - 1)
        if (limit[j] != "null" && want > limit[j]) { want = limit[j]; capped++ }
        if (limit[j] != "null" && want < -limit[j]) { want = -limit[j]; capped++ }
        d = deviation(want, $((k + 2) * n + j)); f = deviation(want, $((k + 3) * n + j))
        if (!(d <= most)) most = d
        if (!(f <= most_f)) most_f = f
      } }
    END { print NR, most + 0, most_f + 0, capped + 0 }'
}

# agrees NAME ARM PARAMS: 1000 states in both precisions, gcc and clang
agrees() {
  local n limits compiler rows double float
  n=$(jq '.joints | length' "$2")
  limits=$(jq -r '[.joints[].limits.current_A] | map(if . then tostring else "null" end) | join(" ")' "$2")
  run export --arm "$2" --params "$3" --format c --out arm.h --force --prefix arm
  result "$status" "$1: export" "$(cat err)"
  states "$2" 1000 >states.csv
  "$cli" predict --arm "$2" --params "$3" --csv states.csv >predicted.csv 2>err ||
    result 1 "$1: predict" "$(cat err)"
  for compiler in cc clang; do
    if ! command -v "$compiler" >/dev/null; then
      skip "$1: $compiler" "$compiler is missing"
      continue
    fi
    build "$compiler" arm.h "$n"
    result $? "$1: $compiler compiles it without a warning" "$(cat build.log)"
    tail -n +2 states.csv | ./run >computed.csv
    read -r rows double float _ <<<"$(worst "$n" "$limits")"
    awk -v r="$rows" -v d="$double" -v f="$float" 'BEGIN { exit !(r == 1000 && d <= 1e-12 && f <= 1e-5) }'
    result $? "$1: $compiler, 1000 states as predicted" "$rows states, double $double, float $float"
    echo "# $1, $compiler: double $double, float $float"
  done
}

if ! command -v cc >/dev/null; then
  echo "1..0 # SKIP cc is missing"
  exit 0
fi

run fit --arm "$demo.arm.json" --csv "$demo.csv" --out p.json
agrees "the demonstration" "$demo.arm.json" p.json
for arm in "$robots"/*.arm.json; do
  invent "$arm"
  agrees "$(basename "$arm" .arm.json)" "$arm" invented.json
done
jq '.coupling = [[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0.0139,0,0],
  [0,0,0,-0.0130,0.181,0]]' "$robots/puma560.arm.json" >coupled.arm.json
invent coupled.arm.json
agrees "a coupled wrist" coupled.arm.json invented.json

# A header with one wrong term must not pass.
cp invented.json coupled.json
limits=$(jq -r '[.joints[].limits.current_A] | join(" ")' coupled.arm.json)
read -r _ double _ <<<"$(worst 6 "$limits")"
sed -i '0,/const double g3x = \(.*\) + /s//const double g3x = \1 - /' arm.h
build cc arm.h 6
tail -n +2 states.csv | ./run >computed.csv
read -r _ wrong _ <<<"$(worst 6 "$limits")"
awk -v d="$double" -v w="$wrong" 'BEGIN { exit !(d <= 1e-12 && w > 1e-3) }'
result $? "a planted sign is found" "double $double before, $wrong after"

expect "limits of one's own" 0 export --arm coupled.arm.json --params coupled.json --format c \
  --prefix arm --current-limit 0.1,0.2,,0.4,0.5,0.6
cp out arm.h
build cc arm.h 6
tail -n +2 states.csv | ./run >computed.csv
read -r _ double float capped <<<"$(worst 6 "0.1 0.2 6.9 0.4 0.5 0.6")"
awk -v d="$double" -v f="$float" -v c="$capped" 'BEGIN { exit !(d <= 1e-12 && f <= 1e-5 && c > 1000) }'
result $? "saturate" "double $double, float $float, $capped saturated"

expect "standard output" 0 export --arm coupled.arm.json --params coupled.json --format c
cp out first.h
expect "the same again" 0 export --arm coupled.arm.json --params coupled.json --format c
same "gives the same bytes" out first.h
grep -qE 'static inline void [a-z][a-z0-9_]{0,31}_current_f\(const float q\[6\]' out
result $? "names from the arm" "$(grep 'inline void' out)"
expect "a date" 0 export --arm coupled.arm.json --params coupled.json --format c --date 2026-11-21
grep -q '^ \* Written by armature-cli [0-9.]*, 2026-11-21; ' out
result $? "is in the comment" "$(head -n 5 out)"
expect "a rule" 0 export --arm coupled.arm.json --params coupled.json --format c \
  --zero-speed deadband=0.05
grep -q 'rule "deadband=0.05"' out
result $? "is named" "$(grep rule out)"
expect "another rule" 0 export --arm coupled.arm.json --params coupled.json --format c \
  --zero-speed sign-error
grep -q 'const float error\[6\]' out
result $? "takes a position error" "$(grep -n error out)"
expect "a third rule" 0 export --arm coupled.arm.json --params coupled.json --format c \
  --zero-speed band
grep -q 'rule "band"' out && grep -q 'return (coulomb_pos + coulomb_neg) / 2;' out
result $? "has the centre of the band at rest" "$(grep -n coulomb out)"
cp arm.h use.h
printf '#include "use.h"\nint main() { return ARM_JOINTS - 6; }\n' >use.cpp
if command -v g++ >/dev/null; then
  g++ -Wall -Wextra -Wpedantic -Wdouble-promotion -Werror -I. -o use use.cpp 2>build.log && ./use
  result $? "C++ takes it, too" "$(cat build.log)"
else
  skip "C++ takes it, too" "g++ is missing"
fi

expect "the table" 0 export --arm "$demo.arm.json" --params p.json --format csv
[[ $(head -n 1 out) == joint,name,value,sd,unit,identifiable,used,reason ]]
result $? "columns" "$(head -n 1 out)"
jq -r '.joints[] | .joint as $j | .parameters | to_entries[] | "\($j),\(.key)_\($j),\(.value.used)"' \
  p.json | awk -F, '{ printf "%s,%s,%.9g\n", $1, $2, $3 }' >wanted
jq -r '.ratios[] | "\(.i),ratio_\(.i)_\(.j),\(.estimate.used)"' p.json |
  awk -F, '{ printf "%s,%s,%.9g\n", $1, $2, $3 }' >>wanted
awk -F, 'NR > 1 { printf "%s,%s,%.9g\n", $1, $2, $7 }' out >found
same "every parameter" found wanted
awk -F, 'NR > 1 && ($6 == "true") != ($3 != "" && $4 != "" && $8 == "") { exit 1 }' out
result $? "value and sd where identifiable, else a reason"

expect "a file" 0 export --arm "$demo.arm.json" --params p.json --format csv --out t.csv
same "holds what standard output holds" t.csv <("$cli" export --arm "$demo.arm.json" \
  --params p.json --format csv)
refuse "an existing file" 3 't.csv: exists; use --force' \
  export --arm "$demo.arm.json" --params p.json --format csv --output t.csv
refuse "a prefix" 2 '--prefix: expected a letter' \
  export --arm "$demo.arm.json" --params p.json --format c --prefix 'a*/'
for limits in 1,2 1,2,3,4,5,-6 1,2,3,4,5,x 1,2,3,4,5,6,7; do
  refuse "limits $limits" 2 '--current-limit: expected 6 numbers above 0' \
    export --arm "$demo.arm.json" --params p.json --format c --current-limit "$limits"
done
refuse "a rule that is none" 2 '--zero-speed: expected deadband=V' \
  export --arm "$demo.arm.json" --params p.json --format c --zero-speed maybe
refuse "parameters of another arm" 3 'joints: expected the 2 joints of the arm, found 6' \
  export --arm "$robots/planar2r.arm.json" --params p.json --format c

holds "fit says where its numbers come from" p.json '
  .provenance.program == "armature-cli" and .provenance.arm_digest == .arm.digest
  and .provenance.options.min_speed_rad_s == 0.005 and .units.viscous_pos_2 == "A s/rad"
  and .provenance.recordings[0].name == "puma560_table1.csv"'
[[ $(jq -r '.provenance.recordings[0].digest' p.json) == "sha256:$(sha256sum <"$demo.csv" | cut -d' ' -f1)" ]]
result $? "with the checksum of the recording"
sed '0,/"value": 0\.5/s//"value": 0.6/' p.json >edited.json
expect "edited parameters" 0 export --arm "$demo.arm.json" --params edited.json --format csv
grep -q "warning: edited.json was changed after it was written: it says sha256:$(jq -r .digest p.json | cut -d: -f2), its content is sha256:" err
result $? "are warned of, with both checksums" "$(cat err)"
sed "s/^ *//" p.json >pretty.json
expect "reformatted parameters" 0 export --arm "$demo.arm.json" --params pretty.json --format csv
[[ ! -s err ]]
result $? "are not" "$(cat err)"
jq 'del(.digest)' p.json >bare.json
expect "parameters without a digest" 0 export --arm "$demo.arm.json" --params bare.json --format csv
[[ $(grep -c armature-cli err) -eq 1 ]] &&
  grep -q 'warning: bare.json has no digest: whether its numbers are those that were fitted' err
result $? "draw a remark" "$(cat err)"

# what a recording leaves in doubt goes with its numbers
awk -F, -v OFS=, 'NR > 1 { $1 *= 1000 } 1' "$demo.csv" >ms.csv
expect "times in ms" 0 fit --arm "$demo.arm.json" --csv ms.csv --out ms.json
expect "predict" 0 predict --arm "$demo.arm.json" --params ms.json --csv "$demo.csv"
[[ $(grep -c armature-cli err) -eq 1 ]] && grep -q 'warning: ms.json: doubtful when it was fitted:'\
' joint 1: its position changes 0.001 times as fast .*(also joint 2, 3, 4, 5, 6)' err
result $? "says it in a line" "$(cat err)"
expect "C code" 0 export --arm "$demo.arm.json" --params ms.json --format c --out ms.h
grep -q 'WARNING: doubtful when it was fitted: joint 1: its position changes' ms.h &&
  grep -q 'column map and fit again' <(tr -d '\n*' <ms.h | tr -s ' ') && # to its end
  grep -q 'doubtful when it was fitted: joint 1' err
result $? "as well" "$(head -n 30 ms.h)"

# ---- of kind "dynamics": inverse dynamics in currents ---------------------------------------------

# moves NAME ARM PARAMS: 300 states of a motion in both precisions
moves() {
  local n limits rows double float
  n=$(jq '.joints | length' "$2")
  limits=$(jq -r '[.joints[].limits.current_A] | map(if . then tostring else "null" end) | join(" ")' "$2")
  run export --arm "$2" --params "$3" --format c --out arm.h --force --prefix arm
  result "$status" "$1, moving: export" "$(cat err)"
  states "$2" 300 motion >states.csv
  "$cli" predict --arm "$2" --params "$3" --csv states.csv >predicted.csv 2>err ||
    result 1 "$1, moving: predict" "$(cat err)"
  build cc arm.h "$n" -DMOTION
  result $? "$1, moving: compiles without a warning" "$(cat build.log)"
  tail -n +2 states.csv | ./run >computed.csv
  read -r rows double float _ <<<"$(worst "$n" "$limits" 3)"
  awk -v r="$rows" -v d="$double" -v f="$float" 'BEGIN { exit !(r == 300 && d <= 1e-12 && f <= 1e-5) }'
  result $? "$1, moving: 300 states as predicted" "$rows states, double $double, float $float"
  echo "# $1, moving: double $double, float $float"
}

# A slide amid joints that turn, nothing parallel, gravity aslant.
cat >aslant.arm.json <<'JSON'
{"format": "armature-arm", "version": 1, "name": "aslant", "gravity_m_s2": [3, -5, -7],
 "joints": [
  {"type": "R", "theta_deg": 20, "d_m": 0.3, "link": {"mass_kg": 4, "com_m": [0.1, 0.2, -0.1], "inertia_com_kg_m2": [0.3, 0.2, 0.25, 0.02, -0.01, 0.03]}},
  {"type": "T", "beta_deg": 70, "b_m": 0.2, "theta_deg": 35, "d_m": 0.1, "link": {"mass_kg": 3, "com_m": [0.05, 0.1, 0.2], "inertia_com_kg_m2": [0.1, 0.2, 0.15, 0.01, 0.02, -0.01]}},
  {"type": "R", "beta_deg": -40, "b_m": 0.3, "d_m": -0.1, "link": {"mass_kg": 2, "com_m": [0.2, -0.1, 0.05], "inertia_com_kg_m2": [0.05, 0.06, 0.04, 0.004, 0.002, 0.001]}},
  {"type": "T", "beta_deg": 25, "b_m": -0.1, "theta_deg": -60, "link": {"mass_kg": 1, "com_m": [0.02, 0.03, 0.1], "inertia_com_kg_m2": [0.02, 0.01, 0.02, 0, 0.001, 0.002]}},
  {"type": "R", "beta_deg": 95, "b_m": 0.15, "d_m": 0.2, "link": {"mass_kg": 0.8, "com_m": [0.05, 0, 0.02], "inertia_com_kg_m2": [0.004, 0.005, 0.003, 0, 0, 0.001]}}]}
JSON
for arm in "$robots"/{puma560,scara,kuka-lwr4,panda}.arm.json coupled.arm.json; do
  "$make_files" dynamics "$arm" moving.json stated
  moves "$(basename "$arm" .arm.json)" "$arm" moving.json
done
"$make_files" dynamics aslant.arm.json terms.json terms
moves "friction terms" aslant.arm.json terms.json
"$make_files" dynamics aslant.arm.json moving.json stated
moves "aslant" aslant.arm.json moving.json
cp arm.h good.h
sed -i '0,/ - r\([0-9]\)x \* v/s// + r\1x * v/' arm.h
cmp -s arm.h good.h && result 1 "a term to plant a sign in"
build cc arm.h 5 -DMOTION
tail -n +2 states.csv | ./run >computed.csv
read -r _ wrong _ <<<"$(worst 5 "null null null null null" 3)"
awk -v w="$wrong" 'BEGIN { exit !(w > 1e-3) }'
result $? "a planted sign is found in motion, too" "$wrong"
grep -q 'const double qdd\[5\], double i_A\[5\]' good.h && grep -q 'against inertia, gravity and' good.h
result $? "takes accelerations, and says what it is" "$(sed -n 1,4p good.h)"
expect "a rule" 0 export --arm aslant.arm.json --params moving.json --format c --zero-speed sign-error
grep -q 'const float qdd\[5\], const float error\[5\], float i_A\[5\]' out
result $? "takes a position error behind them" "$(grep -n 'error\[5\]' out)"
expect "the table" 0 export --arm aslant.arm.json --params moving.json --format csv
[[ $(wc -l <out) == $((1 + $(jq '.units | length' moving.json))) ]] &&
  grep -q '^3,coulomb_pos_A_3,' out && grep -q ',kg m^2,true,' out && grep -q '^2,A_per_Nm_2,.*,A/N,true,' out
result $? "has every parameter with its unit" "$(cat out)"
"$make_files" dynamics aslant.arm.json untold.json no-rows
expect "a joint without rows" 0 export --arm aslant.arm.json --params untold.json --format c
grep -q 'i_A\[1\] = 0.0; /\* no row was fitted \*/' out && grep -q 'knows nothing of joint 2' err
result $? "has no current" "$(cat err)"
refuse "json of a file" 2 '--format json belongs to --session' \
  export --arm aslant.arm.json --params moving.json --format json
finish
