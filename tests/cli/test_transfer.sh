#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# From a session's fit to a controller and back: validate, export, upload, restore.
# shellcheck disable=SC2016 # jq has variables of its own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
arm=$robots/planar2r.arm.json

expect "a session" 0 calibrate --arm "$arm" --port "sim:$arm,speed=100" --session s.armsession \
  --out p.json --speeds 30,60 --dry-speed 60 --move-speed 60

sed -n '/^Validation on poses/,$p' out >fresh

# ---- validate, export ----

expect "validate" 0 validate --session s.armsession
[[ $(grep -c . fresh) -ge 4 ]] && cmp -s fresh <(sed -n '/^Validation on poses/,$p' out)
result $? "the same as when it was fresh, what was promised included" "$(diff fresh out)"
[[ $(grep -c ' passed$' out) -eq 2 ]] && grep -q '^Friction of joint 2 changed by' out
result $? "every joint, and the drift" "$(cat out)"
expect "validate --json" 0 validate --session s.armsession --json
holds "rms, ratio, drift" out '.format == "armature-validation" and (.joints | length) == 2 and
  (.joints | all(.passed and .rms_A > 0 and .ratio > 0 and .ratio < 5)) and .drift.joint == 2'
"$make_files" session "$arm" bare.armsession
# a fit that was kept by an older program
cp s.armsession older.armsession
jq 'del(.joints[].misfit | .noise_A, .friction_scatter_A) | del(.digest)' p.json >older.json
"$make_files" fit older.armsession older.json
cp s.armsession changed.armsession
jq '.joints[0].residual_sd_A *= 2' p.json >changed.json
"$make_files" fit changed.armsession changed.json
refuse "of a fit that somebody changed" 3 'it was changed after it was fitted' \
  validate --session changed.armsession
refuse "nor is it exported" 3 'it was changed after it was fitted' \
  export --session changed.armsession --format json
refuse "nor uploaded" 3 'it was changed after it was fitted' \
  upload --session changed.armsession --port sim:truth2
expect "of an older program" 0 validate --session older.armsession
[[ $(grep -c ' not known  passed$' out) -eq 2 ]] && ! grep -qi nan out err
result $? "what was promised is not known" "$(cat out err)"
expect "as JSON" 0 validate --session older.armsession --json
holds "it is null" out '.joints | all(.promised_A == null and .passed)'

refuse "nothing to validate" 3 '.' validate --session bare.armsession
refuse "no session" 3 'p.json: ' validate --session p.json

expect "export of a session" 0 export --session s.armsession --format json
same "is its parameter file" out p.json
expect "as C" 0 export --session s.armsession --format c --out s.h
expect "from files" 0 export --arm "$arm" --params p.json --format c --out f.h
cmp -s <(grep -v '^ \*' s.h) <(grep -v '^ \*' f.h)
result $? "the same code" "$(diff s.h f.h | head)"
expect "as a table" 0 export --session s.armsession --format csv
grep -q '^1,kx_star_1,' out
result $? "with its parameters" "$(head -n 3 out)"
refuse "neither files nor session" 2 '--arm ARM.arm.json is missing' export --format c
refuse "both" 2 '--session has an arm' export --session s.armsession --arm "$arm" --format c
refuse "json of files" 2 'belongs to --session' export --arm "$arm" --params p.json --format json

# ---- upload, restore ----

start_simulator --arm "$arm"
parameters() { # those that a fit may write
  run info --port "$simulator" --params --json
  jq -S '[.parameters[] | select(.read_only | not) | {name, value}]' out
}
parameters >before
code=0
"$cli" upload --session s.armsession --port "$simulator" --backups closed >&- 2>err || code=$?
((code == 3)) && grep -q 'error: standard output: cannot write: Bad file' err && [[ ! -e closed ]]
result $? "not without standard output: refused before anything is sent" "exit $code: $(cat err)"
expect "upload" 0 upload --session s.armsession --port "$simulator" --backups kept --json --prove
holds "says what has changed" out '.format == "armature-upload" and .proved and
  .differences == [] and (.digest | test("^[0-9a-f]{8}$")) and
  any(.changes[]; .name == "gravity.kx[1]" and .before == 0 and .sd > 0)'
