#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 14.1: does the command line say what it said before? All verbs that need no port on the shipped
# examples, and those of a session that the program before has calibrated, byte for byte.
#
#   same.sh REVISION     what differs is left in build/same/before and build/same/now
#
# What was changed on purpose since is in same_exceptions.txt: an output that differs and is not there,
# or is there and no longer differs, is counted.
set -uo pipefail
root=$PWD revision=${1:?the revision before}
same=$root/build/same
export LC_ALL=C.UTF-8 TZ=UTC OPENBLAS_NUM_THREADS=1

build_before() {
  rm -rf "$same"
  mkdir -p "$same/tree"
  git archive "$revision" | tar -x -C "$same/tree"
  meson setup "$same/tree/build/release" "$same/tree" -Dui=disabled && ninja -C "$same/tree/build/release" src/cli/armature-cli
}

# other_tool ROWS: a table as another program writes it, with its map; and one whose currents lost their sign
other_tool() {
  jq -n '{format: "armature-columns", version: 1, delimiter: ";", time: {column: "ms", unit: "ms"},
    moving_joint: {column: "axis"}, joints: [range(1; 7) | {joint: ., position: {column: "q\(.)", unit: "deg"},
      speed: {column: "v\(.)", unit: "deg_s"}, current: {column: "i\(.)", unit: "mA", sign: -1}}]}' >map.json
  awk -F, -v OFS=';' 'NR == 1 { $0 = "ms;axis"; split("qvi", of, "")
      for (k = 1; k <= 3; k++) for (j = 1; j <= 6; j++) $0 = $0 ";" of[k] j
      print; next }
    { $1 *= 1000
      for (j = 3; j <= 14; j++) $j *= 57.29577951308232
      for (j = 15; j <= 20; j++) $j = $j == "" ? sin(NR * j) : -1000 * $j
      print }' "$1" >tool.csv
  awk -F';' -v OFS=';' 'NR > 1 { for (j = 15; j <= 20; j++) if ($j < 0) $j = -$j } { print }' tool.csv >unsigned.csv
}

