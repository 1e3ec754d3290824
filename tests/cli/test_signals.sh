#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A calibration that is interrupted in mid-sweep: the arm holds and is disarmed by command, not by
# its lease; the session opens and goes on. And one that is killed: the lease does it.
# shellcheck disable=SC2016 # jq has variables of its own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
arm=$robots/planar2r.arm.json name=$(jq -r .name "$robots/planar2r.arm.json")
start_simulator --arm "$arm" --speed 20
at=(--port "$simulator" --allow-motion --confirm "$name" --json)

# in_mid SESSION: calibrates in the background until a sweep is under way. Without its share of a
# processor a program loses its lease before: once more then.
in_mid() {
  local try
  for try in 1 2 3; do
    begin_sweep "$1" && return
    grep -q 'LEASE: the lease expired' events.err || return
    echo "# $1: the lease was lost before a sweep, $try"
  done
}

# begin_sweep SESSION: one attempt; fails where the program ends before
begin_sweep() {
  local k begin=(--resume --clear-faults)
  [[ -e $1 ]] || begin=(--arm "$arm" --speeds '30,60' --dry-speed 60 --move-speed 60)
  : >events
  LC_ALL=C.UTF-8 "$cli" calibrate "${at[@]}" --session "$1" "${begin[@]}" >events 2>events.err \
    </dev/null &
  pid=$!
  for ((k = 0; k < 1500; k++)); do
    grep -q '"progress", "step": "sweep".*"doing": "sweep' events && sleep 0.1 &&
      kill -0 "$pid" && return
    kill -0 "$pid" 2>/dev/null || return 1
    sleep 0.05
  done
}

# rests NAME: what the controller says afterwards
rests() {
  run info --port "$simulator" --json
  holds "$1: the arm rests, is not armed, drives on, without a fault" out \
    '.state.motion != "sweeping one joint" and .state.state != "armed" and .state.faults == 0 and
     .state.drives_on'
}

for signal in INT TERM HUP; do
  in_mid s.armsession
  before=$(date +%s%N)
  kill -s "$signal" "$pid"
  code=0
  wait "$pid" || code=$?
  took=$((($(date +%s%N) - before) / 1000000))
  ((code == 130 && took < 3000)) && [[ $(jq -s '.[-1].exit' events) == 130 ]]
  result $? "SIG$signal: exit 130, at once" "exit $code after $took ms: $(tail -n 3 events.err)"
  grep -q 'go on with: armature-cli calibrate --resume --session s.armsession' events.err
  result $? "SIG$signal: says how to go on" "$(cat events.err)"
  rests "SIG$signal"
  [[ -e s.armsession && ! -e s.armsession-wal && ! -e s.armsession.lock ]]
  result $? "SIG$signal: the session is one closed file" "$(ls)"
  run log s.armsession --json
  holds "SIG$signal: it was held by command" out \
    '.runs[-1].outcome == "held" and (.runs | length) > 3 and
     (.events[-1].connection as $last | [.events[] | select(.kind == "fault" and
       .connection == $last)] | length) == 0'
done

in_mid s.armsession
kill -KILL "$pid"
wait "$pid" 2>/dev/null
sleep 3 # 2 s, a simulator's lease, and to come to rest
run info --port "$simulator" --json
holds "SIGKILL: the lease is over: held, not armed" out \
  '.state.state != "armed" and (.state.faults_text | test("LEASE"))'
run log s.armsession
result $((status != 0)) "SIGKILL: the session opens" "$(cat err)"
refuse "SIGKILL: the fault is in the way" 5 'LEASE' calibrate --resume --session s.armsession \
  --port "$simulator" --allow-motion --confirm "$name"
grep -q -- '--clear-faults clears what is latched, once its cause is removed' err
result $? "SIGKILL: and how to clear it is said" "$(cat err)"
expect "SIGKILL: seen and cleared, the calibration goes on to its end" 0 calibrate --resume \
  --session s.armsession --port "$simulator" --allow-motion --confirm "$name" --clear-faults --out p.json
run log s.armsession --json
holds "what was complete was not done again" out \
  '[.runs[] | select(.kind == "sweep" and .outcome == "done") | [.joint, .hold, .speed]] |
   length == (unique | length) and length == 6'

LC_ALL=C.UTF-8 "$cli" calibrate "${at[@]}" --session t.armsession --arm "$arm" 2>events.err </dev/null |
  head -n 5 >/dev/null
code=${PIPESTATUS[0]}
((code == 130))
result $? "nobody reads the events any more: held and disarmed, exit 130" "exit $code: $(cat events.err)"
[[ $(grep -c 'error: standard output: .*cannot be told any more' events.err) == 1 ]]
result $? "no reader: the reason is said once" "$(cat events.err)"
rests "no reader"
code=0
LC_ALL=C.UTF-8 "$cli" calibrate "${at[@]}" --session t.armsession --resume --clear-faults \
  >/dev/full 2>events.err </dev/null || code=$?
((code == 130)) && grep -q 'standard output: No space left on device: ' events.err
result $? "a full disk takes no events: the reason is said" "exit $code: $(cat events.err)"
rests "a full disk"

# A reader that is there and does not read: what is written must not keep the arm waiting.
mkfifo pipe
cat pipe >events &
reader=$!
LC_ALL=C.UTF-8 "$cli" calibrate "${at[@]}" --session t.armsession --resume --clear-faults >pipe \
  2>events.err </dev/null &
pid=$!
for ((k = 0; k < 1500; k++)); do
  grep -q '"progress", "step": "\(dry-run\|sweep\)".*"doing": "sweep' events && break
  kill -0 "$pid" 2>/dev/null || break
  sleep 0.05
done
kill -STOP "$reader"
timeout 2 dd if=/dev/zero of=pipe bs=1024 count=128 oflag=append conv=notrunc 2>/dev/null || true
(sleep 25 && kill -CONT "$reader") >/dev/null 2>&1 & # its sleep may outlive the test
waker=$!
before=$(date +%s) code=0
wait "$pid" || code=$?
took=$(($(date +%s) - before))
((code == 130 && took <= 20)) && grep -q 'error: nobody read standard output' events.err
result $? "a reader that has stopped: held and disarmed, exit 130" "exit $code after $took s: $(cat events.err)"
kill "$waker" 2>/dev/null || true
kill -CONT "$reader" 2>/dev/null || true
wait "$reader" || true
rests "a reader that has stopped"

# what was swept before is read before the arm moves for the rest
if command -v sqlite3 >/dev/null; then
  in_mid d.armsession
  for ((k = 0; k < 600; k++)); do
    grep -q '"step": "sweep", "part": 0[.][2-9]' events && break
    sleep 0.05
  done
  kill -INT "$pid"
  wait "$pid" || true
  for table in chunks packs; do
    sqlite3 d.armsession "DELETE FROM $table WHERE rowid = (SELECT min(rowid) FROM $table WHERE run =
      (SELECT min(id) FROM runs WHERE kind = 'sweep' AND outcome = 'done'))"
  done
  code=0
  LC_ALL=C.UTF-8 "$cli" calibrate "${at[@]}" --session d.armsession --resume >events 2>events.err \
    </dev/null || code=$?
  ((code == 3)) && grep -q 'd.armsession: .*joint 2, hold 1,.*sweep' events.err
  result $? "a sweep that lacks samples: told, exit 3" "exit $code: $(cat events.err)"
  ! grep -q '"step": "sweep"' events
  result $? "before the arm moves" "$(tail -n 3 events)"
else
  skip "a sweep that lacks samples" "sqlite3 is missing"
fi
finish
