/* SPDX-License-Identifier: MIT */
/* The rows of sweeps read some at a time, against the same rows in memory. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "core/num/filter.h"
#include "session/measure/sweep_rows.h"
#include "support/support.h"
#include "whole_rows.h"

enum { JOINTS = 2, RUN = 2000 };

typedef struct {
  ArmModel model;
  GPtrArray *runs;
  GArray *exclusions;
  TestRng rng;
} Case;

/* Sweeps to and fro at 100 Hz, from standstill, with gaps, faults, clipped currents and what was
 * left out of a recording; some samples belong to another motion, one chunk to another arm. */
static AioSample sample_of(Case *c, const AseRun *run, guint64 start_us, gsize k) {
  const double phase = fmod((double)k / 700.0, 2.0), way = phase < 1.0 ? 1.0 : -1.0;
  const double ramp = fmin(1.0, fmin(fmod((double)k, 700.0), 700.0 - fmod((double)k, 700.0)) / 80);
  AioSample s = {.t_us = start_us + 10000 * k + (k >= 900 ? 400000 : 0),
                 .flags = AIO_SAMPLE_DRIVES_ON | AIO_SAMPLE_ARMED,
                 .motion = k < 20 ? 9 : run->motion,
                 .joint = (guint8)run->joint};
  if (k == 900 || k == 1300)
    s.flags |= AIO_SAMPLE_GAP;
  if (k >= 500 && k < 510)
    s.flags |= AIO_SAMPLE_FAULT;
  if (k == 0 || k == 300 || k == 900)
    s.flags |= AIO_SAMPLE_CUT;
  for (guint j = 0; j < JOINTS; j++) {
    const bool moves = j + 1 == run->joint;
    s.q[j] = moves ? (phase < 1.0 ? phase : 2.0 - phase) : 0.3 + 1e-3 * test_rng_normal(&c->rng);
    s.qd[j] = moves ? way * ramp * run->speed + 1e-3 * test_rng_normal(&c->rng) : 1e-3;
    s.current[j] = k % 777 == 0 ? 5.0 : 1.0 + 0.1 * test_rng_normal(&c->rng);
  }
  return s;
}

static void add_run(Case *c, guint joint, bool is_imported, AsePurpose purpose, gsize rows) {
  const AseLeg leg = {
      .purpose = purpose, .sweeps = true, .joint = joint, .hold = 1, .speed_R = 0.5};
  AseRun *run = ase_run_new(&leg, (gint64)c->runs->len + 1);
  run->motion = is_imported ? 0 : 7;
  run->is_imported = is_imported;
  AioChunk *chunk = NULL;
  for (gsize k = 0; k < rows; k++) {
    const AioSample s = sample_of(c, run, 30000000 * (guint64)c->runs->len + 1, k);
    if (!chunk || !aio_chunk_append(chunk, &s, 0)) {
      chunk = aio_chunk_new(JOINTS, k);
      g_assert_true(aio_chunk_append(chunk, &s, 0));
      g_ptr_array_add(run->chunks, chunk);
    }
  }
  chunk = aio_chunk_new(JOINTS + 1, 0);
  const AioSample strange = {.t_us = 1, .motion = run->motion};
  g_assert_true(aio_chunk_append(chunk, &strange, 0));
  g_ptr_array_add(run->chunks, chunk);
  g_ptr_array_add(c->runs, run);
}

static Case *case_new(void) {
  Case *c = g_new0(Case, 1);
  test_rng_init(&c->rng, 3);
  c->model.n = JOINTS;
  for (guint j = 0; j < JOINTS; j++)
    c->model.joints[j].limits.current_max = 4.0;
  c->runs = g_ptr_array_new_with_free_func((GDestroyNotify)ase_run_unref);
  c->exclusions = g_array_new(FALSE, FALSE, sizeof(AseExclusion));
  add_run(c, 1, false, ASE_PURPOSE_MEASURE, RUN);
  add_run(c, 2, false, ASE_PURPOSE_MEASURE, 0); /* of nothing: the next one is imported */
  add_run(c, 2, true, ASE_PURPOSE_MEASURE, RUN);
  add_run(c, 1, false, ASE_PURPOSE_VALIDATE, RUN);
  add_run(c, 2, false, ASE_PURPOSE_MEASURE, RUN);
  const AseExclusion exclusions[] = {{1, 0.2, 0.4, 1}, {5, 0.5, 0.6, 0}};
  g_array_append_vals(c->exclusions, exclusions, G_N_ELEMENTS(exclusions));
  return c;
}

