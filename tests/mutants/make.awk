# SPDX-License-Identifier: MIT
# One-line mutants of C files laid out by clang-format:
#
#   awk -v seed=WORD -f make.awk FILE...
#
# prints, most wanted first, rows of: order, file, line, operator, the line before, the line after,
# parted by tabs. The order spreads the mutants evenly over the lines of code of all files, and is
# chance that only the seed, the file's name and the line's text decide. A line gives its second
# mutant when each has given one. Only the bodies of functions are mutated; comments, texts,
# preprocessor, assertions and what is only logged are not.

BEGIN {
  FS = "\n"
  for (k = 1; k < 256; k++) code[sprintf("%c", k)] = k
  split("MIN MAX MAX MIN fmin fmax fmax fmin least most most least fminf fmaxf fmaxf fminf", word, " ")
  for (k = 1; k in word; k += 2) other[word[k]] = word[k + 1]
  other["true"] = "false"; other["false"] = "true"; other["TRUE"] = "FALSE"; other["FALSE"] = "TRUE"
  split("< <= <= < > >= >= > == != != == && || || && + - - + += -= -= +=", word, " ")
  for (k = 1; k in word; k += 2) operator[word[k]] = word[k + 1]
}

# A number that looks random, of a text.
function hash(text,   k, h) {
  h = 17
  for (k = 1; k <= length(text); k++) h = (h * 263 + code[substr(text, k, 1)]) % 2147483647
  for (k = 0; k < 9; k++) h = (h * 48271 + 12345) % 2147483647
  return h
}

# The line with comments, strings and characters blanked out; every column stays where it is.
function mask(text,   k, c, two, out, inside) {
  out = ""
  inside = is_comment ? "*" : ""
  for (k = 1; k <= length(text); k++) {
    c = substr(text, k, 1); two = substr(text, k, 2)
    if (inside == "*") {
      if (two == "*/") { inside = ""; out = out "~"; k++ }
      c = "~"
    } else if (inside != "") {
      if (c == "\\") { out = out "~"; k++ }
      else if (c == inside) inside = ""
      c = "~"
    } else if (two == "/*") { inside = "*"; out = out "~"; k++; c = "~" }
    else if (two == "//") { while (k++ <= length(text)) out = out "~"; break }
    else if (c == "\"" || c == "'") { inside = c; c = "~" }
    out = out c
  }
  is_comment = inside == "*"
  return out
}

function count_of(text, c,   copy) {
  copy = text
  return gsub("[" c "]", "", copy)
}

function offer(name, text,   row) {
  row = ++rows
  row_file[row] = FILENAME; row_line[row] = FNR; row_name[row] = name
  row_old[row] = $0; row_new[row] = text
  row_hash[row] = hash(seed FILENAME name text seen[FILENAME, $0])
  on_line[FILENAME, FNR] = on_line[FILENAME, FNR] " " row
}

# The line with LENGTH characters at AT replaced by TEXT.
function swap(name, at, length_, text) {
  offer(name, substr($0, 1, at - 1) text substr($0, at + length_))
}

function name_of(op) {
  if (op == "&&" || op == "||") return "and/or"
  return op ~ /^[-+]/ ? "arithmetic" : "comparison"
}

