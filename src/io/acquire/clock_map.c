/* SPDX-License-Identifier: MIT */
/* Of each half second only the earliest arrival is kept: memory is fixed, and however many samples
 * come late, the hull (io/acquire/clock_map.h) sees none of them. Where the device's clock cannot
 * have run like that the map begins anew. */
#include "io/acquire/clock_map.h"

#include <math.h>

/* Against synthetic delays these leave 0.7 us (exponential), 0.5 ms (USB frames): the frame is the
 * limit, not they. Ten seconds of 1 ppm of skew are 10 us. */
#define WINDOW_NS          (G_GINT64_CONSTANT(500000000))
#define SKEW_SPAN_S        2.0 /* shorter histories tell more noise than skew */
#define OFFSET_SPAN_S      10.0
#define STEP_NS            1e9 /* no clock gains this from one sample to the next */
#define STAND_NS           1e8 /* lost for 10 s: the device's clock stood still */
#define FOLLOW_LONGEST_S   1.0 /* time constant of the mapped time... */
#define FOLLOW_SHORTEST_S  0.05
#define FOLLOW_PART_OF_AGE 0.25 /* ...shorter at the beginning, when each sample teaches much */
#define SLOWEST            0.5
#define FASTEST            2.0

void aio_clock_map_init(AioClockMap *map, double time_factor) {
  *map = (AioClockMap){.time_factor = time_factor};
}

void aio_clock_map_restart(AioClockMap *map) {
  const gint64 latest_ns = map->latest_ns;
  aio_clock_map_init(map, map->time_factor);
  map->latest_ns = latest_ns;
}

static AioClockPoint *window_back(AioClockMap *map, guint back) {
  return &map->least[(map->newest + AIO_CLOCK_WINDOWS - back) % AIO_CLOCK_WINDOWS];
}

/* > 0: the way from a over b to c turns left, b is below the line from a to c. */
static double turn(AioClockPoint a, AioClockPoint b, AioClockPoint c) {
  return (b.t_s - a.t_s) * (c.late_ns - a.late_ns) - (b.late_ns - a.late_ns) * (c.t_s - a.t_s);
}

/* Slope of the lower hull above the mean time; t_s increases from window to window. */
static void estimate_skew(AioClockMap *map) {
  AioClockPoint hull[AIO_CLOCK_WINDOWS] = {*window_back(map, map->windows - 1)};
  guint n = 1;
  double mean_s = hull[0].t_s / map->windows;
  for (guint back = map->windows - 1; back-- > 0;) {
    const AioClockPoint point = *window_back(map, back);
    mean_s += point.t_s / map->windows;
    if (point.t_s <= hull[n - 1].t_s)
      continue; /* the same sample once more */
    while (n > 1 && turn(hull[n - 2], hull[n - 1], point) <= 0)
      n--;
    hull[n++] = point;
  }
  if (hull[n - 1].t_s - hull[0].t_s < SKEW_SPAN_S)
    return;
  guint k = 1;
  while (k < n - 1 && hull[k].t_s < mean_s)
    k++;
  map->skew = 1e-9 * (hull[k].late_ns - hull[k - 1].late_ns) / (hull[k].t_s - hull[k - 1].t_s);
  map->has_skew = true;
}

static void start(AioClockMap *map, guint64 t_us, gint64 t_ns) {
  map->has_started = true;
  map->first_us = t_us;
  map->first_ns = t_ns;
  map->mapped_ns = (double)MAX(map->latest_ns - t_ns, 0);
  map->windows = 1;
  map->newest = 0;
  map->least[0] = (AioClockPoint){0, 0};
  map->window_end_ns = t_ns + WINDOW_NS;
}

/* The window's least, the skew once per window, and the offset by the running minimum. */
static void learn(AioClockMap *map, AioClockPoint point, gint64 t_ns) {
  AioClockPoint *least = window_back(map, 0);
  if (t_ns >= map->window_end_ns) {
    estimate_skew(map);
    map->newest = (map->newest + 1) % AIO_CLOCK_WINDOWS;
    map->windows = MIN(map->windows + 1, AIO_CLOCK_WINDOWS);
    map->window_end_ns = t_ns + WINDOW_NS;
    *window_back(map, 0) = point;
  } else if (point.late_ns <= least->late_ns) {
    *least = point;
  }
  const double offset_before_ns = map->offset_ns;
  guint back = 0;
  map->offset_ns = point.late_ns;
  for (; back < map->windows; back++) {
    const AioClockPoint *past = window_back(map, back);
    const double age_s = point.t_s - past->t_s;
    if (age_s > OFFSET_SPAN_S)
      break;
    map->offset_ns = fmin(map->offset_ns, past->late_ns + 1e9 * map->skew * age_s);
  }
  if (map->offset_ns > offset_before_ns + STAND_NS) {
    map->windows = back; /* what is older tells nothing of the skew */
    map->skew = 0;
    map->has_skew = false;
  }
}

static void follow(AioClockMap *map, double t_s, double step_s) {
  const double step_ns = 1e9 * step_s, predicted_ns = step_ns * (1 + map->skew);
  const double wanted_ns = 1e9 * t_s + map->offset_ns - map->mapped_ns;
  const double follow_s = CLAMP(FOLLOW_PART_OF_AGE * t_s, FOLLOW_SHORTEST_S, FOLLOW_LONGEST_S);
  const double next_ns = predicted_ns - (wanted_ns - predicted_ns) * expm1(-step_s / follow_s);
  map->mapped_ns += CLAMP(next_ns, SLOWEST * step_ns, FASTEST * step_ns);
}

gint64 aio_clock_map_push(AioClockMap *map, guint64 t_us, gint64 t_ns) {
  const double us_to_s = 1e-6 / map->time_factor;
  const double t_s = (double)(t_us - map->first_us) * us_to_s;
  double late_ns = (double)(t_ns - map->first_ns) - 1e9 * t_s;
  const bool has_leapt = map->has_started && t_us >= map->last_us &&
                         late_ns < fmin(map->offset_ns, map->last_late_ns) - STEP_NS;
  const gint64 gained_ns = has_leapt ? llround(map->offset_ns - late_ns) : 0;
  if (!map->has_started || t_us < map->last_us || late_ns < map->last_late_ns - STEP_NS) {
    aio_clock_map_restart(map);
    start(map, t_us, t_ns);
    late_ns = 0;
  } else {
    learn(map, (AioClockPoint){t_s, late_ns}, t_ns);
    follow(map, t_s, (double)(t_us - map->last_us) * us_to_s);
  }
  map->gained_ns = gained_ns;
  map->last_us = t_us;
  map->last_late_ns = late_ns;
  map->latest_ns = map->first_ns + llround(map->mapped_ns);
  return map->latest_ns;
}

bool aio_clock_map_estimate(const AioClockMap *map, double *offset_ns, double *skew_ppm) {
  if (!map->has_started)
    return false;
  *offset_ns =
      (double)map->first_ns - 1e3 * (double)map->first_us / map->time_factor + map->offset_ns;
  *skew_ppm = map->has_skew ? 1e6 * map->skew : NAN;
  return true;
}
