#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole procedure on simulated arms: inside the program, and at a pty as a real one, which moves
# only with leave.
# shellcheck disable=SC2016 # jq has variables of its own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
arm=$robots/planar2r.arm.json name=$(jq -r .name "$robots/planar2r.arm.json")
brisk=(--speeds '30,60' --dry-speed 60 --move-speed 60)

# ---- inside the program ----

expect "calibrate" 0 calibrate --arm "$arm" --port "sim:$arm,speed=100" --session a.armsession \
  --out p.json --capture a.capture --truth "$arm" "${brisk[@]}"
narrow "the table is narrow" out
rows=$(grep -cE '± ' out)
far=$(awk '/^ +(kx|ky|Coul|visc|eta)/ && NF > 6 { off = $(NF - 1) + 0
  if (off > 4 || off < -4) print }' out)
[[ $rows -ge 13 && -z $far ]] && grep -q 'Against the truth: of 13 parameters' out
result $? "every parameter with its error bar, within 4 sd of the truth" "$rows rows; $far"
grep -q '^Validation on poses' out && [[ $(grep -c ' passed$' out) -eq 2 ]]
result $? "and the validation" "$(tail -n 5 out)"
grep -q '^Dry run: passed' err && grep -q '^Sweep: passed' err && ! grep -q $'\r' err
result $? "says what it did, without a progress line where there is no terminal" "$(cat err)"
holds "the parameter file" p.json '.format == "armature-parameters" and
  (.joints | all(.parameters.kx_star.identifiable)) and
  (.provenance.recordings[0].name == "a.armsession")'
expect "its session" 0 log a.armsession --json
holds "holds runs, steps and the fit" out '(.fits | length) == 1 and
  ([.runs[] | select(.kind == "sweep")] | length) >= 6 and
  all(.runs[]; .outcome == "done") and (.steps | tostring | test("passed")) and
  ([.steps | .. | strings | select(startswith("[") or startswith("\u0002"))] | length) == 0'
holds "which says what friction was tried" out '.fits[0].options |
  .friction_load and .friction_curve and (.trials | length) == 4 and
  all(.trials[]; .outcome != "not_offered")'
holds "and the file nothing, having none" p.json '.version == 1 and
  (.provenance.options | has("friction_load") | not)'
expect "is equal to the parameter file" 0 diff a.armsession p.json --json
holds "in every value" out 'all(.parameters[]; .sds == 0 or .a.identifiable == false)'
expect "the capture" 0 replay a.capture --out captured.csv
expect "and the session" 0 replay a.armsession --out recorded.csv
cp a.armsession before.armsession
expect "its sums" 0 reduce --arm "$arm" --session a.armsession --out a.sums
same "leave it as it was" a.armsession before.armsession
expect "fit as it did" 0 fit --arm "$arm" --reduced a.sums --out sums.json
jq -e --slurpfile session p.json '
  def e: [.joints[].parameters[], .ratios[].estimate];
  . as $sums | $session[0] as $own | ([$own, $sums] | map(e) | transpose |
    all((.[0].value - .[1].value | fabs) < 0.01 * .[0].sd and (.[1].sd / .[0].sd - 1 | fabs) < 0.1)) and
  [.joints[].rows_used] == [$own.joints[].rows_used] and .verdict == $own.verdict and
  .provenance.recordings[0].name == "a.armsession"' sums.json >jq.out
result $? "parameters, sds, rows and verdict" "$(cat jq.out)"
refuse "a session twice" 3 'the same recording as a.armsession' \
  reduce --arm "$arm" --session a.armsession a.sums --out twice.sums
sed 's/"description": *"/&another, /' "$arm" >other.arm.json
refuse "a session of another arm" 3 'expected a session of the arm in other.arm.json \(sha256:.*found one of .*sha256:' \
  reduce --arm other.arm.json --session a.armsession --out other.sums
[[ $(wc -l <captured.csv) -ge $(wc -l <recorded.csv) && $(wc -l <recorded.csv) -gt 5000 ]]
result $? "hold the samples" "$(wc -l captured.csv recorded.csv)"

# gone on with when all of it is done: nothing moves, only the validation is made once more
expect "a session that is done" 0 calibrate --resume --port "sim:$arm,speed=100" --json \
  --session before.armsession --out again.json
jq -es '[.[] | select(.event == "step" and .state == "passed") | .step] ==
  ["connect", "describe", "check", "validate", "export"] and (.[-1].validation.joints | all(.passed)) and
  .[-1].parameters.format == "armature-parameters"' out >shown
