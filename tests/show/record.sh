#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 15.2: a motion of six joints through armature-sim on a pseudo-terminal: followed, held and
# gone on with, its cable pulled, a limit of current exceeded, its host stopped.
# record.sh [SPEED]: device time per wall time of what does not depend on it, default 4.
set -uo pipefail
build=${BUILD:?} speed=${1:-4}
cli=$build/src/cli/armature-cli sim=$build/src/sim/armature-sim
arm=data/robots/puma560-truth2.arm.json
work=$(mktemp -d)
sim_pid='' host_pid='' failures=0
# shellcheck disable=SC2317
clean_up() {
  [[ -n $host_pid ]] && { kill -CONT "$host_pid"; kill "$host_pid"; } 2>/dev/null
  [[ -n $sim_pid ]] && kill "$sim_pid" 2>/dev/null
  rm -rf "$work"
}
trap clean_up EXIT

show() { # WHAT MEASURED TARGET PASSED
  local verdict=PASS
  (($4)) || { verdict=FAIL failures=$((failures + 1)); }
  printf 'SHOW 15.2 %s measured=%s target=%s %s\n' "$1" "$2" "$3" "$verdict"
}

# wave SECONDS: raised cosines of six joints, joint j to and fro j times, at rest at both ends
wave() {
  awk -v T="$1" 'BEGIN {
    split("0 -0.5 1 0.3 0 0", home); printf "t_s"
    for (j = 1; j <= 6; j++) printf ",q%d_rad", j
    print ""
    for (k = 0; k <= 200 * T; k++) {
      printf "%.3f", k / 200
      for (j = 1; j <= 6; j++)
        printf ",%.9f", home[j] + (T < 10 ? 0.015 : 0.1) * (1 - cos(2 * 3.14159265358979 * j * k / (200 * T))) ^ 2
      print ""
    }
  }'
}
wave 20 >"$work/motion.csv"
wave 4 >"$work/short.csv"

power() { # SPEED
  [[ -n $sim_pid ]] && kill "$sim_pid" 2>/dev/null
  rm -f "$work/port"
  "$sim" --arm truth2 --speed "$1" --link "$work/port" >/dev/null 2>&1 &
  sim_pid=$!
  for ((k = 0; k < 500; k++)); do [[ -e $work/port ]] && break; sleep 0.01; done
}

# record SESSION MOTION [OPTION...]: in the foreground; result in $work/out, exit code in code
record() {
  local session=$1 motion=$2
  shift 2
  "$cli" record --port "$work/port" --motion "$work/$motion" --session "$work/$session" --allow-motion \
    --json "$@" >"$work/out" 2>"$work/err"
  code=$?
}

# begin SESSION MOTION: in the background, until the arm follows the motion at its speed
begin() {
  : >"$work/out"
  "$cli" record --arm "$arm" --port "$work/port" --motion "$work/$2" --session "$work/$1" --allow-motion \
    --json >"$work/out" 2>"$work/err" &
  host_pid=$!
  for ((k = 0; k < 6000; k++)); do
    grep -q '"step": "record".*"doing": "follow' "$work/out" && break
    kill -0 "$host_pid" 2>/dev/null || break
    sleep 0.05
  done
}
finish() {
  wait "$host_pid"
  code=$?
  host_pid=''
}

# ---- followed ----

power "$speed"
record whole.armsession motion.csv --arm "$arm"
following=$("$cli" info --port "$work/port" --json | jq '[.controller.joints[].following_max] | min')
result=$(tail -n 1 "$work/out")
samples=$(jq '.recording.samples' <<<"$result") lost=$(jq '.recording.lost' <<<"$result")
apart=$(jq '.recording.apart | max' <<<"$result")
show "20 s of six joints, exit" "$code" 0 $((code == 0))
show "samples at 100 Hz" "${samples:-0}" "2000 +- 5" $((${samples:-0} >= 1995 && ${samples:-0} <= 2005))
show "samples lost" "${lost:-?}" 0 "$([[ $lost == 0 ]] && echo 1 || echo 0)"
show "farthest from the motion [rad]" "$(jq -n "$apart * 1000 | round / 1000")" "< $following, the following limit" \
  "$(jq -n "if $apart < $following then 1 else 0 end")"
"$cli" replay "$work/whole.armsession" --out "$work/whole.csv" 2>/dev/null
rows=$(awk -F, 'NR > 1 && $2 == 0' "$work/whole.csv" | wc -l)
show "rows of the recording, all joints moving" "$rows" ">= samples" $((rows >= ${samples:-1}))

# ---- held, and on ----

begin held.armsession motion.csv
sleep 1
kill -INT "$host_pid"
finish
held=$code
record held.armsession motion.csv --resume
show "held in the middle, then on: exits" "$held, $code" "130, 0" $((held == 130 && code == 0))

# ---- the cable ----

begin cable.armsession motion.csv
sleep 1
kill -KILL "$sim_pid"
wait "$sim_pid" 2>/dev/null
sim_pid=''
finish
rows=$("$cli" log "$work/cable.armsession" --json 2>/dev/null |
  jq '[.runs[] | select(.kind == "trajectory") | .samples] | add // 0')
show "cable pulled in the middle: exit, samples kept" "$code, $rows" "5, > 50" $((code == 5 && rows > 50))

# ---- a limit of current ----

worst=0 told=0
for _ in 1 2 3 4 5 6 7 8 9 10; do
  ms=$("$build/tests/session/test_session_runner_follow" -p /runner/follow/current 2>/dev/null |
    sed -n 's/^# held \([0-9.]*\) ms .*/\1/p')
  [[ -n $ms ]] && told=$((told + 1)) && worst=$(jq -n "[$worst, $ms] | max")
done
show "current above its limit for 20 ms, held after, worst of 10 [ms]" "$worst" "<= 100, all held" \
  "$(jq -n "if $told == 10 and $worst <= 100 then 1 else 0 end")"

# ---- the host is stopped ----

power 1
begin stopped.armsession short.csv
sleep 1
kill -STOP "$host_pid"
read -r follows ended rest state faults < <("$build/tests/show/watch_line" "$work/port" 4000)
kill -CONT "$host_pid"
finish
show "host stopped (SIGSTOP): the motion ends by itself after [ms]" "$ended" "<= 700, while it was followed" \
  "$((follows == 1 && ended > 0 && ended <= 700))"
show "set-points at rest after [ms]" "$rest" "<= 1200" "$((rest > 0 && rest <= 1200))"
show "then its lease ends: state, faults; the host's exit when it goes on" "$state, $faults; $code" "3, 1; 5" \
  "$((state == 3 && faults == 1 && code == 5))"
exit $((failures > 0))
