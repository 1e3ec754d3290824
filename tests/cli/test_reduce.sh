#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `reduce` and `fit --reduced`: the fit of rows without the rows, merged in any order, and what is refused.
# shellcheck disable=SC2016 # jq has variables of its own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

arm=$demo.arm.json
expect "the demonstration" 0 reduce --arm "$arm" --csv "$demo.csv" --out whole.sums
[[ ! -s out && ! -s err ]]
result $? "in silence" "$(cat out err)"
run fit --arm "$arm" --csv "$demo.csv" --out rows.json
expect "fit without the rows" 0 fit --arm "$arm" --reduced whole.sums --out sums.json
jq -e --slurpfile rows rows.json '
  def near($a; $b): ($a == null and $b == null) or ($a - $b | fabs) < 1e-6 * ([$a | fabs, 1e-9] | max);
  . as $sums | $rows[0] as $rows |
  ([$rows, $sums] | map([.joints[] | .parameters[] | .value] + [.ratios[].estimate.value]) | transpose | all(near(.[0]; .[1]))) and
  ([$rows, $sums] | map([.joints[].parameters[].sd, .ratios[].estimate.sd]) | transpose |
    all(.[0] == null or (.[1] / .[0] - 1 | fabs) < 0.1)) and
  [.joints[].misfit.verdict] == [$rows.joints[].misfit.verdict] and .verdict == $rows.verdict and
  [.joints[].rows_used] == [$rows.joints[].rows_used] and all(.joints[]; .max_abs_A == null) and
  .provenance.recordings == $rows.provenance.recordings and .provenance.options == $rows.provenance.options' sums.json >jq.out
result $? "equals the fit of the rows, and says of what" "$(cat jq.out)"
! grep -q 'varying speed' err
result $? "steady strokes: nothing is said of sds" "$(cat err)"

# a swing of joint 6: with noise alone, and with an error beyond what polynomials of a stroke follow
for wave in 0 0.1; do
  awk -v wave=$wave 'BEGIN {
    OFS = ","; OFMT = CONVFMT = "%.9g"; seed = 1
    print "t_s,joint,q1_rad,q2_rad,q3_rad,q4_rad,q5_rad,q6_rad,qd6_rad_s,i6_A"
    for (k = 0; k < 4000; k++) {
      q = sin(0.005 * k); v = 0.5 * cos(0.005 * k); seed = 16807 * seed % 2147483647
      print 0.01 * k, 6, 0, 0.5, 0, 0, 0.4, q, v, \
        (v > 0 ? 0.3 : -0.3) + 0.1 * v + wave * cos(5 * q) + 0.4 * seed / 2147483647 - 0.2
    }
  }' >swing.csv
  run reduce --arm "$arm" --csv swing.csv --out swing.sums --sums-alone --force
  run fit --arm "$arm" --reduced swing.sums --joints 6 --out swing$wave.json
done
grep -qE 'warning: joint 6: 100 % of its rows are in strokes of varying speed.* too narrow: fit the rec.* without --sums-alone$' err &&
  jq -e '[.warnings[] | select(.code == "sums_unsteady") | .joint] == [6]' swing0.1.json >jq.out
result $? "sds that sums tell badly are told" "$(cat err jq.out)"
holds "not where noise is white" swing0.json 'all(.warnings[]; .code != "sums_unsteady")'
run fit --arm "$arm" --csv swing.csv --joints 6 --out swing.json
holds "nor by a fit of rows" swing.json 'all(.warnings[]; .code != "sums_unsteady")'
run reduce --arm "$arm" --csv swing.csv --out swung.sums
run fit --arm "$arm" --reduced swung.sums --joints 6 --out swung.json
jq -n --slurpfile a swing.json --slurpfile b swung.json '($a[0] | .joints) == ($b[0] | .joints)' >jq.out
grep -qx true jq.out
result $? "with its rows beside the sums it is the fit of the recording, to the last digit" "$(diff swing.json swung.json)"
awk -F, -v OFS=, 'NR == 1 { print; next } { $1 += 100; $6 += 0.3; print }' swing.csv >later.csv
run reduce --arm "$arm" --csv later.csv --out later.sums --sums-alone
run fit --arm "$arm" --reduced swung.sums --reduced later.sums --joints 6 --json
grep -q '^armature-cli: warning: joint 6: its rows in later.csv are not in the sums (--sums-alone' err
result $? "a recording without its rows is named" "$(cat err)"
expect "rows are left out of sums only when they are made" 2 reduce --arm "$arm" swung.sums --sums-alone --out again.sums

expect "predict takes the parameters" 0 predict --arm "$arm" --params sums.json --csv "$demo.csv"

# three parts, cut amid strokes
awk 'NR == 1 { head = $0; next } { part = int((NR - 2) / 1901); if (!(part in seen)) { print head >"part" part ".csv"; seen[part] = 1 }
  print >"part" part ".csv" }' "$demo.csv"
parts=(part*.csv)
for part in "${parts[@]}"; do run reduce --arm "$arm" --csv "$part" --out "${part%.csv}.sums"; done
run reduce --arm "$arm" part*.sums --out forth.sums
shopt -s extglob
# shellcheck disable=SC2012 # names are ours
mapfile -t back < <(ls -r part*.sums)
expect "merged" 0 reduce --arm "$arm" "${back[@]}" --out back.sums
same "in any order the same bytes" back.sums forth.sums
run reduce --arm "$arm" "${back[0]}" "${back[1]}" --out two.sums
run reduce --arm "$arm" two.sums "${back[@]:2}" --out steps.sums
same "and in steps" steps.sums forth.sums
expect "fit of the parts" 0 fit --arm "$arm" --reduced forth.sums --out parts.json
jq -e --slurpfile whole sums.json '
  . as $parts | [$whole[0], $parts] | map([.joints[] | .parameters[] | .value, .sd]) | transpose |
  all(.[0] == .[1] or (.[0] / .[1] - 1 | fabs) < 1e-8)' parts.json >jq.out
