/* SPDX-License-Identifier: MIT */
#include "io/recording/row_sketch.h"

#include <string.h>

#include "core/base/random.h"

enum { LEAST_COMPARED = 8 };

static guint64 mix(guint64 hash, guint64 bits) {
  uint64_t state = hash ^ bits;
  return arm_random_next(&state);
}

/* 0 and -0 are one number; whatever is missing is missing alike. */
static guint64 mix_number(guint64 hash, double x) {
  guint64 bits = 0;
  if (x == x && x != 0)
    memcpy(&bits, &x, sizeof bits);
  return mix(hash, x == x ? bits : G_MAXUINT64);
}

static guint64 hash_of(const AioRecording *w, gsize row) {
  guint64 hash = mix(0, (guint64)w->joint[row]);
  for (gsize j = 0; j < w->n; j++) {
    hash = mix_number(hash, w->q[row + j * w->rows]);
    hash = mix_number(hash, w->current[row + j * w->rows]);
  }
  return hash;
}

/* Of the first hash that is not less. */
static guint place_of(const AioRowSketch *sketch, guint64 hash) {
  guint low = 0, high = sketch->n;
  while (low < high) {
    const guint middle = (low + high) / 2;
    if (sketch->hash[middle] < hash)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void add(AioRowSketch *sketch, guint64 hash) {
  const guint place = place_of(sketch, hash);
  if (place < sketch->n && sketch->hash[place] == hash) {
    sketch->times[place]++;
    return;
  }
  if (place == AIO_ROW_SKETCH)
    return;
  const guint moved = MIN(sketch->n, AIO_ROW_SKETCH - 1) - place;
  memmove(sketch->hash + place + 1, sketch->hash + place, moved * sizeof *sketch->hash);
  memmove(sketch->times + place + 1, sketch->times + place, moved * sizeof *sketch->times);
  sketch->hash[place] = hash;
  sketch->times[place] = 1;
  sketch->n = MIN(sketch->n + 1, AIO_ROW_SKETCH);
}

void aio_row_sketch_add(AioRowSketch *sketch, const AioRecording *recording, gsize first,
                        gsize count) {
  for (gsize row = first; row < first + count; row++) {
    const guint64 hash = hash_of(recording, row);
    if (sketch->n == 0 || hash != sketch->before)
      add(sketch, hash);
    sketch->before = hash;
  }
}

/* Up to which it has all. */
static guint64 reach_of(const AioRowSketch *sketch) {
  return sketch->n < AIO_ROW_SKETCH ? G_MAXUINT64 : sketch->hash[AIO_ROW_SKETCH - 1];
}

double aio_row_sketch_shared(const AioRowSketch *a, const AioRowSketch *b) {
  const guint64 reach = reach_of(b);
  guint compared = 0, shared = 0;
  for (; compared < a->n && a->hash[compared] <= reach; compared++) {
    const guint place = place_of(b, a->hash[compared]);
    shared += place < b->n && b->hash[place] == a->hash[compared];
  }
  return compared < LEAST_COMPARED ? 0 : (double)shared / compared;
}

double aio_row_sketch_repeated(const AioRowSketch *sketch) {
  guint repeated = 0;
  for (guint k = 0; k < sketch->n; k++)
    repeated += sketch->times[k] > 1;
  return sketch->n < LEAST_COMPARED ? 0 : (double)repeated / sketch->n;
}
