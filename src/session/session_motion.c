/* SPDX-License-Identifier: MIT */
/* DRY_RUN and SWEEP. What of the itinerary is done is told by the runs that count: a step that was
 * halted goes on with the sweeps that have no complete run; a step that is repeated makes its
 * earlier runs count no more, and so does a sweep that begins anew with its own interrupted run. */
#include "session/session_motion.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "session/base/text.h"
#include "session/session_moving.h"
#include "session/session_replan.h"

static const AseLeg *leg_at(const AseItinerary *itinerary, guint k) {
  return &g_array_index(itinerary->legs, AseLeg, k);
}

static bool is_of(AsePurpose purpose, AseStep step) {
  return (purpose == ASE_PURPOSE_DRY_RUN) == (step == ASE_STEP_DRY_RUN);
}

/* ---- the runs that count ---- */

static void supersede_step(AseSession *self, AseStep step, guint joint) {
  const GPtrArray *runs = ase_record_runs(self->record);
  for (guint k = runs->len; k-- > 0;) {
    const AseRun *run = runs->pdata[k];
    if (is_of(run->purpose, step) && (!joint || run->joint == joint))
      ase_record_supersede(self->record, k);
  }
}

/* ---- words ---- */

/* "12 sweeps, 8123 samples, 0 lost"; joint 0: of all. g_free. */
static char *result_said(const AseSession *self, AseStep step, guint joint) {
  const GPtrArray *runs = ase_record_runs(self->record);
  guint sweeps = 0;
  gsize samples = 0, lost = 0;
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    if (!is_of(run->purpose, step) || (joint && run->joint != joint))
      continue;
    sweeps++;
    samples += ase_run_samples(run);
    lost += ase_run_lost(run);
  }
  return aio_said_many("%u sweep, %zu samples, %zu lost", "%u sweeps, %zu samples, %zu lost",
                       sweeps, samples, lost);
}

/* ---- while it moves ---- */

static AseStep step_of(const AseSession *self) {
  return ase_motion_is_dry_run(self->motion) ? ASE_STEP_DRY_RUN : ASE_STEP_SWEEP;
}

static void on_leg_started(gpointer object, guint leg) {
  ase_session_emit_leg(object, leg);
}

static void on_leg_timed(gpointer object, double part, double left_s) {
  ase_session_emit_progress(object, step_of(object), part, left_s);
}

/* The joint of the very last sweep is done with when the arm has come to rest where it began. */
static bool is_done_with(const AseItinerary *doing, guint leg, guint joint) {
  bool others_follow = false;
  for (guint k = leg + 1; k < doing->legs->len; k++) {
    const AseLeg *next = leg_at(doing, k);
    if (next->sweeps && next->joint == joint)
      return false;
    others_follow |= next->sweeps;
  }
  return others_follow;
}

static void pass_joint(AseSession *self, AseStep step, guint joint) {
  char *text = result_said(self, step, joint);
  ase_procedure_pass(self->procedure, step, joint, text);
  g_free(text);
}

static void on_leg_ended(gpointer object, guint leg, AseRun *run) {
  AseSession *self = object;
  if (!run->sweeps)
    return;
  ase_record_add_run(self->record, run);
  if (run->purpose == ASE_PURPOSE_MEASURE)
    ase_selecting_outdate(self->selecting);
  if (run->is_complete && is_done_with(ase_motion_doing(self->motion), leg, run->joint))
    pass_joint(self, step_of(self), run->joint);
  ase_session_sync(self);
  ase_session_emit_changed(self);
}

/* reason NULL: they have passed. */
static void end_rest(AseSession *self, AseStep step, const char *reason) {
  for (guint joint = 1; joint <= self->procedure->joints; joint++)
    if (ase_procedure_joint_state(self->procedure, step, joint) == ASE_STATE_RUNNING) {
      if (reason)
        ase_procedure_fail(self->procedure, step, joint, reason);
      else
        pass_joint(self, step, joint);
    }
}

