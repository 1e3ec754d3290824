#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 17.6: friction terms of identify on recordings of a real arm, beside the theory notes' (friction
# models, section 2, which judge only samples faster than 0.03 rad/s, of ten recordings).
# shellcheck disable=SC2016 # awk and jq have variables of their own
set -uo pipefail
build=${BUILD:-build/release}
cli=$build/src/cli/armature-cli
data=${ARMATURE_SHARED:-../shared}/datasets/ur10e/fourier
arm=data/robots/ur10e.arm.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
if [[ ! -d $data ]]; then
  echo "# skipped: no recordings in $data"
  exit 0
fi

# show WHAT MEASURED TARGET GOOD
show() {
  local verdict=FAIL
  if (($4)); then verdict=PASS; else bad=1; fi
  echo "SHOW 17.6 $1 measured=$2 target=$3 $verdict"
}

# 31 columns without a header, 1 t, 2-7 q, 8-13 qd, 14-19 i
ur10e() {
  awk -F, -v first="$2" -v last="$3" 'BEGIN {
      printf "t_s,joint"
      for (j = 1; j <= 6; j++) printf ",q%d_rad", j
      for (j = 1; j <= 6; j++) printf ",qd%d_rad_s", j
      for (j = 1; j <= 6; j++) printf ",i%d_A", j
      print "" }
    NR >= first && NR <= last { printf "%s,0", $1
      for (c = 2; c <= 19; c++) printf ",%s", $c
      print "" }' "$data/$1"
}

# identify FITTED OTHER FRICTION OUT
identify() { "$cli" identify --arm $arm --csv "$work/$1.csv" --validate "$work/$2.csv" --friction "$3" --json >"$work/$4" 2>/dev/null; }
percent() { jq -r '[.validation[0].joints[] | 10000 * .rms_error_A / .rms_A | round / 100 | tostring] | join(" ")' "$work/$1"; }

# near WHAT JOINT KEY WANTED MOST: a coefficient
near() {
  local found
  found=$(jq --argjson j "$2" --arg k "$3" '.joints[$j - 1].parameters[$k] | if . then "\(.value * 10000 | round / 10000) +- \(.sd * 10000 | round / 10000)" else "none" end' "$work/auto" -r)
  show "$1, joint $2: $3" "${found// /_}" "$4+-$5" \
    "$(awk -v f="$found" -v w="$4" -v m="$5" 'BEGIN { split(f, x, " "); d = x[1] - w; print (f != "none" && d <= m && d >= -m) }')"
}

# falls WHAT: errors of another motion, without and with
falls() {
  local without with j
  local least=(21 45 42 -10 -10 -10) # worst split of the notes; wrists: no harm
  read -ra without <<<"$(percent base)"
  read -ra with <<<"$(percent auto)"
  for j in 0 1 2 3 4 5; do
    show "$1, joint $((j + 1)): error [% of rms current] without ${without[j]:-?}, with ${with[j]:-?}; falls by [%]" \
      "$(awk -v a="${without[j]:-0}" -v b="${with[j]:-1}" 'BEGIN { printf "%.1f", a ? 100 * (1 - b / a) : -999 }')" ">=${least[j]}" \
      "$(awk -v a="${without[j]:-0}" -v b="${with[j]:-1}" -v l="${least[j]}" 'BEGIN { print (a > 0 && 100 * (1 - b / a) >= l) }')"
  done
}

tell() {
  jq -r '.joints[] | "# \($w), joint \(.joint): " + ([.parameters as $p | $p.terms // [] | .[] |
    "\(.name) \(.reason_key)" + (if .chosen then " \($p[.name].value * 1000 | round / 1000)" else "" end) +
    ", strokes left out better by \((.gain // 0) * 100 | round) %"] | join("; "))' --arg w "$1" "$work/auto"
}

ur10e 30sec_12harm.csv 635 3510 >"$work/r.csv"
ur10e 50sec_14harm.csv 195 4966 >"$work/v.csv"
for way in "r v" "v r"; do
  read -r fitted other <<<"$way"
  name="UR10e, 30sec_12harm on 50sec_14harm"
  [[ $fitted == v ]] && name="UR10e, 50sec_14harm on 30sec_12harm"
  identify "$fitted" "$other" base base
  identify "$fitted" "$other" auto auto
  tell "$name"
  near "$name" 2 load .064 .01
  near "$name" 3 load .069 .01
  near "$name" 1 curve -1.12 .3
  falls "$name"
done
wrists=$(jq -c '[.joints[3:][].parameters.load | select(.)] | length' "$work/auto")
show "UR10e: load on joints 4 to 6" "${wrists:-?}" 0 "$((${wrists:-1} == 0))"
exit "$bad"
