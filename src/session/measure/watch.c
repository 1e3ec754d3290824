/* SPDX-License-Identifier: MIT */
/* Alarms stop an hour's work, and arms swing, lag and fall: what is called impossible here lies far
 * beyond what sound simulated arms do. What may pass by itself, a peak of current or a word of a
 * stop that is under way, must last. */
#include "session/measure/watch.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "session/base/text.h"
#include "session/measure/evidence.h"

/* Of a joint of which nobody says how fast it may be: one turn, one metre a second are beyond what
 * arms are moved at here. */
#define FAST_R (2.0 * G_PI)
#define FAST_T 1.0

/* The arm file's, else the driver's: a controller may know none, and then states what it can count
 * to. */
static double stated(double file, double driver, double none) {
  return !isnan(file) ? file : !isnan(driver) ? driver : none;
}

/* The same, but the larger one: what the controller itself allows is no fault of a sensor. */
static double larger(double file, double driver, double none) {
  return driver > file ? driver : stated(file, driver, none);
}

static AseWatchLimits limits_of(const ArmJoint *joint, const AioJointInfo *info, double q) {
  const AioJointInfo unknown = {
      .q_min = NAN, .q_max = NAN, .speed_max = NAN, .current_max = NAN, .rest_error = NAN};
  const bool turns = joint->type == ARM_JOINT_R;
  const double error = 2.0 * ase_rest_error(joint, info);
  const AioJointInfo *i = info ? info : &unknown;
  return (AseWatchLimits){
      .type = joint->type,
      .low = fmin(q, stated(joint->limits.q_min, i->q_min, -INFINITY)),
      .high = fmax(q, stated(joint->limits.q_max, i->q_max, INFINITY)),
      .beyond = (turns ? ASE_WATCH_BEYOND_R : ASE_WATCH_BEYOND_T) + error,
      .speed = larger(joint->limits.speed_max, i->speed_max, turns ? FAST_R : FAST_T),
      .leap = (turns ? ASE_WATCH_LEAP_R : ASE_WATCH_LEAP_T) + error,
      .current = larger(joint->limits.current_max, i->current_max, INFINITY)};
}

void ase_watch_begin(AseWatch *watch, const ArmModel *model, const AioDescription *description,
                     const double *q) {
  *watch = (AseWatch){.n = (guint)model->n};
  for (guint j = 0; j < watch->n; j++) {
    const bool is_known = description && j < description->joints;
    watch->joint[j] = limits_of(&model->joints[j], is_known ? &description->joint[j] : NULL, q[j]);
  }
}

void ase_watch_next(AseWatch *watch) {
  memset(watch->since_us, 0, sizeof watch->since_us);
  watch->unready_us = 0;
  watch->is_unready = false;
}

/* ---- what cannot be ---- */

static char *beyond_said(const AseWatchLimits *limits, guint joint, double q) {
  char *found = ase_position_said(limits->type, q);
  char *range = ase_range_said(limits->type, limits->low, limits->high);
  /* TRANSLATORS: joint, a position ("123 deg"), its limits ("-120 to 120 deg") */
  char *said = aio_said(N_("joint %u: its position says %s, far beyond its limits, %s, so the "
                           "arm was held; look where it really is, check its encoder and its "
                           "cable, or the limits in the arm file"),
                        joint, found, range);
  g_free(found);
  g_free(range);
  return said;
}

static char *leap_said(const AseWatchLimits *limits, guint joint, double way, double most,
                       double dt) {
  char *found = ase_position_said(limits->type, way);
  char *expected = ase_position_said(limits->type, most);
  /* TRANSLATORS: joint, a distance, a time in ms, a distance */
  char *said = aio_said(N_("joint %u: its position leapt by %s within %.3g ms, it can move by "
                           "%s at most, so the arm was held; check its encoder, its cable "
                           "and its coupling, or the limit of its speed in the arm file"),
                        joint, found, 1e3 * dt, expected);
  g_free(found);
  g_free(expected);
  return said;
}

static char *against_position(const AseWatch *watch, guint j, guint64 t_us, double q) {
  const AseWatchLimits *limits = &watch->joint[j];
  if (!(q >= limits->low - limits->beyond && q <= limits->high + limits->beyond))
    return beyond_said(limits, j + 1, q);
  const double dt = t_us > watch->t_us ? 1e-6 * (double)(t_us - watch->t_us) : 0.0;
  const double way = fabs(q - watch->q[j]), most = limits->speed * dt;
  const bool is_next = watch->has_sample && t_us >= watch->t_us;
  const bool leaps = is_next && way > most + limits->leap;
  return leaps ? leap_said(limits, j + 1, way, most, dt) : NULL;
}

