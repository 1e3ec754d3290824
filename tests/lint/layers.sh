#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Proves the layering and the house rules; prints TAP, and "# path:line: what is wrong".
#
#   layers.sh ROOT CORE_LIBS IO_LIBS WIRE_LIBS SIM_LIBS
# LIBS: libraries or objects, several separated by commas
set -uo pipefail
shopt -s lastpipe # `... | rule NAME` counts in this shell
export LC_ALL=C
(($# == 5)) || {
  echo "Bail out! usage: layers.sh ROOT CORE_LIBS IO_LIBS WIRE_LIBS SIM_LIBS"
  exit 2
}

root=$1
# The paths start where the caller stands, and this script moves to the root.
absolute() { realpath -ms -- "$@"; }
IFS=, read -ra core_libs <<<"$2"
IFS=, read -ra io_libs <<<"$3"
IFS=, read -ra wire_libs <<<"$4"
IFS=, read -ra sim_libs <<<"$5"
mapfile -t core_libs < <(absolute "${core_libs[@]}")
mapfile -t io_libs < <(absolute "${io_libs[@]}")
mapfile -t wire_libs < <(absolute "${wire_libs[@]}")
mapfile -t sim_libs < <(absolute "${sim_libs[@]}")
cd "$root" || exit 2
number=0 failed=0

# Without the plug-ins of compilers, which take ten times as long to load as these libraries to read.
nm() { command nm --plugin /dev/null "$@"; }

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

mapfile -t sources < <(find src -name '*.[ch]' | sort)
mapfile -t test_sources < <(find tests -name '*.[ch]' | sort)
mapfile -t builds < <(find src tests data meson.build -name meson.build | sort)
mapfile -t texts < <(find src tests data docs dev .ci meson.build meson_options.txt \
  \( -name '*.[ch]' -o -name '*.sh' -o -name 'meson*' -o -path dev -o -path .ci/run \) -type f | sort)
((${#sources[@]})) || {
  echo "Bail out! no sources below $root"
  exit 2
}

# ---- who may include whom ------------------------------------------------------------------

awk '
  BEGIN {
    below["core"] = "^core/"
    below["wire"] = "^wire/"
    below["io"] = "^(io|wire|core)/"
    below["sim"] = "^(sim|io|wire|core)/"
    below["session"] = "^(session|sim|io|core)/"
    below["ui"] = "^(ui|session|sim|io|core)/"
    below["cli"] = "^(cli|session|sim|io|core)/"
  }
  FNR == 1 { split(FILENAME, part, "/"); room = part[2] }
  FNR == 1 && !(room in below) { print FILENAME ":1: no room of this name" }
  /^[ \t]*#[ \t]*include[ \t]*"/ {
    name = $0; sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
    if (name !~ below[room]) print FILENAME ":" FNR ": " room " may not include \"" name "\""
    else {
      if (!(name in is_there)) { is_there[name] = (getline line < ("src/" name)) >= 0; close("src/" name) }
      if (!is_there[name]) print FILENAME ":" FNR ": no such header src/" name
    }
  }
  /^[ \t]*#[ \t]*include[ \t]*[^"<\t ]/ { print FILENAME ":" FNR ": include by macro" }
' "${sources[@]}" | rule "rooms include only rooms below them"

# ---- sub-rooms: who may include whom inside a room -----------------------------------------

# One line per sub-room, the lowest first: ROOM, SUB-ROOM, and those of the same room that it may
# include, each of which stands above it, so there is no circle. What lies in no sub-room is the
# room's top level (.): it may include all of them, and none of them may include it. What no file
# makes use of is no allowance: it would let the first file in without a word.
subrooms=$(
  cat <<'TABLE'
core base
core num base
core arm base
core data base num arm
core params arm data
core plant base arm
core dynamics base num arm params
core excite base num arm dynamics
core sweeps base num arm data params

io base
io json base
io csv base
io link base
io arm base json
io driver base json
io driver/native base driver
io registry base json arm driver driver/native
io acquire base link driver registry
io store base json driver acquire
io recording base json csv acquire
io params base json recording arm
io export params arm

session base
session device base
session measure base device
session record base measure
session transfer base device
session method base measure
session .

ui kit
ui plot kit
ui connect kit
ui arm kit
ui plan kit arm
ui fit kit plot
ui sweep kit plot arm fit
ui report kit plot fit sweep
ui import kit
ui export kit plot fit report
ui .
TABLE
)

between=$(mktemp)
trap 'rm -f "$between"' EXIT
awk -v table="$subrooms" -v between="$between" '
  # ROOM/num/lsq.h: num; ROOM/lsq.h: .
  function place(path,   parts, n, k, name) {
    n = split(path, parts, "/")
    name = n > 2 ? parts[2] : "."
    for (k = 3; k < n; k++) name = name "/" parts[k]
    return name
  }
  BEGIN {
    number = split(table, rows, "\n")
    for (r = 1; r <= number; r++) {
      count = split(rows[r], word, " ")
      if (!count) continue
      order[++places] = word[1] "/" word[2]
      has_places[word[1]] = 1
      for (k = 3; k <= count; k++) {
        if (!((word[1], word[k]) in known))
          print "table of sub-rooms: " word[1] "/" word[2] " names " word[k] ", which does not stand above it: a circle"
        may[word[1], word[2], word[k]] = 1
        may_list[word[1] "/" word[2], ++allowed[word[1] "/" word[2]]] = word[k]
      }
      known[word[1], word[2]] = 1
    }
  }
  FNR == 1 {
    split(FILENAME, part, "/"); room = part[2]
    here = place(substr(FILENAME, 5))
    if (room in has_places && !((room, here) in known)) print FILENAME ":1: no sub-room of this name"
  }
  room in has_places && /^[ \t]*#[ \t]*include[ \t]*"/ {
    name = $0; sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
    if (name !~ "^" room "/") next
    there = place(name)
    if (there == here) next
    if (!(here == "." && (room, there) in known) && !((room, here, there) in may)) {
      print FILENAME ":" FNR ": " room "/" here " may not include \"" name "\""
      next
    }
    if (!seen[room "/" here, there]++) list[room "/" here] = list[room "/" here] " " there
  }
  END {
    for (k = 1; k <= places; k++) {
      count = split(list[order[k]], word, " ")
      text = ""
      for (i = 1; i <= count; i++) text = text " " word[i] " " seen[order[k], word[i]] (i < count ? "," : "")
      if (count) print "# " order[k] " includes" text >between
      for (i = 1; i <= allowed[order[k]]; i++)
        if (!seen[order[k], may_list[order[k], i]])
          print "table of sub-rooms: " order[k] " may include " may_list[order[k], i] ", and no file does"
    }
  }
' "${sources[@]}" | rule "sub-rooms include only those that the table names"
cat "$between"

# A test lies in the folder of what it tests: test_X in that of X.
for room in core io session ui; do
  find "tests/$room" -mindepth 2 -name 'test_*.c' | sort | while read -r test; do
    folder=${test%/*}
    [[ -d src/${folder#tests/} ]] || echo "$test:1: there is no src/${folder#tests/}"
  done
  printf '%s\n' "${sources[@]}" "${test_sources[@]}" | awk -F / -v room="$room" '
    $1 == "src" && $2 == room && NF > 3 {
      name = $NF; sub(/\.[ch]$/, "", name)
      folder = $0; sub(/\/[^\/]*$/, "", folder)
      if (!((name, folder) in is_seen)) of[name] = of[name] " " folder
      is_seen[name, folder] = 1
    }
    $1 == "tests" && $2 == room && NF == 3 && sub(/^test_/, "", $3) && sub(/\.c$/, "", $3) && $3 in of {
      print "tests/" room "/test_" $3 ".c:1: is of" of[$3]
    }'
done | rule "tests lie in the folders of what they test"

# A driver is named where it lives, in the list of all, and where captures of the first version, which
# do not name theirs, are read and written; the simulator says whom it plays.
for folder in src/io/driver/*/; do
  name=$(basename "$folder")
  grep -nE "\baio_driver_$name\b|\"([^\"]*[^\"a-z_/])?$name([^\"a-z_/][^\"]*)?\"" "${sources[@]}" /dev/null |
    grep -vE "^(${folder}[^:]*|src/io/registry/driver_list\.c|src/io/acquire/capture_internal\.h|src/sim/main\.c):" |
    grep -vE "^[^:]*:[0-9]*:(/\*| \*|.*/\*.*\b$name\b.*\*/)" | # comments
    sed "s/\$/   (names the driver $name)/"
  grep -rnw "$name" data/completions /dev/null | sed "s/\$/   (names the driver $name)/"
done | rule "drivers are named by the registry alone"

# Standard C that computes; what does input or output, tells the time or ends the program is not
# for the core; wire has no standard library at all. Third-party headers: the pattern of the files that may include them.
awk '
  function owner(header, files) { owners[++count] = files; headers[count] = "^(" header ")$" }
  BEGIN {
    pure = "^(math|stddef|stdint|stdbool|stdlib|string|float|limits|stdalign)\\.h$"
    freestanding = "^(stddef|stdint|stdbool|string)\\.h$"
    hosted = "^(stdio|stdarg|errno|locale|time|signal|inttypes|ctype|stdatomic|unistd|fcntl|poll|" \
             "termios|getopt|sysexits|sys/(stat|types|ioctl|mman|eventfd|file|wait|statvfs))\\.h$"
    owner("lapacke\\.h", "^src/core/[a-z0-9_/]+\\.c$")
    owner("nlopt\\.h", "^src/core/[a-z0-9_/]+\\.c$")
    owner("yaml\\.h", "^src/io/json/json_read\\.c$")
    owner("libserialport\\.h", "^src/io/link/link_serial\\.c$")
    owner("sqlite3\\.h", "^src/io/store/store\\.c$")
    owner("asm/termbits\\.h|linux/serial\\.h", "^src/io/link/tty_line\\.c$")
    owner("grp\\.h|pwd\\.h", "^src/io/link/tty_permission\\.c$")
    owner("sys/socket\\.h", "^src/(io/link/link_fd|sim/loop)\\.c$")
    owner("malloc\\.h", "^src/ui/application\\.c$")
    owner("sys/resource\\.h", "^src/io/store/store_checkpoint\\.c$")
    owner("sys/timerfd\\.h", "^src/io/acquire/link_replay\\.c$")
    owner("libxml/.*", "^src/io/arm/urdf\\.c$")
    owner("plplot/.*|plplot.*\\.h", "^src/ui/plot/painter\\.c$")
    owner("gtk/.*|pango/.*|adwaita\\.h|cairo.*\\.h", "^src/ui/")
    owner("(glib|glib-object|glib-unix)\\.h|glib/.*|gio/.*", "^src/(io|sim|session|ui|cli)/")
    single = "^(nlopt|yaml|libserialport|sqlite3)\\.h$"
  }
  FNR == 1 { split(FILENAME, part, "/"); room = part[2] }
  /^[ \t]*#[ \t]*include[ \t]*</ {
    name = $0; sub(/^[^<]*</, "", name); sub(/>.*/, "", name)
    if (name ~ single) {
      if ((name in first) && first[name] != FILENAME)
        print FILENAME ":" FNR ": <" name "> has its one includer already: " first[name]
      first[name] = FILENAME
    }
    if (name ~ (room == "wire" ? freestanding : pure)) next
    if (name ~ hosted && room != "core" && room != "wire") next
    known = 0
    for (k = 1; k <= count; k++)
      if (name ~ headers[k]) {
        known = 1
        if (FILENAME !~ owners[k]) print FILENAME ":" FNR ": <" name "> is not for this file"
      }
    if (!known) print FILENAME ":" FNR ": <" name "> is not for the room " room
  }
' "${sources[@]}" | rule "third-party and system headers stay where they belong"

# ---- what the libraries need, give and hold ------------------------------------------------

# What the core may call: itself, LAPACKE without its own allocation, NLopt, libm, memory, and
# what the compiler adds (stack protector, processor detection).
pure_calls='^(arm_[a-zA-Z0-9_.]+|LAPACKE_[a-z0-9]+_work|nlopt_[a-z_]+'
pure_calls+='|(sin|cos|tan|sincos|asin|acos|atan|atan2|sinh|cosh|tanh|sqrt|cbrt|hypot|fabs|floor|ceil'
pure_calls+='|trunc|round|lround|llround|rint|lrint|nearbyint|fmin|fmax|fmod|fma|remainder|remquo|log'
pure_calls+='|log2|log10|log1p|exp|exp2|expm1|pow|copysign|nextafter|ldexp|frexp|modf|scalbn|ilogb'
pure_calls+='|logb|erf|erfc|lgamma|tgamma|nan)'
pure_calls+='|malloc|calloc|realloc|free|aligned_alloc|qsort|bsearch'
pure_calls+='|(mem(cpy|move|set|cmp|chr)|str(len|cmp|ncmp|chr))(_chk)?|__(mem(cpy|move|set))_chk'
pure_calls+='|__stack_chk_fail|__cpu_model|__cpu_indicator_init|_GLOBAL_OFFSET_TABLE_)$'

{
  nm -u "${core_libs[@]}" | awk -v pure="$pure_calls" '
    /:$/ { object = $1 }
    $1 ~ /^[Uwv]$/ && $2 !~ pure { print object " the core calls " $2 }'
  [[ $(nm -u "${core_libs[@]}" | grep -c LAPACKE_) -gt 0 ]] ||
    echo "$2: no call of LAPACK: is this the core?"
} | rule "the core calls nothing but arithmetic, memory and itself"

# What a microcontroller offers; the rest is what hosted compilers add.
bare_calls='^(wire_[a-z0-9_]+|mem(cpy|move|set|cmp|chr)|__mem(cpy|move|set)_chk'
bare_calls+='|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_)$'

nm -u "${wire_libs[@]}" | awk -v bare="$bare_calls" '
  /:$/ { object = $1 }
  $1 ~ /^[Uwv]$/ && $2 !~ bare { print object " wire calls " $2 }' |
  rule "wire calls nothing but mem* and itself"

{
  nm -g --defined-only "${core_libs[@]}" | awk '
    /:$/ { object = $1 }
    NF == 3 && $3 !~ /^arm_/ && !($2 == "R" && $3 ~ /^ARM_[A-Z0-9_]+$/) { print object " exports " $3 " without the prefix arm_" }'
  nm -g --defined-only "${io_libs[@]}" | awk '
    /:$/ { object = $1 }
    NF == 3 && $3 !~ /^aio_/ && !($2 == "R" && $3 ~ /^AIO_[A-Z0-9_]+$/) { print object " exports " $3 " without the prefix aio_" }'
  nm -g --defined-only "${wire_libs[@]}" | awk '
    /:$/ { object = $1 }
    NF == 3 && $3 !~ /^wire_/ && !($2 == "R" && $3 ~ /^WIRE_[A-Z0-9_]+$/) { print object " exports " $3 " without the prefix wire_" }'
  nm -g --defined-only "${sim_libs[@]}" | awk '
    /:$/ { object = $1 }
    NF == 3 && $3 !~ /^asim_/ { print object " exports " $3 " without the prefix asim_" }'
  [[ $(nm -g --defined-only "${core_libs[@]}" | grep -c ' arm_') -gt 0 ]] ||
    echo "$2: exports nothing"
  [[ $(nm -g --defined-only "${wire_libs[@]}" | grep -c ' wire_') -gt 0 ]] ||
    echo "$4: exports nothing"
  [[ $(nm -g --defined-only "${sim_libs[@]}" | grep -c ' asim_') -gt 0 ]] ||
    echo "$5: exports nothing"
} | rule "exports carry their room's prefix"

nm -f sysv "${core_libs[@]}" "${wire_libs[@]}" | awk -F'|' '
  /^Symbols from/ { object = $0; sub(/^Symbols from /, "", object) }
  NF == 7 {
    gsub(/ /, "", $1); gsub(/ /, "", $7)
    if ($7 ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*|\.ldata|\.lbss)/ && $7 !~ /^\.data\.rel\.ro/)
      print object " writable global " $1 " in " $7
  }' | rule "core and wire have no writable globals"