result $? "is validated once more, and nothing else" "$(grep -v progress out | cut -c 1-200)"
jq -e --slurpfile p p.json '[.joints[].parameters] == [$p[0].joints[].parameters]' again.json >jq.out
result $? "and its parameters are written as they were" "$(cat jq.out)"
expect "its plan alone" 0 calibrate --resume --port "sim:$arm,speed=10" --plan-only \
  --session before.armsession --json
[[ $(grep -c '^dry run: ' out) -ge 2 ]] && ! grep -q '"result"' out && ! grep -q '"validate"' out
result $? "is printed, and that is all" "$(grep -v progress out | cut -c 1-200)"

# interrupted before anything is measured
LC_ALL=C.UTF-8 "$cli" calibrate --arm "$arm" --port "sim:$arm,speed=20" --json \
  --session begun.armsession "${brisk[@]}" >events 2>events.err </dev/null &
pid=$!
for ((k = 0; k < 1500; k++)); do
  grep -q '"progress", "step": "dry-run"' events && break
  sleep 0.05
done
kill -INT "$pid"
wait "$pid"
((status = $?, status == 130)) && [[ $(jq -s '.[-1].exit' events) == 130 ]]
result $? "interrupted in the dry run" "$status: $(cat events.err)"
expect "goes on" 0 calibrate --resume --port "sim:$arm,speed=100" --session begun.armsession --json
jq -es '[.[] | select(.event == "step" and .state == "passed") | .step] ==
  ["connect", "describe", "check", "dry-run", "sweep", "fit", "validate"]' out >shown
result $? "with the dry run, on the plan it had" "$(grep -v progress out | cut -c 1-200)"

# no poses to judge the fit by
expect "without validation" 0 calibrate --arm "$arm" --port "sim:$arm,speed=100" --json \
  --session bare.armsession --out bare.json --validation-holds 0 "${brisk[@]}"
jq -es '.[-1].exit == 0 and (.[-1] | has("validation") | not) and .[-1].parameters != null and
  all(.[]; .step != "validate" or .state == "ready") and
  any(.[]; .event == "step" and .step == "export" and .state == "passed")' out >shown
result $? "nothing is validated, and nothing failed to be" "$(grep -v progress out | cut -c 1-200)"

# the steps of the file say "passed", and nothing of it is there
if command -v sqlite3 >/dev/null; then
  cp a.armsession unfitted.armsession
  sqlite3 unfitted.armsession 'DELETE FROM fits'
  expect "a session whose fit is missing" 0 calibrate --resume --session unfitted.armsession \
    --port "sim:$arm,speed=100" --out unfitted.json
  ! grep -q 'error: ' err && [[ -s unfitted.json ]]
  result $? "is fitted again" "$(cat err)"
  cp a.armsession unheld.armsession
  for table in chunks packs; do
    sqlite3 unheld.armsession "DELETE FROM $table WHERE run IN (SELECT id FROM runs WHERE kind = 'validate')"
  done
  expect "one whose validation sweeps are missing" 4 calibrate --resume \
    --session unheld.armsession --port "sim:$arm,speed=100" --out unheld.json
  grep -q 'error: Validate: ' err && [[ -s unheld.json ]]
  result $? "has parameters that nothing has validated" "$(cat err)"
else
  skip "a session whose fit is missing" "sqlite3 is missing"
fi

cat >limits.json <<'EOF'
{"format": "armature-limits", "version": 1, "gravity_promised_factor": 3, "validation_relative": 0.2}
EOF
expect "as events" 0 calibrate --arm "$arm" --port "sim:$arm,speed=100,seed=2" --json \
  --session b.armsession --friction base --limits limits.json "${brisk[@]}"
jq -es '([.[] | select(.event == "step" and .state == "passed") | .step] | .[:7] ==
  ["connect", "describe", "check", "plan", "dry-run", "sweep", "fit"]) and
  .[-1].event == "result" and (.[-1].exit == 0 or .[-1].exit == 4) and
  .[-1].parameters.format == "armature-parameters" and
  (.[-1].validation.joints | all(.passed)) and
  any(.[]; .event == "progress" and .step == "sweep" and .left_s >= 0 and (.doing | length) > 5)' \
  out >shown
result $? "one JSON object per line, in order" "$(cut -c 1-200 out)"
run log b.armsession --json
holds "with the friction that was asked for" out '.fits[0].options |
  (.friction_load or .friction_curve | not) and all(.trials[]; .outcome == "not_offered")'
