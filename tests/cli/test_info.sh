#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Who is at a port: simulated inside the program, at a pty, and nobody.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
start_simulator --arm truth2 --speed 4

# judge NAME: the JSON in out is that of a simulated PUMA at rest
judge() {
  holds "$1: who" out '.format == "armature-controller" and .controller.driver == "native" and
    .controller.time_factor == 4 and (.controller.can | index("sweep")) != null'
  holds "$1: joints in SI" out '.controller.joints | length == 6 and all(.type == "R") and
    .[0].q_max > 2.79 and .[0].q_max < 2.8 and all(.current_max_A > 0)'
  holds "$1: state" out '.state.drives_on == false and .state.faults == 0 and
    .state.emergency_stop_closed'
  holds "$1: telemetry of a second" out '.statistics | .samples_per_s > 200 and
    .samples_per_s < 450 and .samples_per_s_wanted == 400 and .samples_lost == 0 and
    .frames_bad == 0 and .round_trip_p50_s > 0'
}

expect "simulated" 0 info --port sim:truth2,speed=4 --json
judge "simulated"
holds "simulated: no parameters unless asked for" out 'has("parameters") | not'
expect "at a pty" 0 info --port "$simulator" --json --params
judge "at a pty"
holds "at a pty: parameters" out '.parameters | length > 40 and
  any(.name == "servo.kp" and .value == 100 and .read_only)'
ln -s "$simulator" arm
expect "through a symbolic link" 0 info --port arm
narrow "the table is narrow" out
grep -qE '^ +6 +R \[deg\] +-266 +266 ' out
result $? "the table shows limits in degrees" "$(cat out)"
expect "an arm file" 0 info --port "sim:$robots/planar2r.arm.json,seed=7" --params
grep -q 'gravity.kx\[2\]' out
result $? "parameters as a table" "$(tail -n 3 out)"

code=0
"$cli" info --port "$simulator" >&- 2>err || code=$?
((code == 3)) && grep -q 'error: standard output: cannot write: Bad file descriptor' err
result $? "closed standard output" "exit $code: $(cat err)"
"$cli" info --port "$simulator" <&- >out 2>&- &
asker=$!
for ((k = 0; k < 100; k++)); do
  find "/proc/$asker/fd" -lname "$simulator" >fds
  [[ ! -s fds ]] || break
  sleep 0.01
done
grep -qE '/fd/([3-9]|[1-9][0-9])$' fds && ! grep -qE '/fd/[012]$' fds
result $? "closed standard input and error: the port is neither" "$(cat fds)"
wait "$asker"

refuse "no port" 2 '--port PORT is missing' info
refuse "a wrong setting" 2 'expected sim:NAME.*found "sim:truth2,sped=4"' info --port sim:truth2,sped=4
refuse "a speed" 2 'expected sim:NAME' info --port sim:truth2,speed=0.5
refuse "no such simulated arm" 3 'atlantis: no arm of this name' info --port sim:atlantis
refuse "no such device" 5 '/dev/nowhere: no such port' info --port /dev/nowhere
refuse "no such USB id" 5 'no port is called so; there are: ' info --port 0403:6014:NOBODY
refuse "not a port" 5 'is not a serial port' info --port "$demo.csv"
refuse "baud" 2 '--baud: expected a whole number in 1200' info --port sim:truth2 --baud 1
kill -STOP "$simulator_pid"
refuse "nobody answers" 5 "$simulator: HELLO: no answer from the controller" info --port "$simulator"
kill -CONT "$simulator_pid"
# a child, not this shell: a session leader that opens a terminal is hung up with it
flock -F "$simulator" sleep 30 &
holder=$!
for _ in {1..50}; do
  flock -n "$simulator" true || break
  sleep 0.1
done
refuse "another program has it" 5 "$simulator is in use by .*(flock|sleep) \\(pid [0-9]+\\)" \
  info --port "$simulator"
kill "$holder"
finish
