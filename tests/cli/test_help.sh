#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the program says about itself, and wrong command lines.
# shellcheck disable=SC2016 # jq has variables of its own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

files='structure base plan import reduce fit diagnose identify predict dynamics excite export' others='ports info log replay simulate diff report-bug calibrate record validate upload restore'
expect "--help" 0 --help
for verb in $files $others; do
  grep -q "^  $verb " out || result 1 "--help lists $verb" "$(cat out)"
done
narrow "--help is narrow" out
cp out general
expect "help" 0 help
same "help is --help" out general

for verb in $files $others; do
  expect "$verb --help" 0 "$verb" --help
  [[ ! -s err ]] && grep -q '^Usage: armature-cli' out && grep -q '^Example:' out &&
    grep -q '^Exit status:' out &&
    { [[ " $others " == *" $verb "* ]] || grep -q -- "--arm ARM.arm.json" out; }
  result $? "$verb --help shows usage, options, an example and exit codes" "$(cat out)"
  narrow "$verb --help is narrow" out
  cp out verb
  expect "help $verb" 0 help "$verb"
  same "help $verb is $verb --help" out verb
done

run calibrate --help
tr -s '\n ' ' ' <out | grep -q 'deleted, renamed, replaced or overwritten.*NAME-rescued.armsession.*no room' &&
  grep -q 'NAME-rescued.armsession' "$root/data/armature-cli.1"
result $? "calibrate --help and the manual tell of the rescued file" "$(cat out)"

expect "--version" 0 --version
grep -qE '^armature-cli [0-9]+\.[0-9]+\.[0-9]+$' out
result $? "--version is one line" "$(cat out)"

refuse "no verb" 2 'a verb is missing'
refuse "unknown verb" 2 'unknown verb "fitt" \(did you mean "fit"\?\)' fitt
refuse "unknown verb after help" 2 'unknown verb "dance"' help dance
refuse "unknown option" 2 'fit has no option --cvs \(did you mean --csv\?\)' fit --cvs a
refuse "missing option" 2 '--csv REC.csv is missing' fit --arm a.json
refuse "missing value" 2 '--arm needs a value: --arm ARM.arm.json' fit --arm
refuse "an option is no value" 2 '--arm needs a value' fit --arm --csv a.csv
refuse "empty value" 2 '--arm needs a value' fit --arm= --csv a.csv
refuse "option given twice" 2 '--arm is given twice' fit --arm a --arm b --csv c
refuse "flag with a value" 2 '--json takes no value' fit --json=yes
refuse "stray argument" 2 'unexpected argument "rec.csv"' fit rec.csv
refuse "short option" 2 'unexpected argument "-o"' fit -o
refuse "not a number" 2 '--min-speed: expected a number, found "fast"' fit --min-speed fast
refuse "a number and more" 2 'expected a number, found "1,5"' fit --min-speed 1,5
refuse "not finite" 2 'expected a number, found "inf"' fit --min-speed inf
refuse "negative speed" 2 'not negative' fit --arm a --csv b --min-speed -1
refuse "truth with JSON" 2 '--truth belongs to the table' fit --arm a --csv b --truth c --json
refuse "unknown joint" 2 'expected joints from 1 to 6' \
  fit --arm "$demo.arm.json" --csv "$demo.csv" --joints 2,7
refuse "zero-speed rule" 2 'expected deadband=V' \
  predict --arm a --params b --csv c --zero-speed hope
refuse "zero-speed number" 2 'expected deadband=V with V > 0' \
  predict --arm a --params b --csv c --zero-speed deadband=-1
refuse "export format" 2 'expected c, csv or json, found "pdf"' export --arm a --params b --format pdf
refuse "export of a table with a rule" 2 'belong to --format c' \
  export --arm a --params b --format csv --zero-speed none
refuse "plan seed" 2 '--seed: expected a whole number' plan --arm a --seed 1.5
refuse "import without result" 2 '--out REC.csv is missing' import --arm a --map b --csv c
for verb in $files $others; do
  run "$verb" --nonsense
  grep -q "^Try 'armature-cli $verb --help'" err
  result $? "$verb points to its help" "$(cat err)"
done
finish
