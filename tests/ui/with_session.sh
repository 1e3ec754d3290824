#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a program on a display (with_display.sh) and a session bus of its own, with accessibility.
#
#   with_session.sh PROGRAM [argument...]
#
# Standard output is the program's alone: what the bus starts writes to it, too.
set -uo pipefail
export GTK_A11Y=atspi
# shellcheck disable=SC2016 # bash's own arguments
exec "$(dirname "$0")/with_display.sh" bash -c 'exec 3>&1; exec dbus-run-session -- bash -c '\''exec "$@" >&3 3>&-'\'' technician "$@" >/dev/null' technician "$@"