static void end_step(AseSession *self, AseStep step, const char *reason) {
  end_rest(self, step, reason);
  char *text = result_said(self, step, 0);
  ase_session_say(self, reason ? 1 : 0, "%s: %s%s%s", ase_steps_said(self->procedure->table, step),
                  text, reason ? "; " : "", reason ? reason : "");
  g_free(text);
  ase_session_sync(self);
  ase_session_emit_changed(self);
}

static bool go_on_without_skipped(AseSession *self, AseStep step);

/* The rest of SWEEP is done when the plan of its joints is another one. */
static void plan_again(AseSession *self, guint joint) {
  char *text = aio_said(N_("joint %u is swept; the plan of the other joints is made again "
                           "with what it showed"),
                        joint);
  end_step(self, ASE_STEP_SWEEP, text);
  g_free(text);
  ase_session_start_replan(self, joint);
}

static void on_stopped(gpointer object, bool is_done, const char *reason) {
  AseSession *self = object;
  const AseStep step = step_of(self);
  const guint replans_after = ase_motion_ends_after(self->motion);
  if (is_done && replans_after)
    plan_again(self, replans_after);
  else if (is_done || !ase_motion_take_skipping(self->motion) || !go_on_without_skipped(self, step))
    end_step(self, step, is_done ? NULL : ase_session_why_stopped(self, reason));
}

/* ---- starting ---- */

/* A joint left where its own hold was being swept is still within that hold's range. */
static void find_stand(const AseSession *self, AseStand *stand) {
  *stand = (AseStand){0};
  ase_device_pose(self->device, stand->pose);
  const GPtrArray *runs = ase_record_runs(self->record);
  const AseRun *last = runs->len ? runs->pdata[runs->len - 1] : NULL;
  if (!last || last->is_complete)
    return;
  stand->joint = last->joint;
  stand->hold = last->hold;
}

static AseItinerary *make_rest(AseSession *self, const AseItinerary *all, AseStep step, guint joint,
                               bool goes_on, GError **error) {
  AseFreedom freedom;
  AseStand stand;
  bool *is_done = g_new0(bool, all->legs->len);
  for (guint k = 0; k < all->legs->len; k++) {
    const AseLeg *leg = leg_at(all, k);
    is_done[k] = !is_of(leg->purpose, step) || (joint && leg->joint != joint) ||
                 ase_motion_is_skipped(self->motion, leg->joint) ||
                 (goes_on && ase_record_has_complete(self->record, leg));
  }
  ase_edits_freedom(self->edits, &freedom);
  find_stand(self, &stand);
  AseItinerary *rest = ase_itinerary_rest(&self->arm->model, &freedom, &self->edits->itinerary, all,
                                          is_done, &stand, error);
  g_free(is_done);
  return rest;
}

static bool may_move(AseSession *self, AseStep step, GError **error) {
  return ase_procedure_may_start(self->procedure, step, error) &&
         ase_session_may_move_now(self, error);
}

/* Joints without a sweep of their own in `doing` are done with. */
static void begin_joints(AseSession *self, const AseItinerary *doing, AseStep step, guint joint) {
  for (guint j = 1; j <= self->procedure->joints; j++) {
    bool is_swept = false;
    for (guint k = 0; k < doing->legs->len; k++)
      is_swept |= leg_at(doing, k)->sweeps && leg_at(doing, k)->joint == j;
    if (is_swept) {
      ase_procedure_start(self->procedure, step, j);
    } else if (!joint && ase_procedure_joint_state(self->procedure, step, j) != ASE_STATE_PASSED) {
      char *text = result_said(self, step, j);
      ase_procedure_pass(
          self->procedure, step, j,
          self->edits->plan.joint[j - 1].is_swept ? text : aio_said_word(N_("not to be swept")));
      g_free(text);
    }
  }
}

static const AseMotionWatch watch = {.leg_started = on_leg_started,
                                     .leg_timed = on_leg_timed,
                                     .leg_ended = on_leg_ended,
                                     .stopped = on_stopped};

/* `doing` is taken over, also on failure. */
static bool start_moving(AseSession *self, AseItinerary *doing, AseStep step, GError **error) {
  AseMotionTask task = {.model = &self->arm->model,
                        .doing = doing,
                        .end = doing->legs->len,
                        .is_dry_run = step == ASE_STEP_DRY_RUN,
                        .log = ase_session_run_log(self),
                        .watch = &watch};
  if (step == ASE_STEP_SWEEP)
    task.end = ase_session_replan_end(self, doing, &task.ends_after);
  return ase_motion_start(self->motion, &task, error);
}

