#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A motion of all joints through simulated arms: inside the program, and at a pty as a real one.
# shellcheck disable=SC2016 # jq has variables of its own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
arm=$robots/planar2r.arm.json name=$(jq -r .name "$robots/planar2r.arm.json")

# wave SECONDS WAY: raised cosines from where the arm stands, at rest at both ends, 100 rows a second
wave() {
  awk -v T="$1" -v way="$2" 'BEGIN {
    print "t_s,q1_rad,q2_rad"
    for (k = 0; k <= 100 * T; k++) {
      w = 2 * 3.14159265358979 * k / (100 * T)
      printf "%.2f,%.9f,%.9f\n", k / 100, -1.570796327 + way * (1 - cos(w)) ^ 2, way * (1 - cos(2 * w)) ^ 2
    }
  }'
}
wave 4 0.1 >motion.csv
wave 4 1 >far.csv
wave 1 0.02 >fast.csv
wave 30 0.1 >long.csv
sed 3d motion.csv | sed '2s/^[^,]*/0/' | awk 'NR < 152' >moving.csv # ends where it is fast

# ---- what is refused before anything happens ----

refuse "no motion" 2 '--motion MOTION.csv is missing' record --arm "$arm" --port "sim:$arm" --session a.armsession
refuse "no arm" 2 '--arm ARM.arm.json is missing' record --port "sim:$arm" --motion motion.csv --session a.armsession
refuse "part of the current" 2 '--current-limit: expected more than 0 and up to 100' \
  record --arm "$arm" --port "sim:$arm" --motion motion.csv --session a.armsession --current-limit 101
refuse "samples too few to watch an arm by" 2 \
  '--rate: expected 20 samples per second or more, by which the arm is watched and fed its motion, found 1$' \
  record --arm "$arm" --port "sim:$arm" --motion motion.csv --session a.armsession --rate 1
refuse "just too few" 2 '--rate: .*, found 19.9$' \
  record --arm "$arm" --port "sim:$arm" --motion motion.csv --session a.armsession --rate 19.9
refuse "none" 2 '--rate: .*, found 0$' \
  record --arm "$arm" --port "sim:$arm" --motion motion.csv --session a.armsession --rate 0
refuse "a real arm without leave" 2 'a real arm will move.*--allow-motion' \
  record --arm "$arm" --port /dev/null --motion motion.csv --session a.armsession
refuse "too far" 4 'far.csv:[0-9]+: q1_rad: expected -2.0944 to 2.0944, the limits of .*, found ' \
  record --arm "$arm" --port "sim:$arm" --motion far.csv --session a.armsession
refuse "too fast" 4 'fast.csv:[0-9]+: q[12]_rad: expected a.* of .*until line [0-9]+, found .* on the way there' \
  record --arm "$arm" --port "sim:$arm" --motion fast.csv --session a.armsession
{ head -n 3 motion.csv; tail -n 1 motion.csv; } >still.csv
refuse "nothing moves" 4 'still.csv: expected a joint that moves, found positions that change by less than a controller' \
  record --arm "$arm" --port "sim:$arm" --motion still.csv --session a.armsession
awk 'BEGIN { print "t_s,q1_rad,q2_rad"; for (k = 0; k <= 100; k++) printf "0.%03d,%d,0\n", k, k == 50 }' >leap.csv
refuse "a row that leaps between two samples of the controller" 4 \
  'leap.csv:52: q1_rad: expected a position within .*, found one that is 1 off it' \
  record --arm "$arm" --port "sim:$arm" --motion leap.csv --session a.armsession
refuse "not at rest" 4 'moving.csv:151: q1_rad: expected a speed of 0, as an arm ends at rest, found positions' \
  record --arm "$arm" --port "sim:$arm" --motion moving.csv --session a.armsession
sed '5s/,.*/,0.1x,0/' motion.csv >broken.csv
refuse "no number" 3 'broken.csv:5:[0-9]+: q1_rad: expected a number' \
  record --arm "$arm" --port "sim:$arm" --motion broken.csv --session a.armsession
jq '.environment = {table_z_m: -0.5} |
  .joints[1].capsules = [{from_m: [0, 0, 0], to_m: [0.4, 0, 0], radius_m: 0.05}]' "$arm" >table.arm.json
refuse "into the table" 4 'motion.csv:[0-9]+: expected link 2 off the table, found it 0.35 m in it, by the capsules' \
  record --arm table.arm.json --port sim:table.arm.json --motion motion.csv --session a.armsession
