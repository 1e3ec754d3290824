#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every translation is complete, formally right, and says the same word for the same thing. TAP.
#
#   test_po.sh ROOT
set -uo pipefail
shopt -s lastpipe # `... | check NAME` counts in this shell
root=$1
command -v msgcmp >/dev/null || {
  echo "1..0 # SKIP gettext is not installed"
  exit 0
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
number=0 failed=0

# check NAME: reads what is wrong from stdin; nothing = ok
check() {
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

# flat PO: one line per message, msgid TAB msgstr (plural forms one after the other)
flat() {
  msgattrib --no-obsolete "$1" | awk '
    function end() { if (id != "") print id "\t" text; id = text = ""; field = "" }
    /^$/ { end() }
    /^msgid / { field = "id"; id = "" }
    /^msgid_plural / { field = "id"; id = id " " }
    /^msgstr/ { field = "text"; text = text " " }
    /^msgctxt / { field = "" }
    /"$/ {
      part = $0; sub(/^[^"]*"/, "", part); sub(/"$/, "", part)
      if (field == "id") id = id part
      if (field == "text") text = text part
    }
    END { end() }'
}

"$root/po/extract.sh" "$folder/fresh.pot" 2>&1 | grep -v '^$' | check "xgettext understands every string"
diff <("$root/po/extract.sh" --files) "$root/po/POTFILES" |
  check "POTFILES lists what has strings (./dev translations)"

while read -r language; do
  po=$root/po/$language.po
  msgfmt --check --output-file=/dev/null "$po" 2>&1 | check "$language: formats, accelerators and header are right"
  # Reports what is missing, untranslated or fuzzy
  msgcmp --no-fuzzy-matching "$po" "$folder/fresh.pot" 2>&1 | grep -v "is not used" | head -n 30 | check "$language: every string of the sources is translated"
  msgattrib --only-fuzzy --no-obsolete "$po" | check "$language: nothing is fuzzy"
  flat "$po" >"$folder/$language.flat"
  # TERM TAB WORDS|WORDS: a message with the term has one of the words. =TEXT: the whole message.
  awk -F'\t' '
    function is_in(text, term,   at, before, after, rest, from) {
      from = 1
      while ((at = index(substr(text, from), term)) > 0) {
        at += from - 1
        before = at > 1 ? substr(text, at - 1, 1) : " "
        after = substr(text, at + length(term), 1)
        if (before !~ /[a-zA-Z_]/ && after !~ /[a-rt-zA-Z_]/) return 1
        from = at + 1
      }
      return 0
    }
    FNR == NR && /^#/ { next }
    FNR == NR {
      if (NF != 2) print "glossary line " FNR ": " $0
      terms[++n] = $1; words[n] = tolower($2)
      next
    }
    {
      id = tolower($1); text = tolower($2)
      gsub(/`[^`]*`|armature-cli [a-z]+/, "", id) # what is typed is not translated
      for (k = 1; k <= n; k++) {
        if (terms[k] ~ /^=/) {
          plain = $1; gsub(/_/, "", plain)
          if (plain != substr(terms[k], 2)) continue
          exact = $2; sub(/^ /, "", exact); gsub(/_/, "", exact)
          if (tolower(exact) != words[k]) print "\"" $1 "\" is " $2 ", not " words[k]
          used[k] = 1
        } else if (is_in(id, tolower(terms[k]))) {
          used[k] = 1
          count = split(words[k], some, "|"); found = 0
          for (w = 1; w <= count; w++) if (index(text, some[w])) found = 1
          if (!found) print "\"" terms[k] "\" is not " words[k] " in: " $1 " =>" $2
        }
      }
    }
    END { if (n < 30) print "only " n " terms" }
  ' "$root/po/glossary.$language.tsv" "$folder/$language.flat" 2>&1 |
    check "$language: the words of the glossary are used"
done < <(grep -oE '^[a-zA-Z_@]+$' "$root/po/LINGUAS")

echo "1..$number"
exit "$failed"