backup=$(jq -r .backup out)
[[ -s $backup ]] && jq -e '.format == "armature-controller-backup"' "$backup" >shown
result $? "after a backup" "$backup"
parameters >after
jq -es '.[0] as $p | .[1] | .[] | select(.name == "gravity.kx[1]") |
  (.value - $p.joints[0].parameters.kx_star.value | fabs) < 1e-6' p.json after >shown
result $? "the controller has what the fit found" "$(cat shown)"
expect "restore" 0 restore --backup "$backup" --port "$simulator" --backups kept
parameters >again
same "brings back what was there" again before
[[ $(find kept -name '*.json' | wc -l) -eq 2 ]]
result $? "and keeps what it replaced" "$(find kept)"
expect "upload of files" 0 upload --arm "$arm" --params p.json --port "$simulator" --backups kept
narrow "its table is narrow" out
parameters >files
same "the same" files after
sed 's/"value": 0/"value": 1/' "$backup" >changed.json
refuse "a changed backup" 3 'changed.json' restore --backup changed.json --port "$simulator"
refuse "no backup" 3 'none.json: ' restore --backup none.json --port "$simulator"
other="sim:$arm,seed=7"
refuse "measured with another controller" 5 'measured with controller .*; this is .*--force' \
  upload --session s.armsession --port "$other" --backups other
[[ ! -e other ]]
result $? "nothing was done to it" "$(find other)"
expect "--force" 0 upload --session s.armsession --port "$other" --backups other --force

# ---- another arm: not a mixture of both ----

serial() {
  run info --port "$1" --json
  jq -r .controller.serial out
}
planar=$(serial "sim:$arm")
[[ -n $planar && $planar != null && $planar != "$(serial sim:scara)" ]]
result $? "another arm has another controller" "$planar: $(cat out)"
jq '.joints[1].gear_ratio = 40' "$arm" >geared.arm.json
files=(--arm "$arm" --params p.json)
for what in "--session s.armsession" "${files[*]}"; do
  for force in "" --force; do
    # shellcheck disable=SC2086 # several words each
    refuse "more joints $what $force" 5 \
      ': the controller has 4 joints, the arm file 2; .*; nothing was written' \
      upload $what --port sim:scara --backups mixed $force
  done
  # shellcheck disable=SC2086
  refuse "other gears $what" 5 \
    'joint 2: gear.ratio\[2\]: expected 80 as in the arm file, found 40.*--force uploads' \
    upload $what --port "sim:$PWD/geared.arm.json" --backups mixed
done
expect "a fit of six joints" 0 fit --arm "$demo.arm.json" --csv "$demo.csv" --out six.json
refuse "fewer joints" 5 'the controller has 2 joints, the arm file 6' upload \
  --arm "$demo.arm.json" --params six.json --port "sim:$arm" --backups mixed --force
refuse "a backup of fewer joints" 5 'is of an arm with 2 joints, the controller has 4' \
  restore --backup "$backup" --port sim:scara --backups mixed --force
[[ ! -e mixed ]]
result $? "nothing was done to any" "$(find mixed)"
expect "a gear that was replaced" 0 \
  upload "${files[@]}" --port "sim:$PWD/geared.arm.json" --backups other --force

# ---- what the steps of a session say ----

step() { # FILE STEP STATE
  cp s.armsession "$1"
  "$make_files" step "$1" "$2" "$3"
}
again=(--port "$simulator" --backups stepped)
step old.armsession fit stale
for format in c csv json; do
  refuse "a fit that is out of date, as $format" 3 'the fit is out of date \(as if\): fit again first' \
    export --session old.armsession --format "$format"
done
refuse "nor is it uploaded, with --force either" 3 \
  'old.armsession: the fit is out of date \(as if\): fit again first' \
  upload --session old.armsession "${again[@]}" --force
step failed.armsession validate failed
refuse "a validation that failed" 4 \
  'failed.armsession: the validation has failed; nothing was written, --force uploads' \
  upload --session failed.armsession "${again[@]}"
