#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 1a: without a display, `./dev run` prints the demonstration's parameters beside the truth.
set -uo pipefail
status=0
output=$(env -u DISPLAY -u WAYLAND_DISPLAY ./dev run 2>/dev/null) || status=$?
rows=$(grep -cE '(\+-|±)' <<<"$output")
echo "$output"
if ((status == 0 && rows >= 40)); then verdict=PASS; else verdict=FAIL; fi
echo "SHOW 1a ./dev run: rows with an error bar measured=$rows, exit $status" \
  "target=at least 40, exit 0 $verdict"
[[ $verdict == PASS ]]
