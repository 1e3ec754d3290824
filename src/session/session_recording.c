/* SPDX-License-Identifier: MIT */
/* A motion instead of a plan. What of it is done is remembered here, not in the procedure, whose
 * steps are those of a calibration. */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "io/recording/motion_follow.h"
#include "session/base/text.h"
#include "session/recording.h"
#include "session/session_internal.h"

/* Times 20 ms. Chosen: a motion between samples 0.2 s apart is still the file's, and no simulator
 * needs a longer buffer to be kept full. */
#define LONGER_MOST 10.0

struct AseRecording {
  AseRecordingState told;
  AseTrajectory *trajectory; /* NULL: none */
  bool is_stale;             /* the arm or its ranges are others now: it is to be taken again */
  bool has_dry_run;          /* done */
  guint connection;          /* with which */
  char *digest;              /* of the motion that was taken */
  guint design;              /* as ase_session_number_motion */
  GPtrArray *followed;       /* of AseFollowed */
  gint64 unfinished;         /* run in the file that did not come to its end; 0: none */
};

static AseRecording *recording_of(AseSession *self) {
  if (!self->recording) {
    self->recording = g_new0(AseRecording, 1);
    self->recording->told = (AseRecordingState){.reason = g_strdup(""), .slowness = 1.0};
    self->recording->followed = ase_followed_new();
  }
  return self->recording;
}

void ase_recording_free(AseRecording *recording) {
  if (!recording)
    return;
  ase_trajectory_unref(recording->trajectory);
  g_ptr_array_unref(recording->followed);
  g_free(recording->digest);
  g_free(recording->told.reason);
  g_free(recording);
}

const AseRecordingState *ase_session_record_state(AseSession *self) {
  return &recording_of(self)->told;
}

bool ase_session_has_motion(const AseSession *self) {
  return self->recording && self->recording->trajectory && !self->recording->is_stale;
}

const AseTrajectory *ase_session_motion_to_follow(AseSession *self) {
  return ase_session_has_motion(self) ? self->recording->trajectory : NULL;
}

void ase_session_outdate_motion(AseSession *self) {
  if (self->recording)
    self->recording->is_stale = true;
}

static void set_state(AseRecording *r, AseStepState state, const char *reason) {
  r->told.state = state;
  g_free(r->told.reason);
  r->told.reason = aio_said_text(reason);
}

/* ---- what the file remembers ---- */

bool ase_session_recall_motions(AseSession *self, const char *steps, GError **error) {
  AseRecording *r = recording_of(self);
  if (!ase_followed_from_json(r->followed, steps, error))
    return false;
  const AseFollowed *last = ase_followed_last(r->followed);
  if (!last)
    return true;
  set_state(r, last->is_passed ? ASE_STATE_PASSED : ASE_STATE_FAILED, last->reason);
  r->told.motion = last->name;
  r->told.samples = (gsize)last->samples;
  r->told.lost = last->lost;
  memcpy(r->told.apart, last->apart, sizeof r->told.apart);
  return true;
}

void ase_session_meet_motion_run(AseSession *self, gint64 run, bool is_whole) {
  AseRecording *r = recording_of(self);
  if (is_whole)
    ase_followed_meet_run(r->followed, run);
  else
    r->unfinished = run;
}

char *ase_session_motions_json(const AseSession *self) {
  return self->recording ? ase_followed_to_json(self->recording->followed, self->arm->model.n)
                         : NULL;
}

const AseFollowed *ase_session_followed(AseSession *self) {
  return ase_followed_last(recording_of(self)->followed);
}