[[ ! -e stepped ]]
result $? "nothing was done" "$(find stepped)"
expect "--force" 0 upload --session failed.armsession "${again[@]}" --force
grep -q 'warning: failed.armsession: the validation has failed: as if' err
result $? "says so once more" "$(cat err)"
for format in c csv json; do
  expect "it is exported as $format" 0 \
    export --session failed.armsession --format "$format" --out "failed.$format"
  grep -q 'warning: failed.armsession: the validation has failed: joint 1: off by .* mA' err
  result $? "which says so" "$(cat err)"
done
grep -q '^ \* *WARNING: the validation has failed: joint 2: off by .* mA (promised' failed.c
result $? "as the header does" "$(head -n 20 failed.c)"
holds "and the file, of which joint, by how much" failed.json '.validation[0] |
  .state == "failed" and (.joints | length == 2 and all(.state == "failed" and .rms_error_A > 0 and
  .promised_A > 0 and .rms_A > .rms_error_A))'
holds "one that passed says that" p.json '.validation[0] | .state == "passed" and .name == "s.armsession" and
  (.joints | all(.state == "passed" and .reason == null))'
stepped=$(find stepped | wc -l)
refuse "a file of what failed is not uploaded" 4 \
  'failed.json: the validation has failed; nothing was written, --force uploads' \
  upload --arm "$arm" --params failed.json "${again[@]}"
jq 'del(.validation[0].state, .digest)' failed.json >hushed.json
refuse "nor if only its joints say so" 4 'hushed.json: the validation has failed; nothing' \
  upload --arm "$arm" --params hushed.json "${again[@]}"
[[ $(find stepped | wc -l) -eq $stepped ]]
result $? "nothing was done to the controller" "$(find stepped)"
expect "unless somebody answers for it" 0 \
  upload --arm "$arm" --params failed.json "${again[@]}" --force
grep -q 'warning: failed.json: the validation has failed: joint 1' err
result $? "who is told again" "$(cat err)"
printf 't_s,joint,q1_rad,q2_rad,qd1_rad_s,qd2_rad_s\n0,1,0.1,0.2,0.3,0\n' >motion.csv
for verb in "predict --csv motion.csv" "export --format c"; do
  # shellcheck disable=SC2086 # two words
  expect "the file serves $verb" 0 $verb --arm "$arm" --params failed.json
  grep -q 'warning: failed.json: the validation has failed: joint 1' err
  result $? "which repeats it" "$(cat err)"
done
expect "diff" 0 diff failed.json p.json --json
holds "tells which of them failed" out '.validation == {a: "failed", b: "passed"}'
expect "diff of sessions" 0 diff s.armsession failed.armsession --json
holds "likewise" out '.validation == {a: "passed", b: "failed"}'
step stale.armsession validate stale
expect "a file of what is out of date" 0 export --session stale.armsession --format json --out old.json
holds "says so, and no numbers" old.json '.validation[0] |
  .state == "stale" and (.joints | all(.rms_error_A == null and .state == null))'
refuse "and is not uploaded" 4 'old.json: its validation is out of date.*--force uploads' \
  upload --arm "$arm" --params old.json "${again[@]}"
grep -q 'warning: old.json: the fit is not validated: its validation is out of date' err
result $? "which is told" "$(cat err)"
refuse "nor is one that is out of date" 4 'stale.armsession: its validation is out of date.*--force' \
  upload --session stale.armsession "${again[@]}"
grep -q 'warning: stale.armsession: the fit is not validated, though there are sweeps.*: as if' err
result $? "which is told, too" "$(cat err)"
cp s.armsession anonymous.armsession
"$make_files" anonymous anonymous.armsession
for format in c csv json; do
  expect "a session that does not say what wrote it, as $format" 0 \
    export --session anonymous.armsession --format "$format"
done
holds "says so" out '.program == "unknown"'
step waiting.armsession fit waiting
refuse "nor a fit of a step that waits" 4 'waiting.armsession: nothing tells whether the model fits' \
  upload --session waiting.armsession "${again[@]}"
step unjudged.armsession fit unjudged
refuse "nor a fit that nothing judged" 4 'unjudged.armsession: nothing tells whether the model fits' \
  upload --session unjudged.armsession "${again[@]}"
