/* SPDX-License-Identifier: MIT */
#include "ui/export/export_words.h"

#include <glib/gi18n.h>
#include <string.h>

#include "session/method/gravity.h"
#include "ui/fit/verdict_words.h"

char *aui_export_fit_text(AseSession *session) {
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(session));
  const AseProcedure *procedure = ase_session_procedure(session);
  const char *reason = ase_step_reason(&procedure->steps[ASE_STEP_FIT]);
  if (!fit)
    return g_strdup(reason);
  const ArmVerdictKind verdict = fit->verdict.verdict;
  if (verdict == ARM_VERDICT_MISFIT)
    return aui_verdict_summary(fit);
  if (ase_procedure_state(procedure, ASE_STEP_FIT) == ASE_STATE_FAILED)
    return g_strdup_printf(_("The fit is not good yet: %s"), reason);
  return verdict == ARM_VERDICT_UNKNOWN || !*reason ? aui_verdict_summary(fit) : g_strdup(reason);
}

/* The step has the reason of its first joint that fails: of which joint? One of all joints alike,
 * as of a validation that was cancelled, is of none. */
static char *failed_text(const AseProcedure *procedure) {
  const AseStepInfo *step = &procedure->steps[ASE_STEP_VALIDATE];
  const char *reason = ase_step_reason(step);
  guint first = procedure->joints, failed = 0, alike = 0;
  for (guint j = 0; j < procedure->joints; j++) {
    const AseStepInfo *joint = ase_procedure_joint_info(procedure, ASE_STEP_VALIDATE, j + 1);
    const bool has_reason = joint->reason == step->reason;
    alike += has_reason;
    failed += joint->state == ASE_STATE_FAILED;
    if (first == procedure->joints && has_reason && joint->state == ASE_STATE_FAILED)
      first = j;
  }
  if (first == procedure->joints || (alike == procedure->joints && alike > 1))
    return g_strdup_printf(_("The validation has failed: %s"), reason);
  g_autofree char *of = aui_verdict_joints(first, failed - 1);
  /* TRANSLATORS: "joint 3 (and 2 more)", and why */
  return g_strdup_printf(_("The validation has failed for %s: %s"), of, reason);
}

char *aui_export_validation_text(AseSession *session) {
  const AseProcedure *procedure = ase_session_procedure(session);
  const char *reason = ase_step_reason(&procedure->steps[ASE_STEP_VALIDATE]);
  const AseStepState state = ase_procedure_state(procedure, ASE_STEP_VALIDATE);
  if (state == ASE_STATE_FAILED && *reason)
    return failed_text(procedure);
  if (state == ASE_STATE_STALE && *reason)
    return g_strdup_printf(_("The validation is out of date: %s. Validate again."), reason);
  if (!ase_procedure_may_start(procedure, ASE_STEP_VALIDATE, NULL))
    return g_strdup(_("The fit can be validated once it has passed: there are sweeps for it."));
  return g_strdup(_("The fit is not validated, though there are sweeps for it: press Validate."));
}