/* Sweeps of two controllers count as those of the first: of it the most are. */
static void remember_controller(AseSession *self, AseStep step, bool goes_on) {
  const char *serial = ase_device_description(self->device)->serial;
  if (step == ASE_STEP_DRY_RUN)
    ase_text_copy(self->procedure->dry_run_serial, ASE_SERIAL_BYTES, serial);
  else if (!goes_on || !*self->procedure->sweep_serial)
    ase_text_copy(self->procedure->sweep_serial, ASE_SERIAL_BYTES, serial);
}

/* After a plan of some joints only: the dry run of the others still holds. */
static bool is_partly_stale(const AseSession *self, AseStep step) {
  bool is_stale = false, is_passed = false;
  for (guint j = 1; j <= self->procedure->joints; j++) {
    const AseStepState state = ase_procedure_joint_state(self->procedure, step, j);
    is_stale |= state == ASE_STATE_STALE;
    is_passed |= state == ASE_STATE_PASSED;
  }
  return step == ASE_STEP_DRY_RUN && is_stale && is_passed;
}

/* Their runs were of another plan. */
static void supersede_stale(AseSession *self, AseStep step) {
  for (guint j = 1; j <= self->procedure->joints; j++)
    if (ase_procedure_joint_state(self->procedure, step, j) == ASE_STATE_STALE)
      supersede_step(self, step, j);
}

bool ase_session_motion_start(AseSession *self, AseStep step, guint joint, GError **error) {
  ase_motion_skip_none(self->motion);
  if (!may_move(self, step, error))
    return false;
  ase_record_forget_halt(self->record);
  const AseItinerary *planned = ase_planned_itinerary(self->planned);
  const bool goes_on = !joint && planned &&
                       (ase_procedure_state(self->procedure, step) == ASE_STATE_FAILED ||
                        is_partly_stale(self, step));
  if (goes_on)
    supersede_stale(self, step);
  AseItinerary *made = goes_on || joint ? NULL : ase_session_plan_itinerary(self, error);
  const AseItinerary *all = goes_on || joint ? planned : made;
  AseItinerary *doing = all ? make_rest(self, all, step, joint, goes_on, error) : NULL;
  if (doing && !ase_session_has_room(self, doing, error))
    g_clear_pointer(&doing, ase_itinerary_free);
  if (made && doing)
    ase_planned_take_itinerary(self->planned, made);
  else
    ase_itinerary_free(made);
  if (!doing)
    return false;
  if (!goes_on)
    supersede_step(self, step, joint);
  remember_controller(self, step, goes_on || joint);
  begin_joints(self, doing, step, joint);
  const bool is_empty = doing->legs->len == 0;
  if (is_empty)
    ase_itinerary_free(doing);
  const bool ok = is_empty || start_moving(self, doing, step, error);
  if (!ok)
    end_rest(self, step, aio_said_word(N_("it could not begin")));
  ase_session_sync(self);
  ase_session_emit_changed(self);
  return ok;
}

/* ---- skipping ---- */

/* From where the arm has stopped. false: it cannot go on, or there is nothing left to do. */
static bool go_on_without_skipped(AseSession *self, AseStep step) {
  for (guint joint = 1; joint <= self->procedure->joints; joint++)
    if (ase_motion_is_skipped(self->motion, joint))
      ase_procedure_fail(self->procedure, step, joint, aio_said_word(N_("skipped")));
  const AseItinerary *all = ase_planned_itinerary(self->planned);
  if (!all || !ase_device_is_armed(self->device))
    return false;
  AseItinerary *doing = make_rest(self, all, step, 0, true, NULL);
  const bool has_legs = doing && doing->legs->len > 0;
  if (!has_legs)
    ase_itinerary_free(doing);
  const bool is_moving = has_legs && start_moving(self, doing, step, NULL);
  ase_session_sync(self);
  ase_session_emit_changed(self);
  return is_moving;
}
