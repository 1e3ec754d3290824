/* SPDX-License-Identifier: MIT */
#include "session/next.h"

static bool is_done(const AseProcedure *procedure, AseStep step) {
  return ase_state_is_done(ase_procedure_state(procedure, step));
}

static bool is_busy(const AseProcedure *procedure) {
  for (AseStep step = 0; step < ASE_STEPS; step++)
    if (ase_procedure_state(procedure, step) == ASE_STATE_RUNNING)
      return true;
  return false;
}

static AseNext fit_next(const AseProcedure *procedure, const ArmVerdict *verdict) {
  if (ase_procedure_state(procedure, ASE_STEP_FIT) != ASE_STATE_FAILED || !verdict)
    return ASE_NEXT_FIT;
  return verdict->verdict == ARM_VERDICT_MISFIT ? ASE_NEXT_MISFIT : ASE_NEXT_NOT_FIT;
}

static AseNext after_measuring(const AseProcedure *procedure, const ArmVerdict *verdict) {
  if (!is_done(procedure, ASE_STEP_FIT))
    return fit_next(procedure, verdict);
  if (ase_procedure_state(procedure, ASE_STEP_VALIDATE) == ASE_STATE_FAILED)
    return ASE_NEXT_LOOK;
  if (!is_done(procedure, ASE_STEP_VALIDATE))
    return ASE_NEXT_VALIDATE;
  if (!is_done(procedure, ASE_STEP_EXPORT))
    return ASE_NEXT_EXPORT;
  return ase_procedure_state(procedure, ASE_STEP_FIT) == ASE_STATE_UNJUDGED ? ASE_NEXT_UNJUDGED
                                                                            : ASE_NEXT_DONE;
}

/* Of what comes before the arm moves; ASE_NEXT_ARM: nothing. */
static AseNext before_moving(const AseProcedure *procedure) {
  static const struct {
    AseStep step;
    AseNext next;
  } before[] = {{ASE_STEP_DESCRIBE, ASE_NEXT_CONNECT},
                {ASE_STEP_CHECK, ASE_NEXT_CHECK},
                {ASE_STEP_CONFIGURE, ASE_NEXT_CONFIGURE},
                {ASE_STEP_PLAN, ASE_NEXT_PLAN}};
  if (ase_procedure_state(procedure, ASE_STEP_DESCRIBE) == ASE_STATE_FAILED)
    return ASE_NEXT_OTHER_ARM;
  for (gsize k = 0; k < G_N_ELEMENTS(before); k++)
    if (!is_done(procedure, before[k].step))
      return before[k].next;
  return ASE_NEXT_ARM;
}

AseNext ase_procedure_next(const AseProcedure *procedure, const AseNextFacts *facts) {
  const bool is_swept = is_done(procedure, ASE_STEP_SWEEP);
  if (is_busy(procedure))
    return ASE_NEXT_WAIT;
  if (is_swept && !facts->wants_sweeps)
    return after_measuring(procedure, facts->verdict);
  const AseNext next = before_moving(procedure);
  const bool needs_dry_run = !is_done(procedure, ASE_STEP_DRY_RUN);
  if (next == ASE_NEXT_ARM && is_swept && !needs_dry_run)
    return after_measuring(procedure, facts->verdict);
  if (facts->has_faults && (next == ASE_NEXT_CHECK || (next == ASE_NEXT_ARM && !facts->is_armed)))
    return ASE_NEXT_CLEAR;
  if (next != ASE_NEXT_ARM || !facts->is_armed)
    return next;
  return needs_dry_run ? ASE_NEXT_DRY_RUN : ASE_NEXT_SWEEP;
}

AseNext ase_session_next(AseSession *session) {
  AseDevice *device = ase_session_device(session);
  const ArmGravityFit *fit = ase_session_fit(session);
  const AseNextFacts facts = {.is_armed = ase_device_is_armed(device),
                              .has_faults = ase_device_state(device)->faults != 0,
                              .verdict = fit ? &fit->verdict : NULL};
  return ase_procedure_next(ase_session_procedure(session), &facts);
}
