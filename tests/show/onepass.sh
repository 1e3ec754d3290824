#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 16.2: is a fit in one pass the fit that held all rows, are sums of strokes the rows, and sums in
# parts the whole? The demonstration, simulated calibrations, and real joints where there are recordings.
#
#   onepass.sh REVISION [COMMIT]    the fit before, with what COMMIT changed since; what is compared is left in
#                                   build/onepass
set -uo pipefail
root=$PWD revision=${1:?the revision before} change=${2:-}
here=$root/build/onepass now=$root/build/release/src/cli/armature-cli
shared=${ARMATURE_SHARED:-$root/../shared}
export LC_ALL=C.UTF-8 OPENBLAS_NUM_THREADS=1
rm -rf "$here"
mkdir -p "$here/tree"
git archive "$revision" | tar -x -C "$here/tree"
# Where fits end on purpose elsewhere than they did, they are compared with one that ends there, too.
if [[ $change ]]; then
  git diff --name-only "$change^" "$change" -- src | while read -r file; do
    git show "$change^:$file" >"$here/from"
    git show "$change:$file" >"$here/to"
    git merge-file --quiet --theirs "$here/tree/$file" "$here/from" "$here/to" || echo "$file" >>"$here/broken"
  done || exit 2
fi
{ meson setup "$here/tree/build" "$here/tree" -Dui=disabled --buildtype=release &&
  ninja -C "$here/tree/build" src/cli/armature-cli; } >"$here/build.log" 2>&1 || {
  tail -n 5 "$here/build.log"
  exit 2
}
# shellcheck disable=SC2034 # by its name
before=$here/tree/build/src/cli/armature-cli
cd "$here" || exit 2
robots=$root/data/robots

# ---- recordings -------------------------------------------------------------------------------

# NAME ARM OPTION..., one a line
recordings() {
  local option joint arm name
  for option in "" --plateau "--acceleration --lowpass 3 --min-speed 0.03" "--lowpass 2"; do
    echo "demo $root/data/demo/puma560_table1.arm.json $option"
  done
  for name in planar2r scara stanford puma560-table1; do
    for option in "" "--plateau" "--acceleration --lowpass 7.5"; do echo "$name $robots/$name.arm.json $option"; done
  done
  for joint in 1 2 3 4 5 6; do
    arm=$robots/ur10e.arm.json
    [[ -e joint_$joint.csv ]] && echo "joint_$joint $arm --joints $joint --min-speed 0.03 --acceleration --lowpass 7.5" &&
      echo "joint_$joint $arm --joints $joint"
  done
}
ln -s "$root/data/demo/puma560_table1.csv" demo.csv
for name in planar2r scara stanford puma560-table1; do
  "$now" calibrate --arm "$robots/$name.arm.json" --port "sim:$robots/$name.arm.json,speed=40" --session "$name.armsession" >"$name.log" 2>&1
  "$now" replay "$name.armsession" --out "$name.csv" >>"$name.log" 2>&1 || tail -n 3 "$name.log"
done
for joint in 1 2 3 4 5 6; do
  "$now" import --arm "$robots/ur10e.arm.json" --map "$root/data/maps/ur10e_31_columns.columns.json" \
    --csv "$shared/datasets/ur10e/single_joint/joint_$joint.csv" --out "joint_$joint.csv" >import.log 2>&1
done

# ---- compared ---------------------------------------------------------------------------------

# compare A B: of estimates in both, "COUNT LARGEST-DIFFERENCE-IN-SDS LARGEST-DIFFERENCE-OF-SDS"; what only one has counts
# as 1e9 sds
compare() {
  jq -r -n --slurpfile a "$1" --slurpfile b "$2" '
    def estimates: [(.joints[] | .joint as $j | .parameters | to_entries[] | {key: "\($j) \(.key)", value}),
      (.ratios[] | {key: "\(.of) \(.over)", value: .estimate})] | map(select((.value | type) == "object" and .value.value != null)) | from_entries;
    def off($x; $y): if $x == null or $y == null then 1e9 elif $x == $y then 0 else ($x.value - $y.value | fabs) / $x.sd end;
    ($a[0] | estimates) as $a | ($b[0] | estimates) as $b |
    ([$a, $b | keys[]] | unique) as $all |
    "\($all | length) \([$all[] | off($a[.]; $b[.])] | max // 0) \(
      [$all[] | select($a[.] != null and $b[.] != null and $a[.].sd > 0) | $b[.].sd / $a[.].sd - 1 | fabs] | max // 0)"'
}

