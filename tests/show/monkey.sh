#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 12.4b: a monkey at the whole window, connected over a pty whose cable is pulled now and then.
#
#   monkey.sh [SEQUENCES [SEED]]
set -uo pipefail
build=${BUILD:?}
ARMATURE_SIMULATOR=$build/src/sim/armature-sim ARMATURE_SOURCE=$PWD ARMATURE_SCREEN=1280x800 \
  OPENBLAS_NUM_THREADS=1 LC_ALL=C.UTF-8 GTK_A11Y=test \
  tests/ui/with_display.sh "$build/tests/ui/monkey" "${1:-1000}" "${2:-1}"
