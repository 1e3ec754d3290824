#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 18.5b: D-optimal and minimum-condition designs through the whole simulated chain: designed,
# executed, recorded, identified, and judged on one motion that neither has seen. Reported, not
# judged: what the model leaves over is in both, and noise is little.
#
#   chain.sh [SEEDS [TIME_FACTOR]]   10, 10
set -uo pipefail
build=${BUILD:-build/release}
cli=$(realpath "$build/src/cli/armature-cli")
arm=$PWD/data/robots/puma560-truth2.arm.json seeds=${1:-10} factor=${2:-10}
work=$(mktemp -d) done=0
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# recorded NAME SEED OPTION..: a design becomes NAME.csv
recorded() {
  local name=$1 seed=$2
  shift 2
  "$cli" excite --arm "$arm" --rest --seed "$seed" --out "$name" "$@" --json >/dev/null 2>"$name.err" &&
    "$cli" record --arm "$arm" --port "sim:$arm,speed=$factor,seed=$seed" --motion "$name/motion.csv" \
      --session "$name.armsession" --allow-motion --json >/dev/null 2>"$name.err" &&
    "$cli" replay "$name.armsession" --out "$name.csv" 2>"$name.err"
}

# error CRITERION SEED: of the other motion, rms over all joints [mA]
error() {
  recorded "$1.$2" "$2" --method fourier --time 10 --evals 3000 --criterion "$1" || return
  "$cli" identify --arm "$arm" --csv "$1.$2.csv" --validate other.csv --json 2>/dev/null |
    jq '.validation[0].joints | 1000 * ([.[].rms_error_A | . * .] | add / length | sqrt)'
}

recorded other 99 --method spline --time 20 || { cat other.err && exit 1; }
for ((seed = 1; seed <= seeds; seed++)); do
  d=$(error d "$seed") cond=$(error cond "$seed")
  [[ $d && $cond ]] && echo "$d $cond" >>errors && done=$((done + 1))
done
median() { sort -g | awk '{ x[NR] = $1 } END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'; }
((done == seeds)) && verdict=PASS || verdict=FAIL
echo "SHOW 18.5b error of another motion, minimum condition over D-optimal, median of $done (D-optimal" \
  "$(cut -d' ' -f1 errors | median) mA) measured=$(awk '{ print $2 / $1 }' errors | median)" \
  "target=reported, all of $seeds $verdict"
[[ $verdict == PASS ]]
