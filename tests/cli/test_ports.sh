#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The list of serial ports: well-formed whatever is plugged in, and nothing is opened.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

expect "ports" 0 ports
narrow "ports is narrow" out
[[ -s out && ! -s err ]]
result $? "an empty list says what to do, another one lists" "$(cat out err)"
grep -qE '^(--port +path +product +now|No serial port\. Plug)' out
result $? "the table has a head" "$(cat out)"
expect "ports --json" 0 ports --json
# shellcheck disable=SC2016
holds "JSON" out '.format == "armature-ports" and .version == 1 and (.ports | type) == "array"'
holds "each has port, path, permitted, held_by" out \
  '[.ports[] | (.port | length > 0) and (.path | startswith("/dev/")) and
    (.permitted | type == "boolean") and has("held_by") and has("serial")] | all'
refuse "no operand" 2 'unexpected argument "ttyUSB0": ports takes options only' ports ttyUSB0
finish
