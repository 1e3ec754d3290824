#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 3.1: vectors and identities of the dynamics, its speed, its instructions.
# The instructions are those of the AVX2 and FMA kernels: valgrind offers no AVX-512.
set -uo pipefail
build=${BUILD:-build/release}
bad=0

# show WHAT MEASURED TARGET GOOD
show() {
  local verdict=FAIL
  if (($4)); then verdict=PASS; else bad=1; fi
  echo "SHOW 3.1 $1 measured=$2 target=$3 $verdict"
}

# tests WHAT PROGRAM ARGUMENT...: all subtests of a TAP program pass, none is skipped
tests() {
  local what=$1 output passed all
  shift
  output=$(ARMATURE_SOURCE=$PWD CMOCKA_MESSAGE_OUTPUT=TAP "$@" 2>&1)
  passed=$(grep -E '^ok ' <<<"$output" | grep -vc '# SKIP')
  all=$(sed -nE 's/^1\.\.([0-9]+)$/\1/p' <<<"$output" | head -n 1)
  grep '^# worst' <<<"$output"
  show "$what" "$passed of ${all:-?}" all "$((passed > 0 && passed == ${all:-0}))"
}

# instructions WHAT: per call, from two runs of different length
instructions() {
  local calls few many
  for calls in 1000 3000; do
    few=${many:-0}
    many=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null \
      "$build/tests/show/show_dyn" --count "$1" "$calls" 2>&1 >/dev/null |
      sed -nE 's/.*Collected : ([0-9]+).*/\1/p')
    [[ $many ]] || return 1
  done
  echo $(((many - few) / 2000))
}

tests "golden arms and identities on 500 random arms" "$build/tests/core/test_core_dyn"
tests "batches against single samples" "$build/tests/core/test_core_dyn_batch"
tests "all shared vectors" "$build/tests/io/test_io_vectors_dyn" --tap
"$build/tests/show/show_dyn" || bad=1
for what in torque:3000 regressor:6000; do
  figure=$(instructions "${what%:*}") || figure=
  show "instructions of a ${what%:*}, 6 joints" "${figure:-none}" "<=${what#*:}" \
    "$((${figure:-99999} <= ${what#*:}))"
done
exit "$bad"
