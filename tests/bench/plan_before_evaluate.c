/* SPDX-License-Identifier: MIT */
/* The evaluation as it was, of parameters that the arm file states: see plan_before.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sweeps/ident_internal.h"
#include "core/sweeps/predict.h"
#include "plan_before.h"

#define MOVE_SPEED_PART 0.5  /* of the speed limit, between holds */
#define MOVE_SPEED_R    0.5  /* rad/s where no limit is known */
#define MOVE_SPEED_T    0.05 /* m/s */

/* a simulated recording; one block owns everything */
typedef struct {
  ArmDataset data;
  double *t, *q, *qd, *current;
  int *joint;
  size_t filled;
} Simulated;

static size_t count_rows(const ArmPlan *plan) {
  size_t rows = 0;
  for (size_t i = 0; i < plan->n; i++) {
    const ArmJointPlan *p = &plan->joint[i];
    rows += p->is_swept ? 2 * p->n_holds * p->n_speeds * p->positions : 0;
  }
  return rows;
}

static void simulated_clear(Simulated *s) {
  free(s->t);
  free(s->joint);
}

static ArmStatus simulated_init(Simulated *s, size_t n, size_t rows) {
  *s = (Simulated){0};
  s->t = calloc(rows * (3 * n + 1) + 1, sizeof *s->t);
  s->joint = calloc(rows + 1, sizeof *s->joint);
  if (!s->t || !s->joint) {
    simulated_clear(s);
    return ARM_E_MEMORY;
  }
  s->q = s->t + rows;
  s->qd = s->q + rows * n;
  s->current = s->qd + rows * n;
  s->data = (ArmDataset){.n = n,
                         .rows = rows,
                         .t = s->t,
                         .joint = s->joint,
                         .q = s->q,
                         .qd = s->qd,
                         .current = s->current};
  return ARM_OK;
}

static ArmStatus add_sweep(Simulated *s, const ArmModel *model,
                           const ArmGravityParameters *parameters, size_t joint,
                           const ArmJointPlan *plan, const double *hold, double speed) {
  const ArmPredictOptions options = {0};
  const size_t rows = s->data.rows;
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS] = {0}, current[ARM_MAX_JOINTS], sd[ARM_MAX_JOINTS];
  memcpy(q, hold, model->n * sizeof *q);
  qd[joint] = speed;
  for (size_t p = 0; p < plan->positions; p++) {
    const double part = (double)p / (double)(plan->positions - 1);
    const size_t r = s->filled++;
    q[joint] = plan->from + (plan->to - plan->from) * (speed > 0.0 ? part : 1.0 - part);
    const ArmStatus status = arm_predict(model, parameters, q, qd, NULL, &options, current, sd);
    if (status != ARM_OK)
      return status;
    s->t[r] = 0.01 * (double)r;
    s->joint[r] = (int)joint + 1;
    for (size_t j = 0; j < model->n; j++) {
      s->q[r + j * rows] = q[j];
      s->qd[r + j * rows] = qd[j];
      s->current[r + j * rows] = current[j];
    }
  }
  return ARM_OK;
}

static ArmStatus simulate(Simulated *s, const ArmModel *model,
                          const ArmGravityParameters *parameters, const ArmPlan *plan) {
  for (size_t i = 0; i < plan->n; i++) {
    const ArmJointPlan *p = &plan->joint[i];
    for (size_t h = 0; p->is_swept && h < p->n_holds; h++) {
      for (size_t k = 0; k < 2 * p->n_speeds; k++) {
        const double speed = k % 2 ? -p->speeds[k / 2] : p->speeds[k / 2];
        const ArmStatus status = add_sweep(s, model, parameters, i, p, p->holds[h], speed);
        if (status != ARM_OK)
          return status;
      }
    }
  }
  return ARM_OK;
}

static ArmStatus uncertainty_of(ArmIdent *ident, const ArmGravityParameters *parameters,
                                const ArmPlanOptions *options, ArmGravityParameters *out) {
  ArmFitOptions fit;
  double noise[ARM_MAX_JOINTS];
  ArmIdentResult *result = calloc(1, sizeof *result);
  if (!result)
    return ARM_E_MEMORY;
  arm_fit_options_default(&fit);
  ArmStatus status = arm_ident_recursion(ident, &fit, result);
  free(result->covariance);
  result->covariance = NULL;
  for (size_t i = 0; i < ident->model->n; i++) {
    const double sd = parameters->joint[i].residual_sd;
    noise[i] = isfinite(sd) && sd > 0.0 ? sd : options->noise_sd;
    result->stats[i].residual_sd = noise[i];
    result->stats[i].widening = 1.0;
    noise[i] = ident->rows[i].rows > 0 ? noise[i] : 0.0;
    ident->rows[i].rms_y = hypot(ident->rows[i].rms_y, noise[i]); /* of a recording, with noise */
  }
  if (status == ARM_OK)
    status = arm_ident_uncertainty(ident, noise, result);
  if (status == ARM_OK)
    status = arm_ident_report(ident, result, out);
  free(result->covariance);
  free(result);
  return status;
}

