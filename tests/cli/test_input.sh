#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Malformed input of every kind: the message and the exit code, and nothing on standard output.
# shellcheck disable=SC2016 # jq and awk have variables of their own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
make_rt

run fit --arm rt.arm.json --csv rt.csv --out p.json
mkdir folder
mkfifo pipe
: >empty
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 12345\n' 7 >lfs

# ---- files that are not what they should be --------------------------------------------------

# files_of OPTION VERB ARGUMENT...: every kind of wrong file for one option
files_of() {
  local option=$1 verb=$2
  shift 2
  refuse "$verb $option: no such file" 3 'none: cannot open: No such file or directory' \
    "$verb" "$@" "$option" none
  refuse "$verb $option: a directory" 3 'folder: expected a regular file, found a directory' \
    "$verb" "$@" "$option" folder
  refuse "$verb $option: a device" 3 'expected a regular file, found a device' \
    "$verb" "$@" "$option" /dev/null
  refuse "$verb $option: a pipe" 3 'pipe: expected a regular file, found a device, pipe or socket' \
    "$verb" "$@" "$option" pipe
  refuse "$verb $option: an empty file" 3 '^armature-cli: error: empty' "$verb" "$@" "$option" empty
  refuse "$verb $option: a Git LFS pointer" 3 '^armature-cli: error: lfs' "$verb" "$@" "$option" lfs
  if [[ $(id -u) -ne 0 ]]; then
    cp rt.csv secret && chmod 0 secret
    refuse "$verb $option: unreadable" 3 'secret: cannot open: Permission denied' \
      "$verb" "$@" "$option" secret
  fi
}
# a name is no second line that reads as ours
forged=$'none\narmature-cli: error: forged'
for verb in 'fit --arm rt.arm.json --csv' 'structure --arm' 'log'; do
  # shellcheck disable=SC2086 # words
  run $verb "$forged"
  [[ $(wc -l <err) == 1 ]]
  result $? "$verb, a name with a line end: one line" "$(cat err)"
done
files_of --arm structure
files_of --arm fit --csv rt.csv
files_of --csv fit --arm rt.arm.json
files_of --truth fit --arm rt.arm.json --csv rt.csv
files_of --arm predict --params p.json --csv rt.csv
files_of --params predict --arm rt.arm.json --csv rt.csv
files_of --csv predict --arm rt.arm.json --params p.json
files_of --arm plan
files_of --params plan --arm rt.arm.json
files_of --arm import --map m.json --csv rt.csv --out never.csv
files_of --map import --arm rt.arm.json --csv rt.csv --out never.csv
run fit --arm rt.arm.json --csv lfs
grep -q 'LFS' err
result $? "a pointer is called what it is" "$(cat err)"

# ---- arm files ---------------------------------------------------------------------------------

# arm NAME PATTERN SED-SCRIPT: the arm file, changed
arm() {
  sed -e "$3" rt.arm.json >bad.arm.json
  refuse "arm file: $1" 3 "^armature-cli: error: bad\\.arm\\.json:[0-9]+:[0-9]+: $2" \
    structure --arm bad.arm.json --json
}
arm "bad JSON" '' 's/"version": 1,/"version": 1,,/'
arm "trailing input" '' '$s/$/ {}/'
arm "wrong type" 'joint 1: beta_deg: expected a number, found "90"' '2s/"beta_deg": 90/"beta_deg": "90"/'
arm "unknown key" 'joint 2: expected a known key, found "beta" ' '2s/"type": "T", "beta_deg"/"type": "T", "beta"/'
arm "unknown type" 'joint 2: type: ' 's/"T"/"S"/'
arm "duplicate key" '' '2s/"R",/"R", "type": "R",/'
arm "no gravity" 'gravity_m_s2: ' 's/-9.81/0/'

# ---- recordings --------------------------------------------------------------------------------

