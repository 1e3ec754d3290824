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

size_t wire_cobs_decode(uint8_t *out, const uint8_t *in, size_t n) {
  size_t length = 0, at = 0;
  if (n == 0 || memchr(in, 0, n))
    return WIRE_COBS_BAD;
  while (at < n) {
    const size_t code = in[at++], run = code - 1;
    if (run > n - at)
      return WIRE_COBS_BAD;
    memmove(out + length, in + at, run);
    length += run;
    at += run;
    if (code != 255 && at < n)
      out[length++] = 0;
  }
  return length;
}
