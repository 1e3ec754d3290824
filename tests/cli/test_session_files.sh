#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is in a session and in a capture: log, replay. Files made by make_files.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
make_rt
"$make_files" session rt.arm.json s.armature
"$make_files" capture "$robots/planar2r.arm.json" line.capture expected.csv

# ---- log ----

before=$(cksum s.armature)
expect "log" 0 log s.armature
narrow "log is narrow" out
grep -qE '^ +3 +sweep +1 +3 +0\.5 +2\.5 +120 +stopped, "by hand"$' out
result $? "log shows a run with its samples" "$(cat out)"
grep -q 'fault: FOLLOWING, joint 2' out
result $? "log shows warnings" "$(cat out)"
expect "log --json" 0 log s.armature --json
holds "arm, connections, runs" out '.format == "armature-session-log" and .arm.name == "RT" and
  (.connections | length) == 2 and .connections[0].controller.firmware == "7" and
  (.runs | map(.samples)) == [120, 120, 120] and .runs[0].seconds == 2.5 and
  .runs[2].outcome == "stopped, \"by hand\"" and .runs[0].started == "2001-09-09T01:46:50Z"'
holds "events, fits" out '.events[0].text == "FOLLOWING, joint 2" and .events[0].run == 2 and
  .events[0].detail.faults == 8 and .events[0].time == "2001-09-09T01:46:41Z" and
  (.fits[0].dataset_sha256 | length) == 64 and .steps == null'
expect "log --runs" 0 log s.armature --runs
[[ $(head -n 1 out) == run,connection,kind,joint,hold,speed,started,seconds,samples,outcome &&
  $(tail -n 1 out) == '3,2,sweep,1,3,0.5,2001-09-09T01:47:10Z,2.5,120,"stopped, ""by hand"""' ]]
result $? "runs as CSV" "$(cat out)"
expect "log --events" 0 log s.armature --events
[[ $(tail -n 1 out) == '1,1,2,2001-09-09T01:46:41Z,42,fault,2,0,2,8,"FOLLOWING, joint 2"' ]]
result $? "events as CSV" "$(cat out)"
[[ $before == "$(cksum s.armature)" && $(find . -name 's.armature*' | wc -l) == 1 ]]
result $? "log leaves the file as it was" "$(ls)"
refuse "log of what is no session" 3 'rt.csv: ' log rt.csv
refuse "log of nothing" 3 'no.armature: ' log no.armature
refuse "log without a file" 2 'SESSION is missing' log --json
refuse "log of two" 2 'unexpected argument "b"' log a b
refuse "two forms" 2 'exclude each other' log s.armature --json --runs

# ---- replay ----

expect "replay of a capture" 0 replay line.capture --out replayed.csv
same "gives the same samples" replayed.csv expected.csv
[[ $(wc -l <replayed.csv) -gt 500 ]]
result $? "and many" "$(wc -l replayed.csv)"
size=$(wc -c <line.capture)
head -c $((size - size / 4 - 3)) line.capture >cut.capture
expect "of one that was cut short" 0 replay cut.capture --out cut.csv
rows=$(wc -l <cut.csv)
head -n "$rows" expected.csv >begun.csv
cmp -s cut.csv begun.csv && ((rows > 250)) && grep -q '^armature-cli: warning: ' err
result $? "what came before the cut, and a warning" "$rows rows: $(cat err)"
head -c 40 line.capture >nobody.capture
refuse "of one without a controller" 3 'does not describe itself' replay nobody.capture --out n.csv
refuse "of neither" 3 'rt.csv: ' replay rt.csv --out n.csv

expect "replay of a session" 0 replay s.armature --out all.csv
[[ $(head -n 1 all.csv) == t_s,joint,q1_rad,q2_m,qd1_rad_s,qd2_m_s,i1_A,i2_A && $(wc -l <all.csv) == 361 ]]
result $? "all runs" "$(head -n 2 all.csv; wc -l all.csv)"
expect "of one run" 0 replay s.armature --run 2 --out two.csv
[[ $(wc -l <two.csv) == 121 && $(sed -n 2p two.csv | cut -d, -f3) == 0.0088799* ]]
result $? "its samples" "$(head -n 2 two.csv)"
refuse "of a run that is not there" 3 'no sample of this run' replay s.armature --run 9 --out n.csv
refuse "a run of a capture" 2 '--run belongs to a session' replay line.capture --run 1 --out n.csv
refuse "not over a file" 3 'two.csv: exists; use --force' replay s.armature --out two.csv
cp s.armature keep
refuse "not over itself" 2 '--out s.armature is the file that replay reads' \
  replay s.armature --out s.armature --force
same "which is still there" s.armature keep
refuse "replay without result" 2 '--out REC.csv is missing' replay s.armature
finish
