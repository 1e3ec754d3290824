#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The parts of the session: prints which of them includes which, and proves that there is no circle,
# that none of them knows the session, and that the session itself stays small. TAP.
#
#   parts.sh ROOT
#
# A part is what a header stands for: NAME.h, NAME.c and NAME_*.c of one folder. The session is
# session*.c and recording.h, which is of session_recording.c.
set -uo pipefail
shopt -s lastpipe # `... | rule NAME` counts in this shell
export LC_ALL=C
if (($# != 1)) || ! cd "$1"; then
  echo "Bail out! usage: parts.sh ROOT"
  exit 2
fi
number=0 failed=0

# rule NAME: reads violations from stdin; none = ok
rule() {
  local name=$1 found
  found=$(cat)
  number=$((number + 1))
  if [[ -z $found ]]; then
    echo "ok $number - $name"
  else
    printf '# %s\n' "${found//$'\n'/$'\n# '}"
    echo "not ok $number - $name"
    failed=1
  fi
}

internal=src/session/session_internal.h
fields_most=17
mapfile -t sources < <(find src/session -name '*.[ch]' | sort)
[[ -e $internal ]] || {
  echo "Bail out! no $internal below $1"
  exit 2
}

awk -v most="$fields_most" '
  /^struct _AseSession \{/ { inside = 1; next }
  inside && /^\}/ { inside = 0; ended = FNR }
  inside {
    text = $0
    while (match(text, /\/\*[^*]*\*\//)) text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
    fields += gsub(/[;,]/, "", text)
  }
  END {
    if (!ended) print FILENAME ":1: no struct _AseSession"
    if (fields > most) print FILENAME ":" ended ": the session has " fields " fields, more than " most ": give them to a part"
  }
' "$internal" | rule "the session has fewer than $((fields_most + 1)) fields"

grep -n '"session/session_internal\.h"' "${sources[@]}" |
  grep -vE '^src/session/session(_[a-z]+)?\.[ch]:' |
  sed 's/:#.*/: a part may not look into the session/' | rule "no part looks into the session"

between=$(mktemp)
trap 'rm -f "$between"' EXIT
awk -v between="$between" -v files="${sources[*]}" '
  # src/session/measure/runner_follow.c: measure/runner
  function part_of(path,   folder, name, word, n, k, stem) {
    sub(/^(src\/)?session\//, "", path)
    sub(/\.[ch]$/, "", path)
    name = path; sub(/.*\//, "", name)
    folder = substr(path, 1, length(path) - length(name))
    if (path == "recording") return "session"
    n = split(name, word, "_")
    stem = word[1]
    for (k = 2; k <= n && !((folder stem) in has_header); k++) stem = stem "_" word[k]
    return folder stem
  }
  # prints the way back to a part that is on the way already
  function visit(part,   k, count, next_one, way, begun) {
    state[part] = 1
    way_to[++depth] = part
    count = split(list[part], next_one, " ")
    for (k = 1; k <= count; k++) {
      if (state[next_one[k]] == 1) {
        way = ""; begun = 0
        for (i = 1; i <= depth; i++) {
          begun = begun || way_to[i] == next_one[k]
          if (begun) way = way way_to[i] " -> "
        }
        print "src/session: a circle: " way next_one[k]
      } else if (!state[next_one[k]]) visit(next_one[k])
    }
    depth--
    state[part] = 2
  }
  BEGIN {
    count = split(files, file, " ")
    for (k = 1; k <= count; k++) {
      name = file[k]
      if (name !~ /\.h$/) continue
      sub(/^src\/session\//, "", name); sub(/\.h$/, "", name)
      has_header[name] = 1
    }
  }
  FNR == 1 { here = part_of(FILENAME) }
  /^[ \t]*#[ \t]*include[ \t]*"session\// {
    name = $0; sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
    there = part_of(name)
    if (there == here) next
    if (!(here in known)) { known[here] = 1; order[++parts] = here }
    if (!seen[here, there]++) list[here] = list[here] " " there
  }
  END {
    for (k = 1; k <= parts; k++) {
      count = split(list[order[k]], word, " ")
      text = ""
      for (i = 1; i <= count; i++) text = text " " word[i] (i < count ? "," : "")
      print "# session: " order[k] " includes" text >between
    }
    for (k = 1; k <= parts; k++)
      if (!state[order[k]]) visit(order[k])
  }
' "${sources[@]}" | rule "parts of the session include each other without a circle"
cat "$between"

echo "1..$number"
exit "$failed"
