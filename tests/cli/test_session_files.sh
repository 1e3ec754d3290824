#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is in a session and in a capture: log, replay. Files made by make_files.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
make_rt
"$make_files" session rt.arm.json s.armsession
"$make_files" capture "$robots/planar2r.arm.json" line.capture expected.csv

# ---- log ----

before=$(cksum s.armsession)
expect "log" 0 log s.armsession
narrow "log is narrow" out
grep -qE '^ +3 +sweep +1 +3 +0\.5 +2\.5 +120 +stopped, "by hand"$' out
result $? "log shows a run with its samples" "$(cat out)"
grep -q 'fault: FOLLOWING, joint 2' out
result $? "log shows warnings" "$(cat out)"
expect "log --json" 0 log s.armsession --json
holds "arm, connections, runs" out '.format == "armature-session-log" and .arm.name == "RT" and
  (.connections | length) == 2 and .connections[0].controller.firmware == "7" and
  (.runs | map(.samples)) == [120, 120, 120] and .runs[0].seconds == 2.5 and
  .runs[2].outcome == "stopped, \"by hand\"" and .runs[0].started == "2001-09-09T01:46:50Z"'
holds "events, fits" out '.events[0].text == "FOLLOWING, joint 2" and .events[0].run == 2 and
  .events[0].detail.faults == 8 and .events[0].time == "2001-09-09T01:46:41Z" and
  (.fits[0].dataset_sha256 | length) == 64 and .steps == null'
expect "log --runs" 0 log s.armsession --runs
[[ $(head -n 1 out) == run,connection,kind,joint,hold,speed,started,seconds,samples,outcome &&
  $(tail -n 1 out) == '3,2,sweep,1,3,0.5,2001-09-09T01:47:10Z,2.5,120,"stopped, ""by hand"""' ]]
result $? "runs as CSV" "$(cat out)"
expect "log --events" 0 log s.armsession --events
[[ $(tail -n 1 out) == '1,1,2,2001-09-09T01:46:41Z,42,fault,2,0,2,8,"FOLLOWING, joint 2"' ]]
result $? "events as CSV" "$(cat out)"
[[ $before == "$(cksum s.armsession)" && $(find . -name 's.armsession*' | wc -l) == 1 ]]
result $? "log leaves the file as it was" "$(ls)"
refuse "log of what is no session" 3 'rt.csv: ' log rt.csv
refuse "log of nothing" 3 'no.armsession: ' log no.armsession
mkfifo pipe
refuse "log of a pipe" 3 'pipe: expected a regular file' log pipe
refuse "replay of a pipe" 3 'pipe: expected a regular file' replay pipe --out n.csv
refuse "log without a file" 2 'SESSION is missing' log --json
refuse "log of two" 2 'unexpected argument "b"' log a b
refuse "two forms" 2 'exclude each other' log s.armsession --json --runs

# ---- what a stranger has put into one ----

sed "s/\"RT\"/\"RT\\\\u202Egpj.exe\"/" rt.arm.json >hostile.arm.json
"$make_files" session hostile.arm.json h.armsession
"$make_files" hostile h.armsession
# No byte of these may reach a terminal: ESC, BEL, U+202E.
tame() {
  LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae' out err
  result $((! $?)) "$1 gives no orders to a terminal" "$(cat -v out err)"
}
expect "log of a hostile session" 0 log h.armsession
tame "log"
grep -q 'arm RT\\u202egpj.exe' out
result $? "what is hidden is shown" "$(head -n 1 out)"
expect "log --json of it" 0 log h.armsession --json
tame "log --json"
holds "JSON keeps the text, hostile times are none" out '.arm.name == "RT\u202egpj.exe" and
  .connections[2].controller.serial == "a\u202eb" and (.events | map(.text) | index("+1")) != null and
  .events[1].time == null'
expect "log --runs of it" 0 log h.armsession --runs
tame "log --runs"
formula='(^|[,;])"?[[:space:]]*[=+@]|(^|[,;])"?-[^0-9]|,-1(,|$)'
LC_ALL=C grep -nE "$formula" out >formulas
result $((! $?)) "no outcome is a formula" "$(cat formulas)"
grep -q ',-0.5,' out
result $? "numbers stay numbers" "$(tail -n 3 out)"
expect "log --events of it" 0 log h.armsession --events
tame "log --events"
LC_ALL=C grep -nE "$formula" out >formulas
result $((! $?)) "no event is a formula" "$(cat formulas)"
grep -qF ",\"'=HYPERLINK(\"\"http://x\"\")\"" out && grep -qF ",\"a;'=1\"" out && grep -q ',?,' out
result $? "they are texts, and a time that is none is ?" "$(cat out)"
expect "report-bug of it" 0 report-bug --session h.armsession --out h.tar
tame "report-bug"
expect "replay of it" 0 replay h.armsession --out h.csv
refuse "a file whose name gives orders" 3 'no\\u001b\[31mthing' log $'no\033[31mthing'
tame "a file name"
refuse "one of two lines" 3 'no\\u000athing' log $'no\nthing'
refuse "in a usage" 2 'no\\u000athing' $'no\nthing'

# of sentences that a few bytes make endless, whatever number of them
"$make_files" session rt.arm.json m.armsession
"$make_files" multiplied m.armsession
for form in "" --json --events --runs; do
  # shellcheck disable=SC2086 # no argument is none
  megabytes=$("$make_files" peak "$cli" log m.armsession $form)
  if [[ -z $megabytes ]]; then
    skip "log $form of multiplied sentences" "a sanitizer takes memory of its own"
  else
    result $((megabytes > 64)) "log $form of multiplied sentences takes at most 64 MB" "$megabytes MB"
  fi
done

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

expect "replay of a session" 0 replay s.armsession --out all.csv
[[ $(head -n 1 all.csv) == t_s,joint,q1_rad,q2_m,qd1_rad_s,qd2_m_s,i1_A,i2_A && $(wc -l <all.csv) == 361 ]]
result $? "all runs" "$(head -n 2 all.csv; wc -l all.csv)"
expect "of one run" 0 replay s.armsession --run 2 --out two.csv
[[ $(wc -l <two.csv) == 121 && $(sed -n 2p two.csv | cut -d, -f3) == 0.0088799* ]]
result $? "its samples" "$(head -n 2 two.csv)"
refuse "of a run that is not there" 3 'no sample of this run' replay s.armsession --run 9 --out n.csv
refuse "a run of a capture" 2 '--run belongs to a session' replay line.capture --run 1 --out n.csv
refuse "not over a file" 3 'two.csv: exists; use --force' replay s.armsession --out two.csv
cp s.armsession keep
refuse "not over itself" 2 '--out s.armsession is the file that replay reads' \
  replay s.armsession --out s.armsession --force
same "which is still there" s.armsession keep
# ---- packed, as recorders leave them ----

cp s.armsession p.armsession
"$make_files" packed p.armsession
result $? "a session is packed"
expect "replay of it" 0 replay p.armsession --out packed.csv
same "is that of the one that is not" packed.csv all.csv
expect "of one run" 0 replay p.armsession --run 2 --out packed2.csv
same "is, too" packed2.csv two.csv
run log s.armsession --json
cp out unpacked.json
expect "log of it" 0 log p.armsession --json
same "says the same" out unpacked.json
expect "report-bug of it" 0 report-bug --session p.armsession --out p.tar

refuse "replay without result" 2 '--out REC.csv is missing' replay s.armsession
finish
