/* SPDX-License-Identifier: MIT */
#include "support/sums_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/shelf.h"

#define SAME    3e-3 /* part of a statistic of residuals */
#define ANY_WAY SUMS_CASE_ANY_WAY

void sums_case_make(FaultyArm arm, const Faulty *faulty, uint64_t seed, SumsCase *m) {
  Truth truth;
  assert_true(faulty_truth(arm, faulty, &truth, &m->model));
  assert_true(faulty_record(arm, faulty, seed, &m->rec));
  arm_fit_options_default(&m->options);
  memcpy(m->options.offers_term, faulty->offers_term, sizeof faulty->offers_term);
}

ArmGravityFit sums_case_fit(const SumsCase *m, const ArmReduced *sums) {
  ArmGravityFit fit;
  assert_int_equal(arm_gravity_fit_sums(&m->model, sums, &m->options, &fit), ARM_OK);
  return fit;
}

ArmReduced sums_case_reduce(const SumsCase *m, const ArmDataset *data) {
  ArmReduced sums;
  assert_int_equal(arm_sums_of(&m->model, data, &m->options, &sums), ARM_OK);
  return sums;
}

void sums_case_both(const SumsCase *m, SumsBoth *both) {
  both->sums = sums_case_reduce(m, &m->rec.data);
  both->fit = sums_case_fit(m, &both->sums);
  assert_int_equal(arm_gravity_fit(&m->model, &m->rec.data, &m->options, &both->rows), ARM_OK);
}

void sums_case_both_clear(SumsBoth *both) {
  arm_gravity_fit_clear(&both->rows);
  arm_gravity_fit_clear(&both->fit);
  arm_sums_clear(&both->sums);
}

void sums_case_same_estimates(ArmGravityParameters *a, ArmGravityParameters *b, double equal,
                              double sds) {
  assert_int_equal(a->n_ids, b->n_ids);
  for (size_t k = 0; k < a->n_ids; k++) {
    const ArmEstimate *x = arm_gravity_parameters_at(a, a->ids[k]);
    const ArmEstimate *y = arm_gravity_parameters_at(b, a->ids[k]);
    double most = sds;
    assert_int_equal(x->identifiable, y->identifiable);
    assert_int_equal(x->reason, y->reason);
    if (!x->identifiable)
      continue;
    if (a->ids[k].kind == ARM_PARAM_LOAD || a->ids[k].kind == ARM_PARAM_CURVE)
      most = fmax(sds, 1); /* by leaving strokes out: kinks and all, and what jitter alone tells */
    assert_true(fabs(x->value - y->value) <= equal * x->sd);
    assert_true(fabs(y->sd / x->sd - 1) <= most);
  }
}

void sums_case_same_verdicts(const ArmGravityFit *a, const ArmGravityFit *b) {
  assert_int_equal(a->verdict.verdict, b->verdict.verdict);
  for (size_t i = 0; i < a->verdict.n; i++) {
    const ArmJointVerdict *v = &a->verdict.joint[i], *w = &b->verdict.joint[i];
    assert_int_equal(v->verdict, w->verdict);
    assert_int_equal(v->untold, w->untold);
    assert_int_equal(v->pairs, w->pairs);
    assert_int_equal(v->first_row, w->first_row);
    for (int t = 0; t < ARM_TESTS; t++)
      assert_int_equal(v->test[t].is_alarm, w->test[t].is_alarm);
    assert_true(v->pairs == 0 || fabs(v->friction - w->friction) <= 1e-9 * v->friction);
  }
  assert_int_equal(a->doubts.count, b->doubts.count);
  for (size_t k = 0; k < a->doubts.count; k++)
    assert_int_equal(a->doubts.at[k].kind, b->doubts.at[k].kind);
}

void sums_case_same_residuals(const ArmGravityFit *a, const ArmGravityFit *b) {
  for (size_t i = 0; i < a->refined.n; i++) {
    const ArmJointFit *x = &a->refined.joint[i], *y = &b->refined.joint[i];
    assert_memory_equal(x->rows_by_use, y->rows_by_use, sizeof x->rows_by_use);
    assert_int_equal(x->rows_used, y->rows_used);
    if (x->rows_used == 0)
      continue;
    assert_true(fabs(x->residual_sd / y->residual_sd - 1) < SAME);
    assert_true(fabs(x->r2 - y->r2) < SAME * (1 - x->r2) && fabs(x->lag1 - y->lag1) < 5e-3);
    assert_true(isnan(y->max_abs) || fabs(x->max_abs / y->max_abs - 1) < 1e-9);
  }
}

