#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `structure`: the agreed keys, and known arms.
# shellcheck disable=SC2016 # jq has variables of its own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for arm in "$robots"/*.arm.json "$demo.arm.json"; do
  name=$(basename "$arm" .arm.json)
  expect "$name" 0 structure --arm "$arm" --json
  holds "$name: agreed keys" out '
    .format == "armature-structure" and .version == 1 and
    (["format","version","n","r","s","delta","sigma","sigma_hat","clusters","parameters","count"]
     - keys == []) and
    (.delta, .sigma, .sigma_hat | length) == .n' 2>/dev/null
  holds "$name: parameters" out '
    (.parameters | length) as $p | .n as $n |
    ([.parameters[] | .name, .reason | type] | all(. == "string")) and
    ([.parameters[].kind] | all(. == "kx" or . == "ky" or . == "mhat")) and
    ([.parameters[].joint] | unique == [range(1; $n + 1)]) and
    ([.parameters[] | select(.minimal)] | length) == .count.gravity and
    .count.friction == 4 * .n and .r >= 1 and .s <= .n + 1 and $p >= .n'
  expect "$name, table" 0 structure --arm "$arm"
  narrow "$name: the table is narrow" out
done

run structure --arm "$robots/puma560.arm.json" --json
holds "PUMA 560" out '.n == 6 and .r == 1 and .s == 2 and .delta == [0,1,1,1,1,1] and
  .sigma == [null,null,null,null,null,null] and .clusters == [[2,3,4,5,6]] and
  .count == {"gravity":10,"ratios":4,"friction":24} and .parameters[2].name == "k2x"'
run structure --arm "$robots/stanford.arm.json" --json
holds "Stanford arm" out '.delta == [0,1,null,1,1,1] and .sigma == [null,null,1,null,null,null] and
  .sigma_hat == [null,null,1,null,null,null] and
  (.parameters[] | select(.joint == 3) | .name == "mhat3" and .kind == "mhat")'
run structure --arm "$robots/scara.arm.json" --json
holds "SCARA: no second direction" out '.s == .n + 1 and .count.gravity == 0 and .clusters == []'

cat >near.arm.json <<'JSON'
{"format": "armature-arm", "version": 1, "name": "near", "gravity_m_s2": [0, 0, -9.81],
 "joints": [{"type": "R", "beta_deg": 90}, {"type": "R", "beta_deg": 0.01, "b_m": 0.5}]}
JSON
expect "nearly parallel axes" 0 structure --arm near.arm.json --json
grep -q 'warning: near.arm.json: the axes of joint 2 and the joint before it are nearly' err
result $? "nearly parallel axes are warned of" "$(cat err)"
holds "nearly parallel axes are listed" out '.near_parallel == [2]'
finish
