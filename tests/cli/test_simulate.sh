#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `simulate` is armature-sim, found beside the program; and another verb talks to it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
mkdir bin
cp "$cli" bin/armature-cli
cp "$sim" bin/armature-sim
cli=$work/bin/armature-cli

"$cli" simulate --arm "$robots/planar2r.arm.json" --speed 8 --seed 3 --link here >path 2>err.sim &
simulator_pid=$!
for ((k = 0; k < 500; k++)); do
  [[ -s path ]] && break
  sleep 0.01
done
[[ -c $(cat path) && $(readlink here) == "$(cat path)" ]]
result $? "prints the path and links to it" "$(cat path err.sim)"
expect "info of it" 0 info --port here --json
holds "it runs at the speed asked for" out '.controller.time_factor == 8'
kill "$simulator_pid"
wait "$simulator_pid"
result $(($? != 130)) "ends when killed"
simulator_pid=
expect "a time limit" 0 simulate --arm "$robots/planar2r.arm.json" --time-limit 0.1
run simulate --arm atlantis
((status == 3)) && grep -q 'atlantis: no arm of this name' err
result $? "its errors come through" "$status: $(cat err)"
run simulate --speed 0.5
((status == 2))
result $? "and its exit status" "$status: $(cat err)"
refuse "unknown option" 2 'simulate has no option --sped \(did you mean --speed\?\)' simulate --sped 3
rm bin/armature-sim
PATH=/usr/bin:/bin refuse "without it" 3 'not installed beside' simulate
finish