holds "by the lab's limits" out '.fits[0].options.limit_gravity_promised_factor == 3'
printf '{"format": "armature-limits", "version": 1, "r2": 2}\n' >beyond.json
refuse "limits that are none" 3 'beyond.json:1:.*r2.*a number from 0 to 1' \
  calibrate --arm "$arm" --port "sim:$arm" --session none.armsession --limits beyond.json
refuse "limits, going on" 2 'leave out .* --limits' \
  calibrate --resume --port "sim:$arm" --session b.armsession --limits limits.json
refuse "friction that is none" 2 '--friction: expected base, auto, .*found "heat"' \
  calibrate --arm "$arm" --port "sim:$arm" --session none.armsession --friction heat
refuse "friction, going on" 2 'leave out .* --friction' \
  calibrate --resume --port "sim:$arm" --session b.armsession --friction base

# an arm that is built otherwise than its file says: the elbow turns the other way
# (a gap in the recording may leave the strokes of joint 2 without partner: then joint 1 tells it)
jq '.joints[1].beta_deg = 180' "$arm" >mirrored.arm.json
jq 'del(.joints[].link)' "$arm" >unstated.arm.json
expect "masses that nobody stated" 0 calibrate --arm unstated.arm.json \
  --port "sim:$arm,speed=100,seed=3" --json --session u.armsession "${brisk[@]}"
jq -es '([.[] | select(.event == "message") | .text |
    select(test("planned again with what the sweeps of joint 2 showed"))] | length) == 1 and
  any(.[]; .event == "step" and .step == "sweep" and .state == "failed" and
    (.reason | test("joint 2 is swept")))' out >shown
result $? "the other joints are planned again after the first" "$(grep -v progress out | cut -c 1-200)"
! grep -q '^error' err
result $? "which is no error" "$(cat err)"
expect "an arm that its file does not describe" 4 calibrate --arm "$arm" \
  --port "sim:$PWD/mirrored.arm.json,speed=100" --session wrong.armsession --out wrong.json \
  "${brisk[@]}"
# of two pairs of sweeps chance decides which joint is told, and by which test
grep -q 'error: joint [12]: .* mA rms' err && grep -q 'error: Fit: .*does not fit' err &&
  ! grep -qE '(Fit|Validate): passed' err && ! grep -q passed out
result $? "does not pass, and says why" "$(cat err)"
holds "and its parameters say it too" wrong.json '.verdict == "misfit"'
expect "gone on with" 4 calibrate --resume --port "sim:$PWD/mirrored.arm.json,speed=100" --json \
  --session wrong.armsession --out wrong.json --force
grep -q 'error: Fit: .*does not fit' err && jq -es '.[-1].exit == 4 and .[-1].parameters.verdict == "misfit" and
  ([.[] | select(.event == "step" and .step == "fit") | .state] | .[-2:] == ["running", "failed"]) and
  ([.[] | select(.event == "step") | .step] | index("sweep") == null)' out >shown
result $? "is fitted once more, and says it once more" "$(cat err; grep -v progress out | cut -c 1-200)"

# a current of the wrong sign fits as well as a right one
jq '.simulation.joints[1].current_scale = -1' "$arm" >signed.arm.json
expect "a current of the wrong sign" 4 calibrate --arm "$arm" \
  --port "sim:$PWD/signed.arm.json,speed=100" --session signed.armsession "${brisk[@]}"
grep -q 'error: Fit: .*friction helps the motion' err && ! grep -q 'Fit: passed' err
result $? "does not pass either" "$(cat err)"

# faults of the simulator, by name
expect "a held joint that creeps" 5 calibrate --arm "$arm" \
  --port "sim:$arm,speed=50,fault=creep=30000:joint=1:at=1" --session creeps.armsession "${brisk[@]}"
grep -q 'error: Dry run: .*joint 1' err
result $? "is told before it is measured" "$(cat err)"
refuse "a fault that is none" 2 'did you mean "creep"' \
  calibrate --arm "$arm" --port "sim:$arm,fault=crep=1" --session e.armsession

expect "look first" 0 calibrate --arm "$arm" --port "sim:$arm,speed=100" --plan-only \
  --session look.armsession "${brisk[@]}"
[[ $(grep -cE '^dry run: (move|sweep) joint' out) -ge 5 ]] && grep -q '^measure.*: sweep joint 1' out
result $? "shows every leg" "$(head -n 3 out)"
run log look.armsession --json
holds "and moves nothing" out '.runs == []'
expect "speeds of which one is too fast to settle" 0 calibrate --arm "$arm" \
  --port "sim:$arm,speed=100" --plan-only --session fast.armsession --speeds 40,90
