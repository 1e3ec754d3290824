#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Line 12.1: what attacks had found, each as a test that was seen failing before the mend.
set -uo pipefail
build=${BUILD:?}

# show WHAT TEST...: runs these tests of meson
show() {
  local what=$1 list=0 passed bad
  shift
  meson test -C "$build" --no-rebuild --num-processes 4 --timeout-multiplier 3 "$@" >"$build/safe.log" 2>&1
  passed=$(awk '/^Ok:/ { print $2 }' "$build/safe.log")
  bad=$(awk '/^(Fail|Timeout|Skipped):/ { n += $2 } END { print n + 0 }' "$build/safe.log")
  grep -E '^ *[0-9]+/[0-9]+ .* (FAIL|ERROR|TIMEOUT|SKIP) ' "$build/safe.log" | sed 's/^/# /'
  for _ in "$@"; do list=$((list + 1)); done # a name may be of a test in two folders
  printf 'SHOW 12.1 %s, test programs passed measured=%s target=%s %s\n' "$what" "${passed:-0}, others $bad" \
    "all $list" "$( ((${passed:-0} >= list && bad == 0)) && echo PASS || echo FAIL)"
}

show "nothing arms by accident: press and hold, typed name, no plan, closing" \
  arming session_arming device_still start monkey
show "recorded and foreign frames: guard, window of 16, older firmware" \
  device_guard host_guard driver_foreign device_motion_guarded device_session_guarded \
  device_upload_guarded replayed_frames
show "a motion whose request has the number 0" driver_native
show "did the arm move: stuck sensors, error at rest, position against speed" \
  evidence session_stuck runner_guard runner_slow arm_file
show "an upload or a backup of another arm: joints and drives that are not those of the file" \
  check controller_params session_drives cli_transfer
show "in mid-motion: no samples, positions, leaps and currents that cannot be, drives said to be off" \
  watch runner_watch
show "both directions, both signs, drives that are said to be off, uploads beyond the end" \
  device_safety device_store device_edges driver_faults
show "a file that is deleted, renamed, replaced, overwritten, changed or finds no room in mid-run" \
  recorder_gone recorder_overwritten recorder_changed record_refused store_place session_faults_gone cli_gone cli_full
show "killed at the start and while an older file is copied, slow disk, an idle arm" \
  session_begin session_kills store_faults recorder_slow recorder_idle session_idle
show "what keeps the arm from being used is said, with what helps" trouble banner runner device
show "links, pipes, formulas, orders and lines to the terminal, long names, hostile times" \
  procedure store_strangers store_beside store_damaged cli_beside safe_text cli_session_files cli_input cli_calibrate arm_file \
  page_export ui_import session_record frame
show "a result never replaces what it was made from, nor another one" cli_output cli_session_files
show "started without standard output: nothing of it on the line, or in a file" \
  standard cli_info cli_transfer sim_program
show "steps of a session that say more than is in it" session_import cli_calibrate
show "looking at a session changes nothing" session_look store_versions
show "a clock of the controller that stands, runs back or leaps; a controller that cannot be" \
  clock_order session_faults_clock recording_rows driver_refused
show "motions: at rest as far as differences tell, none that does not move or leaps, no name typed ahead" \
  motion_follow cli_record cli_calibrate cli_calibrate_full
show "a motion of somebody's own: none is followed while another is read, nor does reading hold the loop" \
  page_motion motion_facts following session_record
show "a rehearsal in a hurry, a reader that stops, an end from outside, rows that went, no room from the start" \
  itinerary cli_signals session_arming arming cli_calibrate
show "the window: keys leave every list, large text, one clock" keyboard text_size start
