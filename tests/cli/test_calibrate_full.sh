#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# calibrate --full: sweeps, then two designed motions, to parameters of kind dynamics; killed and
# interrupted in mid-motion and gone on with; what is refused before anything moves.
# shellcheck disable=SC2016 # jq has variables of its own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
arm=$robots/planar2r.arm.json name=$(jq -r .name "$robots/planar2r.arm.json")
port=sim:$arm,speed=40
brisk=(--speeds '30,60' --dry-speed 60 --move-speed 60)
export TMPDIR=$work/tmp
mkdir tmp

# ---- refused before anything moves ----

refuse "nowhere to write" 2 '--full: expected --out P.json' \
  calibrate --full --arm "$arm" --port "$port" --session none.armsession
jq 'del(.joints[1].limits.accel_deg_s2)' "$arm" >slack.arm.json
refuse "no limit of acceleration" 3 'slack.arm.json: joint 2: limits.accel_rad_s2 .*expected a limit' \
  calibrate --full --arm slack.arm.json --port "$port" --session none.armsession --out none.json
[[ ! -e none.armsession && ! -e none.json ]]
result $? "neither leaves anything behind" "$(ls)"
echo kept >there.json
refuse "a file that is there" 3 'there.json: exists; use --force' \
  calibrate --full --arm "$arm" --port "$port" --session none.armsession --out there.json

# ---- at a pty, killed while the arm follows the first design, interrupted in the second ----

start_simulator --arm "$arm" --speed 20 # faster, a busy computer is too slow with the next segment
at=(calibrate --full --port "$simulator" --session a.armsession --allow-motion)

# stop_in K SIGNAL CODE OPTION...: in the background until the arm follows design K, then SIGNAL
stop_in() {
  local design=$1 signal=$2 wanted=$3 k code=0
  shift 3
  : >events
  LC_ALL=C.UTF-8 "$cli" "${at[@]}" --confirm "$name" --out p.json --json "$@" \
    >events 2>events.err </dev/null &
  pid=$!
  for ((k = 0; k < 1000; k++)); do
    awk -v n="\"design\", \"number\": $design," 'index($0, n) { seen = 1 }
      seen && /"doing": "follow/ { found = 1 } END { exit !found }' events && break
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -s "$signal" "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null || code=$?
  ((code == wanted)) && [[ ! -e p.json ]]
  result $? "SIG$signal while it follows design $design: exit $wanted" "$code: $(tail -n 3 events.err)"
}

stop_in 1 KILL 137 --arm "$arm" "${brisk[@]}"
jq -es '[.[] | select(.event == "design")] | length == 1 and .[0].number == 1 and
  .[0].excitation.feasible and .[0].excitation.seed == 1 and (.[0].excitation.violations | length) == 0 and
  (.[0].excitation.predicted_sd | length) == 15' events >shown
result $? "what the design would tell is told before" "$(grep -c design events)"
sleep 3 # 2 s, a simulator's lease, and to come to rest
run "${at[@]}" --resume --clear-faults --confirm Puma --out p.json
((status == 2)) && grep -q 'not confirmed: nothing has moved' err
result $? "a motion asks for leave of its own" "$status: $(cat err)"
run log a.armsession --json
holds "without it none is followed" out '[.runs[] | select(.kind == "trajectory" and .outcome == "done")] == []'
if command -v script >/dev/null; then
  mkfifo keys
  exec {held}<>keys
  : >typed
  # answer K TEXT: when it is asked for the Kth time
  answer() {
    local k
    for ((k = 0; k < 600; k++)); do
      (($(grep -o 'to let it move:' typed | wc -l) >= $1)) && break
      sleep 0.1
    done
    printf '%s\n' "$2" >&"$held"
  }
  printf '%s\n' "$name" >&"$held" # before anything is shown: it is no answer
  timeout 60 script -qec "$cli ${at[*]} --resume --out p.json" /dev/null <keys >typed 2>&1 &
  pid=$!
  answer 1 "$name"
  answer 2 Puma
  wait $pid
  bad=$?
  ((bad == 130)) && grep -q 'not confirmed: the motion was not followed' typed && ! grep -q 'nothing has moved' typed &&
    grep -q 'go on with: armature-cli calibrate --full --out p.json --resume --session a.armsession' typed
  result $? "a mistyped name after the first motion: how to go on" "$bad: $(tail -c 900 typed)"
else
  skip "a mistyped name after the first motion" "script is missing"
fi
stop_in 2 INT 130 --resume --force
grep -q 'go on with: armature-cli calibrate --full --out p.json --force --resume --session a.armsession' events.err
result $? "says how to go on, as it was told" "$(cat events.err)"
run log a.armsession --json
holds "the first motion is in the session, the sweeps are once" out '
  [.runs[] | select(.kind == "trajectory" and .outcome == "done")] | length == 1'
sweeps=$(jq '[.runs[] | select(.kind == "sweep")] | length' out)
expect "then it goes on" 0 "${at[@]}" --resume --confirm "$name" --out p.json --json
jq -es '([.[] | select(.event == "design") | .number] == [2]) and .[-1].exit == 0 and
  .[-1].parameters.kind == "dynamics" and .[-1].parameters.verdict == "fits"' out >shown
