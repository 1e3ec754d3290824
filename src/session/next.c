/* SPDX-License-Identifier: MIT */
#include "session/next.h"

#include "session/method/gravity.h"
#include "session/recording.h"

static AseNext fit_next(const AseProcedure *procedure, const AseNextFacts *facts) {
  const bool has_failed = ase_procedure_state(procedure, ASE_STEP_FIT) == ASE_STATE_FAILED;
  if (!ase_procedure_wants(procedure, ASE_STEP_FIT))
    return ASE_NEXT_DONE;
  if (!has_failed || !facts->verdict || facts->tries_again)
    return ASE_NEXT_FIT;
  return facts->verdict->verdict == ARM_VERDICT_MISFIT ? ASE_NEXT_MISFIT : ASE_NEXT_NOT_FIT;
}

static AseNext validate_next(const AseProcedure *procedure, const AseNextFacts *facts) {
  const AseStepState state = ase_procedure_state(procedure, ASE_STEP_VALIDATE);
  const bool is_open = state != ASE_STATE_FAILED && !ase_state_is_done(state);
  if (!facts->has_no_validation && (facts->tries_again || is_open))
    return ASE_NEXT_VALIDATE;
  return state == ASE_STATE_FAILED ? ASE_NEXT_LOOK : ASE_NEXT_DONE;
}

/* In the method's order. */
static AseNext after_measuring(const AseProcedure *procedure, const AseNextFacts *facts) {
  const AseSteps *table = procedure->table;
  AseNext next = ASE_NEXT_DONE;
  for (guint k = 0; k < table->count && next == ASE_NEXT_DONE; k++)
    if (table->rows[k].step == ASE_STEP_FIT)
      next = fit_next(procedure, facts);
    else if (table->rows[k].step == ASE_STEP_VALIDATE)
      next = validate_next(procedure, facts);
    else if (table->rows[k].step == ASE_STEP_EXPORT)
      next = ase_procedure_wants(procedure, ASE_STEP_EXPORT) ? ASE_NEXT_EXPORT : ASE_NEXT_DONE;
  const bool is_judged = ase_procedure_state(procedure, ASE_STEP_FIT) != ASE_STATE_UNJUDGED;
  return next != ASE_NEXT_DONE || is_judged ? next : ASE_NEXT_UNJUDGED;
}

/* Of what stands before FIT in the method's order, and moves nothing; ASE_NEXT_ARM: nothing. */
static AseNext before_moving(const AseProcedure *procedure) {
  static const struct {
    AseStep step;
    AseNext next;
  } before[] = {{ASE_STEP_CONNECT, ASE_NEXT_CONNECT},
                {ASE_STEP_DESCRIBE, ASE_NEXT_CONNECT},
                {ASE_STEP_CHECK, ASE_NEXT_CHECK},
                {ASE_STEP_CONFIGURE, ASE_NEXT_CONFIGURE},
                {ASE_STEP_PLAN, ASE_NEXT_PLAN}};
  const AseSteps *table = procedure->table;
  if (ase_procedure_state(procedure, ASE_STEP_DESCRIBE) == ASE_STATE_FAILED)
    return ASE_NEXT_OTHER_ARM;
  for (guint k = 0; k < table->count && table->rows[k].step != ASE_STEP_FIT; k++)
    for (gsize b = 0; b < G_N_ELEMENTS(before); b++)
      if (table->rows[k].step == before[b].step && ase_procedure_wants(procedure, before[b].step))
        return before[b].next;
  return ASE_NEXT_ARM;
}

AseNext ase_procedure_next(const AseProcedure *procedure, const AseNextFacts *facts) {
  const bool needs_sweep = ase_procedure_wants(procedure, ASE_STEP_SWEEP);
  const bool is_swept = ase_procedure_has(procedure, ASE_STEP_SWEEP) && !needs_sweep;
  if (facts->wants_connection)
    return ASE_NEXT_CONNECT;
  if (facts->is_recording || ase_procedure_find(procedure, ASE_STATE_RUNNING) != ASE_STEPS)
    return ASE_NEXT_WAIT;
  if (is_swept && !facts->wants_sweeps)
    return after_measuring(procedure, facts);
  const AseNext next = before_moving(procedure);
  const bool needs_dry_run = ase_procedure_wants(procedure, ASE_STEP_DRY_RUN);
  if (next == ASE_NEXT_ARM && facts->only_plans)
    return ASE_NEXT_DONE;
  if (next == ASE_NEXT_ARM && !needs_sweep && !needs_dry_run)
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
