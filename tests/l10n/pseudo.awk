# SPDX-License-Identifier: MIT
# A message of msgfilter as pseudo-translation: accented, vowels doubled, which makes it about 40 %
# longer; formats, tags, entities and accelerators stay what they are.
BEGIN {
  split("a á b ƀ c ç d đ e é f ƒ g ĝ h ĥ i í j ĵ k ķ l ļ m ɱ n ñ o ó p þ r ŕ s š t ţ u ú v ṽ w ŵ y ý z ž " \
        "A Á B Ɓ C Ç D Đ E É G Ĝ H Ĥ I Í J Ĵ K Ķ L Ļ N Ñ O Ó P Þ R Ŕ S Š T Ţ U Ú W Ŵ Y Ý Z Ž", pairs, " ")
  for (k = 1; k in pairs; k += 2) map[pairs[k]] = pairs[k + 1]
  RS = "\001"
}
{
  out = ""
  while (length($0) > 0) {
    if (match($0, /^%(%|[-+ 0#]*[0-9*]*(\.[0-9*]+)?[hlz]*[diouxXeEfgGcs])/) ||
        match($0, /^<[^>]*>/) || match($0, /^&[a-z]+;/) || match($0, /^\\./)) {
      out = out substr($0, 1, RLENGTH)
      $0 = substr($0, RLENGTH + 1)
      continue
    }
    letter = substr($0, 1, 1)
    $0 = substr($0, 2)
    if (letter in map) out = out map[letter] (letter ~ /[aeiou]/ ? map[letter] : "")
    else out = out letter
  }
  printf "%s", out
}
