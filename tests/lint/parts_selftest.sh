#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tests parts.sh: the untouched tree passes and is told, and every planted violation is found and
# named.
#
#   parts_selftest.sh ROOT LIBS
set -uo pipefail

root=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
libs=$(realpath -m -- "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 failed=0

result() { # OK NAME
  number=$((number + 1))
  if (($1)); then
    echo "ok $number - $2"
  else
    echo "not ok $number - $2"
    failed=1
  fi
}

copy() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree"
  (cd "$root" && cp -r --parents src/session "$work/tree")
}

# found NAME PATTERN [LIBS]: parts.sh fails, and a line of its says the pattern; the tree is whole again
found() {
  local output status=0
  output=$("$here/parts.sh" "$work/tree" "${3-$libs}" 2>&1) || status=$?
  if ((status != 0)) && grep -qE -- "^# .*$2" <<<"$output"; then
    result 1 "$1"
  else
    printf '# exit %d, wanted: %s\n# %s\n' "$status" "$2" "${output//$'\n'/$'\n# '}"
    result 0 "$1"
  fi
  copy
}

plant() { # FILE TEXT
  printf '%b\n' "$2" >>"$work/tree/src/session/$1"
}

object() { # NAME TEXT: compiles it as if it were src/session/NAME.c
  printf '%b\n' "$2" | "${CC:-cc}" -xc -c -o "$work/$1.c.o" -
}

copy
status=0
output=$("$here/parts.sh" "$work/tree" "$libs") || status=$?
((status == 0)) || printf '# %s\n' "${output//$'\n'/$'\n# '}"
result $((status == 0)) "the untouched copy passes"
result $(($(grep -cE '^# session: contact includes .*\bcheck\b' <<<"$output"))) "what a part includes is told"
result $(($(grep -cE '^# session: session_fit includes .*\bsession_validate\b' <<<"$output"))) "so is what the session does"
result $(($(grep -cE '^# session: session_transfer calls .*\bsession_fit\b' <<<"$output"))) "and what it calls"
result $((!$(grep -cE '^# session: session (includes .*\bsession_|calls )' <<<"$output"))) "the session's header stands on no file of it"

sed -i 's/^  AseDelivery \*delivery;.*/&\n  int a, *b; \/* one; two, three *\//' \
  "$work/tree/src/session/session_core.h"
found "fields more than the session may have" 'session_core\.h:[0-9]+: the session has 19 fields, more than 17'
sed -i 's/^struct _AseSession {/struct AseOther {/' "$work/tree/src/session/session_core.h"
found "a session that is not found" 'session_core\.h:1: no struct _AseSession'
plant session_fit.c 'struct AseFitting {\n  int part;\n};'
found "a state beside its fields" 'session_fit\.c:[0-9]+: a state beside the fields'
plant session_fit.h 'typedef struct AseFitting {\n  int part;\n} AseFitting;'
found "one in a header" 'session_fit\.h:[0-9]+: a state beside the fields'

plant record/record_news.c '#include "session/session_core.h"'
found "a part that looks into the session" 'record_news\.c:[0-9]+: a part may not look into the session'
plant contact.c '#include "session/session_job.h"'
found "one beside the session" 'src/session/contact\.c:[0-9]+: a part may not look'
plant contact.c '#include "session/session.h"'
found "a part that uses the session" 'contact may not know the session'
plant undo.h '#include "session/session.h"'
found "one far below it" 'undo may not know the session'
plant measure/runs.c '#  include "session/measure/run_use.h"'
found "two parts of one folder" 'a circle: (measure/run_use -> measure/runs -> measure/run_use|measure/runs -> measure/run_use -> measure/runs)$'
plant measure/shelf.h '#include "session/measure/motion.h"'
found "a long way round" 'a circle: .*measure/shelf -> measure/motion.*'
plant session_select.c '#include "session/session_fit.h"'
found "two files of the session" 'a circle: (session_fit -> session_select -> session_fit|session_select -> session_fit -> session_select)$'
plant session_core.h '#include "session/session_edits.h"'
found "its ground" 'a circle: (session_core -> session_edits -> session_core|session_edits -> session_core -> session_edits)$'
plant session_standing.c '#include "session/session_motion.h"'
found "three of them" 'a circle: .*session_motion -> session_replan -> session_standing.*'

