#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs one test program. Pure arithmetic leaves the processors to those that keep a simulated arm's
# time; under `dev test --locale` use_locale.c is preloaded.
case ${1:-} in
*/tests/core/* | */tests/lint/* | */tests/mutants/*)
  renice -n 10 $$ >/dev/null
  # meson gives each test a session of its own: Linux may weigh those, not the processes (sched(7))
  { echo 10 >/proc/self/autogroup; } 2>/dev/null || true
  ;;
esac
exec env ${ARMATURE_PRELOAD:+LD_PRELOAD="$ARMATURE_PRELOAD"} "$@"
