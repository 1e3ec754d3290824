#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `plan`: sweeps inside the limits, and what they promise.
# shellcheck disable=SC2016 # jq and awk have variables of their own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
make_rt
run fit --arm "$demo.arm.json" --csv "$demo.csv" --out p.json

for name in puma560 stanford ur10e; do
  expect "$name" 0 plan --arm "$robots/$name.arm.json" --json
  cp out plan.json
  holds "$name: keys" plan.json '.format == "armature-plan" and .version == 1 and
    (["arm","joints","ratios","duration_s","seed","basis"] - keys == []) and .basis == "nominal" and
    (.joints | length) == 6 and ([.joints[] | select(.swept) | .holds[] | length] | all(. == 6))'
  holds "$name: says the noise that it assumes" plan.json '.assumed_noise_A == 0.02'
  holds "$name: the swept joint holds nothing, the other ones do" plan.json '
    [.joints[] | .joint as $j | .holds[]? | to_entries[] |
     (.key + 1 == $j) == (.value == null)] | all'
  holds "$name: every minimal parameter is seen" plan.json '
    [.joints[] | select(.swept) | .excitation_rank == .excitation_required and .rank == .columns] | all'
  jq -n --slurpfile plan plan.json --slurpfile arm "$robots/$name.arm.json" '
    [$arm[0].joints[].limits] as $limits | $plan[0].joints[] | select(.swept) | .joint as $j |
    (.sweep_rad // .sweep_m) as $s | [$s, $j - 1], (.holds[] | to_entries[] |
      select(.value != null) | [[.value, .value], .key]) |
    . as [$range, $k] | $limits[$k] | (if .q_m then [.q_m[0], .q_m[1]]
      else [.q_deg[0], .q_deg[1]] | map(. * 0.017453292519943295) end) |
    $range[0] >= .[0] - 1e-9 and $range[1] <= .[1] + 1e-9' | jq -s 'all' >inside
  holds "$name: inside the limits" inside '.'
  expect "$name, table" 0 plan --arm "$robots/$name.arm.json"
  narrow "$name: the table is narrow" out
done

expect "from a fit" 0 plan --arm "$demo.arm.json" --params p.json --json --out demo.json
cp out first.json
same "--out writes what --json prints" demo.json first.json
holds "says so" out '.basis == "parameters"'
run plan --arm "$demo.arm.json" --params p.json --json
same "the same seed gives the same plan" out first.json
expect "more noise" 0 plan --arm "$robots/puma560.arm.json" --noise 0.2 --positions 50 --json
expect "without limits" 0 plan --arm "$demo.arm.json" --params p.json --ignore-limits --json
holds "reaches the antipodal optimum" out '.joints[1:][] | .cond_equilibrated <= 8.1'
holds "also centred, joints 2 to 6" out '[.joints[1:][] | .cond_centred <= 2.0] | all'
refuse "an existing file" 3 'plan.json: exists; use --force' plan --arm "$demo.arm.json" --out plan.json
refuse "parameters of another arm" 3 'joints: expected the 2 joints of the arm, found 6' \
  plan --arm rt.arm.json --params p.json
run plan --arm rt.arm.json
grep -q 'warning: rt.arm.json states no masses' err
result $? "without masses there is a warning" "$(cat err)"
expect "without drives" 0 plan --arm "$robots/stanford.arm.json" --json
grep -q 'warning: .*stanford.arm.json does not state all drives' err
result $? "without drives there is a warning" "$(cat err)"
holds "no ratio is promised without drives" out '.basis == "nominal" and
  all(.ratios[]; .predicted_sd == null and (.identifiable | not)) and
  ([.joints[] | .predicted_sd.viscous_pos > 0] | all)'
expect "with drives" 0 plan --arm "$robots/ur10e.arm.json" --json
holds "ratios are promised with drives" out 'any(.ratios[]; .predicted_sd > 0)'
expect "without masses" 0 plan --arm "$demo.arm.json" --json
holds "no ratio is promised, other keys stay" out '.basis == "made_up" and
  (.ratios | length) == 10 and all(.ratios[]; .predicted_sd == null and (.identifiable | not)) and
  .joints[1].predicted_sd.kx_star == null and .joints[5].predicted_sd.kx_star == null and
  ([.joints[] | .predicted_sd.viscous_pos > 0] | all) and (.joints[1].holds | length) == 4'
expect "without masses, table" 0 plan --arm "$demo.arm.json"
grep -q 'load_not_stated' out
result $? "the table says why" "$(tail -15 out)"
make_rt
run fit --arm rt.arm.json --csv rt.csv --out rt.json
jq '.joints[0].parameters.kx_star.used = 1e308' rt.json >absurd.json
refuse "absurd parameters are blamed on their file" 3 'error: absurd.json: ' \
  plan --arm rt.arm.json --params absurd.json
finish