grep -q 'warning: unjudged.armsession: nothing tells whether the fit is good: as if' err
result $? "likewise" "$(cat err)"
jq '.verdict = "unknown" | .joints[1].misfit |= (.verdict = "unknown" | .untold = "few_pairs" |
  .alarms = []) | del(.digest)' p.json >unknown.json
refuse "nor a file of one" 4 'unknown.json: nothing tells whether the model fits; nothing was' \
  upload --arm "$arm" --params unknown.json "${again[@]}"
grep -q 'warning: unknown.json: doubtful when it was fitted: joint 2: whether the model fits' err
result $? "with the reason" "$(cat err)"
jq 'del(.verdict, .joints[].misfit, .warnings, .digest)' p.json >bare.json
refuse "nor one without a verdict" 4 'bare.json: nothing tells whether the model fits; nothing was' \
  upload --arm "$arm" --params bare.json "${again[@]}"
jq '.joints[0].parameters.kx_star.used += 1' p.json >edited.json
refuse "nor one that was changed" 4 'edited.json: its numbers were changed after they were fitted' \
  upload --arm "$arm" --params edited.json "${again[@]}"
jq '.doubts = [{code: "unsigned_current", joint: 2, other: 0, unit: 0, of_samples: true, found: 0.01,
  expected: 1.8, t_s: null, count: 0, rows: 500}] | del(.digest)' p.json >unsigned.json
refuse "nor what was fitted from magnitudes" 4 'unsigned.json: what it was fitted from looks wrong' \
  upload --arm "$arm" --params unsigned.json "${again[@]}"
printf 't_s,joint,q1_rad,q2_rad,qd1_rad_s,qd2_rad_s\n0,1,0.1,0.2,0.3,0\n' >motion.csv
expect "what nothing judged predicts" 0 predict --arm "$arm" --params unknown.json --csv motion.csv
grep -q 'warning: unknown.json: doubtful when it was fitted: joint 2: whether the model fits' err
result $? "and says so" "$(cat err)"
expect "and is exported" 0 export --arm "$arm" --params unknown.json --format c --out unknown.h
grep -q 'WARNING: doubtful when it was fitted: joint 2: whether the model fits' unknown.h
result $? "with a word about it" "$(head -n 20 unknown.h)"
expect "somebody answers for it" 0 \
  upload --session unjudged.armsession "${again[@]}" --force

# ---- what stands against an upload: a model that does not fit, friction without a place ----

unchanged() { # NAME: the controller, and that nothing was backed up
  parameters >now
  cmp -s now files && [[ ! -e doubted ]]
  result $? "$1" "$(diff now files | head; find doubted 2>&1)"
}
to=(--port "$simulator" --backups doubted)
jq '.verdict = "misfit" | .joints[0].misfit |= (.verdict = "misfit" | .alarms = ["gravity"]) |
  .joints[0].parameters.kx_star.used += 1 | del(.digest)' p.json >misfit.json
refuse "a model that does not fit" 4 'misfit.json: the model did not fit.*--force uploads' \
  upload --arm "$arm" --params misfit.json "${to[@]}"
grep -q 'warning: misfit.json: the model did not fit: joint 1: the gravity model misses' err
result $? "is told with its joint" "$(cat err)"
jq 'del(.verdict)' misfit.json >silenced.json
refuse "nor one whose verdict was taken out" 4 'silenced.json: the model did not fit.*--force' \
  upload --arm "$arm" --params silenced.json "${to[@]}"
jq '.verdict = "misfit" | del(.digest)' p.json >accused.json
refuse "nor one that only says so" 4 'accused.json: the model did not fit.*--force uploads' \
  upload --arm "$arm" --params accused.json "${to[@]}"
grep -q 'warning: accused.json: the model did not fit, as its verdict says' err
result $? "which is told, too" "$(cat err)"
expect "C code of what does not fit" 0 \
  export --arm "$arm" --params misfit.json --format c --out misfit.h
