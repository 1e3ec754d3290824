/* SPDX-License-Identifier: MIT */
#include "core/ident.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/filter.h"
#include "core/ident_internal.h"

void arm_fit_options_default(ArmFitOptions *options) {
  memset(options, 0, sizeof *options);
  arm_row_options_default(&options->rows);
}

const char *arm_param_key(ArmParamKind kind) {
  static const char *const keys[ARM_PARAM_KINDS] = {
      "kx_star",       "ky_star",     "mhat_star",        "coulomb_pos_A", "viscous_pos",
      "coulomb_neg_A", "viscous_neg", "own_acceleration", "ratio",
  };
  return (unsigned)kind < ARM_PARAM_KINDS ? keys[kind] : "";
}

ArmEstimate *arm_gravity_parameters_at(ArmGravityParameters *parameters, ArmParamId id) {
  ArmJointFit *joint = &parameters->joint[id.i];
  switch (id.kind) {
  case ARM_PARAM_KX:
  case ARM_PARAM_MHAT:
    return &joint->w[0];
  case ARM_PARAM_KY:
    return &joint->w[1];
  case ARM_PARAM_COULOMB_POS:
  case ARM_PARAM_VISCOUS_POS:
  case ARM_PARAM_COULOMB_NEG:
  case ARM_PARAM_VISCOUS_NEG:
    return &joint->friction[id.kind - ARM_PARAM_COULOMB_POS];
  case ARM_PARAM_ACCELERATION:
    return &joint->acceleration;
  case ARM_PARAM_RATIO:
    return &parameters->ratio[id.i][id.j];
  case ARM_PARAM_KINDS:
    break;
  }
  return NULL;
}

void arm_gravity_parameters_clear(ArmGravityParameters *parameters) {
  free(parameters->ids);
  free(parameters->covariance);
  parameters->ids = NULL;
  parameters->covariance = NULL;
  parameters->n_ids = 0;
}

void arm_gravity_fit_clear(ArmGravityFit *fit) {
  arm_gravity_parameters_clear(&fit->refined);
  arm_gravity_parameters_clear(&fit->recursive);
}

/* measured accelerations, else the derivative of the measured speeds; *owned is to be freed */
static ArmStatus accelerations(const ArmDataset *data, const double **qdd, double **owned) {
  *qdd = data->qdd;
  if (data->qdd)
    return ARM_OK;
  *owned = malloc((data->rows * data->n + 1) * sizeof **owned);
  if (!*owned)
    return ARM_E_MEMORY;
  for (size_t j = 0; j < data->n; j++) {
    const ArmStatus status =
        arm_filter_derivative(data->rows, data->t, data->qd + j * data->rows,
                              ARM_FILTER_HALF_WIDTH_S, NULL, *owned + j * data->rows);
    if (status != ARM_OK)
      return status;
  }
  *qdd = *owned;
  return ARM_OK;
}

static ArmStatus select_rows(ArmIdent *ident, const ArmFitOptions *options) {
  ArmDataset view = *ident->data;
  size_t used = 0;
  view.qdd = ident->qdd;
  ArmRowUse *use = malloc((view.rows + 1) * sizeof *use);
  if (!use)
    return ARM_E_MEMORY;
  ArmStatus status = arm_dataset_select(ident->model, &view, &options->rows, use);
  for (size_t r = 0; r < view.rows && status == ARM_OK; r++)
    used += use[r] == ARM_ROW_USED;
  if (status == ARM_OK)
    status = used > 0 ? arm_ident_accumulate(ident, use) : ARM_E_NO_DATA;
  free(use);
  return status;
}

static ArmStatus estimate(ArmIdent *ident, const ArmFitOptions *options, ArmIdentResult *recursive,
                          ArmIdentResult *refined, ArmGravityFit *fit) {
  ArmStatus status = select_rows(ident, options);
  if (status == ARM_OK)
    status = arm_ident_recursion(ident, options, recursive);
  if (status == ARM_OK)
    status = arm_ident_refine(ident, options, recursive, refined, fit);
  if (status == ARM_OK)
    status = arm_ident_report(ident, recursive, &fit->recursive);
  if (status == ARM_OK)
    status = arm_ident_report(ident, refined, &fit->refined);
  return status;
}

ArmStatus arm_gravity_fit(const ArmModel *model, const ArmDataset *data,
                          const ArmFitOptions *options, ArmGravityFit *fit) {
  if (data->n != model->n)
    return ARM_E_ARGUMENT;
  ArmIdent *ident = calloc(1, sizeof *ident);
  ArmIdentResult *results = calloc(2, sizeof *results);
  ArmGravityFit *made = calloc(1, sizeof *made);
  double *owned = NULL;
  ArmStatus status = ident && results && made ? ARM_OK : ARM_E_MEMORY;
  if (status == ARM_OK) {
    ident->model = model;
    ident->data = data;
    ident->has_acceleration = options->rows.wants_acceleration;
    memcpy(ident->is_torque_ratio, data->is_torque, sizeof ident->is_torque_ratio);
    status = arm_structure_find(model, &ident->structure);
  }
  if (status == ARM_OK)
    status = arm_filter_median_step(data->rows, data->t, &ident->median_step);
  if (status == ARM_OK && options->rows.wants_acceleration)
    status = accelerations(data, &ident->qdd, &owned);
  if (status == ARM_OK)
    status = estimate(ident, options, &results[0], &results[1], made);
  if (status == ARM_OK)
    *fit = *made;
  else if (made)
    arm_gravity_fit_clear(made);
  if (results) {
    free(results[0].covariance);
    free(results[1].covariance);
  }
  if (ident)
    arm_ident_rows_clear(ident);
  free(owned);
  free(made);
  free(results);
  free(ident);
  return status;
}