# all CLI OUT: in a folder of its own, in which the names of all files are the same for both
all() {
  local cli=$1 out=$2 arm name format
  run() { # NAME ARGUMENT...
    name=$1
    shift
    "$cli" "$@" >"$out/$name.out" 2>"$out/$name.err"
    echo "exit $?" >>"$out/$name.err"
  }
  mkdir -p "$out"
  rm -rf "$same/work"
  mkdir "$same/work"
  cd "$same/work" || exit 2
  ln -s "$root/data" data
  cp "$same"/bench.* .
  for arm in data/robots/*.arm.json data/demo/*.arm.json; do
    [[ -e $same/tree/$arm ]] || continue # not there before
    name=$(basename "$arm" .arm.json)
    run "structure-$name" structure --arm "$arm"
    run "structure-json-$name" structure --arm "$arm" --json
    run "plan-$name" plan --arm "$arm"
    run "plan-json-$name" plan --arm "$arm" --json --seed 3
  done
  arm=data/demo/puma560_table1.arm.json
  local rows=data/demo/puma560_table1.csv
  run fit fit --arm $arm --csv $rows --json --out demo.json
  run fit-text fit --arm $arm --csv $rows --truth data/robots/puma560-table1.arm.json
  run fit-terms fit --arm $arm --csv $rows --friction load,curve
  run fit-acceleration fit --arm $arm --csv $rows --acceleration --lowpass 3 --min-speed 0.03 --json --out acc.json
  awk -F, 'NR == 1 || $2 != 4' $rows >unswept.csv
  sed '1s/,i\([0-9]\)_A/,tau\1_Nm/g' $rows >torque.csv
  head -n 2 $rows >empty.csv
  awk -F, -v OFS=, '$2 == 2 { $3 += 0.1 } { print }' $rows >shifted.csv
  run fit-unswept fit --arm $arm --csv unswept.csv
  run fit-torque fit --arm $arm --csv torque.csv --json --out torque.json
  run fit-empty fit --arm $arm --csv empty.csv
  run fit-json-empty fit --arm $arm --csv empty.csv --json
  run fit-shifted fit --arm $arm --csv shifted.csv
  run diagnose diagnose --arm $arm --csv shifted.csv
  run diagnose-json diagnose --arm $arm --csv shifted.csv --json
  run predict predict --arm $arm --params demo.json --csv $rows --zero-speed band
  run predict-acceleration predict --arm $arm --params acc.json --csv $rows
  for format in c csv; do
    for name in demo acc torque; do run "export-$name-$format" export --arm $arm --params $name.json --format $format; done
    run "export-session-$format" export --session bench.armsession --format $format
  done
  run export-session-json export --session bench.armsession --format json
  run plan-params plan --arm $arm --params demo.json --json
  awk -F, -v OFS=, 'NR == 1 { for (k = 1; k <= 6; k++) $0 = $0 ",qdd" k "_rad_s2"; print; next }
    { for (k = 9; k <= 14; k++) if ($k == "") $k = 0; print $0 ",0,0,0,0,0,0" }' $rows >motion.csv
  run dynamics dynamics --arm data/robots/puma560.arm.json --csv motion.csv
  other_tool $rows
  run import import --arm $arm --map map.json --csv tool.csv --out imported.csv --report --json
  run import-text import --arm $arm --map map.json --csv tool.csv --report
  run import-unsigned import --arm $arm --map map.json --csv unsigned.csv --out refused.csv
  cp imported.csv "$out"
  run report-bug report-bug --out report.tar --session bench.armsession
  tar -xOf report.tar armature-report/report.json | sed -n '/"session": {/,$p' >"$out/report.json"
  run validate validate --session bench.armsession --json
  run validate-text validate --session bench.armsession
  run log log bench.armsession --json
  run diff-session diff bench.armsession bench.params.json
  run diff-files diff acc.json demo.json --json
  run replay replay bench.armsession --out rows.csv
  cp rows.csv "$out/replay.csv"
  for name in structure plan fit diagnose predict export diff log validate import report-bug; do run "help-$name" "$name" --help; done
  cp ./*.json "$out"
}

# numbers FILE..: cells of tables as the doubles that they are, in place: digits have become shorter since
numbers() {
  local file
  for file in "$@"; do
    awk -F, -v OFS=, '{ for (k = 1; k <= NF; k++) if ($k ~ /^-?[0-9]+(\.[0-9]*)?(e[-+][0-9]+)?$/) $k = sprintf("%.17g", $k)
      print }' "$file" >"$file.numbers" && mv "$file.numbers" "$file"
  done
}

build_before >"$root/build/same.log" 2>&1 || {
  tail -n 5 "$root/build/same.log"
  exit 2
}
before=$same/tree/build/release/src/cli/armature-cli
(cd "$same" && "$before" calibrate --arm "$root/data/robots/planar2r.arm.json" --port "sim:$root/data/robots/planar2r.arm.json,speed=40" \
  --session bench.armsession --out bench.params.json) >>"$root/build/same.log" 2>&1 || exit 2
(all "$before" "$same/before")
(all "$root/build/release/src/cli/armature-cli" "$same/now")
for of in before now; do
  numbers "$same/$of"/{predict,predict-acceleration,dynamics}.out "$same/$of"/{imported,replay}.csv
done
count=$(find "$same/before" -type f | wc -l)
differing=$(diff -rq "$same/before" "$same/now" | sed -E 's/^Files .* and .*\/(.*) differ$/\1/; s/^Only in .*: //' | sort)
excepted=$(sed -E '/^#|^$/d; s/ .*//' "$root/tests/show/same_exceptions.txt" | sort)
comm -3 <(printf '%s\n' "$differing") <(printf '%s\n' "$excepted") | sed '/^\s*$/d' >"$same/unexpected"
cat "$same/unexpected"
differ=$(wc -l <"$same/unexpected")
# what fails for want of a file compares nothing
grep -lE 'cannot open|is missing|different arms' "$same"/now/*.err && differ=$((differ + 1))
printf 'SHOW 14.1 outputs of the command line that differ from those of %s, %d changed on purpose since aside measured=%d of %d target=0 %s\n' \
  "$revision" "$(wc -w <<<"$excepted")" "$differ" "$count" "$( ((count > 100 && differ == 0)) && echo PASS || echo FAIL)"