grep -q 'warning: choose slower sweeps for joint 1 (81 deg/s), 2 (.* deg/s), or whether' err
result $? "are told before they are swept" "$(cat err)"

# ---- a real arm, as far as the program knows ----

start_simulator --arm "$arm" --speed 100
at=(--arm "$arm" --port "$simulator" "${brisk[@]}")
refuse "no leave" 2 'a real arm will move.*--allow-motion' calibrate "${at[@]}" --session c.armsession
[[ ! -e c.armsession ]]
result $? "leaves no session behind"
refuse "no name" 2 'not confirmed: nothing has moved; without a terminal --confirm' \
  calibrate "${at[@]}" --session c.armsession --allow-motion
run calibrate --resume --port "$simulator" --session c.armsession --allow-motion --confirm Puma
((status == 2)) && grep -q 'not confirmed' err
result $? "another name" "$status: $(cat err)"
run log c.armsession --json
holds "has not moved it" out '.runs == []'
expect "the right name" 0 calibrate --resume --port "$simulator" --session c.armsession \
  --allow-motion --confirm "$name" --out c.json
holds "calibrates it" c.json '.joints | all(.parameters.coulomb_pos_A.identifiable)'
if command -v script >/dev/null; then
  mkfifo keys
  exec {held}<>keys
  # answer TEXT COMMAND: typed when it is asked for
  answer() {
    local k
    : >typed
    timeout 60 script -qec "$2" /dev/null <keys >typed 2>&1 &
    pid=$!
    for ((k = 0; k < 1500; k++)); do
      grep -q 'to let it move: ' typed && break
      sleep 0.05
    done
    echo "$1" >&"$held"
    wait $pid
  }
  words="$cli calibrate --arm $arm --port $simulator --session d.armsession --allow-motion ${brisk[*]}"
  answer "Puma" "$words --confirm '$name'"
  bad=$?
  ((bad == 2)) && grep -q 'Type its name' typed && grep -q 'not confirmed' typed
  result $? "on a terminal a wrong name is refused, whatever --confirm says" "$bad: $(cat typed)"
  rm d.armsession
  # the right name before anything is shown, the wrong one when it is asked for
  echo "$name" >&"$held"
  answer Puma "$words"
  bad=$?
  ((bad == 2)) && grep -q 'not confirmed' typed
  result $? "a name typed before the plan is seen is no leave" "$bad: $(tail -c 500 typed)"
  rm d.armsession
  answer "$name" "$words"
  bad=$?
  ((bad == 0 || bad == 4)) && grep -q $'\rSweep .*left' typed
  result $? "the right one, typed, is leave; a progress line" "$bad: $(tail -c 500 typed)"

  # after the first joint the others are planned again: that is another plan
  # nth K TEXT: typed when it is asked for the Kth time
  nth() {
    local k
    for ((k = 0; k < 800; k++)); do
      (($(grep -o 'to let it move: ' typed | wc -l) >= $1)) && break
      sleep 0.1
    done
    echo "$2" >&"$held"
  }
  : >typed
  timeout 100 script -qec "$cli calibrate --arm unstated.arm.json --port $simulator \
    --session v.armsession --allow-motion ${brisk[*]}" /dev/null <keys >typed 2>&1 &
  pid=$!
  nth 1 "$name"
  nth 2 Puma
  wait $pid
  bad=$?
  ((bad == 130)) && grep -q 'planned again with what the sweeps of joint 2 showed' typed &&
    grep -q 'not confirmed: the motion was not followed' typed
  result $? "leave for one plan is none for the next" "$bad: $(tail -c 900 typed)"
  run log v.armsession --json
  holds "and nothing has moved by it" out '[.runs[] | select(.kind == "sweep") | .joint] |
    length > 0 and all(. == 2)'
  run info --port "$simulator" --json
  holds "nor is the arm armed" out '.state.state != "armed"'
else
  skip "a terminal" "script is missing"
fi
kill "$simulator_pid" && simulator_pid= # at 100 times the speed it takes half a processor

# ---- a result that cannot be written where it was to be ----

mkdir gone
: >err
(
  until grep -qs "Sweep: passed" err; do sleep 0.02; done
  rmdir gone
) &
remover=$!
"$cli" calibrate --arm "$arm" --port "sim:$arm,speed=100" --session g.armsession "${brisk[@]}" \
  --out gone/p.json >out 2>err </dev/null
