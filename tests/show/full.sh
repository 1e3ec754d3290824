#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 18.8: `calibrate --full` on simulated arms whose torque constants are off the data sheet's by
# what the arm file states as their sd, drawn anew for each seed.
#
#   full.sh [SEEDS [KILLS [ARM:TIME_FACTOR ..]]]    30, 10, puma560-truth2:30 ur10e:30
#
# JOBS of them run at a time (2 for each processor: a simulated arm keeps a third of one busy).
# Each estimate that is identifiable is compared with what is simulated, in its sds. Runs that time
# ended - no answer, a motion that did not end - because nobody got a processor are repeated, at most
# twice, and this is printed. Of the first arm one session more is killed at random moments and gone
# on with until it ends: each sweep and motion is in it once, and what it gives does not depend on
# how often it is asked. With KEPT=DIR what each run gave stays there and is not run again, so that
# hours of two processors may be had in parts.
set -uo pipefail
build=${BUILD:-build/release}
cli=$(realpath "$build/src/cli/armature-cli")
robots=$PWD/data/robots jq=$PWD/tests/show/full.jq
seeds=${1:-30} kills=${2:-10}
(($# > 2)) && arms=("${@:3}") || arms=(puma560-truth2:30 ur10e:30)
jobs=${JOBS:-$((2 * $(nproc)))}
revision=$(git rev-parse --short HEAD)
work=${KEPT:-$(mktemp -d)} bad=0
mkdir -p "$work"
[[ ${KEPT:-} ]] || trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

show() { # WHAT MEASURED TARGET PASSED
  local verdict=FAIL
  if (($4)); then verdict=PASS; else bad=1; fi
  echo "SHOW 18.8 $1 measured=$2 target=$3 $verdict"
}

# nominal ARM SEED: its arm file with torque constants of a data sheet
nominal() {
  local factors
  factors=$(awk -v seed="$2" 'BEGIN { srand(seed)
    for (j = 0; j < 32; j++)
      printf "%s%.6f", j ? "," : "", exp(0.2 * sqrt(-2 * log(1 - rand())) * cos(6.28318530718 * rand())) }')
  jq --argjson f "[$factors]" '.joints |= (to_entries | map(.value.torque_constant_Nm_A.value *= $f[.key] | .value))' \
    "$robots/$1.arm.json" >"$1.$2.arm.json"
}

# one ARM SEED TIME_FACTOR
one() {
  local name=$1.$2 try
  [[ -s $name.of ]] && return
  nominal "$1" "$2"
  for try in 1 2 3; do
    rm -f "$name.armsession"*
    "$cli" calibrate --full --arm "$name.arm.json" --port "sim:$robots/$1.arm.json,speed=$3,seed=$2" \
      --session "$name.armsession" --out "$name.json" --force --json >"$name.out" 2>"$name.err"
    echo $? >"$name.exit"
    grep -qE 'no answer from the controller|is not decided|did not end in time' "$name.err" || break
    echo "# $name, attempt $try: $(grep 'error' "$name.err" | head -n 1)"
  done
  rm -f "$name.armsession"*
  echo "$revision" >"$name.of"
}

for entry in "${arms[@]}"; do
  arm=${entry%:*}
  for ((seed = 1; seed <= seeds; seed++)); do
    while (($(jobs -rp | wc -l) >= jobs)); do wait -n; done
    one "$arm" "$seed" "${entry#*:}" &
  done
  wait
  rm -f "$arm.z" "$arm.errors"
  mapfile -t names < <(seq -f "$arm.%.0f" "$seeds")
  sort "${names[@]/%/.of}" | uniq -c | sed "s/^ */# $arm, runs at a revision: /"
  for ((seed = 1; seed <= seeds; seed++)); do
    [[ $(cat "$arm.$seed.exit") == 0 ]] ||
      echo "# $arm, seed $seed: exit $(cat "$arm.$seed.exit"): $(grep error "$arm.$seed.err" | head -n 3)"
    [[ -s $arm.$seed.json ]] || continue
    jq -r --slurpfile arm "$robots/$arm.arm.json" -f "$jq" "$arm.$seed.json" >>"$arm.z"
    jq -r '.joints as $own | .validation[0].joints[] |
      "\(.joint) \(.rms_error_A) \(.rms_A) \($own[.joint - 1].residual_sd_A)"' "$arm.$seed.json" >>"$arm.errors"
  done
  passed=$(cat "${names[@]/%/.exit}" | grep -cx 0)
  show "$arm: calibrations that end with exit status 0" "$passed of $seeds" "$seeds" $((passed == seeds))
  read -r count within < <(awk '{ n++; if ($2 * $2 < 1.959964 ^ 2) m++ } END { print n + 0, (n ? 100 * m / n : 0) }' "$arm.z")
  show "$arm: truths within the 95 % intervals of ${count:-0} estimates [%]" "${within:-none}" "92 to 98" \
    "$(awk -v w="${within:-0}" 'BEGIN { print (w >= 92 && w <= 98) }')"
  awk '{ if ($2 * $2 > 9) out[$1]++; n[$1]++ } END { for (p in out) print "# " p ": " out[p] " of " n[p] " beyond 3 sds" }' \
    "$arm.z" | sort
  awk '{ n[$1]++; e[$1] += $2 ^ 2; r[$1] += $3 ^ 2; s[$1] += $4 ^ 2 }
    END { for (j = 1; j in n; j++) printf "# joint %d, the other motion: error %.4g A, %.2f %% of the rms; residual of the fit %.4g A\n",
      j, sqrt(e[j] / n[j]), 100 * sqrt(e[j] / r[j]), sqrt(s[j] / n[j]) }' "$arm.errors"
done

# ---- killed at random moments ----

arm=${arms[0]%:*} speed=${arms[0]#*:}
killed=0
rm -f killed.* again.*
nominal "$arm" 77
common=(calibrate --full --port "sim:$robots/$arm.arm.json,speed=$speed,seed=77" --session killed.armsession)
RANDOM=18
for ((k = 0; k < kills; k++)); do
  begin=(--resume)
  [[ -e killed.armsession ]] || begin=(--arm "$arm.77.arm.json")
  "$cli" "${common[@]}" --out killed.json "${begin[@]}" >killed.out 2>killed.err </dev/null &
  pid=$!
  sleep "$((3 + RANDOM % 12)).$((RANDOM % 10))"
  kill -KILL "$pid" 2>/dev/null && killed=$((killed + 1))
  wait "$pid" 2>/dev/null
  [[ -e killed.json ]] && break
done
status=0 again=0
[[ -e killed.json ]] || "$cli" "${common[@]}" --out killed.json --resume >killed.out 2>killed.err || status=$?
"$cli" "${common[@]}" --out again.json --resume >again.out 2>again.err || again=$?
"$cli" log killed.armsession --json >killed.log
twice=$(jq '([.runs[] | select(.kind == "sweep" and .outcome == "done") | [.joint, .hold, .speed]] | length - (unique | length)) +
  ([.runs[] | select(.kind == "trajectory" and .outcome == "done")] | length - 2 | fabs)' killed.log)
show "$arm: killed $killed times, exit status of the last" "$status" 0 $((status == 0 && again == 0))
show "$arm: sweeps and motions that are in the session twice, or not" "${twice:-?}" 0 "$([[ $twice == 0 ]] && echo 1 || echo 0)"
same=0
cmp -s <(jq 'del(.provenance, .digest)' killed.json) <(jq 'del(.provenance, .digest)' again.json) && same=1
show "$arm: asked once more: the same parameters" "$same" 1 "$same"
exit "$bad"
