/* SPDX-License-Identifier: MIT */
/* What a fit of a plan would know: the planned rows with the model's own currents go through the
 * very recursion and joint information that a recording goes through. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/sweeps/ident_internal.h"
#include "core/sweeps/plan_internal.h"
#include "core/sweeps/predict_internal.h"

/* Only the stated duration of a plan depends on these: chosen. */
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

/* row of A at a position of the swept joint, of arm_gravity_row_of_hold */
typedef struct {
  double one[2 * ARM_MAX_JOINTS], cosine[2 * ARM_MAX_JOINTS], sine[2 * ARM_MAX_JOINTS];
} HoldRow;

static void row_at(const HoldRow *hold, size_t columns, double q, double *row) {
  const double cosine = cos(q), sine = sin(q);
  for (size_t k = 0; k < columns; k++)
    row[k] = hold->one[k] + cosine * hold->cosine[k] + sine * hold->sine[k];
}

static void add_sweep(Simulated *s, const ArmGravityParameters *parameters, size_t joint,
                      const ArmJointPlan *plan, const double *hold, const HoldRow *of_hold,
                      double speed) {
  const size_t rows = s->data.rows, n = s->data.n;
  double row[2 * ARM_MAX_JOINTS];
  for (size_t p = 0; p < plan->positions; p++) {
    const double part = (double)p / (double)(plan->positions - 1);
    const size_t r = s->filled++;
    const double q = plan->from + (plan->to - plan->from) * (speed > 0.0 ? part : 1.0 - part);
    s->t[r] = 0.01 * (double)r;
    s->joint[r] = (int)joint + 1;
    for (size_t j = 0; j < n; j++)
      s->q[r + j * rows] = j == joint ? q : hold[j];
    s->qd[r + joint * rows] = speed;
    row_at(of_hold, 2 * n, q, row);
    s->current[r + joint * rows] = arm_predict_current(parameters, joint, row, speed);
  }
}

static void simulate(Simulated *s, const ArmModel *model, const ArmGravityParameters *parameters,
                     const ArmPlan *plan) {
  HoldRow row;
  for (size_t i = 0; i < plan->n; i++) {
    const ArmJointPlan *p = &plan->joint[i];
    for (size_t h = 0; p->is_swept && h < p->n_holds; h++) {
      arm_gravity_row_of_hold(model, p->holds[h], i, row.one, row.cosine, row.sine);
      for (size_t k = 0; k < 2 * p->n_speeds; k++)
        add_sweep(s, parameters, i, p, p->holds[h], &row,
                  k % 2 ? -p->speeds[k / 2] : p->speeds[k / 2]);
    }
  }
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

/* Nothing is promised that a made-up or unscaled load decides: the ratios, and of joints that share
 * a cluster all but viscous friction, which every hold sees alike. An outer joint's load is known
 * better where the inner ones see it too, so its own rows alone do not decide. */
static void promise_less(ArmPlanReport *report) {
  ArmGravityParameters *p = &report->predicted;
  for (size_t i = 0; i < p->n; i++) {
    ArmJointFit *joint = &p->joint[i];
    bool is_shared = false;
    for (size_t j = 0; j < p->n; j++) {
      if (j == i || p->cluster[i] < 0 || p->cluster[i] != p->cluster[j])
        continue;
      is_shared = true;
      if (i < j)
        p->ratio[i][j] = (ArmEstimate){(double)NAN, (double)NAN, p->ratio[i][j].used, false,
                                       ARM_REASON_LOAD_NOT_STATED};
    }
    if (!is_shared)
      continue;
    joint->w[0].sd = joint->w[1].sd = (double)NAN;
    joint->friction[0].sd = joint->friction[2].sd = (double)NAN;
    report->score[i] = (double)NAN;
  }
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

static ArmStatus check(const ArmModel *model, const ArmGravityParameters *parameters,
                       const ArmPlan *plan) {
  if (plan->n != model->n || parameters->n != model->n)
    return ARM_E_ARGUMENT;
  for (size_t i = 0; i < model->n; i++) {
    const ArmJointPlan *p = &plan->joint[i];
    if (model->joints[i].type != parameters->type[i])
      return ARM_E_ARGUMENT;
    for (size_t h = 0; p->is_swept && h < p->n_holds; h++)
      for (size_t j = 0; j < model->n; j++)
        if (j != i && !isfinite(p->holds[h][j]))
          return ARM_E_NOT_FINITE;
  }
  return ARM_OK;
}

ArmStatus arm_plan_evaluate(const ArmModel *model, const ArmGravityParameters *parameters,
                            const ArmPlanOptions *options, const ArmPlan *plan,
                            ArmPlanReport *report) {
  Simulated simulated;
  ArmStructure structure;
  ArmStatus status = check(model, parameters, plan);
  if (status != ARM_OK)
    return status;
  const size_t rows = count_rows(plan);
  if (rows == 0)
    return ARM_E_NO_DATA;
  ArmPlanReport *made = calloc(1, sizeof *made);
  ArmGravityParameters *stated = stated_loads(parameters, options);
  status = made && stated ? simulated_init(&simulated, model->n, rows) : ARM_E_MEMORY;
  if (status == ARM_OK) {
    simulate(&simulated, model, stated, plan);
    status = identify(model, &simulated, stated, options, &made->predicted);
    simulated_clear(&simulated);
  }
  free(stated);
  if (status == ARM_OK)
    status = arm_structure_find(model, &structure);
  for (size_t i = 0; i < model->n && status == ARM_OK; i++) {
    const ArmJointPlan *p = &plan->joint[i];
    made->score[i] = arm_plan_score(model, &structure, parameters, options, i, p);
    made->duration_s[i] = duration_of(model, p);
    arm_plan_excitation(model, &structure, parameters, i, p, &made->excitation_rank[i],
                        &made->excitation_required[i]);
  }
  if (status == ARM_OK && (options->is_made_up || options->is_unscaled))
    promise_less(made);
  if (status == ARM_OK)
    *report = *made;
  else if (made)
    arm_gravity_parameters_clear(&made->predicted);
  free(made);
  return status;
}

void arm_plan_report_clear(ArmPlanReport *report) {
  arm_gravity_parameters_clear(&report->predicted);
}
