#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# armature-sim itself: what it says, prints and leaves behind; bytes over its pseudo-terminal are
# test_pty's. Manual, completion and help name the same options.
#
#   test_program.sh ARMATURE_SIM SOURCE_ROOT TEST_PTY
host=$(realpath "$3")
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
manual=$root/data/armature-sim.1

# starts ARGUMENT...: runs the program in the background until its path is there; sets pid, path
starts() {
  : >path
  "$cli" "$@" >path 2>err &
  pid=$!
  local k
  for ((k = 0; k < 500; k++)); do
    [[ -s path ]] && break
    sleep 0.01
  done
  path=$(head -n 1 path)
}

# ends SIGNAL: sets status
ends() {
  kill -s "$1" "$pid"
  status=0
  wait "$pid" || status=$?
}

# wrong NAME CODE PATTERN ARGUMENT...
wrong() {
  local name=$1 code=$2 pattern=$3
  shift 3
  run "$@"
  ((status == code)) && grep -qE -- "$pattern" err && [[ ! -s out ]]
  result $? "$name" "exit $status: $(cat err)"
}

# ---- what it says ----

expect "--version" 0 --version
grep -qE '^armature-sim [0-9]+\.[0-9]+\.[0-9]+$' out
result $? "--version is one line" "$(cat out)"
expect "--help" 0 --help
cp out help
narrow "--help is narrow" help
for text in help "$manual" "$root/docs/simulator.md"; do
  tr '\n' ' ' <"$text" | grep -q 'lease.* 2 s.*300 ms'
  result $? "${text##*/}: the lease that a simulated arm gets, and a real one"
done
wrong "an arm's name gives no orders to a terminal" 3 '\\u001b\[31m\\u202[eE]: no arm of this name' --arm $'\e[31m\u202e'
LC_ALL=C grep -qP '\x1b|\xe2\x80\xae' err
result $((! $?)) "nor shows it as it is" "$(cat -v err)"
options=$(grep -oE '^  (-h, )?--[a-z-]+' help | grep -oE -- '--[a-z-]+' | sort | paste -sd ' ')
for name in bit-errors drop-frames late-frames stall over-current over-temperature estop-open \
  unplug reboot brown-out freeze payload creep; do
  if ! grep -qE "^  $name" help || ! grep -q "$name" "$manual" ||
    ! grep -q "$name" "$root/docs/simulator.md"; then
    result 1 "$name is explained"
  fi
done
described=$(awk '/^\.It Fl -/ { sub(/^-/, "--", $3); print $3 }' "$manual" | sort | paste -sd ' ')
[[ "$described" == "$options" ]]
result $? "the manual describes the same options" "$described / $options"
# shellcheck source=data/completions/armature-sim
. "$root/data/completions/armature-sim"
COMP_WORDS=(armature-sim --) COMP_CWORD=1
_armature_sim 2>/dev/null
offered=$(printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' ')
[[ "$offered" == "$options" ]]
result $? "completion offers the same options" "$offered / $options"
if command -v groff >/dev/null; then
  groff -man -mdoc -Tascii -ww "$manual" >/dev/null 2>warnings
  result "$([[ -s warnings ]] && echo 1 || echo 0)" "the manual formats" "$(cat warnings)"
else
  skip "the manual formats" "groff is missing"
fi

# The keys of the simulation object: the schema and the manual name the same ones.
jq -r '.properties.simulation.properties | (keys[], (.servo.properties | keys[] | "servo.\(.)"))' \
  "$root/data/arm.schema.json" | grep -vx servo >keys
jq -r '."$defs".simulatedJoint.properties | keys[]' "$root/data/arm.schema.json" >>keys
missing=$(while read -r key; do
  grep -q "^|.*\`$key\`" "$root/docs/simulator.md" || echo "$key"
done <keys)
[[ $(wc -l <keys) -eq 27 && -z $missing ]]
result $? "docs/simulator.md explains every key" "$(wc -l <keys) $missing"