[[ ! -e a.armsession ]]
result $? "none of it leaves a session behind"

# ---- inside the program ----

run excite --arm "$arm" --method points --points 6 --rest --evals 60 --out through
expect "a design through points, which leaps from one acceleration to another, is followed" 0 \
  record --arm "$arm" --port "sim:$arm,speed=15" --motion through/motion.csv --session through.armsession
jq -e '.basis.slowness > 1 and (.basis.points[-1].t_s - .duration_s | fabs) < 1e-9' through/excitation.json >jq.out
result $? "it says that it is slower for it" "$(jq -c '.basis.slowness, .duration_s' through/excitation.json)"

expect "record" 0 record --arm "$arm" --port "sim:$arm,speed=40" --motion motion.csv --session a.armsession --json
jq -es '.[-1].event == "result" and .[-1].exit == 0 and .[-1].recording.lost == 0 and
  (.[-1].recording.samples | . >= 398 and . <= 403) and (.[-1].recording.apart | length == 2 and max < 0.06) and
  any(.[]; .event == "progress" and .step == "dry-run" and (.doing | test("move|follow")))' out >shown
result $? "tells progress and result" "$(tail -n 3 out)"
expect "its session" 0 log a.armsession --json
holds "has a dry run and the motion" out '[.runs[] | select(.kind != "move") | [.kind, .outcome]] ==
  [["trajectory-dry-run", "done"], ["trajectory", "done"]]'
expect "replay" 0 replay a.armsession --out a.csv
awk -F, 'NR > 1 && $2 != 0 { bad = 1 } END { exit bad || NR < 390 || NR > 2000 }' a.csv
result $? "gives the recording of the motion, not of the dry run, of all joints" "$(wc -l a.csv)"
expect "as few as there may be" 0 record --arm "$arm" --port "sim:$arm,speed=4" --motion motion.csv \
  --session few.armsession --rate 20 --json
jq -es '.[-1].recording.samples | . >= 79 and . <= 81' out >shown
result $? "are recorded" "$(tail -n 1 out)"
refuse "the same file again" 3 'a.armsession' \
  record --arm "$arm" --port "sim:$arm,speed=40" --motion motion.csv --session a.armsession
expect "a limit of current" 5 record --arm "$arm" --port "sim:$arm,speed=40" --motion motion.csv \
  --session c.armsession --current-limit 8
grep -qE 'joint [12]: its current was beyond the limit of .* A for 20 ms' err &&
  grep -q 'go on with: armature-cli record --motion motion.csv --resume --session c.armsession' err
result $? "holds the arm, and says how to go on" "$(cat err)"
expect "replay before any run" 0 replay c.armsession --out part.csv
grep -q 'c.armsession: no run of the motion counts: these are all runs, ways there and dry runs, too' err
result $? "says what it gives" "$(cat err)"
expect "on in the same session" 0 record --resume --port "sim:$arm,speed=40" --motion motion.csv --session c.armsession
expect "replay of both" 0 replay c.armsession --out c.csv
awk -F, 'END { exit NR < 390 || NR > 2000 }' c.csv
result $? "gives the one that came to its end" "$(wc -l c.csv)"
[[ $(cat err) != *warning* ]]
result $? "and has nothing to warn of" "$(cat err)"
cp c.armsession before.armsession
wave 4 0.05 >other.csv
refuse "another motion in that session" 3 \
  'c.armsession: this session followed motion.csv \(4 s, .*\), and other.csv is another motion; give other.csv a session' \
  record --resume --port "sim:$arm,speed=40" --motion other.csv --session c.armsession
cp motion.csv kept.csv
cp other.csv motion.csv
refuse "another motion in the file of that name" 3 \
  'followed motion.csv \(4 s, .*\), and that file contains another motion now' \
  record --resume --port "sim:$arm,speed=40" --motion motion.csv --session c.armsession
cmp c.armsession before.armsession
result $? "leaves the session as it was"
mv kept.csv motion.csv
awk 'NR < 203 || NR > 216' motion.csv >hole.csv
expect "a motion with a hole" 0 record --arm "$arm" --port "sim:$arm,speed=40" --motion hole.csv \
  --session hole.armsession --json
