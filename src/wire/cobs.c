/* SPDX-License-Identifier: MIT */
#include "wire/cobs.h"

#include <string.h>

enum { BLOCK = 254 }; /* most bytes after one code */

size_t wire_cobs_encode(uint8_t *out, const uint8_t *in, size_t n) {
  uint8_t *end = out;
  for (;;) {
    const size_t limit = n < BLOCK ? n : BLOCK;
    const uint8_t *zero = limit > 0 ? memchr(in, 0, limit) : NULL;
    const size_t run = zero ? (size_t)(zero - in) : limit;
    *end++ = (uint8_t)(run + 1);
    if (run > 0)
      memcpy(end, in, run);
    end += run;
    if (!zero && run == n)
      return (size_t)(end - out);
    /* a code of 255 stands for no zero: only the others swallow one */
    in += run + (zero != NULL);
    n -= run + (zero != NULL);
  }
}

/* Everything moves down by the first code; each further code then stands where a zero belongs. Only
 * the code after a full block stands for nothing and is closed up, at most once in 254 bytes. */
size_t wire_cobs_decode(uint8_t *out, const uint8_t *in, size_t n) {
  if (n == 0 || memchr(in, 0, n))
    return WIRE_COBS_BAD;
  size_t code = in[0], at = code - 1, length = n - 1;
  memmove(out, in + 1, length);
  while (at < length) {
    const size_t next = out[at];
    if (code <= BLOCK) {
      out[at] = 0;
      at += next;
    } else {
      length--;
      memmove(out + at, out + at + 1, length - at);
      at += next - 1;
    }
    code = next;
  }
  return at == length ? length : WIRE_COBS_BAD;
}
