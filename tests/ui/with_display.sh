#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a program on a display and in a home of its own, which end with it.
#
#   with_display.sh PROGRAM [argument...]
#
# ARMATURE_SCREEN: WIDTHxHEIGHT, default 1280x800. Skipped where Xvfb or xdotool is missing, with
# ARMATURE_SKIP as exit status, default 0 (TAP). The server chooses its own display number: searching
# for a free one is a race. So is a server that ends: it takes its socket away even when another one
# has just been given its number; hence the lock. And one whose last client leaves starts anew, and
# refuses who comes meanwhile; hence -noreset.
set -uo pipefail
for tool in Xvfb xdotool; do
  command -v "$tool" >/dev/null || {
    echo "1..0 # SKIP $tool is not installed"
    exit "${ARMATURE_SKIP:-0}"
  }
done

folder=$(mktemp -d)
chmod 700 "$folder"
mkfifo "$folder/display"
server='' phase='waiting for the lock'

# A server that does not end would keep all others waiting.
end() {
  phase='waiting for the lock, to end the server'
  flock 9
  phase='ending the server'
  if [[ $server ]]; then
    kill "$server" 2>/dev/null
    timeout 10 tail --pid="$server" -s 0.05 -f /dev/null 9>&- || {
      echo "# Xvfb does not end: $(grep -E 'State|Sig|Shd' "/proc/$server/status" | paste -sd ' ')" >&2
      kill -9 "$server"
    }
    wait "$server" 2>/dev/null
  fi
  rm -rf "$folder"
}
trap end EXIT
trap 'echo "# with_display.sh: terminated while $phase" >&2; exit 143' TERM

exec 9>"${TMPDIR:-/tmp}/armature-display-$UID.lock"
flock 9
phase='starting Xvfb'
Xvfb -displayfd 3 -screen 0 "${ARMATURE_SCREEN:-1280x800}x24" -nolisten tcp -noreset \
  3>"$folder/display" >"$folder/xvfb.log" 2>&1 9>&- &
server=$!
read -r -t 30 number <"$folder/display" || {
  echo "Bail out! Xvfb did not start: $(tail -n 3 "$folder/xvfb.log")"
  exit 1
}
flock -u 9
phase='running the program'

unset WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS XAUTHORITY
mkdir -p "$folder/home" "$folder/run"
chmod 700 "$folder/run"
export DISPLAY=:$number XDG_RUNTIME_DIR=$folder/run HOME=$folder/home
export XDG_DATA_HOME=$folder/home/data XDG_CONFIG_HOME=$folder/home/config XDG_CACHE_HOME=$folder/home/cache
# Drawn by cairo; without GL its drivers are not loaded, which leak when they are unloaded.
export GDK_BACKEND=x11 GSK_RENDERER=cairo GDK_DEBUG=gl-disable GSETTINGS_BACKEND=memory GTK_A11Y=${GTK_A11Y:-none}
"$@" 9>&-