static ArmStatus identify(const ArmModel *model, const Simulated *s,
                          const ArmGravityParameters *parameters, const ArmPlanOptions *options,
                          ArmGravityParameters *out) {
  ArmIdent *ident = calloc(1, sizeof *ident);
  ArmRowUse *use = calloc(s->data.rows + 1, sizeof *use);
  ArmWindows windows;
  ArmStatus status = ident && use ? ARM_OK : ARM_E_MEMORY;
  if (status == ARM_OK) {
    ident->model = model;
    arm_windows_whole(&windows, &s->data, use);
    ident->windows = &windows;
    ident->median_step = 0.01;
    status = arm_structure_find(model, &ident->structure);
  }
  if (status == ARM_OK)
    status = arm_ident_survey(ident, false);
  if (status == ARM_OK)
    status = arm_ident_accumulate(ident);
  if (status == ARM_OK)
    status = uncertainty_of(ident, parameters, options, out);
  if (ident) {
    arm_ident_rows_clear(ident);
    if (ident->windows)
      arm_windows_clear(&windows);
  }
  free(use);
  free(ident);
  return status;
}

/* slowest joint between two poses at half its speed limit */
static double move_time(const ArmModel *model, const double *from, const double *to) {
  double time = 0.0;
  for (size_t j = 0; j < model->n; j++) {
    const double limit = model->joints[j].limits.speed_max;
    const double fallback = model->joints[j].type == ARM_JOINT_R ? MOVE_SPEED_R : MOVE_SPEED_T;
    const double speed = isfinite(limit) ? MOVE_SPEED_PART * limit : fallback;
    time = fmax(time, fabs(to[j] - from[j]) / speed);
  }
  return time;
}

static double duration_of(const ArmModel *model, const ArmJointPlan *p) {
  double time = 0.0;
  for (size_t h = 0; p->is_swept && h < p->n_holds; h++) {
    for (size_t k = 0; k < p->n_speeds; k++)
      time += 2.0 * (p->to - p->from) / p->speeds[k];
    time += h > 0 ? move_time(model, p->holds[h - 1], p->holds[h]) : 0.0;
  }
  return time;
}

/* Loads that were raised for the plan's sake are promised as they were stated. */
static ArmGravityParameters *stated_loads(const ArmGravityParameters *parameters,
                                          const ArmPlanOptions *options) {
  ArmGravityParameters *stated = malloc(sizeof *stated);
  if (!stated)
    return NULL;
  *stated = *parameters;
  for (size_t i = 0; i < stated->n && !options->is_made_up; i++)
    for (size_t a = 0; a < 2; a++) {
      ArmEstimate *w = &stated->joint[i].w[a];
      if (w->reason == ARM_REASON_LOAD_NOT_STATED)
        w->used = w->value;
    }
  return stated;
}

ArmStatus before_evaluate(const ArmModel *model, const ArmGravityParameters *parameters,
                          const ArmPlanOptions *options, const ArmPlan *plan,
                          ArmPlanReport *report) {
  Simulated simulated;
  ArmStructure structure;
  if (plan->n != model->n || parameters->n != model->n)
    return ARM_E_ARGUMENT;
  const size_t rows = count_rows(plan);
  if (rows == 0)
    return ARM_E_NO_DATA;
  ArmPlanReport *made = calloc(1, sizeof *made);
  ArmGravityParameters *stated = stated_loads(parameters, options);
  ArmStatus status = made && stated ? simulated_init(&simulated, model->n, rows) : ARM_E_MEMORY;
  if (status == ARM_OK) {
    status = simulate(&simulated, model, stated, plan);
    if (status == ARM_OK)
      status = identify(model, &simulated, stated, options, &made->predicted);
    simulated_clear(&simulated);
  }
  free(stated);
  if (status == ARM_OK)
    status = arm_structure_find(model, &structure);
  for (size_t i = 0; i < model->n && status == ARM_OK; i++) {
    const ArmJointPlan *p = &plan->joint[i];
    made->score[i] = before_score(model, &structure, parameters, options, i, p);
    made->duration_s[i] = duration_of(model, p);
    arm_plan_excitation(model, &structure, parameters, i, p, &made->excitation_rank[i],
                        &made->excitation_required[i]);
  }
  if (status == ARM_OK)
    *report = *made;
  else if (made)
    arm_gravity_parameters_clear(&made->predicted);
  free(made);
  return status;
}
