/* SPDX-License-Identifier: MIT */
/* Forward minus backward at one place of the stroke leaves twice the friction of a signed current;
 * how that behaves over the stroke is what differs for a magnitude. The cases are in the header. */
#include "io/recording/current_sign.h"

#include <math.h>

enum { BINS = AIO_SIGN_BINS, MIN_BINS = 6, MIN_IN_BIN = 3, MIN_ORDERED = 2 };

/* With these all of 200 magnitudes were refused and all of 300 signed currents accepted, 7
 * seeds. */
#define CLEAR_SE    4.0  /* a difference beyond this many standard errors is one */
#define LEVEL_SE    10.0 /* a level beyond this many is far above the noise */
#define ORDER_PART  0.15 /* of the parts, in either order: gravity changed sign */
#define EQUAL_PART  0.9  /* of the parts, without a difference: "nearly all" */
#define FLAT_SPREAD 0.2  /* of the level */
#define MATTER_PART 0.05 /* of the smallest current: less may be a delay of the channel */
#define DIGITS      1e-9 /* of the level: no standard error is smaller */

/* One part of the stroke: current of forward minus that of backward motion, at the same place. */
typedef struct {
  double difference, se, level;
} Part;

typedef struct {
  int count; /* parts that both directions cross */
  Part parts[BINS];
  double lowest; /* smallest |i| in motion */
} Stroke;

static bool is_usable(const AioMotion *m, gsize row) {
  return m->joint[row] == m->own && fabs(m->qd[row]) > m->min_speed && !isnan(m->q[row]) &&
         !isnan(m->i[row]);
}

void aio_sign_scan_init(AioSignScan *scan) {
  *scan = (AioSignScan){.low = INFINITY, .high = -INFINITY, .lowest = INFINITY};
}

void aio_sign_scan_range(AioSignScan *scan, const AioMotion *m) {
  for (gsize row = m->begin; row < m->end; row++) {
    if (!is_usable(m, row))
      continue;
    scan->low = fmin(scan->low, m->q[row]);
    scan->high = fmax(scan->high, m->q[row]);
    scan->lowest = fmin(scan->lowest, fabs(m->i[row]));
    scan->mean += (m->i[row] - scan->mean) / ++scan->count;
  }
}

static void add_row(AioSignWay *way, double q, double i) {
  way->n += 1;
  way->q += q;
  way->i += i;
  way->qq += q * q;
  way->qi += q * i;
  way->ii += i * i;
}

/* Both directions share one slope over the part, so that neither the slope of gravity nor where
 * exactly the rows lie is taken for friction or for scatter. */
static Part part_from(const AioSignWay ways[2], double mean) {
  double sxx = 0, sxy = 0, syy = 0, weight = 0;
  for (int k = 0; k < 2; k++) {
    const AioSignWay *w = &ways[k];
    sxx += w->qq - w->q * w->q / w->n;
    sxy += w->qi - w->q * w->i / w->n;
    syy += w->ii - w->i * w->i / w->n;
    weight += 1 / w->n;
  }
  const double slope = sxx > 0 ? sxy / sxx : 0;
  const double apart = ways[1].q / ways[1].n - ways[0].q / ways[0].n;
  const double back = ways[0].i / ways[0].n, forth = ways[1].i / ways[1].n;
  const double variance = fmax(syy - slope * sxy, 0) / (ways[0].n + ways[1].n - 3);
  const double level = fabs(mean + (forth + back) / 2);
  weight += sxx > 0 ? apart * apart / sxx : 0;
  return (Part){.difference = forth - back - slope * apart,
                .se = sqrt(variance * weight) + DIGITS * (level + fabs(mean)),
                .level = level};
}

void aio_sign_scan_ways(AioSignScan *scan, const AioMotion *m) {
  for (gsize row = m->begin; row < m->end && scan->high > scan->low; row++) {
    if (!is_usable(m, row))
      continue;
    const double at = (m->q[row] - scan->low) / (scan->high - scan->low) * BINS;
    const int bin = MIN((int)at, BINS - 1);
    /* from the middle and the mean, so that the sums of squares keep their digits */
    add_row(&scan->ways[bin][m->qd[row] > 0], at - bin - 0.5, m->i[row] - scan->mean);
  }
}

static Stroke cut_stroke(const AioSignScan *scan) {
  Stroke stroke = {.lowest = scan->lowest};
  for (int bin = 0; bin < BINS; bin++) {
    const AioSignWay *ways = scan->ways[bin];
    if (ways[0].n >= MIN_IN_BIN && ways[1].n >= MIN_IN_BIN)
      stroke.parts[stroke.count++] = part_from(ways, scan->mean);
  }
  return stroke;
}

/* |gravity + friction| where gravity changes sign: the directions swap their order. */
static bool swaps_order(const Stroke *stroke) {
  int above = 0, below = 0;
  double sum = 0;
  for (int k = 0; k < stroke->count; k++) {
    const Part *part = &stroke->parts[k];
    above += part->difference > CLEAR_SE * part->se;
    below += part->difference < -CLEAR_SE * part->se;
    sum += fabs(part->difference) > CLEAR_SE * part->se ? fabs(part->difference) : 0;
  }
  const int least = MAX(MIN_ORDERED, (int)ceil(ORDER_PART * stroke->count));
  return above >= least && below >= least && sum / (above + below) > MATTER_PART * stroke->lowest;
}

/* |friction| alone: both directions alike, at one level over the whole stroke. */
static bool is_flat(const Stroke *stroke) {
  double low = INFINITY, high = 0;
  int equal = 0;
  for (int k = 0; k < stroke->count; k++) {
    const Part *part = &stroke->parts[k];
    equal += fabs(part->difference) <= CLEAR_SE * part->se;
    low = fmin(low, part->level);
    high = fmax(high, part->level);
    if (part->level <= LEVEL_SE * part->se)
      return false;
  }
  return equal >= EQUAL_PART * stroke->count && high - low < FLAT_SPREAD * (high + low) / 2;
}

bool aio_sign_is_magnitude(const AioSignScan *scan) {
  const Stroke stroke = cut_stroke(scan);
  return stroke.count >= MIN_BINS && (swaps_order(&stroke) || is_flat(&stroke));
}