# ---- house rules ---------------------------------------------------------------------------

awk '
  function check() { if (lines >= 500) print name ":" lines ": 500 lines or more, split it" }
  FNR == 1 { if (name) check(); name = FILENAME }
  { lines = FNR }
  END { check() }
' "${sources[@]}" "${test_sources[@]}" | rule "files stay below 500 lines"

# clang-format puts the first line of a definition and the last brace in the first column.
awk '
  FNR == 1 { inside = 0; head = ""; limit = FILENAME ~ /^src\// ? 60 : 120 }
  !inside && /^[A-Za-z_]/ { head = $0; line = FNR }
  !inside && /\{$/ && head ~ /\(/ && head !~ /=|^(typedef|struct|union|enum)/ {
    inside = 1; open = FNR; next
  }
  inside && /^\}/ {
    inside = 0
    if (FNR - open - 1 > limit) {
      name = head; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
      print FILENAME ":" line ": " name " has " FNR - open - 1 " lines, more than " limit
    }
    head = ""
  }
' "${sources[@]}" "${test_sources[@]}" | rule "functions stay below 60 lines (tests: 120)"

awk '
  function check() { if (name && !licensed) print name ":1: no SPDX line" }
  FNR == 1 { check(); name = FILENAME; licensed = 0 }
  FNR <= 3 && /SPDX-License-Identifier: MIT/ { licensed = 1 }
  END { check() }
' "${texts[@]}" | rule "every source file names its licence"

# What a reader cannot see from the code: what it is for, its idea, where the idea is from. In five
# lines: formulas stand beside what computes them.
awk '
  function check() {
    if (name !~ /\.c$/) return
    if (lines > 100 && !says) print name ":1: " lines " lines, and no comment on top says what for"
    if (top > 5) print name ":2: the comment on top has " top " lines, more than 5"
  }
  FNR == 1 { check(); name = FILENAME; says = top = is_below = is_open = 0 }
  FNR == 2 && /^\/\* [^ ]/ { says = 1 }
  FNR > 1 && !is_below {
    if (is_open || /^\/[*\/]/) { top++; is_open = (is_open || /^\/\*/) && !/\*\// }
    else if (!/^$/) is_below = 1
  }
  { lines = FNR }
  END { check() }
' "${sources[@]}" | rule "files of more than 100 lines say at the top what they are for, in five"

# What clang-format makes of a comment that does not fit behind its line.
awk '
  FNR == 1 { held = "" }
  held != "" && /^ +[a-z_]+; *\/\*/ { print FILENAME ":" FNR - 1 ": a type on a line of its own" }
  { held = $0 ~ /^ +(bool|double|float|char|s?size_t|g?u?int[0-9]*(_t)?|gsize|gboolean|[A-Z][A-Za-z0-9]+)$/ ? $0 : "" }
  /^ +\*\/$/ && !/^ \*\/$/ && was ~ /[^ \t*].* \\$/ { print FILENAME ":" FNR ": the end of a comment on a line of its own" }
  { was = $0 }
' "${sources[@]}" "${test_sources[@]}" | rule "comments that do not fit stand above their line"

# clang-format once filled comments like prose, and the tables of shapes and equations with them: what
# a contract is for. A row of a table stands by itself, behind three blanks; of the letters' tables,
# which stand behind one, the name is a word or two.
{
  grep -q '^ReflowComments: false$' .clang-format || echo ".clang-format:1: ReflowComments is not false"
  awk '
    /^[ \t]*(\/\*|\*) / {
      text = $0; gsub(/[\200-\277]/, "", text) # characters, not bytes
      if (length(text) > 100) print FILENAME ":" FNR ": a comment beyond column 100"
    }
    /^(\/\*| \*) [^ ]/ {
      text = $0; sub(/^(\/\*| \*) /, "", text)
      at = match(text, /[^ ]  +[^ ]/)
      if (!at) next
      words = split(substr(text, 1, at), word, " ")
      if (words > 2 || word[1] ~ /[].;:)]$/) print FILENAME ":" FNR ": the row of a table amid prose"
    }
  ' "${sources[@]}" "${test_sources[@]}"
  while IFS='|' read -r header row; do
    for file in "${sources[@]}"; do [[ $file != */"$header" ]] || break; done
    if [[ $file != */"$header" ]]; then
      echo "src:1: no $header, whose contract has the row $row"
    elif ! grep -qE -- "$row" "$file"; then
      echo "$file:1: its contract has lost the row $row"
    fi
  done <<'EOF'
dyn.h|^ \*   p   = M\(q\) qd = Yp\(q, qd\) pi +momentum$
dyn.h|^ \*   tau = d/dt p - Ye\(q, qd\) pi +Ye pi = d\(K - U\)/dq$
dyn.h|^ \*   Y Yp Ye +samples x 10n x n
dyn.h|^ \*   M +samples x n x n$
dyn.h|^ \*   k u +samples x 10n$
dyn.h|^ \*   rotor +n x n
gravity.h|^ \*   one, cosine, sine +2n
ident.h|^ \*   i_i = A_ii w.* \+ f_i +\(Lin 1994 \(25\), clusters\)$
ident.h|^ \*   rho_ij = eta_i/eta_j
inertia.h|^ \*   I  = I_com - m .* Huygens-Steiner\)$
runner.h|^ \*   "leg-ended" +\(guint index, AseRun \*run\)
runner.h|^ \*   "stopped" +\(gboolean is_done, const char \*reason\)
tty.h|^ \*   baud +0: as it is$
tty.h|^ \*   actual +out
EOF
} | rule "contracts keep their tables and equations"

