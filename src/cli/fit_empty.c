/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fit_report.h"
#include "core/num/filter.h"

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

static ArmStatus count_rows(const ArmModel *model, const ArmDataset *data,
                            const ArmRowOptions *options, ArmGravityFit *fit) {
  ArmGravityParameters *out = &fit->refined;
  g_autofree ArmPlausibleScan *scan = g_new0(ArmPlausibleScan, 1);
  g_autofree ArmRowUse *use = g_try_malloc0_n(data->rows + 1, sizeof *use);
  double step = NAN;
  ArmStatus status = use ? arm_dataset_select(model, data, options, use) : ARM_E_MEMORY;
  if (status == ARM_OK)
    status = arm_filter_median_step(data->rows, data->t, &step);
  for (size_t row = 0; row < data->rows && status == ARM_OK; row++)
    for (size_t i = 0; i < model->n; i++)
      if (data->joint[row] == 0 || data->joint[row] == (int)i + 1)
        out->joint[i].rows_by_use[use[row]]++;
  if (status == ARM_OK) {
    arm_plausible_init(scan, model->n, step);
    for (size_t row = 0; row < data->rows; row++)
      arm_plausible_push(scan, model, data, row, use[row]);
    arm_plausible_end(scan, model);
    arm_plausible_rows(scan, model, &fit->doubts);
  }
  /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_autofree */
  return status;
}

ArmStatus cli_fit_empty(const ArmModel *model, const ArmStructure *structure,
                        const ArmDataset *data, const ArmRowOptions *rows, ArmGravityFit *fit) {
  ArmGravityFit made = {.relative_gradient = NAN};
  ArmGravityParameters *p = &made.refined;
  p->n = model->n;
  ArmStatus status = count_rows(model, data, rows, &made);
  if (status != ARM_OK)
    return status;
  for (size_t i = 0; i < model->n; i++) {
    p->type[i] = model->joints[i].type;
    p->joint[i].rows_by_use[ARM_ROW_USED] = 0;
    clear_joint(&p->joint[i], rows->wants_acceleration,
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