static void case_free(Case *c) {
  g_ptr_array_unref(c->runs);
  g_array_unref(c->exclusions);
  g_free(c);
}

static void check_cell(double expected, double found) {
  g_assert_true(expected == found || (isnan(expected) && isnan(found)));
}

static void check_row(const ArmDataset *whole, gsize row, const ArmDataset *view) {
  const gsize r = row - view->first;
  check_cell(whole->t[row], view->t[r]);
  g_assert_cmpint(whole->joint[row], ==, view->joint[r]);
  g_assert_cmpint(whole->left_out[row], ==, view->left_out[r]);
  g_assert_cmpint(whole->begins[row], ==, view->begins[r]);
  for (gsize j = 0; j < whole->n; j++) {
    check_cell(whole->q[j * whole->rows + row], view->q[j * view->rows + r]);
    check_cell(whole->qd[j * whole->rows + row], view->qd[j * view->rows + r]);
    check_cell(whole->current[j * whole->rows + row], view->current[j * view->rows + r]);
  }
}

/* With the rows of the margins. */
static void compare(const ArmDataset *whole, const ArmRowSource *source) {
  g_assert_cmpuint(source->rows, ==, whole->rows);
  for (gsize k = 0; k * source->width < source->rows; k++) {
    ArmDataset view;
    g_assert_cmpint(source->read(source->user, k, &view), ==, ARM_OK);
    const gsize end = (k + 1) * source->width + ARM_WINDOW_MARGIN;
    for (gsize row = view.first; row < MIN(end, source->rows); row++)
      check_row(whole, row, &view);
  }
}

static void check_digests(const WholeRows *s, const AseSweepRows *rows) {
  g_autofree char *all = whole_rows_digest(s, s->joint);
  g_autofree char *of_used = whole_rows_digest(s, s->recording->joint);
  g_autofree char *found = ase_sweep_rows_digest(rows, NULL);
  g_autofree char *found_of_used = ase_sweep_rows_digest_of_used(rows, NULL);
  g_assert_cmpstr(found, ==, all);
  g_assert_cmpstr(found_of_used, ==, of_used);
  g_assert_cmpstr(found, !=, found_of_used);
}

static void test_same_rows(void) {
  Case *c = case_new();
  for (int k = 0; k < 2; k++) {
    const GArray *exclusions = k ? c->exclusions : NULL;
    WholeRows *s = whole_rows_new(&c->model, c->runs, ASE_PURPOSE_MEASURE, exclusions);
    AseSweepRows *rows =
        ase_sweep_rows_new(&c->model, c->runs, ASE_PURPOSE_MEASURE, exclusions, NULL);
    const ArmDataset whole = whole_rows_dataset(s);
    g_assert_cmpuint(whole.rows, ==, 3 * RUN - 2 * 20);
    for (int use = 0; use < ASE_SAMPLE_USES; use++)
      g_assert_true(s->counts[0][use] > 0 || (use == ASE_SAMPLE_EXCLUDED && !k));
    g_assert_nonnull(memchr(whole.begins, 0, whole.rows));
    compare(&whole, ase_sweep_rows_source(rows));
    const AseSelection *selection = ase_sweep_rows_selection(rows);
    g_assert_cmpuint(selection->rows, ==, whole.rows);
    g_assert_cmpuint(selection->runs->len, ==, 3); /* those with samples */
    g_assert_cmpmem(selection->counts, sizeof selection->counts, s->counts, sizeof s->counts);
    check_digests(s, rows);
    g_assert_null(ase_sweep_rows_error(rows));
    ase_sweep_rows_free(rows);
    whole_rows_free(s);
  }
  case_free(c);
}