result $? "with the second motion alone" "$(cut -c 1-200 out | grep -v progress)"
cp out events.out
run log a.armsession --json
holds "no sweep and no motion was made twice" out "([.runs[] | select(.kind == \"sweep\")] | length) == $sweeps and
  ([.runs[] | select(.kind == \"trajectory\" and .outcome == \"done\")] | length) == 2"
first=$(jq '[.runs[] | select(.kind == "trajectory" and .outcome == "done") | .run][0]' out)
second=$(jq '[.runs[] | select(.kind == "trajectory" and .outcome == "done") | .run][1]' out)

# ---- what came of it ----

holds "parameters of kind dynamics, judged on the other motion" p.json '.kind == "dynamics" and
  .verdict == "fits" and (.validation | length) == 1 and (.base | all(.estimate.identifiable)) and
  (.validation[0].joints | all(.rms_error_A < 0.1 * .rms_A)) and (.links | length) == 2'
holds "from the first motion" p.json ".validation[0].name == \"a-run-$second.csv\" and
  ([.provenance.recordings[].name] == [\"a-run-$first.csv\"]) and
  (.provenance.options.min_speed_rad_s | . > 0.26 and . < 0.27)"
# 2 kg at 0.2 m and 1 kg at 0.4 m; the elbow's 1 kg at 0.15, 0.02 m
holds "near the truth" p.json '[.base[] | {(.name): .estimate.value}] | add |
  (.mXR1 - 0.8 | fabs) < 0.04 and (.mX2 - 0.15 | fabs) < 0.01 and (.mY2 - 0.02 | fabs) < 0.01 and
  (.ZZ2 - 0.0329 | fabs) < 0.01'
expect "the first motion" 0 replay a.armsession --run "$first" --out first.csv
sum=$(sha256sum first.csv | cut -c 1-64)
holds "is the recording that the file names" p.json ".provenance.recordings[0].digest | test(\"$sum\")"

expect "once more, with nothing to confirm" 0 "${at[@]}" --resume --out q.json
grep -q "^motion 1: recorded already, run $first" err && grep -q "^motion 2: recorded already" err
result $? "moves nothing" "$(cat err)"
jq 'del(.provenance, .digest)' p.json >p.values
jq 'del(.provenance, .digest)' q.json >q.values
same "and gives the same to the last digit" p.values q.values
grep -q '^Planar 2R: 6 base parameters of 2 joints; the model fits' out && grep -q '^Validation on poses' out
result $? "with a table" "$(tail -n 40 out)"
narrow "which is narrow" out
[[ -z $(ls tmp) ]]
result $? "nothing is left among the temporary files" "$(ls tmp)"

# ---- interrupted while it identifies ----

# stop_identifying: a signal that comes too late finds it done, with all that is due
stop_identifying() {
  local k code=0
  rm -f i.json
  : >i.err
  LC_ALL=C.UTF-8 "$cli" "${at[@]}" --resume --out i.json >/dev/null 2>i.err </dev/null &
  pid=$!
  for ((k = 0; k < 4000; k++)); do
    grep -q '^motion 2: recorded already' i.err && break
    sleep 0.002
  done
  kill -INT "$pid" 2>/dev/null
  wait "$pid" || code=$?
  ((code == 130)) && [[ ! -e i.json ]] && grep -q '^identifying from' i.err && grep -q 'go on with:' i.err &&
    grep -q '^interrupted: what is being computed cannot be cut short' i.err
}
for ((attempt = 0; attempt < 5; attempt++)); do stop_identifying && break; done
result $((attempt == 5)) "Ctrl-C while it identifies: 130, and nothing is written" "$(cat i.err; ls i.json 2>&1)"

# ---- another controller ----

if command -v sqlite3 >/dev/null; then
  cp a.armsession b.armsession
  sqlite3 b.armsession "UPDATE connections SET controller = json_set(controller, '$.serial', 'other')"
  jq '.joints[].limits.current_A *= 0.05' "$arm" >weak.arm.json
  expect "a controller that allows less current than the arm file" 4 calibrate --full --resume \
    --port "sim:$PWD/weak.arm.json,speed=40" --session b.armsession --out b.json
  grep -q 'error: b.armsession: found no motion .*currents' err && [[ ! -e b.json ]]
  result $? "is not sent beyond it" "$(cat err)"
  grep -q "^motion 1: run $first was recorded with another controller than this (.*): it is followed again" err &&
    grep -q "^motion 2: run $second was recorded with another" err
  result $? "what another controller followed is not taken" "$(cat err)"
else
  skip "another controller" "sqlite3 is missing"
fi

# ---- sweeps that do not pass ----

jq '.simulation.joints[1].current_scale = -1' "$arm" >signed.arm.json
expect "a current of the wrong sign" 4 calibrate --full --arm "$arm" \
  --port "sim:$PWD/signed.arm.json,speed=100" --session signed.armsession --out signed.json "${brisk[@]}"
grep -q 'error: --full: the sweeps have not passed: no motion was designed, signed.json is not written' err &&
  [[ ! -e signed.json ]]
result $? "no parameters are written" "$(cat err)"
run log signed.armsession --json
holds "and no motion was followed" out '[.runs[] | select(.kind | test("trajectory"))] == []'
finish