result $? "equals the fit of the whole" "$(cat jq.out)"
run fit --arm "$arm" --reduced two.sums --reduced part0.sums --out itself.json
same "fit merges several files itself" itself.json parts.json

cp part0.csv copy.csv
refuse "one recording twice" 3 'part0.sums: expected each recording once, found part0.csv, the same recording as part0.csv in .*forth.sums .*count twice' \
  reduce --arm "$arm" forth.sums part0.sums --out x.sums
refuse "under another name too" 3 'copy.csv: expected each recording once, found copy.csv, the same recording as part0.csv' \
  reduce --arm "$arm" --csv part0.csv --csv copy.csv --out x.sums
named=$'Pr\xfcfstand.csv' # as an old stick has it: no UTF-8
cp part0.csv "$named"
expect "a recording whose name is no text" 0 reduce --arm "$arm" --csv "$named" --out named.sums
expect "its sums are read" 4 fit --arm "$arm" --reduced named.sums
sed 's/"description": *"/&another, /' "$arm" >other.arm.json
refuse "another arm" 3 'whole.sums: expected sums made with other.arm.json \(sha256:.*found arm .*sha256:' \
  fit --arm other.arm.json --reduced whole.sums
run reduce --arm "$arm" --csv part0.csv --min-speed 0.02 --out fast.sums
refuse "other options" 3 'fast.sums: expected --min-speed \[rad/s\] 0.005, found --min-speed \[rad/s\] 0.02' \
  reduce --arm "$arm" part1.sums fast.sums --out x.sums
run reduce --arm "$arm" --csv part0.csv --plateau --out plateau.sums
refuse "an option without a value" 3 'plateau.sums: expected no --plateau, found --plateau' \
  reduce --arm "$arm" part1.sums plateau.sums --out x.sums
refuse "another arm's joints" 3 'whole.sums: expected sums of an arm with 2 joints, R R, found 6 joints, R R R R R R' \
  fit --arm "$robots/planar2r.arm.json" --reduced whole.sums
printf '\5' | cat <(head -c 8 whole.sums) - <(tail -c +10 whole.sums) >newer.sums
refuse "another version" 3 'expected version 4 of the format, found version 5' fit --arm "$arm" --reduced newer.sums
head -c 20000 whole.sums >short.sums
refuse "cut off" 3 'short.sums: expected bytes that its checksum is of, found others' fit --arm "$arm" --reduced short.sums
refuse "no sums" 3 'expected a file of sums' fit --arm "$arm" --reduced "$demo.csv"
refuse "there already" 3 'exists; use --force' reduce --arm "$arm" --csv part0.csv --out whole.sums
refuse "nothing to do" 2 '--csv REC.csv, --session FILE or SUMS is missing' reduce --arm "$arm" --out x.sums
refuse "options of rows with sums" 2 'belong to --csv' reduce --arm "$arm" part0.sums --lowpass 3 --out x.sums
refuse "rows of a session and of a file" 2 '--csv and --session' \
  reduce --arm "$arm" --csv part0.csv --session part0.csv --out x.sums
refuse "options of rows with a session" 2 'a session has its own' \
  reduce --arm "$arm" --session part0.csv --plateau --out x.sums
refuse "no session" 3 'part0.csv: ' reduce --arm "$arm" --session part0.csv --out x.sums
refuse "rows and sums" 2 'reduce the recordings as well' fit --arm "$arm" --csv "$demo.csv" --reduced whole.sums
refuse "options of rows without rows" 2 'belong to `reduce`' fit --arm "$arm" --reduced whole.sums --plateau
# strokes beyond what memory holds go into a temporary file: some 3400, the demonstration again and again
awk -F, -v OFS=, 'NR == 1 { print; next } { row[NR] = $0 }
  END { for (turn = 0; turn < 48; turn++) for (k = 2; k <= NR; k++) { $0 = row[k]; $1 = sprintf("%.4f", $1 + 2000 * turn); print } }' \
  "$demo.csv" >long.csv
expect "many strokes" 0 reduce --arm "$arm" --csv long.csv --out long.sums
run fit --arm "$arm" --csv long.csv --out rows.json --force
expect "fit of many strokes without the rows, whose noise repeats" 4 fit --arm "$arm" --reduced long.sums --out sums.json --force
jq -e --slurpfile rows rows.json '
  . as $sums | [$rows[0], $sums] | map([.joints[].parameters[].value]) | transpose |
  all(.[0] == .[1] or (.[0] - .[1] | fabs) < 1e-6 * ([.[0] | fabs, 0.1] | max))' sums.json >jq.out
result $? "equals the fit of the rows" "$(cat jq.out)"
TMPDIR=/nowhere/at/all refuse "no room for them" 3 'a temporary file in /nowhere/at/all: cannot create: ' \
  fit --arm "$arm" --reduced long.sums --out x.sums
TMPDIR=/nowhere/at/all refuse "nor for putting them together" 3 'a temporary file in /nowhere/at/all: cannot create: ' \
  reduce --arm "$arm" long.sums part0.sums --out x.sums
refuse "onto its own input" 2 'is the file that reduce reads' reduce --arm "$arm" part0.sums --out part0.sums --force
[[ ! -e x.sums ]]
result $? "nothing is written when refused"
finish
