#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The parts of the session: prints which of them includes and which of them calls which, and proves
# that there is no circle, that what has a state of its own knows no session, and that the session
# itself stays small and keeps its state there. TAP.
#
#   parts.sh ROOT LIBS
# LIBS: libraries or objects of the session, several separated by commas
#
# A part is what a header stands for: NAME.h, NAME.c and NAME_*.c of one folder; of the session itself
# each session_NAME is one. session.h and recording.h say what others may ask of it, and have no
# functions of their own: who calls whom behind them is told by the symbols.
set -uo pipefail
shopt -s lastpipe # `... | rule NAME` counts in this shell
export LC_ALL=C
(($# == 2)) || {
  echo "Bail out! usage: parts.sh ROOT LIBS"
  exit 2
}
IFS=, read -ra libs <<<"$2"
mapfile -t libs < <(realpath -ms -- "${libs[@]}")
cd "$1" || exit 2
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

core=src/session/session_core.h
fields_most=17
mapfile -t sources < <(find src/session -name '*.[ch]' | sort)
[[ -e $core ]] || {
  echo "Bail out! no $core below $1"
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
' "$core" | rule "the session has fewer than $((fields_most + 1)) fields"

# What a job takes with it into its thread has no name of its own.
grep -nE '^(typedef )?struct _?Ase[A-Za-z]+ \{' src/session/session_*.[ch] |
  grep -vE '^src/session/session_core\.h:[0-9]+:struct _AseSession \{' |
  sed 's/:[^:]*$/: a state beside the fields of the session: give it to a part/' |
  rule "the session keeps no state beside its fields"

# part_of(PATH): "src/session/measure/runner_follow.c" or "measure/runner_follow" is measure/runner
part_of='
  function part_of(path,   folder, name, word, n, k, stem) {
    sub(/^(src\/)?session\//, "", path)
    sub(/\.[ch]$/, "", path)
    name = path; sub(/.*\//, "", name)
    folder = substr(path, 1, length(path) - length(name))
    n = split(name, word, "_")
    k = 2; stem = word[1]
    if (path ~ /^session_/) stem = stem "_" word[k++]
    for (; k <= n && !((folder stem) in has_header); k++) stem = stem "_" word[k]
    return folder stem
  }
  BEGIN {
    count = split(files, file, " ")
    for (k = 1; k <= count; k++) {
      name = file[k]
      sub(/^src\/session\//, "", name)
      object = name ".o"; gsub(/\//, "_", object)
      of_object[object] = name # as meson calls it
      if (sub(/\.h$/, "", name)) has_header[name] = 1
    }
  }
'

# includes: "A B" for each part A that includes a header of part B
includes() {
  awk -v files="${sources[*]}" "$part_of"'
    FNR == 1 { here = part_of(FILENAME) }
    /^[ \t]*#[ \t]*include[ \t]*"session\// {
      name = $0; sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
      there = part_of(name)
      if (there != here && !seen[here, there]++) print here, there
    }
  ' "${sources[@]}"
}

# calls: "A B SYMBOL" for each part A that needs what part B has
calls() {
  nm --plugin /dev/null -A "${libs[@]}" | awk -v files="${sources[*]}" "$part_of"'
    NF < 2 { next } # between two libraries
    { object = $0; sub(/:[^:]*$/, "", object); sub(/.*[\/:]/, "", object) }
    !(object in part) {
      name = object in of_object ? of_object[object] : object
      sub(/\.c\.o$/, ".c", name)
      part[object] = part_of(name)
    }
    $(NF - 1) == "U" { needs[++needed] = part[object] " " $NF }
    $(NF - 1) ~ /^[TDBRCVW]$/ { has[$NF] = part[object] }
    END {
      for (k = 1; k <= needed; k++) {
        split(needs[k], word, " ")
        there = word[2] in has ? has[word[2]] : word[1]
        if (there != word[1] && !seen[word[1], there]++) print word[1], there, word[2]
      }
    }
  ' | sort
}

# told VERB: prints "A B" as "# session: A VERB B, C"
told() {
  awk -v verb="$1" '
    { if (!($1 in list)) order[++parts] = $1; list[$1] = list[$1] ($1 in list && list[$1] ? ", " : " ") $2 }
    END { for (k = 1; k <= parts; k++) print "# session: " order[k], verb list[order[k]] }
  '
}

# circles: of "A B" or "A B SYMBOL", each way that comes back
circles() {
  awk '
    function visit(part,   k, count, next_one, way, by, i, begun) {
      state[part] = 1
      way_to[++depth] = part
      count = split(list[part], next_one, " ")
      for (k = 1; k <= count; k++) {
        if (state[next_one[k]] == 1) {
          way = by = ""; begun = 0
          way_to[depth + 1] = next_one[k]
          for (i = 1; i <= depth; i++) {
            begun = begun || way_to[i] == next_one[k]
            if (begun) way = way way_to[i] " -> "
            if (begun && symbol[way_to[i], way_to[i + 1]]) by = by " " symbol[way_to[i], way_to[i + 1]]
          }
          print "src/session: a circle: " way next_one[k] (by ? " by" by : "")
        } else if (!state[next_one[k]]) visit(next_one[k])
      }
      depth--
      state[part] = 2
    }
    {
      if (!($1 in list)) order[++parts] = $1
      list[$1] = list[$1] " " $2
      symbol[$1, $2] = $3
    }
    END { for (k = 1; k <= parts; k++) if (!state[order[k]]) visit(order[k]) }
  '
}

mapfile -t included < <(includes)
mapfile -t called < <(calls)

{
  grep -n '"session/session_[a-z_]*\.h"' "${sources[@]}" | grep -vE '^src/session/session_[a-z_]+\.[ch]:' |
    sed 's/:#.*/: a part may not look into the session/'
  # those that the ground stands on, however far below
  printf '%s\n' "${included[@]}" | awk '
    { list[$1] = list[$1] " " $2 }
    function go(part,   k, count, next_one) {
      if (part == "session" || part == "recording" || been[part]++) return
      count = split(list[part], next_one, " ")
      for (k = 1; k <= count; k++) {
        if (part != "session_core" && next_one[k] ~ /^(session|recording)$/)
          print "src/session: " part " may not know the session, which stands on it"
        go(next_one[k])
      }
    }
    END { go("session_core") }
  '
} | rule "no part looks into the session, or knows it"

printf '%s\n' "${included[@]}" | circles | rule "parts of the session include each other without a circle"
{
  printf '%s\n' "${called[@]}" | circles
  # not by a pipe: grep leaves it when it has seen enough, and what still writes into it fails
  grep -q '^session_object session_core ' < <(printf '%s\n' "${called[@]}") ||
    echo "${libs[0]}: nothing that the object needs of the ground is to be seen in it"
} | rule "parts of the session call each other without a circle"

# The order that the ground states: " *   session_NAME  what it is", the lowest first.
{
  printf '%s\n' "${sources[@]}" | sed -nE 's|^src/session/(session_[a-z_]+)\.c$|\1|p'
  printf '%s\n' "${included[@]}" "${called[@]}"
} | awk -v core="$core" '
  BEGIN {
    while ((getline line < core) > 0)
      if (line ~ /^ \*   session_[a-z_]+ /) {
        split(line, word, " ")
        place[word[2]] = ++places
      }
  }
  $1 !~ /^session_/ { next }
  !($1 in place) && !told[$1]++ { print core ": " $1 " has no line in the order" }
  $2 in place && $1 in place && place[$2] >= place[$1] && !told[$1, $2]++ {
    print core ": " $1 " needs " $2 ", which does not stand before it in the order"
  }
' | rule "the session's files stand on each other in the order that is stated"

# What a plan, a fit, a verdict and a file of them are is the method's: outside of its folder only their
# plain values are made and freed, and nobody looks into a fit (but next, which is told of a misfit).
nm -A "${libs[@]}" | awk '
  NF < 2 { next }
  { object = $0; sub(/:[^:]*$/, "", object); sub(/.*[\/:]/, "", object) }
  object !~ /^(method|base)_/ && $(NF - 1) == "U" && $NF !~ /_(clear|default)$/ &&
    ($NF ~ /^(arm_(plan|gravity|fit|validat|verdict)|aio_(verdict|params_(load|format)))/ ||
      ($NF == "ase_gravity_of" && object != "next.c.o")) {
    sub(/\.o$/, "", object)
    print "src/session: " object " calls " $NF ": ask the table of the method (method/measuring.h)"
  }
' | rule "what the method decides is asked of its table"
printf '%s\n' "${included[@]}" | told includes
printf '%s\n' "${called[@]}" | told calls

echo "1..$number"
exit "$failed"
