/* SPDX-License-Identifier: MIT */
#include "session/next.h"

#include "session/method/gravity.h"
#include "session/recording.h"

static bool is_done(const AseProcedure *procedure, AseStep step) {
  return ase_state_is_done(ase_procedure_state(procedure, step));
}

static bool is_busy(const AseProcedure *procedure) {
  for (AseStep step = 0; step < ASE_STEPS; step++)
    if (ase_procedure_state(procedure, step) == ASE_STATE_RUNNING)
      return true;
  return false;
}

static AseNext fit_next(const AseProcedure *procedure, const AseNextFacts *facts) {
  const bool has_failed = ase_procedure_state(procedure, ASE_STEP_FIT) == ASE_STATE_FAILED;
  if (!has_failed || !facts->verdict || facts->tries_again)
    return ASE_NEXT_FIT;
  return facts->verdict->verdict == ARM_VERDICT_MISFIT ? ASE_NEXT_MISFIT : ASE_NEXT_NOT_FIT;
}

static bool is_to_be_validated(const AseProcedure *procedure, const AseNextFacts *facts) {
  const AseStepState state = ase_procedure_state(procedure, ASE_STEP_VALIDATE);
  if (facts->has_no_validation)
    return false;
  return facts->tries_again || (state != ASE_STATE_FAILED && !ase_state_is_done(state));
}

static AseNext after_measuring(const AseProcedure *procedure, const AseNextFacts *facts) {
  if (!is_done(procedure, ASE_STEP_FIT))
    return fit_next(procedure, facts);
  if (is_to_be_validated(procedure, facts))
    return ASE_NEXT_VALIDATE;
  if (ase_procedure_state(procedure, ASE_STEP_VALIDATE) == ASE_STATE_FAILED)
    return ASE_NEXT_LOOK;
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
  if (facts->wants_connection)
    return ASE_NEXT_CONNECT;
  if (facts->is_recording || is_busy(procedure))
    return ASE_NEXT_WAIT;
  if (is_swept && !facts->wants_sweeps)
    return after_measuring(procedure, facts);
  const AseNext next = before_moving(procedure);
  const bool needs_dry_run = !is_done(procedure, ASE_STEP_DRY_RUN);
  if (next == ASE_NEXT_ARM && facts->only_plans)
    return ASE_NEXT_DONE;
  if (next == ASE_NEXT_ARM && is_swept && !needs_dry_run)
    return after_measuring(procedure, facts);
  if (facts->has_faults && (next == ASE_NEXT_CHECK || (next == ASE_NEXT_ARM && !facts->is_armed)))
    return ASE_NEXT_CLEAR;
  if (next != ASE_NEXT_ARM || !facts->is_armed)
    return next;
  return needs_dry_run ? ASE_NEXT_DRY_RUN : ASE_NEXT_SWEEP;
}

void ase_session_next_facts(AseSession *session, AseNextFacts *facts) {
  AseDevice *device = ase_session_device(session);
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(session));
  *facts = (AseNextFacts){
      .is_armed = ase_device_is_armed(device),
      .has_faults = ase_device_state(device)->faults != 0,
      .is_recording = ase_session_record_state(session)->state == ASE_STATE_RUNNING,
      .has_no_validation = ase_session_edits(session)->itinerary.validation_holds == 0,
      .verdict = fit ? &fit->verdict : NULL};
}

AseNext ase_session_next(AseSession *session) {
  AseNextFacts facts;
  ase_session_next_facts(session, &facts);
  return ase_procedure_next(ase_session_procedure(session), &facts);
}