/* Both purposes, in the order of their runs: as if all of them had been measured for the fit. */
static void test_together(void) {
  Case *c = case_new();
  AseSweepRows *rows = ase_sweep_rows_new_together(NULL, &c->model, c->runs, c->exclusions, NULL);
  for (guint k = 0; k < c->runs->len; k++)
    ((AseRun *)c->runs->pdata[k])->purpose = ASE_PURPOSE_MEASURE;
  WholeRows *s = whole_rows_new(&c->model, c->runs, ASE_PURPOSE_MEASURE, c->exclusions);
  const ArmDataset whole = whole_rows_dataset(s);
  g_assert_cmpuint(whole.rows, ==, 4 * RUN - 3 * 20);
  compare(&whole, ase_sweep_rows_source(rows));
  ase_sweep_rows_free(rows);
  whole_rows_free(s);
  case_free(c);
}

/* ---- the selection alone ---- */

static AseSelection *select_known(const Case *c, const AseSelection *known) {
  AseSelection *selection =
      ase_selection_new(NULL, &c->model, c->runs, ASE_PURPOSE_MEASURE, c->exclusions, known, NULL);
  g_assert_nonnull(selection);
  return selection;
}

static void compare_selections(const AseSelection *a, const AseSelection *b) {
  g_assert_cmpuint(a->rows, ==, b->rows);
  g_assert_cmpuint(a->runs->len, ==, b->runs->len);
  g_assert_cmpmem(a->counts, sizeof a->counts, b->counts, sizeof b->counts);
  for (guint k = 0; k < a->runs->len; k++) {
    const AseRunUse *x = a->runs->pdata[k], *y = b->runs->pdata[k];
    g_autofree guint8 *of_x = g_malloc(x->rows), *of_y = g_malloc(x->rows);
    g_assert_cmpint(x->run, ==, y->run);
    g_assert_cmpuint(x->rows, ==, y->rows);
    ase_run_use_fill(x, 0, x->rows, of_x);
    ase_run_use_fill(y, 0, x->rows, of_y);
    g_assert_cmpmem(of_x, x->rows, of_y, x->rows);
    ase_run_use_fill(y, 700, 300, of_y);
    g_assert_cmpmem(of_x + 700, 300, of_y, 300);
  }
}

/* Read for itself it is that of the rows; of other exclusions, what they do not touch is known. */
static void test_selection(void) {
  Case *c = case_new();
  AseSweepRows *rows =
      ase_sweep_rows_new(&c->model, c->runs, ASE_PURPOSE_MEASURE, c->exclusions, NULL);
  AseSelection *first = select_known(c, NULL);
  compare_selections(first, ase_sweep_rows_selection(rows));
  g_assert_null(ase_selection_find(first, 4)); /* of the validation */
  g_assert_cmpint(ase_selection_find(first, 5)->run, ==, 5);
  g_array_index(c->exclusions, AseExclusion, 0).q_high = 0.5; /* of run 1 */
  AseSelection *again = select_known(c, first), *anew = select_known(c, NULL);
  compare_selections(again, anew);
  g_assert_cmpuint(again->counts[0][ASE_SAMPLE_EXCLUDED], >, first->counts[0][ASE_SAMPLE_EXCLUDED]);
  g_assert_true(again->runs->pdata[0] != first->runs->pdata[0]);
  for (guint k = 1; k < first->runs->len; k++)
    g_assert_true(again->runs->pdata[k] == first->runs->pdata[k]);
  AseSelection *const made[] = {first, again, anew};
  for (gsize k = 0; k < G_N_ELEMENTS(made); k++)
    ase_selection_unref(made[k]);
  ase_sweep_rows_free(rows);
  case_free(c);
}

