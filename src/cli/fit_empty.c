/* SPDX-License-Identifier: MIT */
/* The fit of a recording without a usable row: what was counted, and that nothing is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fit_report.h"
#include "core/num/filter.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ArmWindows, arm_windows_clear)

static ArmEstimate unknown(ArmReason reason) {
  return (ArmEstimate){NAN, NAN, 0.0, false, reason};
}

static ArmReason reason_of(const ArmJointFit *joint) {
  return arm_rows_are_left_out(joint->rows_by_use) ? ARM_REASON_ROWS_LEFT_OUT : ARM_REASON_NO_ROWS;
}

static void clear_joint(ArmJointFit *joint, bool has_acceleration, ArmReason own) {
  joint->residual_sd = joint->r2 = joint->max_abs = joint->lag1 = NAN;
  joint->cond_raw = joint->cond_equilibrated = joint->cond_centred = NAN;
  joint->widening = 1.0;
  joint->has_acceleration = has_acceleration;
  for (size_t k = 0; k < 2; k++)
    joint->w[k] = unknown(own);
  for (size_t k = 0; k < 4; k++)
    joint->friction[k] = unknown(reason_of(joint));
  joint->acceleration = unknown(reason_of(joint));
}

typedef struct {
  const ArmModel *model;
  ArmPlausibleScan scan;
  ArmGravityFit *fit;
} Count;

static void count_window(Count *c, const ArmWindow *window) {
  const int *joint = window->data.joint;
  for (size_t row = window->begin; row < window->end; row++) {
    for (size_t i = 0; i < c->model->n; i++)
      if (joint[row] == 0 || joint[row] == (int)i + 1)
        c->fit->refined.joint[i].rows_by_use[window->use[row]]++;
    arm_plausible_push(&c->scan, c->model, &window->data, row, window->use[row]);
  }
}

static ArmStatus count_windows(const ArmModel *model, ArmWindows *windows, double step,
                               ArmGravityFit *fit) {
  g_autofree Count *c = g_new0(Count, 1);
  ArmStatus status = ARM_OK;
  c->model = model;
  c->fit = fit;
  arm_plausible_init(&c->scan, model->n, step);
  for (size_t k = 0; k < windows->count && status == ARM_OK; k++) {
    const ArmWindow *window;
    status = arm_windows_get(windows, k, &window);
    if (status == ARM_OK)
      count_window(c, window);
  }
  arm_plausible_end(&c->scan, model);
  arm_plausible_rows(&c->scan, model, &fit->doubts);
  return status;
}

static ArmStatus count_rows(const ArmModel *model, const CliRows *rows,
                            const ArmRowOptions *options, ArmGravityFit *fit) {
  const ArmRowSource source = aio_row_store_source(rows->store);
  g_auto(ArmWindows) windows = {0};
  const ArmStatus status = arm_windows_open(&windows, model, options, &source);
  return status == ARM_OK ? count_windows(model, &windows, source.median_step, fit) : status;
}

ArmStatus cli_fit_empty(const ArmModel *model, const ArmStructure *structure, const CliRows *rows,
                        const ArmRowOptions *options, ArmGravityFit *fit) {
  ArmGravityFit made = {.relative_gradient = NAN};
  ArmGravityParameters *p = &made.refined;
  p->n = model->n;
  ArmStatus status = count_rows(model, rows, options, &made);
  if (status != ARM_OK)
    return status;
  for (size_t i = 0; i < model->n; i++) {
    p->type[i] = model->joints[i].type;
    p->joint[i].rows_by_use[ARM_ROW_USED] = 0;
    clear_joint(&p->joint[i], options->wants_acceleration,
                structure->has_own[i] ? reason_of(&p->joint[i])
                                      : arm_structure_reason(model, structure, i));
    for (size_t j = 0; j < model->n; j++)
      p->ratio[i][j] = unknown(ARM_REASON_NO_ROWS);
  }
  memcpy(p->cluster, structure->cluster, sizeof p->cluster);
  p->n_clusters = structure->n_clusters;
  made.recursive = *p;
  arm_verdict_init(&made.verdict, model->n);
  *fit = made;
  return ARM_OK;
}