function mutate_operators(m,   k, two, op) {
  for (k = 2; k <= length(m); k++) {
    if (substr(m, k - 1, 1) != " ") continue
    two = substr(m, k, 2)
    op = two in operator ? two : substr(m, k, 1)
    if ((op in operator) && substr(m, k + length(op), 1) ~ /^ ?$/)
      swap(name_of(op), k, length(op), operator[op])
  }
  if (m !~ /for \(/ && (k = match(m, /\+\+|--/)))
    swap("arithmetic", k, 2, substr(m, k, 1) == "+" ? "--" : "++")
}

function mutate_words(m,   at, text, before, after) {
  at = 1
  while (match(substr(m, at), /[A-Za-z0-9_.]+/)) {
    at += RSTART - 1
    text = substr(m, at, RLENGTH); before = substr(m, at - 1, at > 1)
    after = substr(m, at + RLENGTH, 1)
    if (text ~ /^(true|false|TRUE|FALSE)$/) swap("true/false", at, length(text), other[text])
    else if ((text in other) && after == "(") swap("min/max", at, length(text), other[text])
    else if (text ~ /^[0-9]+[uUlL]*$/) {
      match(text, /^[0-9]+/)
      swap("off by one", at, RLENGTH, substr(text, 1, RLENGTH) + 1)
      if (text + 0 > 0) swap("off by one", at, RLENGTH, substr(text, 1, RLENGTH) - 1)
    }
    at += length(text)
  }
}

function mutate_condition(m,   at, k, depth, inner) {
  if (!match(m, /(^|[ ])if \(/)) return
  at = RSTART + RLENGTH
  depth = 1
  for (k = at; k <= length(m) && depth; k++)
    depth += (substr(m, k, 1) == "(") - (substr(m, k, 1) == ")")
  if (depth) return
  inner = substr(m, at, k - 1 - at)
  if (inner !~ / (&&|\|\|) / && inner ~ / [=!]= /) return # the comparison's mutant is the same
  if (inner !~ / (&&|\|\|) / && inner ~ /^!/) swap("negated", at, 1, "")
  else swap("negated", at, k - 1 - at, "!(" substr($0, at, k - 1 - at) ")")
}

function is_declaration(t) {
  return t ~ /^(const|static|struct|union|enum|unsigned|signed|typedef|volatile|register|extern|g_auto[a-z]*)[ (]/ ||
    t ~ /^[A-Za-z_][A-Za-z0-9_]* \**[A-Za-z_]/
}

function mutate_statement(m,   t, indent) {
  t = m
  sub(/^ +/, "", t); sub(/[ ~]+$/, "", t)
  indent = substr($0, 1, match($0, /[^ ]/) - 1)
  if (t == "break;" || t == "continue;") offer("dropped", indent ";")
  else if (t ~ /^[A-Za-z_(*+-].*;$/ && t !~ /^(return|goto|case|default|do|while|for|if|else)[^A-Za-z0-9_]/ &&
      !is_declaration(t) && t !~ /[{}]/ && t !~ /;.*;/ && count_of(t, "(") == count_of(t, ")") &&
      previous ~ /([;{}:)]|else|do)$/)
    offer("dropped", indent ";")
}

FNR == 1 { depth = 0; is_body = 0; is_comment = 0; is_directive = 0; previous = "" }

{
  seen[FILENAME, $0]++
  masked = mask($0)
  if (is_directive || masked ~ /^ *#/) { is_directive = $0 ~ /\\$/; next }
  opening = count_of(masked, "{"); closing = count_of(masked, "}")
  if (!is_body) {
    is_body = depth == 0 && masked ~ /\) *\{[ ~]*$/ && masked !~ /=/
    depth += opening - closing
    previous = "{"
    next
  }
  depth += opening - closing
  if (depth <= 0) { depth = 0; is_body = 0; next }
  text = masked
  gsub(/[ ~]/, "", text)
  if (text == "") next
  if (text !~ /^[{}();]*$/) lines[FILENAME]++
  if (text !~ /static_assert|G_STATIC_ASSERT|assert\(|g_assert|g_return_|g_(debug|message|info|warning|critical|log|print|printerr)\(|^f?printf\(/ &&
      text !~ /^([A-Za-z_]+)?\(?$/) {
    mutate_operators(masked)
    mutate_words(masked)
    mutate_condition(masked)
    mutate_statement(masked)
  }
  previous = masked
  sub(/[ ~]+$/, "", previous)
}

END {
  # each line's mutants by chance, then the lines of a file by chance
  for (row = 1; row <= rows; row++) {
    number = split(on_line[row_file[row], row_line[row]], mates, " ")
    turn = 0
    for (k = 1; k <= number; k++)
      turn += row_hash[mates[k]] < row_hash[row] || (row_hash[mates[k]] == row_hash[row] && mates[k] + 0 < row)
    row_key[row] = turn * 2147483647 + row_hash[row]
  }
  sorter = "LC_ALL=C sort -t '\t' -k1,1 -k2,2n -k3,3n"
  for (row = 1; row <= rows; row++)
    printf "%s\t%.0f\t%d\t%d\t%s\t%s\t%s\n", row_file[row], row_key[row], row_line[row],
      lines[row_file[row]], row_name[row], row_old[row], row_new[row] | sorter
  close(sorter)
}
