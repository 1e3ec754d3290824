#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# calibrate: its session file is deleted while the arm moves.
# shellcheck source=tests/cli/lib.sh
source "$(dirname "$0")/lib.sh" "$@"

arm=$robots/planar2r.arm.json
calibrate=("$cli" calibrate --arm "$arm" --port "sim:$arm,speed=10" --speeds 30,50 --dry-speed 40
  --move-speed 40)

# calibrate_without HARM...: deletes or replaces a.armsession when the arm moves; status, out, err
calibrate_without() {
  local k pid
  status=0
  LC_ALL=C.UTF-8 "${calibrate[@]}" --session a.armsession >out 2>err </dev/null &
  pid=$!
  for ((k = 0; k < 1000; k++)); do
    if "$cli" log a.armsession --json 2>/dev/null | jq -e '.runs | length > 0' >/dev/null 2>&1; then
      break
    fi
    sleep 0.02
  done
  "$@"
  wait "$pid" || status=$?
}

calibrate_without rm a.armsession
((status == 5)) && grep -q 'a.armsession: was deleted or renamed while' err &&
  grep -q 'What was measured is in a-rescued.armsession, because .*; go on with: .*--session a-rescued.arm' err
result $? "a file that is deleted: held, exit 5, where it is now" "exit $status: $(cat err)"
[[ ! -e a.armsession ]]
result $? "the deleted file is not made again"
expect "the session goes on from there" 0 calibrate --resume --session a-rescued.armsession \
  --port "sim:$arm,speed=40"
run log a-rescued.armsession --json
holds "with runs of both files" out '[.runs[] | select(.outcome == "done")] | length >= 2'

calibrate_without sh -c 'echo "not yours" >b && mv b a.armsession'
((status == 5)) && grep -q 'a.armsession: was replaced by another file' err &&
  grep -q 'a-rescued-2.armsession' err
result $? "a file that is replaced" "exit $status: $(cat err)"
[[ $(cat a.armsession) == "not yours" ]]
result $? "what has taken its place is left alone" "$(head -c 100 a.armsession)"
finish
