#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tests words.sh: every planted comparison, and every sentence without a mark, is found, what is none
# is not. TAP.
#
#   words_selftest.sh ROOT
set -uo pipefail

root=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 failed=0
(cd "$root" && cp -r --parents src/session src/ui src/cli src/io "$work")
verbs=() patterns=() lines=()

result() { # OK NAME
  number=$((number + 1))
  if (($1)); then
    echo "ok $number - $2"
  else
    echo "not ok $number - $2"
    failed=1
  fi
}

# plant VERB PATTERN: a file of each line of the input, which one run of words.sh finds or leaves
plant() {
  local line
  while IFS= read -r line; do
    printf '%b\n' "$line" >"$work/src/session/planted_${#lines[@]}.c"
    verbs+=("$1") patterns+=("$2") lines+=("$line")
  done
}

plant finds ':1: compares what is for people' <<'CASES'
if (strcmp(reason, _("held")) == 0)
if (g_strcmp0(self->failure,\n ase_leg_end_said(end)) == 0)
if (strcmp(run->outcome, "held") == 0)
if (strcmp(a[0].reason, b[0].reason) == 0)
return g_str_has_prefix(text, ase_steps_title(steps, step));
return g_str_has_suffix(info->reason, "held");
return strstr(aio_said_shown(info->reason), "held") != NULL;
if (!live->last_error || !strstr(live->last_error, reason))
const char *joint = error ? strstr(error->message, ": joint ") : NULL;
if (g_strcmp0(said, separate) == 0)
if (g_regex_match_simple("joint [0-9]", error->message, 0, 0))
return g_str_has_suffix(event->text, "gone");
CASES

# what a variable has: on its own line, the next one, not in another function
plant finds ':[0-9]*: compares what is for people' <<'CASES'
  char *why = ase_leg_end_said(end);\n  return strcmp(why, "held");
  g_autofree char *own =\n      aui_cause_separate_text(d, k);\n  return !strcmp(other, own);
CASES

plant leaves '' <<'CASES'
if (strcmp(key, "held") == 0) say(_("held"));
if (g_strcmp0(row->outcome, ASE_OUTCOME_DONE) == 0)
if (a[0].reason == b[0].reason)
if (strcmp(kind, "ase_leg_text(") == 0)
if (aio_said_has(self->last_error, info->reason))
  text = _("held");\n  if (strcmp(gtk_label_get_text(label), text) != 0)
  char *why = ase_leg_end_said(end);\n}\nint f(char *why) {\n  return strcmp(why, "key");
if (strcmp(row.reason_key, "held") == 0)
CASES

plant finds ':[12]: "' <<'CASES'
char *said = aio_said("%u sweeps", n);
aio_said_list_add(list, N_("joint %u"),\n "its current");
g_set_error(error, AIO_ERROR, AIO_ERROR_IO, "%s: is gone", path);
ase_procedure_fail(p, step, 0, "cancelled");
aio_error_set_said(&error, c, N_("%s: %s"), is_on(x) ? "on" : "\\"off\\" for good");
CASES

plant leaves '' <<'CASES'
/* aio_said("%u sweeps", n) */
char *said = aio_said(N_("%u sweeps"), n);
char *said = aio_said("%.4g %s", q, turns ? aio_said_word(N_("deg")) : "m");
aio_error_set_said(error, AIO_ERROR_IO, "%s: %s", path, g_strerror(errno));
g_free(name); aio_said_list_add(list, "SWEEP, %s\\n", "4294 rad/s");
g_strdup_printf("SELECT %s FROM runs", aio_said(N_("a")));
CASES

"$here/words.sh" "$work" >"$work/found"
for k in "${!lines[@]}"; do
  said=leaves
  if grep -q "^# src/session/planted_$k\.c${patterns[k]}" "$work/found"; then said=finds; fi
  [[ $said == "${verbs[k]}" ]]
  result $((!$?)) "${verbs[k]}: ${lines[k]}"
done
echo "1..$number"
exit $failed
