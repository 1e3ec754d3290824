#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 12.5: `./dev test` again and again, as a newcomer calls it: how often it is green, how long it
# takes. A run that had to repeat a test is not green.
#
#   green.sh [RUNS]      build/green/RUN.log and RUN/ are what a run said that was not green
set -uo pipefail
runs=${1:-20} green=0 shortest=999999 longest=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

for ((k = 1; k <= runs; k++)); do
  start=$SECONDS
  if ./dev test >"$log" 2>&1 && ! grep -q '^unsteady:' "$log"; then
    green=$((green + 1))
  else
    mkdir -p build/green
    cp "$log" "build/green/$k.log"
    cp -r build/release/meson-logs "build/green/$k"
    grep -A 6 -E 'not ok|FAIL|TIMEOUT|ERROR|Bail|^unsteady:' "$log" >&2
  fi
  seconds=$((SECONDS - start))
  ((seconds < shortest)) && shortest=$seconds
  ((seconds > longest)) && longest=$seconds
  printf 'run %d: %s, %d s\n' "$k" "$(tail -n 1 "$log")" "$seconds" >&2
done
printf 'SHOW 12.5 ./dev test, green runs measured=%d of %d, %d to %d s target=all, each within 600 s %s\n' \
  "$green" "$runs" "$shortest" "$longest" \
  "$( ((green == runs && longest <= 600)) && echo PASS || echo FAIL)"