# worst FILE: the largest of its 2nd and 3rd columns, and the sum of the 1st
worst() { awk '{ n += $1; if ($2 > d) d = $2; if ($3 > s) s = $3 } END { printf "%d %.3g %.3g\n", n, d, s }' "$1"; }

# show TEXT FIGURE LIMIT
show() {
  awk -v text="$1" -v a="$2" -v most="$3" 'BEGIN {
    printf "SHOW 16.2 %s measured=%s target=<= %s %s\n", text, a, most, a + 0 <= most + 0 ? "PASS" : "FAIL" }'
}

while read -r name arm options; do
  read -r -a options <<<"$options"
  for of in before now; do
    "${!of}" fit --arm "$arm" --csv "$name.csv" "${options[@]}" --json >"$of.json" 2>"$of.err" </dev/null
    jq -e .joints "$of.json" >/dev/null 2>&1 || echo "$of: $name ${options[*]}: $(head -n 1 "$of.err")" >>broken
  done
  compare before.json now.json | tee -a rows.txt | sed "s|^|$name ${options[*]}: |" >>rows.log
  joints=()
  [[ ${options[0]:-} == --joints ]] && joints=("${options[@]:0:2}") && options=("${options[@]:2}")
  "$now" reduce --arm "$arm" --csv "$name.csv" "${options[@]}" --out "$name.sums" --force 2>reduce.err </dev/null &&
    "$now" fit --arm "$arm" --reduced "$name.sums" "${joints[@]}" --json >sums.json 2>sums.err </dev/null
  compare now.json sums.json | tee -a sums.txt | sed "s|^|$name ${options[*]}: |" >>sums.log
done < <(recordings)

# cut DIVISOR: the demonstration in so many recordings, cut wherever it falls
cut_into() {
  rm -f part*.csv part*.sums
  awk -v parts="$1" 'NR == FNR { rows++; next } FNR == 1 { head = $0; next } {
    k = int((FNR - 2) * parts / (rows - 1)); file = sprintf("part%03d.csv", k)
    if (file != last) { if (last) close(last); print head >file; last = file }
    print >file }' demo.csv demo.csv
  for part in part*.csv; do "$now" reduce --arm "$arm" --csv "$part" --out "${part%.csv}.sums" || echo "$part" >>broken; done
}
arm=$root/data/demo/puma560_table1.arm.json
"$now" reduce --arm "$arm" --csv demo.csv --out whole.sums
"$now" fit --arm "$arm" --reduced whole.sums --json >whole.json 2>/dev/null
orders=0
for parts in 10 100; do
  cut_into $parts
  for seed in 1 2 3; do
    mapfile -t list < <(printf '%s\n' part*.sums | shuf --random-source=<(yes $seed))
    "$now" reduce --arm "$arm" "${list[@]}" --out merged.sums --force || echo "$parts parts" >>broken
    "$now" fit --arm "$arm" --reduced merged.sums --json >merged.json 2>/dev/null
    compare whole.json merged.json >>parts.txt
    ((seed == 1)) && cp merged.sums "first.sums"
    cmp -s merged.sums first.sums && orders=$((orders + 1))
  done
done

touch broken
cat broken
read -r count off sds < <(worst rows.txt)
show "fits of rows beside those of $revision${change:+ with $change}, $count estimates of $(wc -l <rows.txt) fits, furthest off [sd]" "$off" 1e-9
show "their sds, furthest off" "$sds" 0.05
read -r count off sds < <(worst sums.txt)
show "fits of sums beside those of rows, $count estimates, furthest off [sd]" "$off" 1e-9
show "their sds, furthest off" "$sds" 0.1
read -r count off sds < <(worst parts.txt)
show "10 and 100 parts merged in 3 orders each beside the whole, furthest off [sd]" "$off" 1e-9
show "orders that make another file" $((6 - orders)) 0
show "fits that were not made" "$(wc -l <broken)" 0