hole='hole.csv:202: at 2 s, 0.15 s to the next row, where rows are 0.01 s apart: what is between is a guess'
grep -qxF "armature-cli: warning: $hole" err &&
  jq -es --arg hole "$hole" '[.[] | select(.event == "progress" or .text == $hole)] |
    .[0].event == "message" and .[0].level == 1 and all(.[1:][]; .event == "progress")' out >shown
result $? "is followed, and said to be a guess before anything moves" "$(cat err; head -n 20 out)"
cp motion.csv renamed.csv
expect "the motion once more, of another name" 0 \
  record --resume --port "sim:$arm,speed=40" --motion renamed.csv --session c.armsession
grep -qE 'c.armsession: resumed: .*; motion motion.csv: 4 s, [0-9]+ samples, 0 lost, within' err
result $? "tells what was recorded" "$(cat err)"
run log c.armsession --json
last=$(jq '[.runs[] | select(.kind == "trajectory") | .run] | max' out)
expect "replay of what was recorded twice" 0 replay c.armsession --out twice.csv
expect "replay of its last run" 0 replay c.armsession --run "$last" --out last.csv
cmp last.csv twice.csv
result $? "are the same: the earlier run counts no more" "$(wc -l last.csv twice.csv)"
"$make_files" trajectory c.armsession held
run log c.armsession --json
first=$(jq '[.runs[] | select(.kind == "trajectory") | .run] | max' out)
expect "replay beside a run that was held" 0 replay c.armsession --out whole.csv
grep -q "c.armsession: run $first ended before its motion did: it is left out, --run $first writes it" err &&
  cmp last.csv whole.csv
result $? "leaves it out, and says so" "$(wc -l last.csv whole.csv; cat err)"
run log a.armsession --json
last=$(jq '[.runs[] | select(.kind == "trajectory") | .run] | max' out)
"$make_files" outcome a.armsession "$last" held
expect "replay of a motion that was held" 0 replay a.armsession --out held.csv
grep -q "a.armsession: run $last ended before its motion did: this is a part of the motion" err
result $? "says that it is a part" "$(cat err)"

# ---- an arm that does not follow exactly ----

truth2=$robots/puma560-truth2.arm.json
run excite --arm "$truth2" --method fourier --rest --time 5 --evals 600 --out edge
expect "a motion along the edge of the limits" 0 record --arm "$truth2" --port sim:truth2,speed=8,seed=4 \
  --motion edge/motion.csv --session edge.armsession --json
jq -es '.[-1].recording.beyond | length > 0 and all(.[]; .apart > 0.01 and
  (.quantity == "position" or .quantity == "speed")) and
  any(.[]; .joint == 5 and .quantity == "position" and (.value | fabs) > 1.75 and (.limit | fabs) < 1.7454)' out >shown
result $? "tells where the arm was beyond them" "$(tail -n 1 out)"
[[ $(grep -c 'its measured' err) == $(jq -s '.[-1].recording.beyond | length' out) ]] &&
  grep -qE 'warning: joint 5: its measured position went to -?10[0-9.]+ deg, beyond the limit of -?100 deg in the arm file: .* up to [0-9.]+ deg off; leave it room' err
result $? "in words" "$(cat err)"
expect "one well within" 0 record --arm "$arm" --port "sim:$arm,speed=40" --motion motion.csv \
  --session within.armsession --json
jq -es '.[-1].recording.beyond == []' out >shown && ! grep -q 'its measured' err
result $? "has nothing to tell" "$(tail -n 1 out; cat err)"

# ---- a real arm, as far as the program knows ----

start_simulator --arm "$arm" --speed 40
refuse "another name" 2 'not confirmed' record --arm "$arm" --port "$simulator" --motion motion.csv \
  --session d.armsession --allow-motion --confirm Puma
run log d.armsession --json
holds "has not moved it" out '.runs == []'
expect "with leave" 0 record --resume --port "$simulator" --motion motion.csv --session d.armsession --allow-motion
expect "and the name" 0 record --resume --port "$simulator" --motion motion.csv --session d.armsession \
  --allow-motion --confirm "$name"
"$cli" record --arm "$arm" --port "$simulator" --motion long.csv --session e.armsession --allow-motion \
  >out 2>err &
pid=$!
sleep 2
kill -INT $pid
wait $pid
((status = $?, status == 130)) && grep -q 'go on with: armature-cli record' err
result $? "Ctrl-C holds, says how to go on, 130" "$status: $(cat err)"
run info --port "$simulator" --json
holds "and the arm is not armed" out '.state.state != "armed"' 
finish