grep -q 'WARNING: the model did not fit: joint 1: the gravity model misses' misfit.h
result $? "says so in its comment" "$(head -n 30 misfit.h)"
jq '.version = 2 | .joints[].parameters.terms = ["load", "curve" | {name: ., offered: true,
    chosen: false, gain: null, reason: "not needed", reason_key: "not_needed"}] |
  .joints[1].parameters |= (.load = {value: 0.06, sd: 0.01, identifiable: true, used: 0.06,
    reason: null} | .load_seen_A = [0, 9] | .friction_sign = 1 |
    .terms[0] |= (.chosen = true | .gain = 0.1 | .reason = null | .reason_key = "chosen")) |
  .covariance |= (.lower += [(.names[] | 0), 0.0001] | .names += ["load_2"]) |
  .joints[1].parameters.kx_star.used += 1 | del(.digest)' p.json >terms.json
refuse "friction that the controller cannot hold" 5 \
  'terms.json: friction of joint 2 that grows with the load \(load\) has no place' \
  upload --arm "$arm" --params terms.json "${to[@]}"
unchanged "neither is written"
expect "--force writes what there is a place for" 0 \
  upload --arm "$arm" --params terms.json "${to[@]}" --force --json
holds "and says what is missing" out \
  'any(.missing[]; test("friction of joint 2 that grows with the load"))'
expect "--force writes what does not fit" 0 \
  upload --arm "$arm" --params misfit.json --port "$simulator" --backups kept --force
grep -q 'warning: misfit.json: the model did not fit: joint 1' err
result $? "and says so once more" "$(cat err)"

jq '.doubts = [{code: "no_signal", joint: 2, other: 0, unit: 0, of_samples: false, found: 0.01,
  expected: 0.8, t_s: null, count: 0, rows: 500}] | del(.digest)' p.json >noisy.json
expect "a joint whose current was noise" 0 \
  upload --arm "$arm" --params noisy.json --port "$simulator" --backups kept --force
grep -q 'warning: noisy.json: doubtful when it was fitted: joint 2: its current does not follow' err
result $? "is told of before it is uploaded" "$(cat err)"

jq '.joints[1].beta_deg = 180' "$arm" >mirrored.arm.json # the elbow turns the other way
expect "a session of an arm that its file does not describe" 4 calibrate --arm "$arm" \
  --port "sim:$PWD/mirrored.arm.json,speed=100" --session w.armsession --speeds 30,60 \
  --dry-speed 60 --move-speed 60
for format in c csv json; do
  expect "can be exported as $format" 0 export --session w.armsession --format "$format"
  grep -q 'warning: w.armsession: the model did not fit: joint [12]: ' err
  result $? "and says that it does not fit" "$(cat err)"
done
expect "its file predicts" 0 export --session w.armsession --format json --out w.json
printf 't_s,joint,q1_rad,q2_rad,qd1_rad_s,qd2_rad_s\n0,1,0.1,0.2,0.3,0\n' >motion.csv
expect "all the same" 0 predict --arm "$arm" --params w.json --csv motion.csv
grep -q 'warning: w.json: the model did not fit: joint [12]: ' err
result $? "and says it, too" "$(cat err)"
refuse "it is not uploaded" 4 'w.armsession: the model did not fit.*--force uploads' \
  upload --session w.armsession --port "$simulator" --backups other
expect "unless somebody answers for it" 0 \
  upload --session w.armsession --port "$simulator" --backups other --force

# The column of a current renamed: its joint was measured as a torque.
sed '1s/i2_A/tau2_Nm/' "$demo.csv" >torque.csv
expect "a joint measured as a torque" 0 fit --arm "$demo.arm.json" --csv torque.csv --out torque.json
refuse "is not uploaded, with --force either" 5 'joint 2 was measured in N m, not as a current' \
  upload --arm "$demo.arm.json" --params torque.json --port sim:table1 --backups torque --force

refuse "into another controller" 5 '.' restore --backup "$backup" --port sim:scara --backups kept
refuse "what to upload" 2 'either --session, or --params with --arm' upload --port "$simulator"
refuse "not fitted" 3 'bare.armsession: ' upload --session bare.armsession --port "$simulator"
refuse "nobody there" 5 'no such port' upload --session s.armsession --port /dev/nowhere
finish