word='TO''DO|FIX''ME|XX''X'
grep -nE "\b($word)\b" "${texts[@]}" /dev/null | grep -vE "\b($word)\b ?\(?#[0-9]+" |
  sed 's/$/   (no issue number)/' | rule "what is left to do has an issue number"

grep -nE '\b(strtod|strtof|strtold|atof|sscanf|fscanf|scanf|vsscanf)\b *\(' /dev/null "${sources[@]}" |
  sed 's/$/   (reads the user'"'"'s decimal point)/' | rule "numbers in files do not depend on the locale"

{
  grep -nE '\b(pthread_create|g_thread_(try_)?new|thrd_create)\b' /dev/null "${sources[@]}" |
    grep -vE '^src/(io/(acquire/acquire|store/recorder|store/store_checkpoint)|sim/loop|session/base/job)\.c:' | sed 's/$/   (may not start a thread)/'
  grep -nE 'ffast-math|Ofast|funsafe-math' "${sources[@]}" /dev/null "${builds[@]}" |
    sed 's/$/   (changes results)/'
  find src tests data docs -name '*.py' | sed 's/$/:1: not C, bash or awk/'
} | rule "no stray threads, no fast-math, no further language"

# Keys, units, words and forms of parameters are rows of core/params/catalogue: files, tables, reports
# and comparisons name no kind. What computes with them does, as C code that is exported; cli/ too has
# what one method prints.
grep -nE '\bARM_PARAM_[A-Z]' /dev/null "${sources[@]}" | grep -E '^src/(io|session|ui)/' |
  grep -vE '^src/io/export/export_c(_dynamics)?\.c:' | sed -E 's/\bARM_PARAM_(NONE|KINDS|INERTIAS)\b//g' |
  grep -E '\bARM_PARAM_[A-Z]' | sed 's/$/   (reads the catalogue)/' |
  rule "files, tables, reports and comparisons name no kind of parameter"