# csv NAME PATTERN AWK: the recording, changed
csv() {
  awk -F, -v OFS=, "$3 1" rt.csv >bad.csv
  refuse "recording: $1" 3 "^armature-cli: error: bad\\.csv$2" \
    fit --arm rt.arm.json --csv bad.csv --json
}
csv "not a number" ':3:.*q1_rad: expected a number, found "north"' 'NR == 3 { $3 = "north" }'
csv "NaN in words" ':3:.*expected a number' 'NR == 3 { $3 = "nan" }'
csv "a cell too many" ':4:' 'NR == 4 { $9 = 1 }'
csv "a cell too few" ':4:' 'NR == 4 { NF = 7 }'
csv "no such joint" ':2: joint: expected a whole number from 0 to 2, found 3' 'NR == 2 { $2 = 3 }'
csv "no joint" ':2: joint: .*an empty cell' 'NR == 2 { $2 = "" }'
csv "time runs back" ':5: t_s: expected a time after' 'NR == 5 { $1 = 0.5 }'
csv "time is missing" ':5: t_s: ' 'NR == 5 { $1 = "" }'
csv "no column joint" ':1.*expected a column joint' 'NR == 1 { $2 = "x_axis" }'
csv "no position" ':1.*expected a column q2_m' 'NR == 1 { $4 = "x_q2" }'
csv "degrees" ':1:.*q1_deg: expected q1_rad' 'NR == 1 { $3 = "q1_deg" }'
csv "metres for an angle" ':1:.*q1_m: expected q1_rad' 'NR == 1 { $3 = "q1_m" }'
csv "a column twice" ':1:.*q1_rad: expected every column once' 'NR == 1 { $4 = "q1_rad" }'
csv "a joint too many" ':1:.*i3_A: expected a joint from 1 to 2' 'NR == 1 { $8 = "i3_A" }'
csv "no currents" '' 'NR == 1 { $7 = "x_a"; $8 = "x_b" }'
csv "only a header" '' 'NR > 1 { next }'
tr ',.' ';,' <rt.csv >semi.csv
refuse "recording: semicolons and decimal commas" 3 'semi.csv:1' \
  fit --arm rt.arm.json --csv semi.csv
gzip -c rt.csv >zip.csv
refuse "recording: compressed" 3 'zip.csv.*gzip' fit --arm rt.arm.json --csv zip.csv
echo '<!DOCTYPE html><html><body>Not found</body></html>' >page.csv
refuse "recording: a web page" 3 'page.csv' fit --arm rt.arm.json --csv page.csv
sed '1s/i1_A/tau1_Nm/' rt.csv >tau.csv
refuse "recordings that do not go together" 3 'tau.csv' \
  fit --arm rt.arm.json --csv rt.csv --csv tau.csv
refuse "recording of another arm" 3 'rt.csv:1.*q2_m' fit --arm "$demo.arm.json" --csv rt.csv

# ---- parameter files ---------------------------------------------------------------------------

# params NAME PATTERN JQ-FILTER: the parameter file, changed
params() {
  jq "$3" p.json >bad.json
  refuse "parameter file: $1" 3 "^armature-cli: error: bad\\.json:[0-9]+:[0-9]+: $2" \
    predict --arm rt.arm.json --params bad.json --csv rt.csv
}
params "another format" 'format: expected "armature-parameters"' '.format = "armature-arm"'
params "a newer version" 'version: expected version 1 or 2, found 3: written by a newer' '.version = 3'
params "another kind" 'kind: expected parameters of kind "gravity" or "dynamics", found "magic"' '.kind = "magic"'
params "unknown key" 'expected a known key, found "joint" \(did you mean "joints"\?\)' '.joint = 1'
params "missing key" 'expected the key "ratios"' 'del(.ratios)'
params "unknown key of a joint" 'joint 1: expected a known key, found "rms"' '.joints[0].rms = 1'
params "joints out of order" 'joint 1: joint: expected a whole number in 1..1, found 2' '.joints |= reverse'
params "a joint missing" 'joints: expected the 2 joints of the arm, found 1' '.joints |= .[:1]'
params "a parameter missing" 'joint 2: parameters: expected the key "mhat_star"' 'del(.joints[1].parameters.mhat_star)'
params "a parameter of the other type" 'joint 2: parameters: expected a known key, found "kx_star"' \
  '.joints[1].parameters.kx_star = .joints[0].parameters.kx_star'
params "used is null" 'joint 1: parameters.kx_star.used: expected a number, found null' \
  '.joints[0].parameters.kx_star.used = null'
params "identifiable without value" 'joint 1: parameters.kx_star.value: expected a number \(identif' \
  '.joints[0].parameters.kx_star.value = null'
params "value without identifiable" 'ratio 1: estimate.value: expected null \(identifiable is false\)' \
  '.ratios[0].estimate.identifiable = false'
params "negative sd" 'joint 1: parameters.ky_star.sd: expected a standard deviation' \
  '.joints[0].parameters.ky_star.sd = -1'
params "unknown reason" 'joint 1: parameters.ky_star.reason_key: expected the key of a reason' \
  '.joints[0].parameters.ky_star.reason_key = "mood"'
