#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# calibrate: there is no room for the session's file in mid-run. What was measured is kept, and the
# last line says where and what to do.
# shellcheck source=tests/cli/lib.sh
source "$(dirname "$0")/lib.sh" "$@"

arm=$robots/planar2r.arm.json
export XDG_DATA_HOME=$work/data HOME=$work/home TMPDIR=$work/tmp
mkdir home tmp

# calibrate_within KIB SESSION: no file may grow beyond that; status, out, err
calibrate_within() {
  status=0
  (
    ulimit -f "$1"
    LC_ALL=C.UTF-8 "$cli" calibrate --arm "$arm" --port "sim:$arm,speed=10" --speeds 30,50 \
      --dry-speed 40 --move-speed 40 --session "$2" >out 2>err </dev/null
  ) || status=$?
}

calibrate_within 500 a.armsession
kept=data/armature/sessions/a-rescued.armsession
((status == 5)) && grep -q 'hold: .*a.armsession: .*File too large; free some space' err
result $? "no room: the arm is held, exit 5" "exit $status: $(cat err)"
[[ -e $kept ]] && tail -n 1 err | grep -q "What was measured is in .*$kept, because a.armsession \
could not be written any more: free some space there; go on with: .*--resume --session .*$kept"
result $? "what was measured is in another folder, and the last line says so" "$(cat err; ls)"
run log "$kept" --json
holds "with its last event" out '[.events[] | select(.text | test("hold: "))] | length > 0'
expect "it goes on from there" 0 calibrate --resume --session "$kept" --port "sim:$arm,speed=40"

rm -r home tmp data
touch home tmp data # no folder anywhere else
calibrate_within 500 b.armsession
((status == 5)) && tail -n 1 err | grep -q "What was measured is in b.armsession, but for its end, \
which could not be written and is lost: free some space; go on with: .*--resume --session b.arms"
result $? "no other place: what is kept, what is lost, what to do" "exit $status: $(cat err)"
expect "and it goes on" 0 calibrate --resume --session b.armsession --port "sim:$arm,speed=40"
finish
