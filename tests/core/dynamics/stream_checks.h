/* SPDX-License-Identifier: MIT */
/* An arm in motion with known drives, streamed: what the tests of streams share; include after
 * cmocka.h. */
#ifndef ARMATURE_TESTS_STREAM_CHECKS_H
#define ARMATURE_TESTS_STREAM_CHECKS_H

#include "base_checks.h"
#include "core/dynamics/stream.h"
#include "support/moving.h"

typedef struct {
  const ArmModel *model;
  ArmBase *base;
  Moving *m;
  MovingRows *rows;
  MovingDrive drives[ARM_MAX_JOINTS];
  double x[ARM_MAX_JOINTS][ARM_DYN_LOCAL + BASE_COLUMNS]; /* what a row of joint j multiplies */
  ArmDynStreamOptions options;
  ArmDynStreamCounts counts;
} Rig;

static inline void rig_init(Rig *rig, const ArmModel *model, TestRng *rng, size_t samples,
                            double step_s) {
  double pi[10 * ARM_MAX_JOINTS], beta[BASE_COLUMNS];
  memset(rig, 0, sizeof *rig);
  rig->model = model;
  rig->base = make(model, 0, ARM_BASE_CLOSED_FORM);
  rig->m = moving_new(model, rng, samples, step_s, 0.1, 0.8);
  rig->rows = moving_rows_new(model->n, rig->base->count, samples);
  moving_random_drives(model, rng, rig->drives);
  (void)arm_inertia_nominal(model, pi);
  moving_drive(rig->m, model, pi, rig->drives);
  arm_base_values(rig->base, pi, beta);
  for (size_t j = 0; j < model->n; j++) {
    memcpy(rig->x[j], rig->drives[j].phi, sizeof rig->drives[j].phi);
    for (size_t b = 0; b < rig->base->count; b++)
      rig->x[j][ARM_DYN_LOCAL + b] = rig->drives[j].eta * beta[b];
  }
  arm_dyn_stream_options_default(&rig->options);
  rig->options.step_s = step_s;
  rig->options.has_qd = rig->options.has_qdd = true;
}

static inline void rig_free(Rig *rig) {
  arm_base_free(rig->base);
  moving_free(rig->m);
  moving_rows_free(rig->rows);
}

/* Streams the recording of the rig with its options; returns what finish says. */
static inline ArmStatus rig_run(Rig *rig, size_t block, TestRng *rng) {
  ArmDynStream *stream = NULL;
  memset(rig->rows->rows, 0, sizeof rig->rows->rows);
  assert_int_equal(arm_dyn_stream_new(rig->model, rig->base, &rig->options, moving_rows_sink,
                                      rig->rows, &stream),
                   ARM_OK);
  const ArmStatus status = moving_stream(stream, rig->m, block, rng);
  rig->counts = *arm_dyn_stream_counts(stream);
  for (size_t j = 0; j < rig->model->n; j++)
    assert_int_equal(rig->rows->rows[j], rig->counts.rows[j]);
  arm_dyn_stream_free(stream);
  return status;
}

/* Every sample has one reason. */
static inline void check_sum(const Rig *rig) {
  for (size_t j = 0; j < rig->model->n; j++) {
    size_t sum = 0;
    for (size_t use = 0; use < ARM_DYN_USES; use++)
      sum += rig->counts.samples[j][use];
    assert_int_equal(sum, rig->m->samples);
  }
}

/* The largest |row x - effort| over the largest |effort|, over all rows. */
static inline double misfit(const Rig *rig) {
  double worst = 0, largest = 0;
  const size_t width = rig->rows->width;
  for (size_t j = 0; j < rig->model->n; j++)
    for (size_t r = 0; r < rig->rows->rows[j]; r++) {
      const double *row = rig->rows->row[j] + r * width;
      double sum = 0;
      for (size_t c = 0; c + 1 < width; c++)
        sum += row[c] * rig->x[j][c];
      worst = fmax(worst, fabs(sum - row[width - 1]));
      largest = fmax(largest, fabs(row[width - 1]));
    }
  return worst / largest;
}

static inline size_t uses(const Rig *rig, size_t joint, ArmDynUse use) {
  return rig->counts.samples[joint][use];
}

#endif
