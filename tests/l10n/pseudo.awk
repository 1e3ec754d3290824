# SPDX-License-Identifier: MIT
# A catalogue in English, its lines not wrapped, as pseudo-translation: accented, vowels doubled, which
# makes it about 40 % longer; header, escapes, formats, tags, entities and accelerators stay what they
# are. One program for all messages: msgfilter starts one for each.
BEGIN {
  split("a á b ƀ c ç d đ e é f ƒ g ĝ h ĥ i í j ĵ k ķ l ļ m ɱ n ñ o ó p þ r ŕ s š t ţ u ú v ṽ w ŵ y ý z ž " \
        "A Á B Ɓ C Ç D Đ E É G Ĝ H Ĥ I Í J Ĵ K Ķ L Ļ N Ñ O Ó P Þ R Ŕ S Š T Ţ U Ú W Ŵ Y Ý Z Ž", pairs, " ")
  for (k = 1; k in pairs; k += 2) map[pairs[k]] = pairs[k + 1]
}
function accented(text,   out, letter) {
  while (length(text) > 0) {
    if (match(text, /^%(%|[-+ 0#]*[0-9*]*(\.[0-9*]+)?[hlz]*[diouxXeEfgGcs])/) ||
        match(text, /^<[^>]*>/) || match(text, /^&[a-z]+;/) || match(text, /^\\./)) {
      out = out substr(text, 1, RLENGTH)
      text = substr(text, RLENGTH + 1)
      continue
    }
    letter = substr(text, 1, 1)
    text = substr(text, 2)
    if (letter in map) out = out map[letter] (letter ~ /[aeiou]/ ? map[letter] : "")
    else out = out letter
  }
  return out
}
/^$/ { is_below = 1 } # the header
!/^"/ { is_text = is_below && /^msgstr/ }
is_text {
  at = index($0, "\"")
  $0 = substr($0, 1, at) accented(substr($0, at + 1, length($0) - at - 1)) "\""
}
{ print }
