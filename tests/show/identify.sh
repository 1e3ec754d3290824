#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 17.4: identify on recordings of real arms, beside figures of an independent model.
# shellcheck disable=SC2016 # awk and jq have variables of their own
set -uo pipefail
build=${BUILD:-build/release}
cli=$build/src/cli/armature-cli
data=${ARMATURE_SHARED:-../shared}/datasets
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
if [[ ! -d $data/ur10e || ! -d $data/kuka_lwr4 ]]; then
  echo "# skipped: no recordings in $data"
  exit 0
fi

# show WHAT MEASURED TARGET GOOD
show() {
  local verdict=FAIL
  if (($4)); then verdict=PASS; else bad=1; fi
  echo "SHOW 17.4 $1 measured=$2 target=$3 $verdict"
}

# most WHAT MEASURED TARGET: at most
most() { show "$1" "$2" "<=$3" "$(awk -v a="$2" -v b="$3" 'BEGIN { print (a == a + 0 && a <= b) }')"; }

# UR10e: 31 columns without a header, 1 t, 2-7 q, 8-13 qd, 14-19 i
ur10e() {
  awk -F, -v first="$2" -v last="$3" 'BEGIN {
      printf "t_s,joint"
      for (j = 1; j <= 6; j++) printf ",q%d_rad", j
      for (j = 1; j <= 6; j++) printf ",qd%d_rad_s", j
      for (j = 1; j <= 6; j++) printf ",i%d_A", j
      print "" }
    NR >= first && NR <= last { printf "%s,0", $1
      for (c = 2; c <= 19; c++) printf ",%s", $c
      print "" }' "$data/ur10e/fourier/$1"
}
kuka() {
  awk -F, 'NR == 1 { printf "t_s,joint"
      for (j = 1; j <= 7; j++) printf ",q%d_rad", j
      for (j = 1; j <= 7; j++) printf ",qd%d_rad_s", j
      for (j = 1; j <= 7; j++) printf ",tau%d_Nm", j
      print ""; next }
    { printf "%s,0", $1
      for (c = 2; c <= 22; c++) printf ",%s", $c
      print "" }' "$data/kuka_lwr4/run_$1.csv"
}
percent='[.validation[$k].joints[] | 100 * .[$e] / .[$r] | . * 100 | round / 100]'

ur10e 30sec_12harm.csv 635 3510 >"$work/r.csv"
# 1e-9 A more: the same numbers prove nothing to identify
awk -F, -v OFS=, -v CONVFMT=%.12g 'NR > 1 { for (c = 15; c <= 20; c++) $c = ($c + 1e-9) "" } { print }' \
  "$work/r.csv" >"$work/own.csv"
ur10e 50sec_14harm.csv 195 4966 >"$work/v.csv"
"$cli" identify --arm data/robots/ur10e.arm.json --csv "$work/r.csv" --validate "$work/own.csv" \
  --validate "$work/v.csv" --json >"$work/ur.json" 2>"$work/messages"
status=$?
show "UR10e, 30sec_12harm: exit status" "$status" 0 "$((status == 0))"
own=$(jq -r --argjson k 0 --arg e rms_error_A --arg r rms_A "$percent | map(tostring) | join(\" \")" "$work/ur.json")
other=$(jq -r --argjson k 1 --arg e rms_error_A --arg r rms_A "$percent | map(tostring) | join(\" \")" "$work/ur.json")
read -ra errors <<<"$own"
figures=(8.8 4.2 5.5 18.5 16.1 11.3)
for j in 0 1 2 3 4 5; do
  most "UR10e, own motion, joint $((j + 1)): error [% of rms current]; the figure is ${figures[j]}" \
    "${errors[j]:-none}" "$(awk -v f="${figures[j]}" 'BEGIN { print 1.05 * f }')"
done
echo "# UR10e, 50sec_14harm, not fitted, error [% of rms current]: $other; verdict $(jq -r .verdict "$work/ur.json")"
echo "# UR10e, N m/A of joints 1 to 6 (null: not told): $(jq -c '[.eta[].A_per_Nm.value | if . then 100 / . | round / 100 else null end]' "$work/ur.json"); the controller's own of joints 2 to 5: 11.98 9.84 10.76 10.76"
sed 's/^/# /' "$work/messages"
read -r completed base rotors poses < <("$build/tests/show/show_identified" data/robots/ur10e.arm.json "$work/ur.json" 10000)
show "UR10e, mass matrices of completed links that are not positive definite, of ${poses:-no} random poses" \
  "$((${poses:-1} - ${completed:-0}))" "0" "$((${completed:-0} == ${poses:-1}))"
echo "# UR10e, mass matrices of the base parameters as estimated that are positive definite: ${base:-?} of ${poses:-?}; with the identified rotors ${rotors:-?}"

kuka 1 >"$work/k1.csv"
kuka 2 >"$work/k2.csv"
"$cli" identify --arm data/robots/kuka-lwr4.arm.json --csv "$work/k1.csv" --validate "$work/k2.csv" \
  --json >"$work/kuka.json" 2>/dev/null
pooled=$(jq '.validation[0].joints | 100 * (([.[].rms_error_Nm | . * .] | add) / ([.[].rms_Nm | . * .] | add) | sqrt)' "$work/kuka.json")
most "KUKA LWR4+, run 1 on run 2: error [% of the torques of all joints]; the figure is 2.0" "${pooled:-none}" 2.2
show "KUKA LWR4+: warned that this excitation will not generalise" \
  "$(jq -c '[.warnings[].code | select(. == "excitation")]' "$work/kuka.json")" '["excitation"]' \
  "$(jq '[.warnings[].code] | index("excitation") != null' "$work/kuka.json" | grep -c true)"
exit "$bad"
