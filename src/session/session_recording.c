/* SPDX-License-Identifier: MIT */
/* A motion instead of a plan. What of it is done is remembered beside the procedure, whose steps
 * are those of a calibration. */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "io/recording/motion_follow.h"
#include "session/recording.h"
#include "session/session_moving.h"

/* Times 20 ms. Chosen: a motion between samples 0.2 s apart is still the file's, and no simulator
 * needs a longer buffer to be kept full. */
#define LONGER_MOST 10.0

const AseRecordingState *ase_session_record_state(AseSession *self) {
  return ase_following_told(self->following);
}

const AseTrajectory *ase_session_motion_to_follow(AseSession *self) {
  return ase_following_is_ready(self->following, NULL) ? ase_following_trajectory(self->following)
                                                       : NULL;
}

bool ase_session_is_same_motion(AseSession *self, const AioMotionTable *motion, GError **error) {
  return ase_following_is_same(self->following, motion, error);
}

/* ---- may it be followed? ---- */

static bool find_limits(const AseSession *self, ArmMotionLimits *limits, GError **error) {
  gsize joint = 0;
  ArmMotionQuantity quantity = ARM_MOTION_POSITION;
  const ArmStatus status = arm_motion_limits(&self->arm->model, limits, &joint, &quantity);
  if (status == ARM_OK)
    return true;
  static const char *const words[] = {N_("position"), N_("speed"), N_("acceleration")};
  aio_error_set_said(
      error, AIO_ERROR_REFUSED,
      /* TRANSLATORS: joint, "position", "speed" or "acceleration" */
      N_("joint %zu: the arm file states no limit of its %s; without it nobody can say "
         "whether the arm can make a motion"),
      joint + 1, aio_said_word(words[quantity]));
  return false;
}

/* What it does not supervise is the arm file's. */
static void take_controller_limits(const AioDescription *d, ArmMotionLimits *limits) {
  for (gsize j = 0; j < limits->n && j < d->joints; j++) {
    const AioJointInfo *info = &d->joint[j];
    const double half = 0.5 * (info->q_max - info->q_min);
    if (half > 0.0) {
      limits->middle[j] = info->q_min + half;
      limits->half[ARM_MOTION_POSITION][j] = half;
    }
    if (info->speed_max > 0.0)
      limits->half[ARM_MOTION_SPEED][j] = info->speed_max;
    if (info->accel_max > 0.0)
      limits->half[ARM_MOTION_ACCELERATION][j] = info->accel_max;
  }
}

bool ase_session_motion_limits(AseSession *self, ArmMotionLimits *limits, GError **error) {
  const AioDescription *d = ase_device_description(self->device);
  if (!find_limits(self, limits, error))
    return false;
  if (d)
    take_controller_limits(d, limits);
  return true;
}

/* A simulated arm that is faster than a real one is given longer segments, if the motion allows it:
 * its buffer then lasts as long by the clock on the wall, by which this computer is busy. */
static double longer_segment_s(const AioDescription *d) {
  const double factor = d && d->time_factor > 0.0 ? d->time_factor : 1.0;
  return AIO_FOLLOW_SEGMENT_S * fmin(fmax(factor, 1.0), LONGER_MOST);
}

AseCandidate *ase_session_motion_candidate(AseSession *self, double current_part, GError **error) {
  const AioDescription *d = ase_device_description(self->device);
  ArmMotionLimits limits;
  if (!find_limits(self, &limits, error))
    return NULL;
  AseCandidate *candidate = g_new0(AseCandidate, 1);
  candidate->model = self->arm->model;
  candidate->table_z_m = self->arm->table_z_m;
  candidate->arm_name = g_strdup(ase_editor_arm_name(self->editor));
  candidate->arm = candidate->controller = limits;
  candidate->has_controller = d != NULL;
  if (d)
    take_controller_limits(d, &candidate->controller);
  candidate->longest_s = longer_segment_s(d);
  candidate->current_part = current_part;
  return candidate;
}

static bool may_take(AseSession *self, GError **error) {
  const AioDescription *d = ase_device_description(self->device);
  if (ase_record_is_read_only(self->record) || ase_record_is_closed(self->record))
    return ase_session_refuse(error, N_("this session is open for reading only: it cannot record; "
                                        "open it for writing"));
  if (ase_motion_is_on(self->motion))
    return ase_session_refuse(error, N_("the arm moves; hold it first"));
  if (d && !(d->capabilities & AIO_CAN_TRAJECTORY))
    return ase_session_refuse(error,
                              N_("the controller cannot follow a trajectory by itself; use a "
                                 "firmware that can"));
  return true;
}

static bool is_up_to_date(AseSession *self, const AseCandidate *candidate, GError **error) {
  AseCandidate *now = ase_session_motion_candidate(self, candidate->current_part, NULL);
  const bool is_same = now && ase_candidate_is_same(candidate, now);
  ase_candidate_free(now);
  return is_same ||
         ase_session_refuse(error, N_("the arm or its controller has changed while the motion was "
                                      "checked; choose it again"));
}

