/* SPDX-License-Identifier: MIT */
#include "io/recording/current_freeze.h"

#include <math.h>
#include <stdlib.h>

#include "core/num/filter.h"

typedef struct {
  AioFreeze span;
  guint samples; /* in motion */
  bool moves[2];
} Run;

static int compare_counts(const void *a, const void *b) {
  const guint x = *(const guint *)a, y = *(const guint *)b;
  return (x > y) - (x < y);
}

static guint median_count(GArray *counts) {
  qsort(counts->data, counts->len, sizeof(guint), compare_counts);
  return counts->len > 0 ? g_array_index(counts, guint, counts->len / 2) : 0;
}

static void end_run(Run *run, bool is_quantised, Run *longest, GArray *counts) {
  const bool is_evidence = !is_quantised || (run->moves[0] && run->moves[1]);
  if (run->samples > 0)
    g_array_append_val(counts, run->samples);
  if (is_evidence && run->span.moving_s > longest->span.moving_s)
    *longest = *run;
  *run = (Run){0};
}

AioFreeze aio_current_find_freeze(const AioMotion *m, double median_step, bool is_quantised) {
  Run run = {0}, longest = {0};
  GArray *counts = g_array_new(FALSE, FALSE, sizeof(guint));
  double last = NAN, last_t = NAN; /* last_t: of the row before, NAN unless it moved */
  for (gsize row = 0; row < m->rows; row++) {
    if (row > 0 && !arm_filter_is_continued(m->t, row, median_step))
      last_t = NAN;
    if (isnan(m->i[row]))
      continue;
    if (m->i[row] != last)
      end_run(&run, is_quantised, &longest, counts);
    last = m->i[row];
    if (!(fabs(m->qd[row]) > m->min_speed)) {
      last_t = NAN;
      continue;
    }
    if (run.samples == 0)
      run.span.from_s = m->t[row];
    else if (!isnan(last_t))
      run.span.moving_s += m->t[row] - last_t;
    run.span.to_s = last_t = m->t[row];
    run.samples++;
    run.moves[m->qd[row] > 0] = true;
  }
  end_run(&run, is_quantised, &longest, counts);
  const bool is_frozen = longest.span.moving_s >= AIO_FREEZE_S &&
                         longest.samples >= AIO_FREEZE_SAMPLES &&
                         longest.samples > AIO_FREEZE_RUNS * median_count(counts);
  g_array_unref(counts);
  return is_frozen ? longest.span : (AioFreeze){0};
}