(($? == 3)) && grep -q 'gone/p.json: .*No such file' err
result $? "the folder of --out is gone: exit 3" "$(cat err)"
kill "$remover" 2>/dev/null || true
wait "$remover" 2>/dev/null || true
tail -n 1 err | grep -q 'The result is in g.armsession; .*calibrate --resume --session g.armsession --port .* --out FILE'
result $? "where the result is, and how to have it" "$(tail -n 1 err)"
expect "it is had so" 0 calibrate --resume --session g.armsession --port "sim:$arm" --out g.json
holds "with what was fitted" g.json '.joints | length == 2'

# ---- refusals ----

refuse "without arm" 2 '--arm ARM.arm.json is missing' calibrate --port sim:x --session e.armsession
jq '.x_armature_driver = "abacus"' "$arm" >abacus.arm.json
expect "an arm whose driver is overruled" 0 calibrate --driver native --arm abacus.arm.json \
  --port "sim:$arm,speed=100" --plan-only --session abacus.armsession
refuse "is asked again when it is resumed: for its speed, before a port is opened" 3 \
  'expected native, found "abacus"' calibrate --resume --port sim:nothing --session abacus.armsession
refuse "resume with an arm" 2 '--resume goes on with the arm' \
  calibrate --resume --arm "$arm" --port sim:x --session a.armsession
refuse "samples too few to watch an arm by" 2 '--rate: expected 20 samples per second or more, .*found 2$' \
  calibrate --arm "$arm" --port sim:x --session e.armsession --rate 2
refuse "a dry run in a hurry" 2 '--dry-speed: expected 0.1 to 30 deg/s, found 5000; a dry run is slow' \
  calibrate --arm "$arm" --port "sim:$arm" --session e.armsession --dry-speed 5000
refuse "a dry run faster than the moves" 2 '--dry-speed: expected 0.1 to 12 deg/s, found 20;' \
  calibrate --arm "$arm" --port "sim:$arm" --session e.armsession --dry-speed 20 --move-speed 12
refuse "moves in a hurry" 2 '--move-speed: expected 0.1 to 1000 deg/s, found 1e[+]12' \
  calibrate --arm "$arm" --port "sim:$arm" --session e.armsession --move-speed 1e12
refuse "a warm-up without end" 2 '--warm-up: expected 0 to 7200 s, found 1e[+]300' \
  calibrate --arm "$arm" --port "sim:$arm" --session e.armsession --warm-up 1e300
refuse "one speed" 2 'expected 2 to 9 speeds' \
  calibrate --arm "$arm" --port sim:x --session e.armsession --speeds 30
refuse "over a session" 3 'a.armsession: ' \
  calibrate --arm "$arm" --port "sim:$arm" --session a.armsession
jq '.joints[1].gear_ratio *= 1.1' "$arm" >geared.arm.json
expect "a controller with another gear ratio" 5 calibrate --arm "$arm" \
  --port "sim:$PWD/geared.arm.json,speed=100" --session geared.armsession --out geared.json \
  "${brisk[@]}"
grep -q 'error: joint 2: gear.ratio\[2\]: expected 80 as in the arm file, found 88 in the' err &&
  ! grep -qE '(Plan|Dry run|Sweep): passed' err && [[ ! -e geared.json ]]
result $? "moves nothing, and says which joint" "$(cat err)"
jq '.joints[0].motor_sign *= -1' "$arm" >turned.arm.json
expect "and another motor sign" 5 calibrate --arm turned.arm.json --port "sim:$arm,speed=100" \
  --session turned.armsession "${brisk[@]}"
grep -q 'joint 1: motor.sign\[1\]: expected -1 as in the arm file, found 1 in the' err
result $? "which is told too" "$(cat err)"
run calibrate --arm "$robots/scara.arm.json" --port "sim:$arm" --session e.armsession
((status == 5)) && grep -q 'joints' err && grep -q 'go on with: armature-cli calibrate --resume' err &&
  grep -q -- '--session e.armsession --port PORT (where the session' err && ! grep -q 'go on.*sim:' err
result $? "another arm than the controller's" "$status: $(cat err)"
name=$'e \xe2\x80\xae\n\'\\7\xc3\xa9\xff.armsession'
run calibrate --arm "$robots/scara.arm.json" --port "sim:$arm" --session "$name"
((status == 5)) && ! grep -q $'\xe2\x80\xae' err
result $? "what turns the writing round is not printed" "$status: $(cat err)"
eval "set -- $(sed -n 's/.*; go on with: \(armature-cli .*\) --port PORT .*/\1/p' err)"
[[ $4 == --session && $5 == "$name" ]]
result $? "and the command that is printed names the session" "$(cat err)"
finish