bool ase_session_take_candidate(AseSession *self, AseCandidate *candidate, GError **error) {
  if (!may_take(self, error) || !is_up_to_date(self, candidate, error))
    return false;
  ase_following_take(self->following, candidate);
  const char *guess = ase_following_told(self->following)->guess;
  if (guess)
    ase_session_say_kept(self, 1, guess);
  ase_session_emit_changed(self);
  return true;
}

bool ase_session_take_motion(AseSession *self, const AioMotionTable *motion, double current_part,
                             GError **error) {
  if (!may_take(self, error))
    return false;
  AseCandidate *candidate = ase_session_motion_candidate(self, current_part, error);
  const bool is_taken = candidate && ase_candidate_check(candidate, motion, error) &&
                        ase_session_take_candidate(self, candidate, error);
  ase_candidate_free(candidate);
  return is_taken;
}

void ase_session_number_motion(AseSession *self, guint design) {
  ase_following_number(self->following, design);
}

gint64 ase_session_recorded_run(AseSession *self) {
  const AseFollowed *last = ase_following_last(self->following);
  return last ? last->run : 0;
}

bool ase_session_flush(AseSession *self, GError **error) {
  return !ase_record_is_writing(self->record) || ase_record_flush(self->record, error);
}

/* ---- while it moves ---- */

static const AseLeg *leg_at(const AseSession *self, guint k) {
  return &g_array_index(ase_motion_doing(self->motion)->legs, AseLeg, k);
}

static void on_leg_started(gpointer object, guint leg) {
  AseSession *self = object;
  ase_following_enter_leg(self->following, leg_at(self, leg));
  ase_session_emit_leg(self, leg);
}

static void on_leg_timed(gpointer object, double part, double left_s) {
  ase_session_emit_progress(object, ASE_STEPS, part, left_s);
}

static void on_leg_ended(gpointer object, guint k, AseRun *run) {
  AseSession *self = object;
  const AseLeg *leg = leg_at(self, k);
  const guint design = ase_following_design(self->following);
  if (!leg->trajectory)
    return;
  ase_record_write_counts(self->record, run);
  ase_following_leave_leg(self->following, leg, run, ase_contact_connections(self->contact));
  if (leg->purpose != ASE_PURPOSE_DRY_RUN && run->is_complete && design)
    ase_record_write_statistic(self->record, run->id, ASE_STATISTIC_DESIGN, design);
}

static void on_stopped(gpointer object, bool is_done, const char *reason) {
  AseSession *self = object;
  char *text = is_done ? ase_following_said(self->following, &self->arm->model)
                       : g_strdup(ase_session_why_stopped(self, reason));
  ase_following_end(self->following, is_done, text);
  ase_session_write_steps(self);
  ase_session_say(self, is_done ? 0 : 1, N_("recording: %s"), text);
  g_free(text);
  ase_session_sync(self);
  ase_session_emit_changed(self);
}

static const AseMotionWatch watch = {.leg_started = on_leg_started,
                                     .leg_timed = on_leg_timed,
                                     .leg_ended = on_leg_ended,
                                     .stopped = on_stopped};

/* ---- starting ---- */

/* A pose that nobody knows: from where the motion begins. */
AseItinerary *ase_session_preview_motion(AseSession *self, GError **error) {
  AseTrajectory *trajectory = ase_following_trajectory(self->following);
  AseFreedom freedom;
  double start[ARM_MAX_JOINTS];
  if (!ase_following_is_ready(self->following, error))
    return NULL;
  ase_edits_freedom(self->edits, &freedom);
  if (!ase_device_pose(self->device, start))
    arm_cubics_at(trajectory->cubics, 0.0, start, NULL);
  const bool has_dry_run =
      ase_following_has_dry_run(self->following, ase_contact_connections(self->contact));
  return ase_itinerary_of_motion(&self->arm->model, trajectory, &freedom, &self->edits->itinerary,
                                 start, has_dry_run, error);
}

static void supersede(AseSession *self, gint64 run) {
  if (run)
    ase_record_write_statistic(self->record, run, ASE_STATISTIC_SUPERSEDED, 1.0);
}

/* NULL: it may not begin. */
static AseItinerary *make_itinerary(AseSession *self, GError **error) {
  if (!ase_session_is_free(self, error) || !ase_following_is_ready(self->following, error) ||
      !ase_session_may_move_now(self, error))
    return NULL;
  AseItinerary *itinerary = ase_session_preview_motion(self, error);
  if (itinerary && !ase_session_has_room(self, itinerary, error))
    g_clear_pointer(&itinerary, ase_itinerary_free);
  return itinerary;
}

bool ase_session_record(AseSession *self, GError **error) {
  AseItinerary *doing = make_itinerary(self, error);
  if (!doing)
    return false;
  const AseFollowedBefore before = ase_following_begin(self->following);
  ase_record_forget_halt(self->record);
  const AseMotionTask task = {.model = &self->arm->model,
                              .doing = doing,
                              .end = doing->legs->len,
                              .log = ase_session_run_log(self),
                              .watch = &watch};
  const bool ok = ase_motion_start(self->motion, &task, error);
  if (ok) {
    supersede(self, before.whole);
    supersede(self, before.unfinished);
  } else {
    ase_following_take_back(self->following, &before, aio_said_word(N_("it could not begin")));
  }
  ase_session_write_steps(self);
  ase_session_emit_changed(self);
  return ok;
}
