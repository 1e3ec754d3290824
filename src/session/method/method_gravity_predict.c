/* SPDX-License-Identifier: MIT */
/* What the fit of sweeps says of one row. */
#include <math.h>

#include "core/sweeps/predict.h"
#include "core/sweeps/wild.h"
#include "session/method/method_gravity.h"

typedef struct {
  AsePredictor base;
  ArmModel model;
  ArmGravityParameters parameters; /* without covariance: sds would cost more than the currents */
} Predictor;

static double current(const AsePredictor *base, guint joint, const double *q, const double *qd) {
  const Predictor *self = (const Predictor *)base;
  double current_A[ARM_MAX_JOINTS], sd[ARM_MAX_JOINTS];
  const ArmPredictOptions options = {.zero_speed = ARM_ZERO_SPEED_NONE};
  if (arm_predict(&self->model, &self->parameters, q, qd, NULL, &options, current_A, sd) != ARM_OK)
    return NAN;
  return current_A[joint - 1];
}

static double column(const AsePredictor *base, guint joint, const double *q, const double *qd,
                     ArmParamId id) {
  const Predictor *self = (const Predictor *)base;
  return arm_predict_column(&self->model, &self->parameters, q, qd, joint - 1, id);
}

AsePredictor *ase_gravity_predictor(const ArmModel *model, const AseFit *whole) {
  const ArmGravityFit *fit = ase_gravity_of(whole);
  if (!fit || fit->refined.n != model->n)
    return NULL;
  Predictor *self = g_atomic_rc_box_new0(Predictor);
  *self = (Predictor){
      .base = {.current = current, .column = column}, .model = *model, .parameters = fit->refined};
  self->parameters.n_ids = 0;
  self->parameters.ids = NULL;
  self->parameters.covariance = NULL;
  for (gsize j = 0; j < model->n; j++)
    self->base.residual_sd[j] = fit->refined.joint[j].residual_sd;
  return &self->base;
}

ArmStatus ase_gravity_select(ArmWindows *windows) {
  ArmWild worst[ARM_MAX_JOINTS];
  const ArmRowSource *source = windows->source;
  return arm_wild_find(windows, source->n, source->median_step,
                       !windows->options->wants_acceleration, worst);
}