wrong "unknown option" 2 'Unknown option --arn' --arn x
wrong "stray argument" 2 'unexpected argument "table1"' table1
wrong "speed" 2 '--speed: expected a number in 1..1000, found "0.5"' --speed 0.5
wrong "decimal comma" 2 '--speed: expected' --speed 1,5
wrong "seed" 2 '--seed: expected a whole number' --seed -1
wrong "fault" 2 'did you mean "stall"' --arm planar2r --fault stal
wrong "joint of a fault" 2 'the arm has no such joint' --arm planar2r --fault stall,joint=3
wrong "unknown arm" 3 'atlantis: no arm of this name' --arm atlantis
wrong "missing file" 3 'no/such.arm.json' --arm no/such.arm.json
cp "$demo.arm.json" bare.arm.json
wrong "an arm without links" 3 'bare.arm.json: .*joint 1: cannot be simulated: expected a link' \
  --arm bare.arm.json
echo plain >plain
wrong "a link over a file" 3 'plain: exists and is not a link to a pseudo-terminal' --arm planar2r --link plain
ln -s plain elsewhere
wrong "a link over a link to a file" 3 'elsewhere: exists and is not a link to a pseudo-terminal' --arm planar2r --link elsewhere
wrong "a foreign storage" 3 'expected a storage file' --arm planar2r --storage plain

# ---- on the line ----

starts --arm table1 --storage store --link here
[[ -c $path && $(readlink here) == "$path" ]]
result $? "prints the path and links to it" "$path $(ls -l here 2>&1)"
for k in 1 2 3; do
  "$host" here 6 1 "$k" 2>host.err
  result $? "hosts come and go: $k" "$(cat host.err)"
done
ends TERM
((status == 130)) && [[ ! -e here && ! -L here ]] && [[ $(wc -l <path) -eq 1 ]]
result $? "ends on SIGTERM, exit 130, no link left" "exit $status"

starts --arm truth2 --storage store
"$host" "$path" 6 2 9 2>host.err
result $? "counts its starts in the storage file" "$(cat host.err)"
ends INT
result $((status != 130)) "ends on SIGINT, exit 130" "exit $status"

starts --arm planar2r
((16#$(awk '/^SigIgn/ { print $2 }' "/proc/$pid/status") >> 24 & 1))
result $? "a file that grows too large does not end it" "$(grep Sig "/proc/$pid/status")"
ends TERM

starts --arm planar2r --link here
first=$pid
starts --arm planar2r --link here
second=$pid taken=$path pid=$first
ends TERM
[[ $(readlink here) == "$taken" ]]
result $? "leaves the link alone that another simulator has taken" "$(ls -l here 2>&1)"
pid=$second
ends TERM
[[ ! -L here ]]
result $? "which removes it in the end" "$(ls -l here 2>&1)"

starts --arm planar2r --fault unplug,at=0.3,for=1 --link here
for ((k = 0; k < 300; k++)); do
  out_while=$(readlink here) || break
  sleep 0.01
done
for ((k = 0; k < 300; k++)); do
  (($(wc -l <path) == 2)) && break
  sleep 0.01
done
[[ -z $out_while && $(readlink here) == "$(tail -n 1 path)" ]]
result $? "unplug takes the line away and brings it back" "$out_while $(cat path)"
"$host" here 2 1 4 2>host.err
result $? "and the new line answers" "$(cat host.err)"
ends TERM

"$cli" --arm planar2r --link here >&- 2>err &
pid=$!
for ((k = 0; k < 300; k++)); do
  [[ ! -L here ]] || break
  sleep 0.01
done
timeout 0.5 cat here >line
[[ -L here ]] && ! grep -aq /dev/pts/ line && grep -q 'standard output: cannot write: Bad file' err
result $? "closed standard output: the path is not sent to the host" "$(cat -v line err)"
ends TERM

run --arm planar2r --speed 20 --time-limit 0.5 --rate
((status == 0)) && grep -qE '[0-9.]+ s of device time in 0\.5' err
result $? "--time-limit and --rate" "exit $status: $(cat err)"
finish
