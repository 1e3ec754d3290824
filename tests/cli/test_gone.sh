#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# calibrate: its session file is deleted, replaced or overwritten while the arm moves.
# shellcheck source=tests/cli/lib.sh
source "$(dirname "$0")/lib.sh" "$@"

arm=$robots/planar2r.arm.json
# Slowly: the arm is still moving when its file is gone, and the log has not been moved into the file.
calibrate=("$cli" calibrate --arm "$arm" --port "sim:$arm,speed=5" --speeds 30,50 --dry-speed 40
  --move-speed 40 --json)

# wait_for_motion: until the arm moves, as the events in `out` tell. They cost nothing to look at: a
# program started for each look comes too late on a busy machine.
wait_for_motion() {
  local k
  for ((k = 0; k < 1000; k++)); do
    ! grep -q '"progress", "step": "dry-run"' out || break
    sleep 0.05
  done
}

# calibrate_without HARM...: deletes or replaces a.armsession when the arm moves; status, out, err
calibrate_without() {
  local pid
  status=0
  : >out
  LC_ALL=C.UTF-8 "${calibrate[@]}" --session a.armsession >out 2>err </dev/null &
  pid=$!
  wait_for_motion
  "$@"
  wait "$pid" || status=$?
}

calibrate_without rm a.armsession
((status == 5)) && grep -q 'a.armsession: was deleted or renamed while' err &&
  grep -q 'What was measured is in a-rescued.armsession, because .*; go on with: .*--session a-rescued.arm' err
result $? "a file that is deleted: held, exit 5, where it is now" "exit $status: $(cat err)"
[[ ! -e a.armsession ]]
result $? "the deleted file is not made again"
expect "the session goes on from there" 0 calibrate --resume --session a-rescued.armsession \
  --port "sim:$arm,speed=40"
run log a-rescued.armsession --json
holds "with runs of both files" out '[.runs[] | select(.outcome == "done")] | length >= 2'

calibrate_without sh -c 'echo "not yours" >b && mv b a.armsession'
((status == 5)) && grep -q 'a.armsession: was replaced by another file' err &&
  grep -q 'a-rescued-2.armsession' err
result $? "a file that is replaced" "exit $status: $(cat err)"
[[ $(cat a.armsession) == "not yours" ]]
result $? "what has taken its place is left alone" "$(head -c 100 a.armsession)"

# overwritten in place, what was recorded being in the log yet: nothing is lost, the arm least of all
cut=$work/"my 'arm'.armsession"
rm a.armsession
status=0
: >out
LC_ALL=C.UTF-8 "${calibrate[@]}" --session "$cut" >out 2>err </dev/null &
pid=$!
wait_for_motion
: >"$cut"
wait "$pid" || status=$?
kept="${cut%.armsession}-rescued.armsession"
((status == 5)) && tail -n 1 err | grep -q 'because .* was deleted, renamed, replaced or overwritten'
result $? "a file that is overwritten in place: why" "exit $status: $(cat err)"
jq -es --arg kept "$kept" '.[-1] | .event == "result" and .exit == 5 and .session == $kept and
  (.moved_because | test("was overwritten or cut off")) and .lost == null' out >shown
result $? "the last event says where the session is, why, and that nothing is lost" "$(tail -n 3 out)"
command=$(tail -n 1 err | sed 's/.*; go on with: armature-cli //')
run log "$kept" --json
holds "what happened is recorded" out 'any(.events[]; .text | test("the session goes on in"))'
eval "set -- $command"
expect "the command that is printed goes on" 0 "${@:1:4}" --port "sim:$arm,speed=40"

# overwritten in place when the log was moved into it: what is lost is said, to be swept again
status=0
LC_ALL=C.UTF-8 "$cli" calibrate --arm "$arm" --port "sim:$arm,speed=20" --speeds 30,50 \
  --rate 1000 --session c.armsession --json >out 2>err </dev/null &
pid=$!
for ((k = 0; k < 1000; k++)); do
  if (($(stat -c %s c.armsession 2>/dev/null || echo 0) > 2000000)); then break; fi
  sleep 0.02
done
sleep 1 # until the log begins anew it still has what was moved
: >c.armsession
wait "$pid" || status=$?
lost='[0-9]+ of [0-9]+ pieces .* are lost with c.armsession: sweep again'
((status == 5)) && tail -n 1 err | grep -qE "What is left .* is in c-rescued.armsession.*$lost"
result $? "what is lost is said" "exit $status: $(cat err)"
jq -es --arg lost "$lost" '.[-1] | .event == "result" and .session == "c-rescued.armsession" and
  (.lost | test($lost))' out >shown
result $? "by the last event too" "$(tail -n 3 out)"
run log c-rescued.armsession --json
jq -e --arg lost "$lost" 'any(.events[]; .level == 2 and (.text | test($lost)))' out >shown
result $? "and by the file itself" "$(tail -n 20 out)"
expect "and the session goes on from there" 0 calibrate --resume --session c-rescued.armsession \
  --port "sim:$arm,speed=40"
finish
