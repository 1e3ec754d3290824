/* SPDX-License-Identifier: MIT */
/* What of a motion is done is remembered here, for itself and for the file; of what an earlier
 * program followed, what the file says. */
#include "session/following.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "session/base/text.h"

struct AseFollowing {
  AseRecordingState told;
  AseTrajectory *trajectory; /* NULL: none */
  bool is_stale;             /* the arm or its ranges are others now: it is to be taken again */
  bool has_dry_run;          /* done */
  guint connection;          /* with which */
  char *digest;              /* of the motion that was taken */
  guint design;              /* as ase_following_number */
  GPtrArray *followed;       /* of AseFollowed */
  gint64 unfinished;         /* run in the file that did not come to its end; 0: none */
};

static void forget_measured(AseRecordingState *told) {
  memset(told->apart, 0, sizeof told->apart);
  for (gsize j = 0; j < ARM_MAX_JOINTS; j++)
    told->reach[j] = (AseReach){.lowest = (double)INFINITY, .highest = -(double)INFINITY};
}

AseFollowing *ase_following_new(void) {
  AseFollowing *f = g_new0(AseFollowing, 1);
  f->told = (AseRecordingState){.reason = g_strdup(""), .slowness = 1.0};
  forget_measured(&f->told);
  f->followed = ase_followed_new();
  return f;
}

void ase_following_free(AseFollowing *f) {
  if (!f)
    return;
  ase_trajectory_unref(f->trajectory);
  g_ptr_array_unref(f->followed);
  g_free(f->digest);
  g_free(f->told.reason);
  g_free(f->told.guess);
  g_free(f);
}

const AseRecordingState *ase_following_told(const AseFollowing *f) {
  return &f->told;
}

static void set_state(AseFollowing *f, AseStepState state, const char *reason) {
  f->told.state = state;
  g_free(f->told.reason);
  f->told.reason = aio_said_text(reason);
}

/* ---- what is to be followed ---- */

/* Nothing of it was recorded since; what was before is said. Why it failed before is not: it is
 * ready, and reads as if it still stood in its way. */
void ase_following_take(AseFollowing *f, AseCandidate *candidate) {
  ase_trajectory_unref(f->trajectory);
  f->trajectory = g_steal_pointer(&candidate->trajectory);
  g_free(f->digest);
  f->digest = g_steal_pointer(&candidate->digest);
  f->is_stale = f->has_dry_run = false;
  f->design = 0;
  const AseFollowed *before = ase_followed_find(f->followed, f->digest);
  set_state(f, ASE_STATE_READY, before && before->is_passed ? before->reason : "");
  f->told.motion = f->trajectory->name;
  f->told.slowness = candidate->slowness;
  g_free(f->told.guess);
  f->told.guess = g_steal_pointer(&candidate->guess);
  f->told.samples = 0;
  f->told.lost = 0;
  forget_measured(&f->told);
}

void ase_following_number(AseFollowing *f, guint design) {
  f->design = design;
}

guint ase_following_design(const AseFollowing *f) {
  return f->design;
}

void ase_following_outdate(AseFollowing *f) {
  f->is_stale = true;
}

bool ase_following_is_ready(const AseFollowing *f, GError **error) {
  const char *why = NULL;
  if (!f->trajectory)
    why = aio_said_word(N_("there is no motion to follow"));
  else if (f->is_stale)
    why = aio_said_word(N_("the arm or its ranges have changed since the motion was checked; "
                           "check it again"));
  if (why)
    aio_error_set_kept(error, AIO_ERROR_REFUSED, why);
  return !why;
}

AseTrajectory *ase_following_trajectory(const AseFollowing *f) {
  return f->trajectory;
}

/* ---- while it is followed ---- */

AseFollowedBefore ase_following_begin(AseFollowing *f) {
  const AseFollowed *earlier = ase_followed_find(f->followed, f->digest);
  const AseFollowedBefore before = {.whole = earlier ? earlier->run : 0,
                                    .unfinished = f->unfinished};
  f->unfinished = 0;
  ase_followed_begin(f->followed, f->trajectory->name, f->digest)->design = f->design;
  set_state(f, ASE_STATE_RUNNING, "");
  return before;
}

void ase_following_take_back(AseFollowing *f, const AseFollowedBefore *before, const char *reason) {
  f->unfinished = before->unfinished;
  ase_followed_last(f->followed)->run = before->whole;
  ase_following_end(f, false, reason);
}

void ase_following_enter_leg(AseFollowing *f, const AseLeg *leg) {
  f->told.is_dry_run = leg->purpose == ASE_PURPOSE_DRY_RUN;
}

typedef struct {
  const AseRun *run;
  const AseLeg *leg;
  guint64 first_us; /* of the motion; 0: not yet */
  AseRecordingState *told;
  double before[2][ARM_MAX_JOINTS]; /* speeds of the last two samples; 0: none */
} Comparison;

static void reach_out(Comparison *c, gsize joint, double q, double qd) {
  AseReach *reach = &c->told->reach[joint];
  double *before[] = {&c->before[0][joint], &c->before[1][joint]};
  const double low = fmin(qd, fmin(*before[0], *before[1]));
  const double high = fmax(qd, fmax(*before[0], *before[1]));
  reach->lowest = fmin(reach->lowest, q);
  reach->highest = fmax(reach->highest, q);
  reach->fastest = fmax(reach->fastest, fmax(low, -high));
  *before[0] = *before[1];
  *before[1] = qd;
}

