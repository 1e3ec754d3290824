#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 15.4: which part of the session includes which and which calls which, printed; no circle, no
# part that looks into the session, no state beside its fields, nothing that is a method's to decide;
# the tests of parts, none of which has a session.
set -uo pipefail
build=${BUILD:-build/release} bad=0 rules=7
tests=(motion record_alone contact delivery small_parts next procedure edits evidence itinerary editor undo telling
  following followed diagnosing measuring steps planning session_figures)

text=$(tests/lint/parts.sh . "$build/src/session/libarmature-session.a")
grep '^# session: ' <<<"$text"
kept=$(grep -c '^ok ' <<<"$text")
((kept == rules)) || bad=1
printf 'SHOW 15.4 fields of the session, state beside them, parts that look into it, circles, order, what the method decides: rules kept measured=%d of %d target=all %s\n' \
  "$kept" "$rules" "$( ((bad == 0)) && echo PASS || echo FAIL)"
passed=0
for name in "${tests[@]}"; do
  meson test -C "$build" --no-rebuild "$name" >/dev/null 2>&1 && passed=$((passed + 1))
done
((passed == ${#tests[@]})) || bad=1
printf 'SHOW 15.4 tests of its parts that pass measured=%d of %d target=all %s\n' "$passed" "${#tests[@]}" \
  "$( ((passed == ${#tests[@]})) && echo PASS || echo FAIL)"
exit $bad
