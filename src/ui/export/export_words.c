/* SPDX-License-Identifier: MIT */
#include "ui/export/export_words.h"

#include <glib/gi18n.h>

#include "ui/fit/verdict_words.h"

char *aui_export_fit_text(AseSession *session) {
  const ArmGravityFit *fit = ase_session_fit(session);
  const AseProcedure *procedure = ase_session_procedure(session);
  const char *reason = procedure->steps[ASE_STEP_FIT].reason;
  const ArmVerdictKind verdict = fit->verdict.verdict;
  if (verdict == ARM_VERDICT_MISFIT)
    return aui_verdict_summary(fit);
  if (ase_procedure_state(procedure, ASE_STEP_FIT) == ASE_STATE_FAILED)
    return g_strdup_printf(_("The fit is not good yet: %s"), reason);
  return verdict == ARM_VERDICT_UNKNOWN || !*reason ? aui_verdict_summary(fit) : g_strdup(reason);
}

char *aui_export_validation_text(AseSession *session) {
  const AseProcedure *procedure = ase_session_procedure(session);
  const char *reason = procedure->steps[ASE_STEP_VALIDATE].reason;
  const AseStepState state = ase_procedure_state(procedure, ASE_STEP_VALIDATE);
  if (state == ASE_STATE_FAILED && *reason)
    return g_strdup_printf(_("The validation has failed: %s"), reason);
  if (state == ASE_STATE_STALE && *reason)
    return g_strdup_printf(_("The validation is out of date: %s. Validate again."), reason);
  return g_strdup(_("The fit is not validated, though there are sweeps for it: press Validate."));
}
