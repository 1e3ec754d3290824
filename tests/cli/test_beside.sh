#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What stands beside a session and is not its own: refused in words, and not a byte of it changed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
arm=$robots/planar2r.arm.json
at=(--port "sim:planar2r,speed=100" --plan-only)

# unchanged NAME: the files are as noted in sums
unchanged() {
  sha256sum --quiet -c sums >changed 2>&1
  result $? "$1: nothing was changed" "$(cat changed)"
}

expect "a session" 0 calibrate "${at[@]}" --arm "$arm" --session q.armsession
expect "another one" 0 calibrate "${at[@]}" --arm "$arm" --session k.armsession

# ---- the log of another session ----

"$make_files" killed k.armsession
[[ -s k.armsession-wal ]]
result $? "a kill leaves the log" "$(ls)"
cp k.armsession early.armsession
cp q.armsession w.armsession
cp k.armsession-wal w.armsession-wal
sha256sum w.armsession w.armsession-wal >sums
wrong='w.armsession-wal: is the log of another session than .*w.armsession; nothing was changed; move'
for verb in "log w.armsession" "export --session w.armsession --format csv" "replay w.armsession --out w.csv" \
  "calibrate ${at[*]} --resume --session w.armsession" "report-bug --session w.armsession --out w.tar"; do
  # shellcheck disable=SC2086 # words are arguments
  run $verb
  ((status == 3)) && grep -q "$wrong" err
  result $? "${verb%% *} refuses another session's log" "exit $status: $(cat err)"
  unchanged "${verb%% *}"
done
: >w.armsession
sha256sum w.armsession w.armsession-wal >sums
refuse "the log of an empty file" 3 'w.armsession is none or was cut off' log w.armsession
unchanged "an empty file"
cp k.armsession-wal early.armsession-wal
expect "its own, beside a copy" 0 log early.armsession --json
holds "holds the last run" out '.runs | length == 1'

# ---- somebody else's lock and journal ----

cp q.armsession s.armsession
echo notes >s.armsession.lock
sha256sum s.armsession s.armsession.lock >sums
refuse "notes called .lock" 3 "s.armsession.lock: is not this program's lock of " \
  calibrate "${at[@]}" --resume --session s.armsession
unchanged "notes"
rm s.armsession.lock
cp q.armsession s.armsession-journal
sha256sum s.armsession s.armsession-journal >sums
refuse "a session called -journal" 3 's.armsession-journal: is not the journal of ' \
  calibrate "${at[@]}" --resume --session s.armsession
unchanged "a session called -journal"
rm s.armsession-journal

# ---- what is in one is told with its name ----

"$make_files" text s.armsession plan '{"low": [NaN]}'
refuse "a plan that is none" 3 's.armsession: edits:1:.*NaN' \
  calibrate "${at[@]}" --resume --session s.armsession
cp q.armsession s.armsession
"$make_files" text s.armsession steps '[]'
refuse "steps that are none" 3 's.armsession: procedure:1:' \
  calibrate "${at[@]}" --resume --session s.armsession

# ---- names ----

for suffix in .lock -wal -shm -journal; do
  refuse "a session of the name$suffix" 3 "ends in \"$suffix\"" \
    calibrate "${at[@]}" --arm "$arm" --session "q.armsession$suffix"
  [[ ! -e q.armsession$suffix ]]
  result $? "is not made" "$(ls)"
  refuse "--out into it" 3 "q.armsession$suffix: belongs to the session .*q.armsession;" \
    export --session q.armsession --format csv --out "q.armsession$suffix" --force
done
echo notes >notes.txt
echo more >notes.txt-wal
expect "--out into the -wal of what is no session" 0 \
  plan --arm "$arm" --out notes.txt-wal --force
[[ $(cat notes.txt) == notes && $(wc -l <notes.txt-wal) -gt 1 ]]
result $? "is written" "$(head -n 2 notes.txt-wal)"
refuse "--out beside a session to be made" 3 'new.armsession-wal: belongs to the session ' \
  calibrate "${at[@]}" --arm "$arm" --session new.armsession --out new.armsession-wal --force
[[ ! -e new.armsession && ! -e new.armsession-wal ]]
result $? "nothing is made" "$(ls)"
finish
