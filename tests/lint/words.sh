#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# No logic looks into what is for people: a text is of a language, and a sentence that was said may
# be worded otherwise tomorrow. What decides is a code: a state, a kind, a flag. And what is said can
# be said in other languages. TAP.
#
#   words.sh ROOT
set -uo pipefail
shopt -s lastpipe # `... | rule NAME` counts in this shell
export LC_ALL=C
awk=$(cd "$(dirname "$0")" && pwd)/said.awk
if (($# != 1)) || ! cd "$1"; then
  echo "Bail out! usage: words.sh ROOT"
  exit 2
fi
number=0 failed=0

# rule NAME: reads violations from stdin; none = ok
rule() {
  local name=$1 found
  found=$(cat)
  number=$((number + 1))
  if [[ -z $found ]]; then
    echo "ok $number - $name"
  else
    printf '# %s\n' "${found//$'\n'/$'\n# '}"
    echo "not ok $number - $name"
    failed=1
  fi
}

mapfile -t sources < <(find src/session src/ui src/cli src/io -name '*.c' | sort)
((${#sources[@]} > 100)) || {
  echo "Bail out! no sources below $1"
  exit 2
}

# What makes the texts, and tells a sentence from a text, looks into them.
mapfile -t compared < <(printf '%s\n' "${sources[@]}" | grep -v '^src/io/base/\(said\|error\)')

# A call that compares or searches, over as many lines as it has, and what is for people in it: a
# translated text, a function that makes one or says what was said, a reason, a message, an outcome,
# or a variable that has one of these in this function. What a widget shows already may be compared
# with what it is to show; what a sentence has in it is asked with aio_said_has.
awk '
  BEGIN {
    compares = "(^|[^A-Za-z0-9_])(strcmp|strncmp|strcasecmp|strncasecmp|strstr|strcasestr|strchr|strrchr" \
      "|strpbrk|memcmp|memmem|fnmatch|sscanf|g_strcmp0|g_str_equal|g_str_has_prefix|g_str_has_suffix" \
      "|g_strstr_len|g_strrstr|g_ascii_strcasecmp|g_ascii_strncasecmp|g_utf8_collate" \
      "|g_regex_match|g_regex_match_simple|g_pattern_match_simple|g_str_match_string)\\("
    makes = "(^|[^A-Za-z0-9_])(N?_|(ase|aio|aui|cli)_[a-z_]*(text|said|shown|title|reason|word|words|line))\\("
  }
  # A variable that is given a text for people, on this line or the next one
  function note(   name) {
    name = given; given = ""
    if (name == "" && match(text, /[A-Za-z_][A-Za-z0-9_]* =( |$)/)) {
      name = substr(text, RSTART, RLENGTH)
      sub(/ =.*/, "", name)
      if (RSTART + RLENGTH > length(text)) given = name
    }
    if (name != "" && text ~ makes) has[name] = 1
  }
  function names_text(inner,   name) {
    for (name in has)
      if (inner ~ "(^|[^A-Za-z0-9_.>])" name "([^A-Za-z0-9_(]|$)") return 1
    return 0
  }
  function judge(   inner) {
    inner = call
    gsub(/"([^"\\]|\\.)*"/, "\"\"", inner)
    sub(/^[^(]*\(/, "", inner)
    if (inner ~ /gtk_[a-z_]*_get_(text|label|tooltip_text|title|string)\(/) return
    if (inner ~ makes || names_text(inner) ||
        inner ~ /(->|\.)(reason|message|said|last_error)([^A-Za-z0-9_]|$)/ ||
        inner ~ /(^|[^A-Za-z0-9_])(event|row|reply)(->|\.)text([^A-Za-z0-9_]|$)/ ||
        inner ~ /(^|[^A-Za-z0-9_.>])(reason|message|said|sentence)([^A-Za-z0-9_(]|$)/ ||
        (inner ~ /(->|\.)outcome([^A-Za-z0-9_]|$)/ && inner !~ /ASE_OUTCOME_DONE/))
      print FILENAME ":" begun ": compares what is for people: let a code decide"
  }
  FNR == 1 { call = "" }
  /^}/ || FNR == 1 { delete has }
  { text = $0; note() }
  {
    while (length(text) > 0) {
      if (call == "") {
        if (!match(text, compares)) break
        text = substr(text, RSTART)
        sub(/^[^A-Za-z0-9_]/, "", text)
        begun = FNR
        depth = 0
      }
      for (k = 1; k <= length(text); k++) {
        letter = substr(text, k, 1)
        if (letter == "(") depth++
        if (letter == ")" && --depth == 0) break
      }
      call = call substr(text, 1, k) " "
      if (k > length(text)) break
      judge()
      call = ""
      text = substr(text, k + 1)
    }
  }
' "${compared[@]}" | rule "no logic compares what is for people"

# What is said of session, controller, link and the session's own file is kept as a sentence that the
# catalogues have; a GError of these has its sentence too (aio_error_set_said). What is wrong inside a
# capture is said in English, as of all files (src/DESIGN.md).
saying='aio_said|aio_said_list_add|aio_said_words|aio_said_word|aio_said_copy|aio_error_set_said'
saying+='|aio_error_set_kept|aio_error_set_file|aio_error_set_file_said|aio_error_set_at|aio_native_error'
saying+='|aio_native_reject|aio_reader_say|ase_record_say|ase_session_say|ase_session_refuse|say|object'
saying+='|refuse|refuse_damaged|refuse_fit|miss_fit|fail|end|set_state|ase_device_set_reason'
saying+='|ase_procedure_fail|ase_procedure_pass|ase_procedure_outdate|ase_procedure_outdate_joint'
saying+='|ase_procedure_leave_unjudged|ase_procedure_changed|ase_transfer_finish|ase_transfer_progress'
saying+='|g_set_error|g_set_error_literal|g_prefix_error|g_propagate_prefixed_error'
mapfile -t sayers < <(find src/session src/io/driver src/io/acquire src/io/link src/io/store -name '*.c' \
  ! -name capture_read.c ! -name capture_samples.c | sort)
awk -v functions="$saying" -f "$awk" "${sayers[@]}" |
  rule "what is said is marked for translation"

echo "1..$number"
exit $failed