/* ---- parts ---- */

/* Rows begin to end-1, in arrays of their own. */
static ArmDataset part_of(const ArmDataset *data, size_t begin, size_t end, double *block,
                          int *joint) {
  const size_t rows = end - begin, n = data->n;
  ArmDataset part = {.n = n,
                     .rows = rows,
                     .t = block,
                     .joint = joint,
                     .q = block + rows,
                     .qd = block + (1 + n) * rows,
                     .current = block + (1 + 2 * n) * rows};
  memcpy(block, data->t + begin, rows * sizeof *block);
  memcpy(joint, data->joint + begin, rows * sizeof *joint);
  for (size_t j = 0; j < n; j++) {
    memcpy(block + (1 + j) * rows, data->q + begin + j * data->rows, rows * sizeof *block);
    memcpy(block + (1 + n + j) * rows, data->qd + begin + j * data->rows, rows * sizeof *block);
    memcpy(block + (1 + 2 * n + j) * rows, data->current + begin + j * data->rows,
           rows * sizeof *block);
  }
  return part;
}

/* ends  count, rows: where each part ends */
static void reduce_parts(const SumsCase *m, size_t count, const size_t *ends, ArmReduced *parts) {
  const ArmDataset *data = &m->rec.data;
  double *block = malloc(data->rows * (1 + 3 * data->n) * sizeof *block);
  int *joint = malloc(data->rows * sizeof *joint);
  size_t begin = 0;
  assert_non_null(block);
  assert_non_null(joint);
  for (size_t p = 0; p < count; p++) {
    const ArmDataset part = part_of(data, begin, ends[p], block, joint);
    parts[p] = sums_case_reduce(m, &part);
    begin = ends[p];
  }
  free(block);
  free(joint);
}

static void shuffle(TestRng *rng, const ArmReduced **order, size_t count) {
  for (size_t k = count; k > 1; k--) {
    const size_t other = test_rng_below(rng, k);
    const ArmReduced *kept = order[k - 1];
    order[k - 1] = order[other];
    order[other] = kept;
  }
}

/* Taken, nothing is left of them, and the sums are those of copies. */
static void check_taken(const SumsCase *m, ArmReduced *parts, size_t count, ArmGravityFit *fit) {
  ArmReduced **taken = calloc(count, sizeof *taken), joined;
  assert_non_null(taken);
  for (size_t p = 0; p < count; p++)
    taken[p] = &parts[p];
  assert_int_equal(arm_sums_join_taken(&m->model, taken, count, &joined), ARM_OK);
  assert_true(isfinite(joined.origin));
  for (size_t p = 0; p < count; p++)
    assert_true(!parts[p].at && parts[p].count == 0);
  ArmGravityFit other = sums_case_fit(m, &joined);
  sums_case_same_estimates(&fit->refined, &other.refined, ANY_WAY, ANY_WAY);
  arm_gravity_fit_clear(&other);
  arm_sums_clear(&joined);
  free(taken);
}

/* The same pairs at all lags, and their products. */
static void same_lags(const ArmReduced *a, const ArmReduced *b) {
  for (size_t s = 0; s < a->count; s++) {
    const size_t lags = arm_sums_lag_count(&a->at[s].stroke);
    assert_int_equal(lags, arm_sums_lag_count(&b->at[s].stroke));
    for (size_t k = 0; k < lags; k++) {
      const double *x = a->at[s].lags + k * ARM_SUMS_LAG_NUMBERS;
      const double *y = b->at[s].lags + k * ARM_SUMS_LAG_NUMBERS;
      assert_true(x[0] == y[0] && (a->at[s].stroke.gaps > 0 ||
                                   x[0] + (double)arm_sums_lag[k] == (double)a->at[s].stroke.rows));
      for (size_t c = 1; c < ARM_SUMS_LAG_NUMBERS; c++)
        assert_true(test_is_near(x[c], y[c], 1e-12, 1e-12 * x[0]));
    }
  }
}