/* ---- cancelled ---- */

static void read_cancelled(AseJob *job, void *data) {
  Case *c = data;
  GError *error = NULL;
  ase_job_cancel(job);
  g_assert_null(ase_sweep_rows_new_within(job, &c->model, c->runs, ASE_PURPOSE_MEASURE,
                                          c->exclusions, &error));
  g_assert_no_error(error);
  g_assert_null(
      ase_selection_new(job, &c->model, c->runs, ASE_PURPOSE_MEASURE, c->exclusions, NULL, &error));
  g_assert_no_error(error);
}

static void on_cancelled(void *data, bool is_cancelled, void *ctx) {
  (void)data;
  *(bool *)ctx = is_cancelled;
}

static void test_cancelled(void) {
  bool is_cancelled = false;
  const AseJobTask task = {.work = read_cancelled,
                           .data = case_new(),
                           .free_data = (GDestroyNotify)case_free,
                           .done = on_cancelled,
                           .ctx = &is_cancelled};
  AseJob *job = ase_job_start(&task);
  while (!is_cancelled)
    g_main_context_iteration(NULL, TRUE);
  ase_job_free(job);
}

/* ---- on one clock ---- */

/* The last two runs are of a connection whose clock began anew, amid the run before. */
static void restart_clock(Case *c) {
  for (guint k = 3; k < c->runs->len; k++) {
    const AseRun *run = c->runs->pdata[k];
    for (guint m = 0; m < run->chunks->len; m++) {
      AioChunk *chunk = run->chunks->pdata[m];
      for (guint i = 0; i < chunk->n; i++)
        chunk->t_us[i] -= MIN(chunk->t_us[i], 75000000);
    }
  }
}

/* As recordings are put together in memory. */
static void carry_time_on(AioRecording *recording) {
  double *t = recording->t, shift = 0.0;
  for (gsize row = 1; row < recording->rows; row++) {
    if (t[row] + shift <= t[row - 1])
      shift = t[row - 1] + 1.0 - t[row];
    t[row] += shift;
  }
}

static void test_one_clock(void) {
  Case *c = case_new();
  restart_clock(c);
  double step;
  WholeRows *s = whole_rows_new(&c->model, c->runs, ASE_PURPOSE_MEASURE, c->exclusions);
  AseSweepRows *rows =
      ase_sweep_rows_new_on_one_clock(&c->model, c->runs, ASE_PURPOSE_MEASURE, c->exclusions, NULL);
  g_autofree char *whole = whole_rows_digest(s, s->joint);
  g_autofree char *found = ase_sweep_rows_digest(rows, NULL);
  g_assert_cmpstr(whole, ==, found);
  const double last = s->recording->t[s->recording->rows - 1];
  carry_time_on(s->recording);
  g_assert_cmpfloat(s->recording->t[s->recording->rows - 1], >, last + 1.0);
  const ArmDataset data = whole_rows_dataset(s);
  compare(&data, ase_sweep_rows_source(rows));
  g_assert_cmpint(arm_filter_median_step(data.rows, data.t, &step), ==, ARM_OK);
  g_assert_cmpfloat(step, ==, ase_sweep_rows_source(rows)->median_step);
  ase_sweep_rows_free(rows);
  whole_rows_free(s);
  case_free(c);
}

/* Filtered rows have the marks of those that they were made of, and times of their own. */
static void test_filtered(void) {
  Case *c = case_new();
  const double rounding[JOINTS] = {0};
  WholeRows *s = whole_rows_new(&c->model, c->runs, ASE_PURPOSE_MEASURE, c->exclusions);
  AseSweepRows *rows =
      ase_sweep_rows_new_on_one_clock(&c->model, c->runs, ASE_PURPOSE_MEASURE, c->exclusions, NULL);
  const ArmRowKeeper *keeper = ase_sweep_rows_source(rows)->keeper;
  const ArmDataset data = whole_rows_dataset(s);
  ArmRowSource filtered;
  for (gsize row = 0; row < data.rows; row++) {
    s->recording->t[row] += 100.0;
    s->recording->current[row] *= 2.0;
  }
  g_assert_cmpint(keeper->put(keeper->user, &data, 0, 1500), ==, ARM_OK);
  g_assert_cmpint(keeper->put(keeper->user, &data, 1500, data.rows), ==, ARM_OK);
  g_assert_cmpint(keeper->end(keeper->user, rounding, &filtered), ==, ARM_OK);
  compare(&data, &filtered);
  ase_sweep_rows_free(rows);
  whole_rows_free(s);
  case_free(c);
}

