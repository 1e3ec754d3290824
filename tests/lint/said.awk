# SPDX-License-Identifier: MIT
# Reads C sources and prints each English text that a call of FUNCTIONS (separated by |) is given as
# it is, not marked for translation: FILE:LINE: "text". Marked is what stands within N_() and the
# like. Of what may be in a text, formats, escapes and words in capitals are no English, nor is what
# begins with a number (and its unit) or a dash (the end of a file's name).
#
#   awk -v functions='aio_said|...' -f said.awk FILE ...
BEGIN {
  RS = "\001"
  marks = "^(N_|NC_|_|C_|g_dngettext|aio_said_many|aio_said_many_by|g_str_has_suffix)$"
  says = "^(" functions ")$"
}

function is_english(text) {
  gsub(/%[-+ 0#]*[0-9.]*[lz]*[a-zA-Z%]/, " ", text)
  gsub(/\\./, " ", text)
  gsub(/[A-Z][A-Z]+/, " ", text)
  return text !~ /^[-0-9]/ && text ~ /[A-Za-z][a-z][a-z]/
}

# Is what stands here said as it is? Looks outwards over the calls that it stands in.
function is_said(   k) {
  for (k = depth; k > 0; k--) {
    if (name[k] ~ marks) return 0
    if (name[k] ~ says) return 1
  }
  return 0
}

{
  line = 1; depth = 0; word = ""
  rest = $0
  while (match(rest, /[A-Za-z_][A-Za-z_0-9]*|"([^"\\\n]|\\.)*"|'([^'\\\n]|\\.)*'|\/\*([^*]|\*+[^*\/])*\*+\/|\/\/[^\n]*|[()\n;{}]/)) {
    token = substr(rest, RSTART, RLENGTH)
    gap = substr(rest, 1, RSTART - 1)
    rest = substr(rest, RSTART + RLENGTH)
    first = substr(token, 1, 1)
    if (gap ~ /[^ \t]/) word = ""
    if (first == "(") { name[++depth] = word; word = "" }
    else if (first == ")") { if (depth) depth--; word = "" }
    else if (first == "\n") line++
    else if (first ~ /[;{}]/) { depth = 0; word = "" }
    else if (first ~ /[A-Za-z_]/) word = token
    else if (first == "/") line += gsub(/\n/, "", token)
    else {
      if (first == "\"" && is_said() && is_english(substr(token, 2, length(token) - 2)))
        print FILENAME ":" line ": " token
      word = ""
    }
  }
}
