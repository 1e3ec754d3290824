#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tests parts.sh: the untouched tree passes and is told, and every planted violation is found and
# named.
#
#   parts_selftest.sh ROOT
set -uo pipefail

root=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
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

# found NAME PATTERN: parts.sh fails, and a line of its says the pattern; the tree is whole again
found() {
  local output status=0
  output=$("$here/parts.sh" "$work/tree") || status=$?
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

copy
status=0
output=$("$here/parts.sh" "$work/tree") || status=$?
((status == 0)) || printf '# %s\n' "${output//$'\n'/$'\n# '}"
result $((status == 0)) "the untouched copy passes"
result $(($(grep -cE '^# session: contact includes .*\bcheck\b' <<<"$output"))) "what a part includes is told"
result $(($(grep -cE '^# session: session includes .*\brecord/record\b' <<<"$output"))) "so is what the session does"

sed -i 's/^  AseDelivery \*delivery;.*/&\n  int a, *b; \/* one; two, three *\//' \
  "$work/tree/src/session/session_internal.h"
found "fields more than the session may have" 'session_internal\.h:[0-9]+: the session has 19 fields, more than 17'
sed -i 's/^struct _AseSession {/struct AseOther {/' "$work/tree/src/session/session_internal.h"
found "a session that is not found" 'session_internal\.h:1: no struct _AseSession'
plant record/record_news.c '#include "session/session_internal.h"'
found "a part that looks into the session" 'record_news\.c:[0-9]+: a part may not look into the session'
plant contact.c '#include "session/session_internal.h"'
found "one beside the session" 'src/session/contact\.c:[0-9]+: a part may not look'
plant contact.c '#include "session/session.h"'
found "a part that uses the session" 'a circle: (contact -> session -> contact|session -> contact -> session)$'
plant measure/runs.c '#  include "session/measure/selecting.h"'
found "two parts of one folder" 'a circle: (measure/selecting -> measure/runs -> measure/selecting|measure/runs -> measure/selecting -> measure/runs)$'
plant measure/shelf.h '#include "session/measure/motion.h"'
found "a long way round" 'a circle: .*measure/shelf -> measure/motion.*'
plant record/record_runs.c '#include "session/record/record_internal.h"'
plant session_editor.h '#include "session/session_internal.h"'
status=0
"$here/parts.sh" "$work/tree" >"$work/log" || status=$?
((status == 0)) || sed 's/^/# /' "$work/log"
result $((status == 0)) "what is allowed is not reported"

echo "1..$number"
exit "$failed"
