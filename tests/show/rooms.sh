#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 14.2: an invented second method and an invented second driver go all the way without a
# reader or a caller that knows them; how many files name one method's struct; whether sub-rooms have a
# circle (the list of includes between them is printed).
set -uo pipefail
build=${BUILD:-build/release} bad=0

show() { # LINE WHAT MEASURED TARGET GOOD
  printf 'SHOW %s %s measured=%s target=%s %s\n' "$1" "$2" "$3" "$4" "$( (($5)) && echo PASS || echo FAIL)"
  (($5)) || bad=1
}

for name in second_method second_driver; do
  meson test -C "$build" --no-rebuild "$name" >/dev/null 2>&1
  status=$?
  show 14.2 "an invented ${name/_/ }, all the way: exit of its test" $status 0 $((status == 0))
done
files=$(grep -rlE 'ArmGravityParam' src | wc -l)
show 14.2 "files of src that name the struct of one method" "$files" '<= 25' $((files <= 25))
text=$(tests/lint/layers.sh "$PWD" "$build/src/core/libarmature-core.a" "$build/src/io/libarmature-io.a" \
  "$build/src/wire/libarmature-wire.a" "$build/src/sim/libarmature-sim.a")
grep '^# .* includes ' <<<"$text"
wrong=$(grep -c '^not ok .*sub-rooms' <<<"$text")
right=$(grep -c '^ok .*sub-rooms' <<<"$text")
show 14.2 "circles and includes between sub-rooms that their table does not allow" "$wrong" 0 \
  $((wrong == 0 && right > 0))
exit $bad
