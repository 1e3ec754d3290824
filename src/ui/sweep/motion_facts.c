/* SPDX-License-Identifier: MIT */
/* Speeds and accelerations are bounds that hold at all times, the ones by which the motion was
 * taken or refused, so that no joint that was taken is shown beyond its limits. */
#include "ui/sweep/motion_facts.h"

#include <glib/gi18n.h>

/* ---- joints ---- */

void aui_motion_facts(const AseTrajectory *trajectory, const ArmMotionLimits *limits,
                      const AseEdits *edits, AuiMotionFact *facts) {
  for (gsize j = 0; j < trajectory->cubics->n; j++)
    facts[j] = (AuiMotionFact){.low = trajectory->low[j],
                               .high = trajectory->high[j],
                               .free_low = edits->low[j],
                               .free_high = edits->high[j],
                               .speed = trajectory->speed[j],
                               .acceleration = trajectory->acceleration[j],
                               .speed_most = limits->half[ARM_MOTION_SPEED][j],
                               .acceleration_most = limits->half[ARM_MOTION_ACCELERATION][j]};
}

/* ---- the way ---- */

static const char *stage_text(const AseLeg *leg) {
  const bool is_dry = leg->purpose == ASE_PURPOSE_DRY_RUN;
  if (!leg->trajectory)
    return is_dry ? _("Slowly to where it begins, joint after joint")
                  : _("Slowly back to where it begins");
  return is_dry ? _("Dry run: along it at a tenth of its speed")
                : _("The motion as it is, recorded");
}

guint aui_motion_stages(const AseItinerary *itinerary, AuiMotionStage *stages) {
  guint n = 0;
  for (guint k = 0; k < itinerary->legs->len; k++) {
    const AseLeg *leg = &g_array_index(itinerary->legs, AseLeg, k);
    const char *text = stage_text(leg);
    if (n == 0 || stages[n - 1].text != text) {
      if (n == AUI_MOTION_STAGES)
        break;
      stages[n++] = (AuiMotionStage){.text = text};
    }
    stages[n - 1].duration_s += leg->duration_s;
  }
  return n;
}

/* ---- words ---- */

AseStepState aui_motion_state(const AuiMotionStanding *standing) {
  const bool moves = standing->state == ASE_STATE_RUNNING;
  return standing->reading && !moves ? ASE_STATE_WAITING : standing->state;
}

const char *aui_motion_missing(const AuiMotionStanding *standing) {
  if (standing->is_read_only)
    return _("This session is only read: open it for writing to follow a motion.");
  if (standing->reading)
    return standing->reading;
  if (!standing->has_motion)
    return standing->is_known
               ? _("Choose the file of the motion again: it is checked against the arm, its ranges "
                   "and its controller as they are now.")
               : _("Choose a motion first.");
  if (standing->state == ASE_STATE_RUNNING)
    return "";
  if (!standing->is_connected)
    return _("Connect the arm first: its controller has limits of its own, to which the motion is "
             "held.");
  if (!standing->can_follow)
    return _("This controller cannot follow a trajectory by itself; use a firmware that can.");
  if (!standing->is_armed && standing->unarmed)
    return standing->unarmed;
  if (!standing->is_armed)
    return _("Arm the arm with the button above. Look where the motion goes: limits are those of "
             "joints, not obstacles.");
  return "";
}

const char *aui_motion_deed(const AuiMotionStanding *standing) {
  const AseStepState state = aui_motion_state(standing);
  if (state == ASE_STATE_FAILED)
    return _("_Go on");
  return state == ASE_STATE_PASSED ? _("Record a_gain") : _("_Follow the motion");
}
