/* SPDX-License-Identifier: MIT */
/* A plan made by hand. */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "session/edits.h"

static bool check_speeds(const AseEdits *edits, const ArmModel *model, gsize j, GError **error) {
  const ArmJointPlan *plan = &edits->plan.joint[j];
  const bool turns = model->joints[j].type == ARM_JOINT_R;
  const double most = model->joints[j].limits.speed_max, unit = turns ? G_PI / 180.0 : 1.0;
  for (gsize k = 0; plan->is_swept && k < plan->n_speeds; k++) {
    if (!(plan->speeds[k] > most))
      continue;
    aio_error_set_said(
        error, AIO_ERROR_REFUSED,
        N_("joint %zu: it would sweep at %.4g %s, the arm allows %.4g; choose a lower speed"),
        j + 1, plan->speeds[k] / unit, turns ? aio_said_word(N_("deg/s")) : "m/s", most / unit);
    return false;
  }
  return true;
}

bool ase_edits_check_plan(const AseEdits *edits, const ArmModel *model, GError **error) {
  AseFreedom freedom;
  double middle[ARM_MAX_JOINTS];
  ase_edits_freedom(edits, &freedom);
  for (gsize j = 0; j < model->n; j++) {
    middle[j] = 0.5 * (freedom.low[j] + freedom.high[j]);
    if (!check_speeds(edits, model, j, error))
      return false;
  }
  AseItinerary *itinerary =
      ase_itinerary_new(model, &edits->plan, &freedom, &edits->itinerary, middle, error);
  ase_itinerary_free(itinerary);
  return itinerary != NULL;
}

bool ase_edits_add_hold(AseEdits *edits, guint joint, const double *pose, GError **error) {
  ArmJointPlan *plan = &edits->plan.joint[joint - 1];
  if (plan->n_holds == ARM_PLAN_MAX_HOLDS) {
    aio_error_set_said(error, AIO_ERROR_REFUSED,
                       N_("joint %u has %d holds already; leave one out first"), joint,
                       ARM_PLAN_MAX_HOLDS);
    return false;
  }
  memcpy(plan->holds[plan->n_holds++], pose, edits->plan.n * sizeof *pose);
  return true;
}

/* Ranges of the hold go with it, those of later holds get their new number. */
static void renumber_ranges(AseEdits *edits, guint joint, guint hold) {
  AseHoldRange all[ASE_HOLD_RANGES] = {{0}};
  guint kept = 0;
  for (guint k = 0; k < edits->n_holds; k++) {
    AseHoldRange range = edits->holds[k];
    if (range.joint == joint && range.hold == hold)
      continue;
    range.hold -= range.joint == joint && range.hold > hold;
    all[kept++] = range;
  }
  memcpy(edits->holds, all, sizeof all);
  edits->n_holds = kept;
}

bool ase_edits_remove_hold(AseEdits *edits, guint joint, guint hold, GError **error) {
  ArmJointPlan *plan = &edits->plan.joint[joint - 1];
  if (plan->is_swept && plan->n_holds == 1) {
    aio_error_set_said(
        error, AIO_ERROR_REFUSED,
        N_("joint %u: this is its last hold; add another one first, or do not sweep it"), joint);
    return false;
  }
  memmove(plan->holds[hold - 1], plan->holds[hold], (plan->n_holds - hold) * sizeof *plan->holds);
  memset(plan->holds[--plan->n_holds], 0, sizeof *plan->holds); /* compared as bytes */
  renumber_ranges(edits, joint, hold);
  return true;
}