static void compare_chunk(const AioChunk *chunk, void *data) {
  Comparison *c = data;
  for (guint k = 0; k < chunk->n; k++) {
    if (!ase_run_owns(c->run, chunk, k))
      continue;
    c->first_us = c->first_us ? c->first_us : chunk->t_us[k];
    const gsize row = (gsize)k * chunk->joints;
    ase_trajectory_compare(c->leg->trajectory, c->leg->slowness, chunk->t_us[k] - c->first_us,
                           chunk->q + row, c->told->apart);
    for (gsize j = 0; j < chunk->joints; j++)
      reach_out(c, j, chunk->q[row + j], chunk->qd[row + j]);
  }
}

static void take_result(AseFollowing *f, const AseLeg *leg, const AseRun *run) {
  AseRecordingState *told = &f->told;
  Comparison comparison = {.run = run, .leg = leg, .told = told};
  AioStore *reader = NULL;
  forget_measured(told);
  told->samples = ase_run_samples(run);
  told->lost = ase_run_lost(run);
  ase_run_each_chunk(run, &reader, compare_chunk, &comparison, NULL);
  aio_store_close(reader, NULL);
  AseFollowed *followed = ase_followed_last(f->followed);
  followed->samples = told->samples;
  followed->lost = told->lost;
  memcpy(followed->apart, told->apart, sizeof followed->apart);
}

void ase_following_leave_leg(AseFollowing *f, const AseLeg *leg, const AseRun *run,
                             guint connection) {
  if (leg->purpose == ASE_PURPOSE_DRY_RUN) {
    f->has_dry_run = run->is_complete;
    f->connection = connection;
    return;
  }
  if (run->is_complete)
    ase_followed_last(f->followed)->run = run->id;
  else
    f->unfinished = run->id;
  take_result(f, leg, run);
}

bool ase_following_has_dry_run(const AseFollowing *f, guint connection) {
  return f->has_dry_run && f->connection == connection;
}

void ase_following_end(AseFollowing *f, bool is_done, const char *reason) {
  set_state(f, is_done ? ASE_STATE_PASSED : ASE_STATE_FAILED, reason);
  ase_followed_end(ase_followed_last(f->followed), is_done, reason);
}

bool ase_following_abandon(AseFollowing *f) {
  if (f->told.state != ASE_STATE_RUNNING)
    return false;
  ase_following_end(f, false, aio_said_word(N_("interrupted: the program ended")));
  return true;
}

char *ase_following_said(const AseFollowing *f, const ArmModel *model) {
  double worst[2] = {0.0, 0.0};
  for (gsize j = 0; j < model->n; j++) {
    double *of_type = &worst[model->joints[j].type == ARM_JOINT_T];
    *of_type = fmax(*of_type, f->told.apart[j]);
  }
  const bool has_T = worst[1] > 0.0;
  char *turned = ase_position_said(ARM_JOINT_R, worst[0]);
  char *slid = ase_position_said(ARM_JOINT_T, worst[1]);
  char *text = aio_said(
      /* TRANSLATORS: seconds, samples, samples, a distance ("0.3 deg", or "0.3 deg, 0.001 m") */
      N_("%.4g s, %zu samples, %zu lost, within %s%s%s of the motion"),
      arm_cubics_duration(f->trajectory->cubics), f->told.samples, (gsize)f->told.lost, turned,
      has_T ? ", " : "", has_T ? slid : "");
  g_free(turned);
  g_free(slid);
  return text;
}

/* ---- what the file remembers ---- */

bool ase_following_recall(AseFollowing *f, const char *steps, GError **error) {
  if (!ase_followed_from_json(f->followed, steps, error))
    return false;
  const AseFollowed *last = ase_followed_last(f->followed);
  if (!last)
    return true;
  set_state(f, last->is_passed ? ASE_STATE_PASSED : ASE_STATE_FAILED, last->reason);
  f->told.motion = last->name;
  f->told.samples = (gsize)last->samples;
  f->told.lost = last->lost;
  forget_measured(&f->told);
  memcpy(f->told.apart, last->apart, sizeof f->told.apart);
  return true;
}

void ase_following_meet_run(AseFollowing *f, gint64 run, bool is_whole) {
  if (is_whole)
    ase_followed_meet_run(f->followed, run);
  else
    f->unfinished = run;
}

char *ase_following_to_json(const AseFollowing *f, gsize joints) {
  return ase_followed_to_json(f->followed, joints);
}

const AseFollowed *ase_following_last(const AseFollowing *f) {
  return ase_followed_last(f->followed);
}

bool ase_following_is_same(const AseFollowing *f, const AioMotionTable *motion, GError **error) {
  const AseFollowed *last = ase_following_last(f);
  char *digest = aio_motion_digest(motion);
  const bool is_same = !last || last->design || strcmp(last->digest, digest) == 0;
  g_free(digest);
  const char *name = aio_said_plain(motion->name);
  if (!is_same && strcmp(last->name, name) == 0)
    aio_error_set_said(
        error, AIO_ERROR_REFUSED,
        /* TRANSLATORS: the name of a file, and what came of it */
        N_("this session followed %s (%s), and that file contains another motion now; "
           "give the other one a session of its own"),
        last->name, last->reason);
  else if (!is_same)
    aio_error_set_said(error, AIO_ERROR_REFUSED,
                       /* TRANSLATORS: the name of a file, what came of it, another file twice */
                       N_("this session followed %s (%s), and %s is another motion; give %s a "
                          "session of its own"),
                       last->name, last->reason, name, name);
  return is_same;
}
