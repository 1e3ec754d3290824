#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The bundle for a bug report holds what it should, and nothing about who makes it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
mkdir -p home/ada.lovelace
export HOME=$work/home/ada.lovelace USER=ada.lovelace LOGNAME=ada.lovelace
host=$(uname -n) me=$(id -un)
cat >ada.arm.json <<'JSON'
{"format": "armature-arm", "version": 1, "name": "arm of ada.lovelace",
 "gravity_m_s2": [0, 0, -9.81], "joints": [{"type": "R"}, {"type": "T", "beta_deg": 90}]}
JSON
"$make_files" session ada.arm.json home/ada.lovelace/s.armsession

# personal FILE: what of it is in there, one per line
personal() {
  local word
  for word in "$HOME" ada.lovelace "$work" "arm of" secret-4711 FOLLOWING /home/ /root/ \
    "$([[ ${#host} -ge 3 ]] && echo "$host")" "$([[ ${#me} -ge 3 ]] && echo "$me")"; do
    if [[ -n $word ]]; then grep -aoF -- "$word" "$1"; fi
  done
}

expect "without a session" 0 report-bug --out bug.tar
[[ ! -s out ]] && tar tf bug.tar | sort | paste -sd ' ' >list &&
  grep -qx 'armature-report/README.txt armature-report/report.json' list
result $? "is a tar of two files" "$(tar tvf bug.tar)"
tar xOf bug.tar armature-report/report.json >report.json
holds "versions and system" report.json '.format == "armature-bug-report" and .session == null and
  (.program | test("^armature-cli [0-9.]+$")) and (.built_with | test("libserialport [0-9.]+")) and
  (.kernel | length > 0) and (.ports | type) == "array"'
[[ -z $(personal bug.tar) ]]
result $? "nothing personal" "$(personal bug.tar)"

expect "with the structure of a session" 0 \
  report-bug --session home/ada.lovelace/s.armsession --out two.tar
tar xOf two.tar armature-report/report.json >report.json
holds "how it went" report.json '.session | .joint_types == ["R", "T"] and (.runs | length) == 3 and
  .runs[2].samples == 120 and .connections == 2 and .fits == 1 and
  .events == [{kind: "fault", run: 2, t_us: 42, joint: 2, level: 2, value: 8}]'
[[ -z $(personal two.tar) ]]
result $? "nothing personal" "$(personal two.tar)"

expect "with the session itself" 0 \
  report-bug --session home/ada.lovelace/s.armsession --with-session --out three.tar
tar xOf three.tar armature-report/session.armsession >inside
same "it is inside" inside home/ada.lovelace/s.armsession
grep -q 'look into it' err
result $? "and says so" "$(cat err)"
refuse "with a session, but which" 2 'say which with --session' report-bug --with-session --out n.tar
refuse "not over a file" 3 'two.tar: exists; use --force' report-bug --out two.tar
refuse "no session" 3 'ada.arm.json: ' report-bug --session ada.arm.json --out n.tar
finish
