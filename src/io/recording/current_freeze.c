/* SPDX-License-Identifier: MIT */
#include "io/recording/current_freeze.h"

#include <math.h>

#include "core/num/filter.h"

void aio_freeze_scan_init(AioFreezeScan *scan, double median_step, bool is_quantised) {
  *scan = (AioFreezeScan){.last = NAN,
                          .last_t = NAN,
                          .counts = g_hash_table_new(NULL, NULL),
                          .median_step = median_step,
                          .is_quantised = is_quantised};
}

static void count_run(GHashTable *counts, guint samples) {
  gpointer key = GUINT_TO_POINTER(samples);
  const guint before = GPOINTER_TO_UINT(g_hash_table_lookup(counts, key));
  g_hash_table_insert(counts, key, GUINT_TO_POINTER(before + 1));
}

static gint compare_counts(gconstpointer a, gconstpointer b) {
  const guint x = GPOINTER_TO_UINT(a), y = GPOINTER_TO_UINT(b);
  return (x > y) - (x < y);
}

/* Samples of the run in the middle; 0 without runs. */
static guint median_count(GHashTable *counts) {
  GList *keys = g_list_sort(g_hash_table_get_keys(counts), compare_counts);
  guint runs = 0, seen = 0, median = 0;
  for (const GList *k = keys; k; k = k->next)
    runs += GPOINTER_TO_UINT(g_hash_table_lookup(counts, k->data));
  for (const GList *k = keys; k && seen <= runs / 2; k = k->next) {
    median = GPOINTER_TO_UINT(k->data);
    seen += GPOINTER_TO_UINT(g_hash_table_lookup(counts, k->data));
  }
  g_list_free(keys);
  return median;
}

static void end_run(AioFreezeScan *scan) {
  AioFreezeRun *run = &scan->run;
  const bool is_evidence = !scan->is_quantised || (run->moves[0] && run->moves[1]);
  if (run->samples > 0)
    count_run(scan->counts, run->samples);
  if (is_evidence && run->span.moving_s > scan->longest.span.moving_s)
    scan->longest = *run;
  *run = (AioFreezeRun){0};
}

static void add_sample(AioFreezeScan *scan, double t, double qd) {
  AioFreezeRun *run = &scan->run;
  if (run->samples == 0)
    run->span.from_s = t;
  else if (!isnan(scan->last_t))
    run->span.moving_s += t - scan->last_t;
  run->span.to_s = scan->last_t = t;
  run->samples++;
  run->moves[qd > 0] = true;
}

void aio_freeze_scan_rows(AioFreezeScan *scan, const AioMotion *m) {
  for (gsize row = m->begin; row < m->end; row++) {
    if (row > 0 && !arm_filter_is_continued(m->t, row, scan->median_step))
      scan->last_t = NAN;
    if (isnan(m->i[row]))
      continue;
    if (m->i[row] != scan->last)
      end_run(scan);
    scan->last = m->i[row];
    if (fabs(m->qd[row]) > m->min_speed)
      add_sample(scan, m->t[row], m->qd[row]);
    else
      scan->last_t = NAN;
  }
}

AioFreeze aio_freeze_scan_end(AioFreezeScan *scan) {
  end_run(scan);
  const AioFreezeRun *longest = &scan->longest;
  const bool is_frozen = longest->span.moving_s >= AIO_FREEZE_S &&
                         longest->samples >= AIO_FREEZE_SAMPLES &&
                         longest->samples > AIO_FREEZE_RUNS * median_count(scan->counts);
  g_clear_pointer(&scan->counts, g_hash_table_unref);
  return is_frozen ? longest->span : (AioFreeze){0};
}
