/* SPDX-License-Identifier: MIT */
/* How fast the decoder is, once with random payload and once with two thirds of zeros; and against
 * copying the same bytes. */
#include <stdio.h>

#include "wire_rate.h"

int main(void) {
  for (int zeros = 0; zeros < 2; zeros++) {
    double copies;
    const double rate = wire_rate(zeros, &copies);
    printf("wire decoder, %s: %.0f MB/s (%d frames, all accepted), %.1f times a copy\n",
           zeros ? "two thirds zeros" : "random payload", rate, WIRE_RATE_FRAMES, copies);
    if (!(rate > 0))
      return 1;
  }
  return 0;
}
