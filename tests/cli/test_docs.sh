#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Help, manual and completion name the same verbs and options.
# shellcheck disable=SC2016 # jq and awk have variables of their own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
manual=$root/data/armature-cli.1
# shellcheck source=data/completions/armature-cli
. "$root/data/completions/armature-cli"

# complete_words WORD...: what is offered for the last one, sorted, on one line
complete_words() {
  COMP_WORDS=("$cli" "$@") COMP_CWORD=$#
  _armature_cli 2>/dev/null
  printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '
}

is() {
  [[ $2 == "$3" ]]
  result $? "$1" "found:  $2
wanted: $3"
}

for verb in structure base plan import reduce fit diagnose identify predict dynamics excite export ports info log replay simulate diff report-bug calibrate record validate upload restore; do
  run "$verb" --help
  options=$(sed '/^Example:/,$d' out | grep -oE '^  --[a-z-]+' | tr -d ' ' | sort | paste -sd ' ')
  is "$verb: completion" "$(complete_words "$verb" --)" "$options"
  described=$(awk -v verb="$verb" '
    /^\.(Ss|Sh) / { inside = $0 == ".Ss " verb }
    inside && /^\.It Fl -/ { sub(/^-/, "--", $3); print $3 }' "$manual"; echo --help)
  is "$verb: manual, described" "$(sort <<<"$described" | paste -sd ' ')" "$options"
  shown=$(awk -v verb="$verb" '
    /^\.Sh / { inside = 0 } /^\.Cm / { if (!started || $2 != verb) inside = $2 == verb }
    /^\.Sh DESCRIPTION/ { exit }
    inside && /Fl -/ { for (k = 1; k <= NF; k++) if ($k ~ /^\.?Fl$/) print "-" $(k + 1) }' "$manual"
    echo --help)
  is "$verb: manual, synopsis" "$(sort -u <<<"$shown" | paste -sd ' ')" "$options"
done

mkdir arms
touch a.arm.json p.json r.csv notes.txt
is "verbs" "$(complete_words '')" "--help --version base calibrate diagnose diff dynamics excite export fit help identify import info log plan ports predict record reduce replay report-bug restore simulate structure upload validate"
is "a verb begun" "$(complete_words pr)" "predict"
is "help of a verb" "$(complete_words help st)" "structure"
is "arm files and folders" "$(complete_words fit --arm '')" "a.arm.json arms"
is "parameter files" "$(complete_words predict --params '')" "a.arm.json arms p.json"
is "recordings" "$(complete_words fit --csv '')" "arms r.csv"
is "any file to import" "$(complete_words import --csv n)" "notes.txt"
is "rules" "$(complete_words predict --zero-speed '')" "deadband= none sign-error"
is "what is beside the links" "$(complete_words base --with '')" "counterbalance friction rotor spring"
is "columns" "$(complete_words excite --columns '')" "base full"
is "a motion" "$(complete_words excite --check '')" "arms r.csv"
is "formats" "$(complete_words export --format '')" "c csv json"
is "a file to write" "$(complete_words export --out n)" "notes.txt"
touch s.armsession
is "a session to look into" "$(complete_words log s)" "s.armsession"
run info --help
languages=$(tr -s ' \n' ' ' <out | grep -oP 'language of the controller: \K[^.]*' | tr -d ,)
is "drivers, as the program lists them" "$(complete_words info --driver '')" "$(tr ' ' '\n' <<<"$languages" | sort | paste -sd ' ')"
[[ $languages == native* ]]
result $? "and it lists some" "$languages"
is "simulated ports" "$(complete_words info --port sim)" "sim:table1 sim:truth2"
is "numbers are not guessed" "$(complete_words fit --min-speed '')" ""

if command -v groff >/dev/null; then
  groff -man -mdoc -Tascii -ww "$manual" >/dev/null 2>warnings
  is "the manual formats without a warning" "$(cat warnings)" ""
else
  skip "the manual formats without a warning" "groff is missing"
fi
finish