params "unknown row reason" 'joint 1: rows_excluded: expected a known key, found "boring"' \
  '.joints[0].rows_excluded.boring = 1'
params "rank above columns" 'joint 1: rank: expected at most the number of columns, 7, found 9' \
  '.joints[0].rank = 9'
params "a joint in two clusters" 'cluster 1\[3\]: expected each joint in one cluster only, found 1' \
  '.clusters = [[1, 2, 1]]'
params "ratio out of range" 'ratio 1: j: expected a whole number in 1..2, found 3' '.ratios[0].j = 3'
params "ratio of one joint" 'ratio 1: expected two joints i < j of one cluster, found 1 and 1' '.ratios[0].j = 1'
params "ratio twice" 'ratio 2: expected each pair once, found 1 and 2 again' '.ratios += .ratios'
params "ratio missing" 'ratios: expected every pair inside a cluster, found none for 1 and 2' '.ratios = []'
params "unknown covariance name" 'covariance.name 1: expected the name of a parameter' \
  '.covariance.names[0] = "mhat_star_1"'
params "covariance name twice" 'covariance.name 2: expected each name once' \
  '.covariance.names[1] = .covariance.names[0]'
params "covariance too small" 'covariance.lower: expected 78 numbers, the lower triangle of 12 names' \
  '.covariance.lower |= .[1:]'
params "negative variance" 'covariance.lower\[3\]: expected a variance, not negative' \
  '.covariance.lower[2] = -1'
params "identifiable but not covered" 'covariance.names: expected every identifiable parameter, found no "kx_star_1"' \
  '.covariance = {"names": [], "lower": []}'
params "null in the covariance" 'covariance.lower\[2\]: expected a number, found null' \
  '.covariance.lower[1] = null'
params "measured by what" 'joint 1: measured: expected "current" or "torque", found "volts"' \
  '.joints[0].measured = "volts"'
params "recursion of fewer joints" 'recursive.joints: expected the 2 joints' '.recursive.joints |= .[:1]'
jq '.x_note = {"a": 1} | .joints[0].x_b = 2 | del(.recursive, .refinement, .program) |
  del(.joints[] | .columns, .widening, .measured) | del(.joints[].parameters[].reason_key)' p.json >least.json
expect "parameter file: only the agreed keys, and x_ ones" 0 \
  predict --arm rt.arm.json --params least.json --csv rt.csv
cp out least.csv
run predict --arm rt.arm.json --params p.json --csv rt.csv
same "predicts the same" out least.csv

# ---- truth files -------------------------------------------------------------------------------

# truth NAME PATTERN LINES
truth() {
  printf '%b' "$3" >truth.csv
  refuse "truth file: $1" 3 "^armature-cli: error: truth\\.csv:$2" \
    fit --arm rt.arm.json --csv rt.csv --truth truth.csv
}
truth "other columns" '1:1: expected the two columns name,value' 'name,number\nkx_star_1,1\n'
truth "unknown name" '2: expected a parameter of this arm' 'name,value\nkx_1,1\n'
truth "a parameter of the other type" '2: expected a parameter of this arm' 'name,value\nkx_star_2,1\n'
truth "a joint too many" '2: expected a parameter of this arm' 'name,value\nkx_star_3,1\n'
truth "no value" '2: expected a value' 'name,value\nkx_star_1,\n'
truth "twice" '3: expected each name once' 'name,value\nkx_star_1,1\nkx_star_1,1\n'

# ---- messages stay short ------------------------------------------------------------------------

long=$(head -c 100000 /dev/zero | tr '\0' k)
sed "s/\"name\"/\"$long\": 1, \"name\"/" rt.arm.json >long.arm.json
run structure --arm long.arm.json
[[ $status -eq 3 && $(wc -c <err) -lt 1000 ]]
result $? "an unknown key of 100 kB is cut" "$(wc -c <err)"
sed "s/\"name\"/\"$long\": 1, \"$long\": 1, \"name\"/" rt.arm.json >long.arm.json
run structure --arm long.arm.json
[[ $status -eq 3 && $(wc -c <err) -lt 1000 ]]
result $? "and one that comes twice" "$(wc -c <err)"
sed "1s/\$/,$long/; 2,\$s/\$/,1/" rt.csv >long.csv
run fit --arm rt.arm.json --csv long.csv
[[ $status -eq 0 && $(wc -c <err) -lt 2000 ]]
result $? "and a column that is ignored" "$(wc -c <err)"

[[ ! -e never.csv ]]
result $? "nothing was written"
finish