# Behind headers that declare for both.
object session_planted_a 'void ase_b(void);\nvoid ase_a(void) { ase_b(); }'
object session_planted_b 'void ase_a(void);\nvoid ase_b(void) { ase_a(); }'
found "two files that call each other" 'a circle: (session_planted_a -> session_planted_b -> session_planted_a|session_planted_b -> session_planted_a -> session_planted_b) by( ase_[ab]){2}$' \
  "$libs,$work/session_planted_a.c.o,$work/session_planted_b.c.o"
object session_select 'void ase_session_start_fit(void);\nvoid ase_up(void) { ase_session_start_fit(); }'
found "a call that no include tells of" 'a circle: .*session_select.* by.* ase_session_start_fit' \
  "$libs,$work/session_select.c.o"
object session_core 'void ase_session_close(void);\nvoid ase_up(void) { ase_session_close(); }'
found "one of the ground" 'a circle: .*session_core.* by.* ase_session_close' "$libs,$work/session_core.c.o"
object measure_runs 'extern int ase_session_up;\nint ase_up(void) { return ase_session_up; }'
object session_core 'void ase_up(void);\nvoid ase_other(void) { ase_up(); }\nint ase_session_up = 1;'
found "one by data, of a part" 'a circle: .*measure/runs.* by.* ase_session_up' \
  "$libs,$work/session_core.c.o,$work/measure_runs.c.o"
found "a library of something else" 'session_core\.c\.o: nothing that the object needs' "$work/session_core.c.o"
found "none at all" 'none\.a: nothing that the object needs' "$work/none.a"

# What the method decides, all in one run: OBJECT SYMBOL.
asking=(session_plan arm_plan_propose measure_runs arm_gravity_fit session_load aio_params_load_bytes
  session_transfer aio_verdict_is_misfit session_fit ase_gravity_of)
with=$libs
for ((k = 0; k < ${#asking[@]}; k += 2)); do
  object "${asking[k]}" "int ${asking[k + 1]}(void);\nint ase_$k(void) { return ${asking[k + 1]}(); }"
  with+=,$work/${asking[k]}.c.o
done
output=$("$here/parts.sh" "$work/tree" "$with")
for ((k = 0; k < ${#asking[@]}; k += 2)); do
  result "$(grep -cE "^# src/session: ${asking[k]}\.c calls ${asking[k + 1]}: ask the table" <<<"$output")" \
    "${asking[k + 1]} beside the method"
done

plant session_other.c '#include "session/session_core.h"'
found "a file that has no place" 'session_core\.h: session_other has no line in the order'
sed -i '/^ \*   session_fit /d' "$work/tree/src/session/session_core.h"
found "a place that is gone" 'session_core\.h: session_fit has no line in the order'
sed -i '/^ \*   session_validate /{h;d};/^ \*   session_fit /{G}' "$work/tree/src/session/session_core.h"
found "an order that is another one" 'session_core\.h: session_fit needs session_validate, which does not stand before'
plant session_job.c '#include "session/session_select.h"' # downwards
plant record/record_runs.c '#include "session/record/record_internal.h"'
plant session_fit.c '#include "session/session_core.h"'
plant session_fit.c 'typedef struct {\n  int part;\n} FittingWork;'
plant trouble.c '#include "session/session.h"'
object session_steps 'void ase_session_start_fit(void);\nvoid ase_down(void) { ase_session_start_fit(); }'
object method_other 'int arm_plan_propose(void);\nint ase_other(void) { return arm_plan_propose(); }'
object edits 'int arm_plan_options_default(void);\nint ase_speeds(void) { return arm_plan_options_default(); }'
status=0
"$here/parts.sh" "$work/tree" "$libs,$work/session_steps.c.o,$work/method_other.c.o,$work/edits.c.o" >"$work/log" || status=$?
((status == 0)) || sed 's/^/# /' "$work/log"
result $((status == 0)) "what is allowed is not reported"

echo "1..$number"
exit "$failed"