static void test_nothing(void) {
  Case *c = case_new();
  GError *error = NULL;
  g_assert_null(ase_sweep_rows_new(&c->model, c->runs, ASE_PURPOSE_DRIFT, NULL, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_clear_error(&error);
  ase_sweep_rows_free(NULL);
  case_free(c);
}

/* Currents that differ by 2 between the directions, and by the position. */
static void test_split(void) {
  enum { BINS = 20 };
  Case *c = case_new();
  const AseRun *run = c->runs->pdata[3];
  for (guint k = 0; k < run->chunks->len; k++) {
    AioChunk *chunk = run->chunks->pdata[k];
    for (guint i = 0; i < chunk->n && chunk->joints == JOINTS; i++) {
      const gsize at = (gsize)i * JOINTS;
      chunk->current[at] = chunk->q[at] + (chunk->qd[at] > 0 ? 1.0 : -1.0);
    }
  }
  AseSweepRows *rows = ase_sweep_rows_new(&c->model, c->runs, ASE_PURPOSE_VALIDATE, NULL, NULL);
  GArray *split = ase_sweep_rows_split(rows, 1, BINS, NULL);
  g_assert_cmpuint(split->len, ==, BINS);
  guint both = 0;
  for (guint b = 0; b < BINS; b++) {
    const AseSplit *bin = &g_array_index(split, AseSplit, b);
    if (bin->n_pos == 0 || bin->n_neg == 0)
      continue;
    both++;
    g_assert_cmpfloat_with_epsilon(bin->friction, 1.0, 0.03);
    g_assert_cmpfloat_with_epsilon(bin->gravity, bin->q, 0.03);
  }
  g_assert_cmpuint(both, >, BINS / 2);
  g_array_unref(split);
  split = ase_sweep_rows_split(rows, 2, BINS, NULL); /* which no row of them moves */
  g_assert_true(isnan(g_array_index(split, AseSplit, 3).friction));
  g_array_unref(split);
  ase_sweep_rows_free(rows);
  case_free(c);
}

/* Where there is no room for a temporary file, that is what is said. */
static void test_no_room(void) {
  Case *c = case_new();
  GError *error = NULL;
  if (g_test_subprocess()) {
    for (int k = 0; k < 16; k++)
      add_run(c, 1, false, ASE_PURPOSE_DRIFT, 10 * RUN);
    g_setenv("TMPDIR", "/nonexistent", TRUE);
    g_assert_null(ase_sweep_rows_new(&c->model, c->runs, ASE_PURPOSE_DRIFT, NULL, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
    g_assert_nonnull(strstr(error->message, "a temporary file in /nonexistent"));
    g_clear_error(&error);
  } else {
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_passed();
  }
  case_free(c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sweep-rows/same", test_same_rows);
  g_test_add_func("/sweep-rows/together", test_together);
  g_test_add_func("/sweep-rows/selection", test_selection);
  g_test_add_func("/sweep-rows/cancelled", test_cancelled);
  g_test_add_func("/sweep-rows/one-clock", test_one_clock);
  g_test_add_func("/sweep-rows/filtered", test_filtered);
  g_test_add_func("/sweep-rows/nothing", test_nothing);
  g_test_add_func("/sweep-rows/split", test_split);
  g_test_add_func("/sweep-rows/no-room", test_no_room);
  return g_test_run();
}
