/* SPDX-License-Identifier: MIT */
/* Sweeps of one joint at a time: gravity, friction, ratios of torque constants. */
#include "session/method/method_gravity.h"

#include "io/base/said.h"
#include "io/params/verdict_file.h"
#include "session/base/text.h"
#include "session/method/method.h"

static void free_whole(gpointer params) {
  aio_params_free(params);
}

static bool load(const char *name, const char *text, gsize length, const ArmModel *model,
                 AseFound *found, GError **error) {
  AioParams *params = aio_params_load_bytes(name, text, length, model, error);
  if (!params)
    return false;
  const ArmStatus status = aio_params_found(params, &found->set);
  if (status == ARM_OK) {
    found->whole = params;
    return true;
  }
  aio_params_free(params);
  aio_error_set_said(error, AIO_ERROR_MEMORY, "%s: %s", aio_said_plain(name),
                     ase_status_said(status));
  return false;
}

static GPtrArray *reminders(const AseFound *found) {
  const AioParams *params = found->whole;
  GPtrArray *lines = aio_verdict_reminders(&params->fit);
  g_ptr_array_extend_and_steal(lines, aio_params_validation_lines(params));
  return lines;
}

static char *export_c(const AioArm *arm, const AseFound *found, const AioExportC *options,
                      gsize *length, GError **error) {
  return aio_export_c(arm, found->whole, options, length, error);
}

static const AseMeasuring measuring = {.steps = &ase_gravity_steps,
                                       .plan = ase_gravity_plan,
                                       .plans_again = ase_gravity_plans_again,
                                       .plan_again = ase_gravity_plan_again,
                                       .plan_said = ase_gravity_plan_said,
                                       .remarks = ase_gravity_remarks,
                                       .legs = ase_itinerary_new,
                                       .foreseen = ase_gravity_foreseen,
                                       .fit = ase_gravity_fit,
                                       .judge = ase_gravity_judge,
                                       .set = ase_gravity_set,
                                       .verdict = ase_gravity_verdict,
                                       .has_rows = ase_gravity_has_rows,
                                       .offer_terms = ase_gravity_offer_terms,
                                       .options = ase_gravity_options,
                                       .format = ase_gravity_format,
                                       .recall = ase_gravity_recall,
                                       .validate = ase_gravity_validate,
                                       .judge_validation = ase_gravity_judge_validation,
                                       .is_contradicted = ase_gravity_is_contradicted,
                                       .figures = ase_gravity_figures,
                                       .select = ase_gravity_select,
                                       .predictor = ase_gravity_predictor};

const AseMethod ase_method_gravity = {.finds = arm_gravity_method,
                                      .measuring = &measuring,
                                      .load = load,
                                      .free_whole = free_whole,
                                      .reminders = reminders,
                                      .export_c = export_c};
