/* SPDX-License-Identifier: MIT */
#include "wire_rate.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/support.h"
#include "wire/frame.h"

enum { PAYLOAD = 156, PIECE = 4096, RUNS = 20 };

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
  for (uint32_t k = 0; k < WIRE_RATE_FRAMES; k++) {
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
  return decoder.counters.frames == WIRE_RATE_FRAMES ? seconds : HUGE_VAL;
}

static double copy_all(uint8_t *piece, const uint8_t *stream, size_t n) {
  const double start = cpu_seconds();
  for (size_t at = 0; at + PIECE <= n; at += PIECE)
    memcpy(piece, stream + at, PIECE);
  return cpu_seconds() - start;
}

double wire_rate(bool has_zeros, double *copies) {
  uint8_t *stream = malloc((size_t)WIRE_RATE_FRAMES * WIRE_FRAME_MAX), *piece = malloc(PIECE);
  double best = HUGE_VAL, best_copy = HUGE_VAL;
  const size_t n = stream && piece ? make_stream(stream, has_zeros) : 0;
  for (int run = 0; n && run < RUNS; run++) {
    best = fmin(best, decode(stream, n));
    best_copy = fmin(best_copy, copy_all(piece, stream, n));
  }
  free(stream);
  free(piece);
  *copies = best / best_copy;
  return 1e-6 * (double)n / best;
}
