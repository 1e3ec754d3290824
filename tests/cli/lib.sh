# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by the tests of armature-cli: TAP, a work directory of its own, and the program under
# test. Usage of a test: test_x.sh PROGRAM SOURCE_ROOT [ARMATURE_SIM [MAKE_FILES [PTY_SHIM]]]
set -uo pipefail

cli=$(realpath "$1")
root=$(realpath "$2")
sim=${3:+$(realpath "$3")}
# shellcheck disable=SC2034
make_files=${4:+$(realpath "$4")} shim=${5:+$(realpath "$5")}
# shellcheck disable=SC2034 # the tests use both
demo=$root/data/demo/puma560_table1
# shellcheck disable=SC2034
robots=$root/data/robots
work=$(mktemp -d)
simulator_pid=

# shellcheck disable=SC2317
clean_up() {
  if [[ -n $simulator_pid ]]; then kill -CONT "$simulator_pid"; kill "$simulator_pid"; fi 2>/dev/null
  rm -rf "$work"
}
trap clean_up EXIT
cd "$work" || exit 1

# A preloaded locale is for the program alone, not for awk, jq and bash.
preload=${LD_PRELOAD:-}
unset LD_PRELOAD
export LC_ALL=C
if ! command -v jq >/dev/null; then
  echo "1..0 # SKIP jq is missing"
  exit 0
fi

number=0 failures=0 status=0

# result STATUS NAME [what to show when it failed]
result() {
  number=$((number + 1))
  if (($1 == 0)); then
    echo "ok $number - $2"
    return
  fi
  failures=$((failures + 1))
  echo "not ok $number - $2"
  printf '%s\n' "${3:-}" | head -n 20 | sed 's/^/# /'
}

skip() {
  number=$((number + 1))
  echo "ok $number - $1 # SKIP $2"
}

finish() {
  echo "1..$number"
  exit $((failures > 0))
}

# run ARGUMENT...: the program; leaves out, err and status
run() {
  status=0
  if [[ -n $preload ]]; then
    # `dev test --locale` names the comma in LC_NUMERIC, which LC_ALL would overrule
    env -u LC_ALL LC_CTYPE=C.UTF-8 LD_PRELOAD="$preload" "$cli" "$@" >out 2>err || status=$?
  else
    LC_ALL=${run_locale:-C.UTF-8} "$cli" "$@" >out 2>err || status=$?
  fi
}

# expect NAME CODE ARGUMENT...: runs and compares the exit code
expect() {
  local name=$1 code=$2
  shift 2
  run "$@"
  result $((status != code)) "$name" "exit $status, not $code: $(cat err)"
}

# refuse NAME CODE PATTERN ARGUMENT...: exit code, message on stderr, nothing on stdout
refuse() {
  local name=$1 code=$2 pattern=$3 bad=0
  shift 3
  run "$@"
  ((status == code)) || bad=1
  grep -qE -- "$pattern" err || bad=1
  grep -q '^armature-cli: error: ' err || bad=1
  [[ ! -s out ]] || bad=1
  result "$bad" "$name" "exit $status (wanted $code), wanted /$pattern/: $(cat err)
stdout: $(head -c 200 out)"
}

# holds NAME FILE FILTER: a jq condition
holds() {
  local shown
  shown=$(jq -e "$3" "$2" 2>&1 | tail -n 5)
  jq -e "$3" "$2" >/dev/null 2>&1
  result $? "$1" "$3 gives $shown"
}

# same NAME A B: equal bytes
same() {
  cmp -s "$2" "$3"
  result $? "$1" "$(diff "$2" "$3" | head -n 6)"
}

# narrow NAME FILE: at most 100 columns, no escape sequences
narrow() {
  local wide
  wide=$(LC_ALL=C.UTF-8 awk 'length($0) > 100 || /\033/' "$2" | head -n 3)
  [[ -z $wide ]]
  result $? "$1" "$wide"
}

# start_simulator ARGUMENT...: armature-sim in the background; sets simulator (its pty) and
# simulator_pid
start_simulator() {
  local k
  "$sim" "$@" >simulator.path 2>simulator.err &
  simulator_pid=$!
  for ((k = 0; k < 500; k++)); do
    [[ -s simulator.path ]] && break
    sleep 0.01
  done
  simulator=$(head -n 1 simulator.path)
}

# ---- a small arm with a sliding joint, and its recording -------------------------------------

make_rt() {
  cat >rt.arm.json <<'JSON'
{"format": "armature-arm", "version": 1, "name": "RT", "gravity_m_s2": [0, 0, -9.81],
 "joints": [{"type": "R", "beta_deg": 90}, {"type": "T", "beta_deg": 90, "b_m": 0.1}]}
JSON
  awk 'BEGIN {
    print "t_s,joint,q1_rad,q2_m,qd1_rad_s,qd2_m_s,i1_A,i2_A"
    for (j = 1; j <= 2; j++)
      for (v = 1; v <= 2; v++)
        for (s = -1; s <= 1; s += 2)
          for (h = 0; h < 2; h++) {
            t += 1
            for (k = 0; k < 9; k++) {
              t += 0.01; noise = 0.01 * sin(3700 * t * t)
              if (j == 1) {
                q = -1 + k / 4; r = 0.3 * h; w = 0.2 * s * v
                printf "%.2f,1,%.3f,%.3f,%.3f,,%.6f,\n", t, q, r, w,
                  0.5 * s + 0.3 * w + (0.7 * cos(q) + 1.2 * sin(q)) + 0.8 * r * sin(q) + noise
              } else {
                r = 0.05 * k; q = 0.7 * h; w = 0.02 * s * v
                printf "%.2f,2,%.3f,%.3f,,%.3f,,%.6f\n", t, q, r, w,
                  0.4 * s + 2 * w + 1.5 * cos(q) + noise
              }
            }
          }
  }' >rt.csv
}
