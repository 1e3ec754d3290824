#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 15.1: sessions that earlier programs wrote, opened by this one. Needs the whole history of git.
#
#   older_programs.sh COMMIT...
# Builds command line and simulator of each commit (in FOLDER, which stays, if that is set), has them
# calibrate the planar arm, once to the end and once until it is held in a sweep; then this program
# exports the one and goes on with the other, with the simulated controller of then.
set -uo pipefail
source=$PWD build=$(realpath "${BUILD:-build/release}")
folder=${FOLDER:-$(mktemp -d)}
[[ -n ${FOLDER:-} ]] || trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"
cli=$build/src/cli/armature-cli
bad=0

# told WHAT MEASURED TARGET
told() {
  local verdict=PASS
  [[ $2 == "$3" ]] || verdict=FAIL bad=1
  echo "SHOW 15.1 session of $id: $1 measured=$2 target=$3 $verdict"
}

build_then() {
  local tests=()
  [[ -x $then/build/src/cli/armature-cli && -x $then/build/src/sim/armature-sim ]] && return
  mkdir -p "$then" && git archive "$id" | tar -x -C "$then" || return
  grep -q "^option('tests'" "$then/meson_options.txt" && tests=(-Dtests=false)
  meson setup "$then/build" "$then" --buildtype=release -Dui=disabled "${tests[@]}" &&
    ninja -C "$then/build" src/cli/armature-cli src/sim/armature-sim
}

# calibrate_then NAME: by the program of then, in the background
calibrate_then() {
  "$then/build/src/cli/armature-cli" calibrate --arm "$arm" --port "sim:$arm,speed=20" --session "$1" \
    --dry-speed 60 --move-speed 60 --speeds 20,30,40 --json --out "$1.json" >"$1.log" 2>&1 &
}

sweeps() {
  "$cli" log "$1" --json | jq '[.runs[] | select(.kind == "sweep" and .outcome == "done")] | length'
}

# Held when the third sweep is done.
hold_then() {
  local child tries=0
  calibrate_then held
  child=$!
  until [[ $(sweeps held 2>/dev/null) -ge 3 ]] || ((++tries > 300)); do sleep 1; done
  kill -INT "$child" && wait "$child"
}

# What is in the older file is in the newer one, but for what names the file and judges it.
same_parameters() {
  jq -n --slurpfile older "$1" --slurpfile now "$2" '$older[0] | del(.digest, .provenance, .validation) |
    [paths(scalars) as $p | getpath($p) == ($now[0] | getpath($p))] | all'
}

go_on() {
  local child before
  before=$(sweeps held)
  "$then/build/src/sim/armature-sim" --arm "$arm" --speed 20 --link ./pty --time-limit 300 >sim.log 2>&1 &
  child=$!
  until [[ -e pty ]] || ! kill -0 "$child" 2>/dev/null; do sleep 0.1; done
  "$cli" calibrate --resume --session held --port ./pty --allow-motion --confirm "$(jq -r .name "$arm")" \
    --out held.json --force --json >held.log 2>&1
  told "held in a sweep, gone on with: exit" $? 0
  kill "$child"
  echo "SHOW 15.1 session of $id: sweeps done then, now: $before, $(sweeps held)"
  told "sweeps, with those of then" "$(sweeps held)" "$(sweeps whole)"
}

for commit in "$@"; do
  id=$(git -C "$source" rev-parse --short=9 "$commit") || exit 2
  then=$folder/$id arm=$folder/$id/data/robots/planar2r.arm.json
  cd "$source" && build_then >"$folder/$id.log" 2>&1
  told "its program, built" $? 0
  mkdir -p "$folder/$id.sessions" && cd "$folder/$id.sessions" && rm -f -- * || exit 2
  calibrate_then whole
  wait $!
  hold_then
  "$cli" export --session whole --format json >now.json 2>export.log
  told "exported: exit" $? 0
  told "exported: each figure as it was then" "$(same_parameters whole.json now.json)" true
  told "validated anew: exit" "$("$cli" validate --session whole >validate.log 2>&1; echo $?)" 0
  go_on
done
exit "$bad"