bool ase_session_is_same_motion(AseSession *self, const AioMotionTable *motion, GError **error) {
  const AseFollowed *last = ase_session_followed(self);
  char *digest = aio_motion_digest(motion);
  const bool is_same = !last || last->design || strcmp(last->digest, digest) == 0;
  g_free(digest);
  if (!is_same && strcmp(last->name, motion->name) == 0)
    aio_error_set_said(error, AIO_ERROR_REFUSED,
                       /* TRANSLATORS: the name of a file, and what came of it */
                       N_("this session followed %s (%s), and that file holds another motion now; "
                          "give the other one a session of its own"),
                       last->name, last->reason);
  else if (!is_same)
    aio_error_set_said(error, AIO_ERROR_REFUSED,
                       /* TRANSLATORS: the name of a file, what came of it, another file twice */
                       N_("this session followed %s (%s), and %s is another motion; give %s a "
                          "session of its own"),
                       last->name, last->reason, motion->name, motion->name);
  return is_same;
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

static ArmCubics *follow(AseSession *self, const AioMotionTable *motion, double segment_s,
                         double *slowness, GError **error) {
  ArmMotionLimits limits;
  const AioDescription *d = ase_device_description(self->device);
  if (!find_limits(self, &limits, error))
    return NULL;
  ArmCubics *cubics = aio_motion_follow(motion, &self->arm->model, &limits,
                                        ase_session_arm_name(self), segment_s, slowness, error);
  if (!cubics || !d)
    return cubics;
  arm_cubics_free(cubics);
  take_controller_limits(d, &limits);
  return aio_motion_follow(motion, &self->arm->model, &limits, "the controller", segment_s,
                           slowness, error);
}

/* Nothing of it was recorded by this program; what an earlier one did is said. */
static void take_name(AseRecording *r, const AioMotionTable *motion) {
  g_free(r->digest);
  r->digest = aio_motion_digest(motion);
  const AseFollowed *before = ase_followed_find(r->followed, r->digest);
  set_state(r, ASE_STATE_READY, before ? before->reason : "");
  r->told.motion = r->trajectory->name;
  r->told.samples = 0;
  r->told.lost = 0;
  memset(r->told.apart, 0, sizeof r->told.apart);
}

bool ase_session_take_motion(AseSession *self, const AioMotionTable *motion, double current_part,
                             GError **error) {
  const AioDescription *d = ase_device_description(self->device);
  double slowness;
  if (ase_record_is_read_only(self->record) || ase_record_is_closed(self->record))
    return ase_session_refuse(error, N_("this session is open for reading only: it cannot record; "
                                        "open it for writing"));
  if (ase_motion_is_on(self->motion))
    return ase_session_refuse(error, N_("the arm moves; hold it first"));
  if (d && !(d->capabilities & AIO_CAN_TRAJECTORY))
    return ase_session_refuse(error,
                              N_("the controller cannot follow a trajectory by itself; use a "
                                 "firmware that can"));
  ArmCubics *cubics = NULL;
  for (double s = longer_segment_s(d); !cubics && s > AIO_FOLLOW_SEGMENT_S; s *= 0.5) {
    slowness = 1.0;
    cubics = follow(self, motion, s, &slowness, NULL);
  }
  if (!cubics) {
    slowness = 1.0;
    cubics = follow(self, motion, AIO_FOLLOW_SEGMENT_S, &slowness, error);
  }
  if (!cubics)
    return false;
  AseRecording *r = recording_of(self);
  ase_trajectory_unref(r->trajectory);
  r->trajectory = ase_trajectory_new(motion->name, cubics, &self->arm->model, current_part);
  take_name(r, motion);
  r->is_stale = r->has_dry_run = false;
  r->design = 0;
  r->told.slowness = slowness;
  ase_session_emit_changed(self);
  return true;
}

void ase_session_number_motion(AseSession *self, guint design) {
  recording_of(self)->design = design;
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
  self->recording->told.is_dry_run = leg_at(self, leg)->purpose == ASE_PURPOSE_DRY_RUN;
  ase_session_emit_leg(self, leg);
}

static void on_leg_timed(gpointer object, double part, double left_s) {
  ase_session_emit_progress(object, ASE_STEPS, part, left_s);
}

typedef struct {
  const AseRun *run;
  const AseLeg *leg;
  guint64 first_us; /* of the motion; 0: not yet */
  double *apart;
} Comparison;

static void compare_chunk(const AioChunk *chunk, void *data) {
  Comparison *c = data;
  for (guint k = 0; k < chunk->n; k++) {
    if (!ase_run_owns(c->run, chunk, k))
      continue;
    c->first_us = c->first_us ? c->first_us : chunk->t_us[k];
    ase_trajectory_compare(c->leg->trajectory, c->leg->slowness, chunk->t_us[k] - c->first_us,
                           chunk->q + (gsize)k * chunk->joints, c->apart);
  }
}

static void take_result(AseSession *self, const AseLeg *leg, const AseRun *run) {
  AseRecordingState *told = &self->recording->told;
  Comparison comparison = {.run = run, .leg = leg, .apart = told->apart};
  AioStore *reader = NULL;
  memset(told->apart, 0, sizeof told->apart);
  told->samples = ase_run_samples(run);
  told->lost = ase_run_lost(run);
  ase_run_each_chunk(run, &reader, compare_chunk, &comparison, NULL);
  aio_store_close(reader, NULL);
  AseFollowed *followed = ase_followed_last(self->recording->followed);
  followed->samples = told->samples;
  followed->lost = told->lost;
  memcpy(followed->apart, told->apart, sizeof followed->apart);
}

static void on_leg_ended(gpointer object, guint k, AseRun *run) {
  AseSession *self = object;
  const AseLeg *leg = leg_at(self, k);
  AseRecording *r = self->recording;
  if (!leg->trajectory)
    return;
  ase_record_write_counts(self->record, run);
  if (leg->purpose == ASE_PURPOSE_DRY_RUN) {
    r->has_dry_run = run->is_complete;
    r->connection = ase_contact_connections(self->contact);
    return;
  }
  if (run->is_complete)
    ase_followed_last(r->followed)->run = run->id;
  else
    r->unfinished = run->id;
  if (run->is_complete && r->design)
    ase_record_write_statistic(self->record, run->id, ASE_STATISTIC_DESIGN, r->design);
  take_result(self, leg, run);
}

/* "20 s, 2001 samples, 0 lost, within 0.31 deg of the motion". g_free. */
static char *result_said(const AseSession *self) {
  const AseRecording *r = self->recording;
  double worst[2] = {0.0, 0.0};
  for (gsize j = 0; j < self->arm->model.n; j++) {
    double *of_type = &worst[self->arm->model.joints[j].type == ARM_JOINT_T];
    *of_type = fmax(*of_type, r->told.apart[j]);
  }
  const bool has_T = worst[1] > 0.0;
  char *turned = ase_position_said(ARM_JOINT_R, worst[0]);
  char *slid = ase_position_said(ARM_JOINT_T, worst[1]);
  char *text = aio_said(
      /* TRANSLATORS: seconds, samples, samples, a distance ("0.3 deg", or "0.3 deg, 0.001 m") */
      N_("%.4g s, %zu samples, %zu lost, within %s%s%s of the motion"),
      arm_cubics_duration(r->trajectory->cubics), r->told.samples, (gsize)r->told.lost, turned,
      has_T ? ", " : "", has_T ? slid : "");
  g_free(turned);
  g_free(slid);
  return text;
}

static void end_following(AseSession *self, bool is_done, const char *reason) {
  AseRecording *r = self->recording;
  set_state(r, is_done ? ASE_STATE_PASSED : ASE_STATE_FAILED, reason);
  ase_followed_end(ase_followed_last(r->followed), is_done, reason);
  ase_session_write_steps(self);
}

static void on_stopped(gpointer object, bool is_done, const char *reason) {
  AseSession *self = object;
  char *text = is_done ? result_said(self) : g_strdup(ase_session_why_stopped(self, reason));
  end_following(self, is_done, text);
  ase_session_say(self, is_done ? 0 : 1, N_("recording: %s"), text);
  g_free(text);
  ase_session_sync(self);
  ase_session_emit_changed(self);
}

static const AseMotionWatch watch = {.leg_started = on_leg_started,
                                     .leg_timed = on_leg_timed,
                                     .leg_ended = on_leg_ended,
                                     .stopped = on_stopped};

void ase_session_recording_abandon(AseSession *self) {
  if (self->recording && self->recording->told.state == ASE_STATE_RUNNING)
    end_following(self, false, aio_said_word(N_("interrupted: the program ended")));
}

/* ---- starting ---- */

static bool has_checked_motion(AseSession *self, GError **error) {
  const AseRecording *r = recording_of(self);
  if (!r->trajectory)
    return ase_session_refuse(error, N_("there is no motion to follow"));
  return !r->is_stale ||
         ase_session_refuse(error, N_("the arm or its ranges have changed since the motion was "
                                      "checked; check it again"));
}

/* A pose that nobody knows: from where the motion begins. */
AseItinerary *ase_session_preview_motion(AseSession *self, GError **error) {
  const AseRecording *r = recording_of(self);
  AseFreedom freedom;
  double start[ARM_MAX_JOINTS];
  if (!has_checked_motion(self, error))
    return NULL;
  ase_edits_freedom(self->edits, &freedom);
  if (!ase_device_pose(self->device, start))
    arm_cubics_at(r->trajectory->cubics, 0.0, start, NULL);
  const bool has_dry_run =
      r->has_dry_run && r->connection == ase_contact_connections(self->contact);
  return ase_itinerary_of_motion(&self->arm->model, r->trajectory, &freedom,
                                 &self->edits->itinerary, start, has_dry_run, error);
}

static void supersede(AseSession *self, gint64 run) {
  if (run)
    ase_record_write_statistic(self->record, run, ASE_STATISTIC_SUPERSEDED, 1.0);
}

static void begin_following(AseSession *self) {
  AseRecording *r = self->recording;
  ase_followed_begin(r->followed, r->trajectory->name, r->digest)->design = r->design;
  set_state(r, ASE_STATE_RUNNING, "");
}

/* NULL: it may not begin. */
static AseItinerary *make_itinerary(AseSession *self, GError **error) {
  if (!ase_session_is_free(self, error) || !has_checked_motion(self, error) ||
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
  AseRecording *r = self->recording;
  const AseFollowed *before = ase_followed_find(r->followed, r->digest);
  const gint64 earlier = before ? before->run : 0, unfinished = r->unfinished;
  r->unfinished = 0;
  begin_following(self);
  ase_record_forget_halt(self->record);
  const AseMotionTask task = {.model = &self->arm->model,
                              .doing = doing,
                              .end = doing->legs->len,
                              .log = ase_session_run_log(self),
                              .watch = &watch};
  const bool ok = ase_motion_start(self->motion, &task, error);
  if (ok) {
    supersede(self, earlier);
    supersede(self, unfinished);
    ase_session_write_steps(self);
  } else {
    r->unfinished = unfinished;
    ase_followed_last(r->followed)->run = earlier;
    end_following(self, false, aio_said_word(N_("it could not begin")));
  }
  ase_session_emit_changed(self);
  return ok;
}