void sums_case_check_cuts(const SumsCase *m, size_t count, const size_t *ends, TestRng *rng) {
  ArmReduced *parts = calloc(count, sizeof *parts), whole = sums_case_reduce(m, &m->rec.data),
             joined;
  const ArmReduced **order = calloc(count, sizeof *order);
  ArmGravityFit fit = sums_case_fit(m, &whole);
  assert_non_null(parts);
  assert_non_null(order);
  reduce_parts(m, count, ends, parts);
  for (size_t p = 0; p < count; p++)
    order[p] = &parts[p];
  for (int round = 0; round < 2; round++) {
    shuffle(rng, order, count);
    assert_int_equal(arm_sums_join(&m->model, order, count, &joined), ARM_OK);
    assert_int_equal(joined.count, whole.count);
    assert_int_equal(joined.rows, whole.rows);
    same_lags(&whole, &joined);
    ArmGravityFit other = sums_case_fit(m, &joined);
    sums_case_same_estimates(&fit.refined, &other.refined, ANY_WAY, ANY_WAY);
    sums_case_same_verdicts(&fit, &other);
    arm_gravity_fit_clear(&other);
    arm_sums_clear(&joined);
  }
  check_taken(m, parts, count, &fit);
  check_taken(m, &whole, 1, &fit); /* one alone is not copied */
  arm_gravity_fit_clear(&fit);
  arm_sums_clear(&whole);
  free(parts);
  free(order);
}

void sums_case_check_parts(const SumsCase *m, size_t count, TestRng *rng) {
  size_t *ends = calloc(count, sizeof *ends), begin = 0;
  assert_non_null(ends);
  for (size_t p = 0; p + 1 < count; p++) {
    const size_t even = (m->rec.data.rows - begin) / (count - p);
    begin = ends[p] = begin + even / 2 + test_rng_below(rng, even);
  }
  ends[count - 1] = m->rec.data.rows;
  sums_case_check_cuts(m, count, ends, rng);
  free(ends);
}

/* ---- shelf ---- */

static ArmStatus join_and_fit(const SumsCase *m, const ArmReduced *part, TestShelf *shelf,
                              ArmGravityFit *fit) {
  ArmReduced sums = {0}, joined = {0};
  SumsCase on = *m;
  on.options.shelf = &shelf->face;
  ArmStatus status = arm_sums_of(&m->model, &m->rec.data, &on.options, &sums);
  if (status == ARM_OK) {
    assert_int_equal(sums.count, part->count);
    const ArmReduced *parts[] = {&sums};
    status = arm_sums_join(&m->model, parts, 1, &joined);
  }
  if (status == ARM_OK)
    status = arm_gravity_fit_sums(&m->model, &joined, &on.options, fit);
  arm_sums_clear(&joined);
  arm_sums_clear(&sums);
  assert_int_equal(shelf->out, 0);
  return status;
}

void sums_case_check_shelf(const SumsCase *m, size_t least) {
  ArmGravityFit fit;
  TestShelf shelf;
  ArmReduced part = sums_case_reduce(m, &m->rec.data), joined;
  const ArmReduced *parts[] = {&part};
  assert_int_equal(arm_sums_join(&m->model, parts, 1, &joined), ARM_OK);
  ArmGravityFit before = sums_case_fit(m, &joined);
  ArmStatus status = ARM_E_SOURCE;
  size_t k = 0;
  while (status == ARM_E_SOURCE) {
    test_shelf_init(&shelf, ++k);
    status = join_and_fit(m, &part, &shelf, &fit);
  }
  assert_int_equal(status, ARM_OK);
  assert_true(k > least && shelf.rests > 0);
  assert_int_equal(before.refined.n_ids, fit.refined.n_ids);
  assert_memory_equal(before.refined.covariance, fit.refined.covariance,
                      fit.refined.n_ids * fit.refined.n_ids * sizeof(double));
  arm_gravity_fit_clear(&before);
  arm_gravity_fit_clear(&fit);
  arm_sums_clear(&joined);
  arm_sums_clear(&part);
}
