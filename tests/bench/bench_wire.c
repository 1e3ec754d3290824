/* SPDX-License-Identifier: MIT */
/* How fast the decoder is: telemetry of 12 joints in pieces of 4096 bytes, once with random payload
 * and once with two thirds of zeros, which cost most; and against copying the same bytes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/support.h"
#include "wire/frame.h"

enum { FRAMES = 20000, PAYLOAD = 156, PIECE = 4096, RUNS = 20 };

static double cpu_seconds(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t make_stream(uint8_t *stream, bool has_zeros) {
  TestRng rng;
  uint8_t payload[PAYLOAD];
  size_t n = 0;
  test_rng_init(&rng, 1);
  for (uint32_t k = 0; k < FRAMES; k++) {
    const WireHeader header = {WIRE_VERSION, 0x840, (uint16_t)k, k * 1000u};
    for (size_t b = 0; b < PAYLOAD; b++)
      payload[b] = (uint8_t)(has_zeros && test_rng_below(&rng, 3) ? 0 : test_rng_below(&rng, 256));
    n += wire_frame_encode(stream + n, &header, payload, PAYLOAD);
  }
  return n;
}

static double decode(const uint8_t *stream, size_t n) {
  static WireDecoder decoder;
  WireReceived received;
  const double start = cpu_seconds();
  wire_decoder_init(&decoder);
  for (size_t at = 0; at < n; at += PIECE) {
    const uint8_t *bytes = stream + at;
    size_t left = n - at < PIECE ? n - at : PIECE;
    while (wire_decoder_next(&decoder, &bytes, &left, &received)) {
    }
  }
  const double seconds = cpu_seconds() - start;
  return decoder.counters.frames == FRAMES ? seconds : 1e9;
}

int main(void) {
  uint8_t *stream = malloc((size_t)FRAMES * WIRE_FRAME_MAX), *copy = malloc(PIECE);
  if (!stream || !copy)
    return 1;
  for (int zeros = 0; zeros < 2; zeros++) {
    const size_t n = make_stream(stream, zeros);
    double best = 1e9, best_copy = 1e9;
    for (int run = 0; run < RUNS; run++) {
      const double seconds = decode(stream, n), start = cpu_seconds();
      for (size_t at = 0; at + PIECE <= n; at += PIECE)
        memcpy(copy, stream + at, PIECE);
      const double copying = cpu_seconds() - start;
      best = seconds < best ? seconds : best;
      best_copy = copying < best_copy ? copying : best_copy;
    }
    printf("wire decoder, %s: %.0f MB/s (%d frames, all accepted), %.1f times a copy\n",
           zeros ? "two thirds zeros" : "random payload", 1e-6 * (double)n / best, FRAMES,
           best / best_copy);
  }
  free(stream);
  free(copy);
  return 0;
}
