#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tests layers.sh: every planted violation is found and named, and what is allowed passes; the test
# "layers" has the tree itself pass. Each run takes a second of CPU, so one has many violations.
#
#   layers_selftest.sh ROOT CORE_LIB IO_LIB WIRE_LIB SIM_LIB
set -uo pipefail

root=$(cd "$1" && pwd)
core_lib=$2 io_lib=$3 wire_lib=$4 sim_lib=$5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 failed=0

copy() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree"
  (cd "$root" && cp -r --parents src tests data docs dev .ci/run .clang-format meson.build \
    meson_options.txt "$work/tree")
}

result() { # OK NAME
  number=$((number + 1))
  if (($1)); then
    echo "ok $number - $2"
  else
    echo "not ok $number - $2"
    failed=1
  fi
}

# plant FILE TEXT: appends to a file of the copy, which `restore` brings back
plant() {
  touched+=("$1")
  [[ $1 != */* || -d $work/tree/${1%/*} ]] || mkdir -p "$work/tree/${1%/*}"
  printf '%b\n' "$2" >>"$work/tree/$1"
}
# change FILE SCRIPT: edits a file of the copy with sed
change() {
  touched+=("$1")
  sed -i "$2" "$work/tree/$1"
}
restore() {
  local file there=()
  (cd "$work/tree" && rm -f "${touched[@]}")
  for file in "${touched[@]}"; do [[ ! -e $root/$file ]] || there+=("$file"); done
  (cd "$root" && cp --parents "${there[@]}" "$work/tree")
  touched=()
}
touched=() forbidden=()

# wanted NAME PATTERN: what `all_found` looks for
wanted() {
  names+=("$1")
  patterns+=("$2")
}
names=() patterns=()

# all_found CORE_LIBS IO_LIBS WIRE_LIBS SIM_LIBS: one run of layers.sh, which takes a second, on all that
# is planted; it fails and names each. A pattern must not fit what another violation is told with.
all_found() {
  local output status=0 k
  output=$("$here/layers.sh" "$work/tree" "$@") || status=$?
  for k in "${!names[@]}"; do
    if ((status != 0)) && grep -qE -- "^# .*${patterns[k]}" <<<"$output"; then
      result 1 "${names[k]}"
    else
      printf '# exit %d, wanted: %s\n# %s\n' "$status" "${patterns[k]}" "${output//$'\n'/$'\n# '}"
      result 0 "${names[k]}"
    fi
  done
  names=() patterns=()
}

# with_source NAME PATTERN FILE TEXT
with_source() {
  plant "$3" "$4"
  wanted "$1" "$2"
}

# with_object NAME PATTERN ROOM C-CODE: the code as one more object of the room's library
with_object() {
  local object=planted_${#names[@]}
  wanted "$1" "$object\\.o:? .*$2"
  printf '%b\n' "$4" | "${CC:-cc}" -O1 -fPIC -w -xc -c -o "$work/$object.o" - || return
  case $3 in
  core) core_libs+=,$work/$object.o ;;
  io) io_libs+=,$work/$object.o ;;
  wire) wire_libs+=,$work/$object.o ;;
  sim) sim_libs+=,$work/$object.o ;;
  esac
}
core_libs=$core_lib io_libs=$io_lib wire_libs=$wire_lib sim_libs=$sim_lib

copy

with_source "core includes io" 'src/core/arm/model\.c:[0-9]+: core may not include "io/' \
  src/core/arm/model.c '#include "io/base/error.h"'
with_source "io includes cli" 'io may not include "cli/' src/io/base/error.c '#include "cli/main.h"'
with_source "wire includes the core" 'src/wire/frame\.c:[0-9]+: wire may not include "core/' \
  src/wire/frame.c '#include "core/base/status.h"'
with_source "the core includes wire" 'core may not include "wire/' src/core/base/status.c \
  '#include "wire/frame.h"'
with_source "wire allocates" 'src/wire/frame\.c:[0-9]+: <stdlib\.h> is not for the room wire' \
  src/wire/frame.c '#include <stdlib.h>'
with_source "wire uses libm" '<math\.h> is not for the room wire' src/wire/clock.c \
  '#include <math.h>'
with_source "an include that climbs" 'core may not include "\.\./' src/core/arm/model.c \
  '#include "../io/error.h"'
with_source "a header that does not exist" 'no such header src/core/nowhere\.h' src/core/arm/model.c \
  '#include "core/nowhere.h"'
with_source "an unknown room" 'src/attic/a\.c:1: no room' src/attic/a.c '/* empty */'
with_source "include by macro" 'include by macro' src/core/arm/model.c '#include MODEL_HEADER'
with_source "GLib in the core" 'src/core/base/status\.c:[0-9]+: <glib\.h> is not for' src/core/base/status.c \
  '#include <glib.h>'
with_source "stdio in the core" '<stdio\.h> is not for the room core' src/core/base/status.c \
  '#  include  <stdio.h>'
with_source "the clock in the core" '<time\.h> is not for the room core' src/core/base/status.c \
  '#include <time.h>'
with_source "LAPACKE in a header" 'src/core/num/lsq\.h:[0-9]+: <lapacke\.h> is not for this file' \
  src/core/num/lsq.h '#include <lapacke.h>'
with_source "a second reader of YAML" 'src/io/base/error\.c:[0-9]+: <yaml\.h>' src/io/base/error.c \
  '#include <yaml.h>'
plant src/core/base/status.c '#include <nlopt.h>'
plant src/core/arm/structure.c '#include <nlopt.h>'
plant src/core/arm/model.c '#include <nlopt.h>'
wanted "a second includer of NLopt" '<nlopt\.h> has its one includer already'
with_source "a socket elsewhere" '<sys/socket\.h> is not for this file' src/io/base/error.c \
  '#include <sys/socket.h>'
with_source "an unknown library" '<curl/curl\.h> is not for the room io' src/io/base/error.c \
  '#include <curl/curl.h>'

# A wrong include in each sub-room: FILE, HEADER.
while read -r file header; do
  folder=${file%/*}
  forbidden+=("$folder")
  with_source "${folder#src/} includes ${header%/*}" "$file:[0-9]+: ${folder#src/} may not include \"$header\"" \
    "$file" "#include \"$header\""
done <<'TABLE'
src/core/base/status.c core/arm/model.h
src/core/num/filter.c core/arm/model.h
src/core/arm/gravity.c core/num/filter.h
src/core/data/dataset.c core/sweeps/stroke.h
src/core/params/set.c core/num/filter.h
src/core/plant/plant.c core/num/filter.h
src/core/dynamics/nominal.c core/sweeps/stroke.h
src/core/excite/criterion.c core/sweeps/stroke.h
src/core/sweeps/wild.c core/plant/plant.h
src/io/base/scale.c io/json/json_read.h
src/io/json/digest.c io/csv/csv.h
src/io/csv/csv.c io/recording/recording.h
src/io/link/link.c io/driver/driver.h
src/io/driver/driver.c io/acquire/chunk.h
src/io/driver/native/wire_units.c io/acquire/acquire.h
src/io/registry/driver_registry.c io/acquire/acquire.h
src/io/acquire/queue.c io/store/store.h
src/io/acquire/acquire.c io/driver/native/driver_native.h
src/io/store/store.c io/recording/recording.h
src/io/recording/import.c io/params/params_file.h
src/io/arm/arm_file.c io/params/params_file.h
src/io/params/params_list.c io/export/export_c.h
src/io/export/export_csv.c io/store/store.h
src/session/base/job.c session/device/device.h
src/session/device/device.c session/measure/runs.h
src/session/measure/runs.c session/session.h
src/session/record/record_rescue.c session/procedure.h
src/session/transfer/backup.c session/measure/runs.h
src/session/method/validation.c session/edits.h
src/ui/kit/cell.c ui/window.h
src/ui/plot/plot.c ui/fit/fit_figures.h
src/ui/connect/connection.c ui/window.h
src/ui/arm/arm_edit.c ui/plan/plan_edit.h
src/ui/plan/plan_edit.c ui/sweep/page_sweep.h
src/ui/fit/fit_watch.c ui/sweep/sweep_curves.h
src/ui/sweep/sweep_curves.c ui/report/report.h
src/ui/report/report.c ui/export/export.h
src/ui/import/import.c ui/application.h
src/ui/export/export_files.c ui/window.h
TABLE
with_source "a sub-room that is not in the table" 'src/io/attic/a\.c:1: no sub-room' src/io/attic/a.c '/* empty */'

with_source "a test in a folder of its own" 'tests/io/cellar/test_a\.c:1: there is no src/io/cellar' \
  tests/io/cellar/test_a.c '/* empty */'
with_source "a test beside its folder" 'tests/ui/test_arm_edit\.c:1: is of src/ui/arm' tests/ui/test_arm_edit.c '/* it */'
with_source "a driver named by its class" 'src/io/acquire/queue\.c:[0-9]+:.*names the driver native' \
  src/io/acquire/queue.c 'const AioDriverClass *planted(void) { return &aio_driver_native; }'
with_source "a driver named in a text" 'src/cli/port\.c:[0-9]+:.*names the driver native' src/cli/port.c \
  'const char planted[] = "1000000 of native.";'
with_source "a driver named by a completion" 'data/completions/armature-cli:[0-9]+:.*names the driver native' \
  data/completions/armature-cli 'words="native"'
with_source "a long file" 'src/core/arm/model\.c:[0-9]+: 500 lines or more' src/core/arm/model.c \
  "$(printf '/* line */\\n%.0s' {1..500})"
with_source "a long function" 'arm_planted has 61 lines' src/core/base/status.c \
  "int arm_planted(int a,\n                int b) {\n$(printf '  a++;\\n%.0s' {1..61})}"
with_source "a file without licence" 'src/core/bare\.c:1: no SPDX' src/core/bare.c 'int x;'
with_source "a build file without licence" 'src/attic/meson\.build:1: no SPDX' \
  src/attic/meson.build 'nothing'
with_source "a file that does not say what it is for" 'src/core/mute\.c:1: 101 lines, and no comment' \
  src/core/mute.c "/* SPDX-License-Identifier: MIT */$(printf '\\nint x;%.0s' {1..100})"
with_source "a comment below the includes" 'src/io/late\.c:1: 104 lines, and no comment' \
  src/io/late.c "/* SPDX-License-Identifier: MIT */\n#include <math.h>\n\n$(printf '/* it */\\n%.0s' {1..100})"
with_source "a comment on top with the formulas" 'src/core/wordy\.c:2: the comment on top has 6 lines' \
  src/core/wordy.c '/* SPDX-License-Identifier: MIT */\n/* One\n * two\n * three\n *\n * five */\n\n/* six */\n#include <math.h>\n/* not on top */'
with_source "the row of a table in a sentence" 'src/core/base/status\.h:[0-9]+: the row of a table amid' \
  src/core/base/status.h '/* What it says. rotor  n x n   of\n * each. */'
with_source "a letter amid a sentence" 'src/core/base/status\.c:[0-9]+: the row of a table amid' \
  src/core/base/status.c '/* Both of them,\n * alone). at  n   [rad] */'
with_source "a type without its name" 'src/core/base/status\.c:[0-9]+: a type on a line of its own' src/core/base/status.c \
  'typedef struct {\n  bool\n      is_planted; /* as long as\n                      it is */\n} Planted;'
with_source "a comment that trails off" 'src/core/base/status\.c:[0-9]+: the end of a comment on a line' src/core/base/status.c \
  '#define PLANTED \\\n  1e-9 /* rounding \\\n        */'
with_source "a comment as wide as a table" 'src/core/base/status\.c:[0-9]+: a comment beyond column 100' \
  src/core/base/status.c "/* $(printf 'word %.0s' {1..20})*/"
change .clang-format 's/^ReflowComments: .*/ReflowComments: true/'
wanted "comments filled like prose" '\.clang-format:1: ReflowComments is not false'
dyn_h=$(cd "$root" && find src -name dyn.h)
change "$dyn_h" '/^ \*   M  *samples x n x n$/d; s/^ \*   k u /M samples x n x n k u /'
wanted "a table of a contract run together" '/dyn\.h:1: its contract has lost the row .*samples x n x n\$'
with_source "work left without an issue" 'no issue number' src/core/arm/model.c '/* TO''DO: later */'
with_source "strtod" "decimal point" src/io/base/error.c 'double f(char *s) { return strtod(s, 0); }'
with_source "a stray thread" 'may not start a thread' src/io/base/error.c 'f() { g_thread_new("a", f, 0); }'
with_source "fast-math" 'changes results' src/core/meson.build "c_args: '-ffast-math'"
with_source "memory from malloc" 'src/io/base/error\.c:[0-9]+:.*calloc, or g_malloc' \
  src/io/base/error.c 'void *planted_m(void) { return malloc(9); }'
with_source "an attribute that frees" 'src/session/base/text\.c:[0-9]+:.*frees where nobody sees' \
  src/session/base/text.c 'void f(void) { g_autofree char *a = 0; }'
with_source "a local freed by hand" 'src/cli/text\.c:[0-9]+: planted_a frees lines by hand' \
  src/cli/text.c 'void planted_a(int x) {\n  char *text = f(x, "a, b"), *lines = g(text);\n  g_free(lines);\n}'
with_source "an error cleared by hand" 'src/ui/kit/cell\.c:[0-9]+: planted_b frees error by hand' \
  src/ui/kit/cell.c 'int planted_b(void) {\n  GError *error = 0;\n  if (f(&error))\n    return 1;\n  g_clear_error(&error);\n  return 0;\n}'
with_source "a struct freed before the end" 'src/ui/fit/fit_watch\.c:[0-9]+: planted_c frees arm by hand' \
  src/ui/fit/fit_watch.c 'AioArm *planted_c(void) {\n  AioArm *arm =\n      f();\n  if (!g(arm)) {\n    aio_arm_free(arm);\n    return 0;\n  }\n  return arm;\n}'
with_source "a text freed by hand" 'src/cli/load\.c:[0-9]+: planted_d frees text by hand' \
  src/cli/load.c 'void planted_d(void) {\n  GString *text = g_string_new(0);\n  g_string_free(text, TRUE);\n}'
with_source "a kind of parameter in a file's reader" 'src/io/params/params_list\.c:[0-9]+:.*reads the catalogue' \
  src/io/params/params_list.c 'const int planted_kind = ARM_PARAM_CURVE_SPEED;'
for k in {1..26}; do plant "src/cli/naming_$k.c" 'ArmGravityParameters *p;'; done
for k in {1..40}; do plant "src/cli/reaching_$k.c" 'int n = fit->refined.n;'; done
wanted "a struct of one method reached into all over the place" 'src/cli/reaching_40\.c:1: reaches into the struct'
wanted "a struct of one method all over the place" 'src/cli/naming_26\.c:1: names the struct of one method, as'
with_source "a kind of parameter told by name" \
  'src/session/transfer/delivery\.c:[0-9]+:.*\(reads the catalogue\)' src/session/transfer/delivery.c \
  'static bool planted(int k) { return k != ARM_PARAM_NONE && k == ARM_PARAM_LOAD; }'
with_source "one method's file in the window" 'src/ui/export/export\.c:[0-9]+:.*\(names a method\)' \
  src/ui/export/export.c 'static void *planted(void) { return aio_params_load_bytes(0, 0, 0, 0, 0); }'
with_source "steps in the order of their numbers" 'src/ui/next\.c:[0-9]+:.*\(ask the table of steps\)' \
  src/ui/next.c 'static bool planted(AseStep step) { return step > ASE_STEP_PLAN; }'
with_source "another language" 'tests/tool\.py:1: not C' tests/tool.py '# SPDX-License-Identifier: MIT'
all_found "$core_lib" "$io_lib" "$wire_lib" "$sim_lib"
restore
missed=$(cd "$root" && find src/{core,io,session,ui} -mindepth 2 -name '*.[ch]' -printf '%h\n' |
  sort -u | grep -vxF -f <(printf '%s\n' "${forbidden[@]}"))
[[ ! $missed ]] || printf '# no wrong include in: %s\n' "$missed"
result $((!${#missed})) "a wrong include was planted in each sub-room"

# A table that allows what no file does, and one with a circle.
mkdir "$work/lint"
sed -e 's/^core plant base arm$/core plant base arm data/' -e 's/^core num base$/core num base sweeps/' \
  "$here/layers.sh" >"$work/lint/layers.sh"
status=0
output=$(bash "$work/lint/layers.sh" "$work/tree" "$core_lib" "$io_lib" "$wire_lib" "$sim_lib") || status=$?
result $((status != 0 && $(grep -c '^# .*core/plant may include data, and no file does' <<<"$output"))) \
  "an allowance that nobody needs"

result $((status != 0 && $(grep -c '^# .*core/num names sweeps, .*: a circle' <<<"$output"))) \
  "a circle in the table"

with_object "the core prints" 'the core calls (puts|printf)' core \
  '#include <stdio.h>\nvoid arm_planted(int x) { printf("%d %d", x, x); }'
with_object "the core exits" 'the core calls exit' core \
  '#include <stdlib.h>\nvoid arm_planted(void) { exit(1); }'
with_object "the core asserts" 'the core calls __assert_fail' core \
  '#include <assert.h>\nvoid arm_planted(int x) { assert(x); }'
with_object "the core reads the clock" 'the core calls clock_gettime' core \
  '#include <time.h>\nvoid arm_planted(struct timespec *t) { clock_gettime(CLOCK_REALTIME, t); }'
with_object "the core calls GLib" 'the core calls g_free' core \
  'void g_free(void *);\nvoid arm_planted(void *x) { g_free(x); }'
with_object "the core uses an allocating LAPACKE call" 'the core calls LAPACKE_dgelsd' core \
  'int LAPACKE_dgelsd(void);\nint arm_planted(void) { return LAPACKE_dgelsd(); }'
with_object "a core export without prefix" 'exports planted without the prefix arm_' core \
  'void planted(void) {}'
with_object "an io export without prefix" 'exports arm_planted without the prefix aio_' io \
  'void arm_planted(void) {}'
with_object "a counter in the core" 'writable global count.* in \.bss' core \
  'int arm_planted(void) { static int count; return count++; }'
with_object "a table that can be written" 'writable global table in \.data' core \
  'static int table[2] = {1, 2};\nint *arm_planted(void) { return table; }'
with_object "wire calls the library" 'wire calls malloc' wire \
  '#include <stdlib.h>\nvoid *wire_planted(void) { return malloc(9); }'
with_object "wire calls libm" 'wire calls sin' wire \
  '#include <math.h>\ndouble wire_planted(double x) { return sin(x); }'
with_object "a wire export without prefix" 'exports planted without the prefix wire_' wire \
  'void planted(void) {}'
with_object "a sim export without prefix" 'exports wire_planted without the prefix asim_' sim \
  'void wire_planted(void) {}'
with_object "a counter in wire" 'writable global count.* in \.bss' wire \
  'int wire_planted(void) { static int count; return count++; }'
all_found "$core_libs" "$io_libs" "$wire_libs" "$sim_libs"

for room in core wire sim; do
  echo 'typedef int nothing;' | "${CC:-cc}" -xc -c -o "$work/empty_$room.o" -
  wanted "an empty $room library" "empty_$room\\.o: exports nothing"
done
all_found "$work/empty_core.o" "$io_lib" "$work/empty_wire.o" "$work/empty_sim.o"

plant src/core/arm/model.c '/* TO''DO #12: later */'
plant src/io/base/error.c 'void f(void) { g_ascii_strtod(0, 0); }'
plant src/cli/text.c 'char *planted_e(char *given) {\n  GString *text = g_string_new(given);\n  g_free(given);\n  return g_string_free(text, FALSE);\n}'
plant src/ui/kit/cell.c 'static void look_free(void *data) {\n  Look *look = data;\n  g_free(look);\n}'
plant src/cli/load.c 'int planted_f(void *job) {\n  const int code = f(job);\n  job_free(job);\n  return code;\n}'
status=0
"$here/layers.sh" "$work/tree" "$core_lib" "$io_lib" "$wire_lib" "$sim_lib" >"$work/log" || status=$?
((status == 0)) || sed 's/^/# /' "$work/log"
result $((status == 0)) "what is allowed is not reported"

echo "1..$number"
exit "$failed"