# Whoever shows, writes, compares or exports what a method found reads a set (core/params/set.h): another
# method then adds its files and changes none. The struct of the gravity method is for its own files: counted
# are those that name it, and those outside of core/sweeps that reach into it through a fit.
most=24 most_reaching=24
mapfile -t naming < <(grep -lE 'ArmGravityParam' /dev/null "${sources[@]}")
mapfile -t reaching < <(grep -lE '(\.|->)refined\b' /dev/null "${sources[@]}" | grep -v '^src/core/sweeps/')
{
  ((${#naming[@]} <= most)) ||
    printf "%s:1: names the struct of one method, as ${#naming[@]} files do, more than $most\n" "${naming[@]}"
  ((${#reaching[@]} <= most_reaching)) ||
    printf "%s:1: reaches into the struct of one method, as ${#reaching[@]} files do, more than $most_reaching\n" \
      "${reaching[@]}"
} | rule "few files name the struct of one method"

# Files and C code are made and read by the methods' entries, a session's own fit too.
grep -nE '\b(aio_params_load(_bytes)?|aio_params_found|aio_export_c(_dynamics)?|aio_dynamics_\w+) *\(' \
  /dev/null "${sources[@]}" | grep -E '^src/(session|ui)/' |
  grep -vE '^src/session/method/method_[a-z_]+\.c:' | sed 's/$/   (names a method)/' |
  rule "sessions and the window read what any method found"

# Which steps there are and in which order says a method's table (session/method/steps.h).
grep -nE '([<>]=?|[-+]) *ASE_STEP_[A-Z]|ASE_STEP_[A-Z_]+ *([<>]|[-+] )' /dev/null "${sources[@]}" |
  sed 's/$/   (ask the table of steps)/' | rule "no step comes before another one by its number"

# What the core frees comes from calloc (src/DESIGN.md), what GLib frees from GLib.
grep -nE '\bmalloc *\(' /dev/null "${sources[@]}" | grep -E '^src/(io|sim|session|ui|cli)/' |
  sed 's/$/   (calloc, or g_malloc)/' | rule "outside of the core nobody calls malloc"

grep -nE '\bg_auto(free|ptr|list|slist|queue)?\b' /dev/null "${sources[@]}" | grep -E '^src/(io|sim|session)/' |
  sed 's/$/   (frees where nobody sees it)/' | rule "io, sim and session free by hand"

# A local that its own function frees. By hand stay: all of a function *_free, *_clear, *_dispose or
# *_finalize; a GString whose text is handed on; windows, which close; cairo's, freed in the order in
# which its status comes true; a JSON writer, which ends its text; what libc gave and free() takes.
mapfile -t shown_sources < <(printf '%s\n' "${sources[@]}" | grep -E '^src/(cli|ui)/.*\.c$')
awk '
  # the names that a statement declares, without g_auto
  function declare(text,   parts, n, k) {
    if (text !~ /^ +(static )?(const )?(struct )?[A-Za-z_][A-Za-z0-9_]* \**[a-z_][A-Za-z0-9_]*( =|;|,|\[)/) return
    if (text ~ /^ +(return|else|case|goto|do) /) return
    gsub(/"([^"\\]|\\.)*"/, "", text)
    while (gsub(/\([^()]*\)|\{[^{}]*\}|\[[^][]*\]/, "", text)) continue
    sub(/^ +(static )?(const )?(struct )?[A-Za-z_][A-Za-z0-9_]* /, "", text)
    n = split(text, parts, ",")
    for (k = 1; k <= n; k++)
      if (match(parts[k], /[A-Za-z_][A-Za-z0-9_]*/)) is_local[substr(parts[k], RSTART, RLENGTH)] = 1
  }
  BEGIN {
    freeing = "(^|[^a-z0-9_])([a-z0-9_]+_(free|unref|clear|clear_pointer|clear_object|clear_error|destroy)" \
              "|g_strfreev) ?\\(&?[a-z_][a-z0-9_]*[,)]"
    by_hand = "(^|[^a-z0-9_])(gtk_|adw_|cairo_|aio_json_writer_free|is_free|is_clear)"
  }
  FNR == 1 { inside = 0; head = statement = "" }
  !inside && /^[A-Za-z_]/ { head = $0 }
  !inside && /\{$/ && head ~ /\(/ && head !~ /=|^(typedef|struct|union|enum)/ {
    inside = 1; name = head; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name); split("", is_local)
    next
  }
  /^\}/ { inside = 0; head = "" }
  !inside || name ~ /_(free|clear|dispose|finalize)$/ { next }
  {
    statement = statement $0
    if (/[;{}:]$/) { declare(statement); statement = "" }
    rest = $0
    while (match(rest, freeing)) {
      call = what = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
      sub(/.*\(&?/, "", what); sub(/[,)]$/, "", what)
      if (!(what in is_local) || call ~ by_hand || (call ~ /g_string_free/ && rest !~ /^ TRUE/)) continue
      print FILENAME ":" FNR ": " name " frees " what " by hand"
    }
  }
' /dev/null "${shown_sources[@]}" | rule "cli and ui free their locals by attribute"

echo "1..$number"
exit "$failed"