/* true: for at least so long. A time of 0 would be none. */
static bool lasts(guint64 *since_us, guint64 t_us, guint64 least_us, bool is_so) {
  if (!is_so)
    *since_us = 0;
  else if (!*since_us)
    *since_us = MAX(t_us, 1);
  return is_so && t_us >= *since_us + least_us;
}

static char *against_current(AseWatch *watch, guint j, guint64 t_us, double current) {
  const double limit = watch->joint[j].current;
  const bool is_above = fabs(current) > ASE_WATCH_CURRENT * limit;
  if (!lasts(&watch->since_us[j], t_us, ASE_WATCH_CURRENT_US, is_above))
    return NULL;
  return aio_said(N_("joint %u: its current is said to be %.3g A for %d ms, beyond its limit "
                     "of %.3g A, and the controller goes on, so the arm was held; look at "
                     "what blocks or loads it, then at its current sensor"),
                  j + 1, current, ASE_WATCH_CURRENT_US / 1000, limit);
}

static char *against_sample(AseWatch *watch, const AioChunk *chunk, guint k) {
  const gsize at = (gsize)k * chunk->joints;
  char *said = NULL;
  for (guint j = 0; !said && j < watch->n; j++)
    said = against_position(watch, j, chunk->t_us[k], chunk->q[at + j]);
  for (guint j = 0; !said && j < watch->n; j++)
    said = against_current(watch, j, chunk->t_us[k], chunk->current[at + j]);
  return said;
}

/* Not every driver tells in each sample whether the arm is armed. */
static bool is_unready(const AseWatch *watch, guint16 flags) {
  const bool was_armed = watch->has_armed && !(flags & AIO_SAMPLE_ARMED);
  return was_armed || !(flags & AIO_SAMPLE_DRIVES_ON);
}

static void note(AseWatch *watch, const AioChunk *chunk, guint k, bool is_own) {
  const guint16 flags = chunk->flags[k];
  watch->is_unready = lasts(&watch->unready_us, chunk->t_us[k], ASE_WATCH_READY_US,
                            is_own && is_unready(watch, flags));
  watch->has_armed |= flags & AIO_SAMPLE_ARMED;
  watch->flags = flags;
  watch->has_sample = true;
  watch->t_us = chunk->t_us[k];
  memcpy(watch->q, chunk->q + (gsize)k * chunk->joints, watch->n * sizeof *watch->q);
}

char *ase_watch_chunk(AseWatch *watch, const AseRun *run, const AioChunk *chunk) {
  char *said = NULL;
  if (chunk->joints != watch->n)
    return NULL;
  for (guint k = 0; !said && k < chunk->n; k++) {
    said = against_sample(watch, chunk, k);
    note(watch, chunk, k, ase_run_owns(run, chunk, k));
  }
  return said;
}

char *ase_watch_unready_said(const AseWatch *watch) {
  const bool is_off = !(watch->flags & AIO_SAMPLE_DRIVES_ON);
  return aio_said_words(
      is_off ? N_("the controller's telemetry says that the drives are off, though the "
                  "arm is to move and nothing has ended its motion, so the arm was "
                  "held; look whether the drives are on, and restart the controller")
             : N_("the controller's telemetry says that the arm is not armed, though it "
                  "is to move and nothing has ended its motion, so the arm was held; "
                  "restart the controller"));
}

/* ---- silence ---- */

void ase_quiet_heard(AseQuiet *quiet, gint64 now_us) {
  quiet->heard_us = quiet->since_us = now_us;
  quiet->answers = 0;
  quiet->is_old = quiet->is_asking;
}

bool ase_quiet_ask(AseQuiet *quiet, gint64 now_us, double period_us) {
  const double first_us = fmax(ASE_QUIET_FIRST_US, ASE_QUIET_PERIODS * period_us);
  const double pause_us = quiet->answers ? fmax(ASE_QUIET_AGAIN_US, period_us) : first_us;
  if (quiet->is_asking || (double)(now_us - quiet->since_us) < pause_us)
    return false;
  quiet->is_asking = true;
  quiet->is_old = false;
  return true;
}

bool ase_quiet_answered(AseQuiet *quiet, gint64 now_us) {
  quiet->is_asking = false;
  if (quiet->is_old)
    return false;
  quiet->answers++;
  quiet->since_us = now_us;
  return quiet->answers >= ASE_QUIET_ANSWERS;
}
