/* SPDX-License-Identifier: MIT */
/* Three looks at a leg: its end, what each sensor told on the way, position against the integral of
 * the speed. Limits are far above what sound sensors do (noise, lag, reversals) and below what a
 * stuck or mislabelled one does; the figures stand beside them. */
#include "io/base/said.h"
#include "session/measure/evidence_internal.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "session/base/text.h"

/* Faults are gross (a stuck encoder, a wrong joint) and alarms stop an hour's work: limits are
 * chosen well beyond what sound simulated arms do, and the tests plant faults. REST: of an arm that
 * states none; servos under (34)-(36) moved by 0.2 deg (theory notes, gravity, 8). */
#define REST_R        (0.5 * G_PI / 180.0)
#define REST_T        0.001
#define FAR           8.0  /* times the error at rest: a way long enough to tell something */
#define LEAST         3.0  /* the same: at either end one, and one step of the encoder */
#define STROKE_PARTS  8.0  /* windows of a stroke in which position and speed are compared */
#define DISAGREE_PART 0.3  /* of the way; noise, lag and reversals of healthy sensors: < 0.1 */
#define SHORTEST_US   2e5  /* of such a window of a trajectory; filters of speeds lag by < 20 ms */
#define NEAR_END      0.25 /* of the stroke: a stroke is from within here to within there */
#define FEW_PART      0.25 /* of the samples that were due: what fewer show is left to chance */
enum { FEW_SAMPLES = 10, FEW_WINDOWS = 4 };

/* ---- error at rest ---- */

static double larger(double a, double b) {
  return b > a || !(a > 0.0) ? b : a; /* NAN and 0: not stated */
}

double ase_rest_error(const ArmJoint *joint, const AioJointInfo *info) {
  double stated = joint->limits.rest_error;
  if (info && info->rest_error > 0.0)
    stated = larger(stated, info->rest_error);
  if (!(stated > 0.0))
    stated = joint->type == ARM_JOINT_R ? REST_R : REST_T;
  return info && info->quantum > stated ? info->quantum : stated;
}

double ase_evidence_shortest(const ArmJoint *joint, const AioJointInfo *info) {
  return LEAST * ase_rest_error(joint, info);
}

static const AioJointInfo *info_of(const AseEvidence *e, guint j) {
  const bool is_known = e->description && j < e->description->joints;
  return is_known ? &e->description->joint[j] : NULL;
}

static double rest_error(const AseEvidence *e, guint j) {
  return ase_rest_error(&e->model->joints[j], info_of(e, j));
}

/* ---- what was commanded ---- */

bool ase_evidence_moves(const AseLeg *leg, guint j) {
  return leg->sweeps ? leg->joint == j + 1 : leg->joints >> j & 1;
}

static double end_of(const AseLeg *leg, guint j) {
  if (leg->sweeps && leg->joint == j + 1)
    return leg->passes % 2 ? leg->q1 : leg->q0;
  return leg->pose[j];
}

double ase_evidence_end_error(const AseEvidence *e, guint j) {
  return (ase_evidence_moves(e->leg, j) ? 1.0 : 2.0) * rest_error(e, j);
}

/* ---- words ---- */

typedef struct {
  char *leg, *one, *other;
} Words;

static Words words_of(const AseEvidence *e, guint j, double one, double other) {
  const ArmJointType type = e->model->joints[j].type;
  return (Words){.leg = ase_leg_said(e->model, e->leg),
                 .one = ase_position_said(type, one),
                 .other = ase_position_said(type, other)};
}

static char *take_words(Words *words, char *text) {
  g_free(words->leg);
  g_free(words->one);
  g_free(words->other);
  return text;
}

/* ---- the end ---- */

static const double *newest(const AseRun *run) {
  for (guint c = run->chunks->len; c-- > 0;) {
    const AioChunk *chunk = run->chunks->pdata[c];
    if (chunk->n > 0)
      return chunk->q + (gsize)(chunk->n - 1) * chunk->joints;
  }
  return NULL;
}

static bool is_at_end(const AseEvidence *e, const double *q, guint j) {
  return fabs(q[j] - end_of(e->leg, j)) <= ase_evidence_end_error(e, j);
}

bool ase_evidence_is_at_end(const AseEvidence *e) {
  const double *q = newest(e->run);
  bool is = q != NULL;
  for (guint j = 0; is && j < e->model->n; j++)
    is = is_at_end(e, q, j);
  return is;
}

static char *against_end(const AseEvidence *e) {
  const double *q = newest(e->run);
  if (!q)
    return aio_said(
        N_("no sample came while the arm was to move: whether it did is not known; check "
           "the cable"));
  for (guint j = 0; j < e->model->n; j++) {
    if (is_at_end(e, q, j))
      continue;
    Words w = words_of(e, j, end_of(e->leg, j), q[j]);
    /* TRANSLATORS: joint, the leg ("sweep joint 3, ..."), a position, a position */
    return take_words(
        &w, aio_said(N_("joint %u: after \"%s\" it should stand at %s, but its position says "
                        "%s; look where it really is, check its encoder, its cable and what "
                        "may block it, or state a larger rest_error in the arm file"),
                     j + 1, w.leg, w.one, w.other));
  }
  return NULL;
}

/* Where joint j is to stand before the leg; NAN: anywhere. */
static double start_of(const AseLeg *leg, guint j) {
  if (leg->trajectory)
    return leg->trajectory->cubics->q[j * leg->trajectory->cubics->count];
  return ase_evidence_moves(leg, j) ? (double)NAN : leg->pose[j];
}

char *ase_evidence_against_start(const AseEvidence *e, const double *q) {
  for (guint j = 0; j < e->model->n; j++) {
    const double start = start_of(e->leg, j);
    if (isnan(start) || fabs(q[j] - start) <= ase_evidence_end_error(e, j))
      continue;
    Words w = words_of(e, j, q[j], start);
    return take_words(
        &w, aio_said(N_("joint %u stands at %s, but this leg begins at %s; plan again from "
                        "here, or move it back"),
                     j + 1, w.one, w.other));
  }
  return NULL;
}

char *ase_evidence_against_sweep(const AseEvidence *e) {
  const guint j = e->leg->joint - 1;
  if (!e->leg->sweeps)
    return NULL;
  const double least = ase_evidence_shortest(&e->model->joints[j], info_of(e, j));
  if (fabs(e->leg->q1 - e->leg->q0) >= least)
    return NULL;
  Words w = words_of(e, j, rest_error(e, j), least);
  /* TRANSLATORS: joint, the leg ("sweep joint 3, ..."), two lengths ("0.5 deg") */
  return take_words(
      &w, aio_said(N_("joint %u: \"%s\" is too short: this joint comes to rest within %s, so "
                      "that a stuck encoder would not be noticed; plan it over %s at least, or "
                      "state in the arm file how exactly it rests (rest_error)"),
                   j + 1, w.leg, w.one, w.other));
}

/* ---- what a joint told on its way ---- */

typedef struct {
  double low, high;
} Span;

typedef struct {
  double low, high; /* of a sweep: beyond them a stroke has ended */
  int first_zone;   /* where its first stroke begins */
  double window_us; /* INFINITY: too short a way */
  guint samples, windows, strokes;
  int zone; /* -1: at the low end last, 1: at the high one, 0: neither yet */
  Span q, qd, current;
  bool has_gap, is_over;
  double before_us; /* the newest sample before the motion; 0: none */
  /* the window that is open, and the sample before */
  double began_us, began_q, integral, t_us, last_qd;
  double way_q, way_qd, apart; /* sums over the windows */
} Look;

static void widen(Span *span, double x, bool is_first) {
  span->low = is_first ? x : fmin(span->low, x);
  span->high = is_first ? x : fmax(span->high, x);
}

static bool is_stuck(const Span *span) {
  return span->low == span->high;
}

static void count_stroke(Look *look, double q) {
  const int zone = q <= look->low ? -1 : q >= look->high ? 1 : 0;
  look->strokes += zone && look->zone && zone != look->zone;
  look->zone = zone ? zone : look->zone;
}

static void open_window(Look *look, double t_us, double q) {
  look->began_us = t_us;
  look->began_q = q;
  look->integral = 0.0;
}

static void compare(Look *look, double t_us, double q, double qd) {
  const double dt_us = t_us - look->t_us;
  if (dt_us > look->window_us) {
    look->has_gap = true;
    open_window(look, t_us, q);
    return;
  }
  look->integral += 0.5e-6 * (qd + look->last_qd) * dt_us;
  if (t_us - look->began_us < look->window_us)
    return;
  const double way = q - look->began_q;
  look->windows++;
  look->way_q += fabs(way);
  look->way_qd += fabs(look->integral);
  look->apart += fabs(way - look->integral);
  open_window(look, t_us, q);
}

/* Whether the samples begin with the motion. */
static void look_at_start(Look *look, double t_us, double q) {
  count_stroke(look, q);
  look->has_gap = look->before_us > 0.0 ? t_us - look->before_us > look->window_us
                                        : look->zone != look->first_zone;
  open_window(look, t_us, q);
}

/* Samples of the arm at rest: whether those of the motion go on until here. */
static void look_beside(Look *look, double t_us) {
  if (look->samples == 0)
    look->before_us = t_us;
  else if (!look->is_over)
    look->has_gap |= t_us - look->t_us > look->window_us;
  look->is_over = look->samples > 0;
}

static void look_at(Look *look, double t_us, double q, double qd, double current) {
  const bool is_first = look->samples++ == 0;
  widen(&look->q, q, is_first);
  widen(&look->qd, qd, is_first);
  widen(&look->current, current, is_first);
  if (is_first) {
    look_at_start(look, t_us, q);
  } else {
    count_stroke(look, q);
    compare(look, t_us, q, qd);
  }
  look->t_us = t_us;
  look->last_qd = qd;
}

static double stroke_of(const AseEvidence *e, guint j) {
  if (e->leg->sweeps)
    return fabs(e->leg->q1 - e->leg->q0);
  if (e->leg->trajectory)
    return e->leg->trajectory->high[j] - e->leg->trajectory->low[j];
  const AioChunk *first = e->run->chunks->len ? e->run->chunks->pdata[0] : NULL;
  return first && first->n ? fabs(e->leg->pose[j] - first->q[j]) : 0.0;
}

static double speed_of(const AseEvidence *e, guint j) {
  const bool turns = e->leg->sweeps || e->model->joints[j].type == ARM_JOINT_R;
  return turns ? e->leg->speed_R : e->leg->speed_T;
}

/* Of a move as it was, not as its speed would have it: in a move the joint that goes farthest
 * sets the time of all. 0: no two samples. */
static double move_us(const AseEvidence *e) {
  double first = 0.0, last = 0.0;
  for (guint c = 0; c < e->run->chunks->len; c++) {
    const AioChunk *chunk = e->run->chunks->pdata[c];
    for (guint k = 0; k < chunk->n; k++)
      if (ase_run_owns(e->run, chunk, k)) {
        last = (double)chunk->t_us[k];
        first = first > 0.0 ? first : last;
      }
  }
  return last - first;
}

/* Of a trajectory: as many to a stroke as of a sweep, but so long that the lag of a speed that was
 * filtered does not count. */
static double trajectory_window_us(const AseEvidence *e, guint j) {
  const AseTrajectory *t = e->leg->trajectory;
  const double stroke_us = 1e6 * e->leg->duration_s * stroke_of(e, j) / t->way[j];
  return fmax(stroke_us / STROKE_PARTS, SHORTEST_US * e->leg->slowness);
}

static Look look_begin(const AseEvidence *e, guint j) {
  if (e->leg->trajectory)
    return (Look){.low = -INFINITY, .high = INFINITY, .window_us = trajectory_window_us(e, j)};
  const double stroke = stroke_of(e, j);
  const double planned_us = 1e6 * stroke / speed_of(e, j);
  const double low = fmin(e->leg->q0, e->leg->q1);
  return (Look){.low = low + NEAR_END * stroke,
                .high = low + (1.0 - NEAR_END) * stroke,
                .first_zone = e->leg->q0 < e->leg->q1 ? -1 : 1,
                .window_us = fmax(planned_us, e->leg->sweeps ? 0.0 : move_us(e)) / STROKE_PARTS};
}

static Look look_over(const AseEvidence *e, guint j) {
  Look look = look_begin(e, j);
  for (guint c = 0; c < e->run->chunks->len; c++) {
    const AioChunk *chunk = e->run->chunks->pdata[c];
    for (guint k = 0; k < chunk->n; k++) {
      const gsize at = (gsize)k * chunk->joints + j;
      if (ase_run_owns(e->run, chunk, k))
        look_at(&look, (double)chunk->t_us[k], chunk->q[at], chunk->qd[at], chunk->current[at]);
      else
        look_beside(&look, (double)chunk->t_us[k]);
    }
  }
  return look;
}

/* ---- what speaks against it ---- */

/* Position and the integral of the speed. */
static bool disagree(const AseEvidence *e, guint j, const Look *look) {
  const double way = fmax(look->way_q, look->way_qd);
  return look->windows >= FEW_WINDOWS && way >= FAR * rest_error(e, j) &&
         look->apart > DISAGREE_PART * way;
}

static char *stuck_said(const AseEvidence *e, guint j, const char *what) {
  Words w = words_of(e, j, 0.0, 0.0);
  char *sensor = aio_said_in("sensor", what);
  /* TRANSLATORS: joint, the leg ("sweep joint 3, ..."), "position", "speed" or "current" */
  char *said = aio_said(N_("joint %u: during \"%s\" its %s never changed: this sensor "
                           "looks stuck; check it and its cable"),
                        j + 1, w.leg, sensor);
  g_free(sensor);
  return take_words(&w, said);
}

static char *against_stuck(const AseEvidence *e, guint j, const Look *look) {
  if (look->samples < FEW_SAMPLES)
    return NULL;
  /* one pass may be at one speed, exactly */
  const bool q = is_stuck(&look->q), qd = is_stuck(&look->qd) && disagree(e, j, look);
  const bool is_far = stroke_of(e, j) >= FAR * rest_error(e, j);
  const bool current = e->leg->sweeps && is_far && is_stuck(&look->current);
  if (q && is_stuck(&look->qd) && is_stuck(&look->current)) {
    Words w = words_of(e, j, 0.0, 0.0);
    return take_words(
        &w, aio_said(N_("joint %u: during \"%s\" nothing that the controller tells of it "
                        "changed, neither position nor speed nor current; check the joint's "
                        "cables and restart the controller"),
                     j + 1, w.leg));
  }
  return q         ? stuck_said(e, j, NC_("sensor", "position"))
         : qd      ? stuck_said(e, j, NC_("sensor", "speed"))
         : current ? stuck_said(e, j, NC_("sensor", "current"))
                   : NULL;
}

static char *against_strokes(const AseEvidence *e, guint j, const Look *look) {
  if (!e->leg->sweeps || look->has_gap || look->samples < FEW_SAMPLES ||
      look->strokes >= e->leg->passes)
    return NULL;
  Words w = words_of(e, j, look->q.low, look->q.high);
  /* TRANSLATORS: joint, the leg ("sweep joint 3, ..."), passes, passes, position, position */
  return take_words(
      &w, aio_said(N_("joint %u: \"%s\": %u passes were commanded, its position shows %u, "
                      "between %s and %s; check its encoder, its cable and its coupling"),
                   j + 1, w.leg, e->leg->passes, look->strokes, w.one, w.other));
}

static char *against_speed(const AseEvidence *e, guint j, const Look *look) {
  if (!disagree(e, j, look))
    return NULL;
  Words w = words_of(e, j, look->way_q, look->way_qd);
  /* TRANSLATORS: joint, the leg ("sweep joint 3, ..."), a distance, a distance */
  return take_words(
      &w, aio_said(N_("joint %u: during \"%s\" its position moved by %s in all, its speed "
                      "says %s: one of both does not tell the truth; check its encoder, and "
                      "sign and scale of its speed"),
                   j + 1, w.leg, w.one, w.other));
}

/* Sensors: what a joint tells while it moves this far, in errors at rest. */
static char *against_joint(const AseEvidence *e, guint j, double least,
                           char *(*look_for)(const AseEvidence *, guint, const Look *)) {
  if (!ase_evidence_moves(e->leg, j) || stroke_of(e, j) < least * rest_error(e, j))
    return NULL;
  const Look look = look_over(e, j);
  /* cppcheck-suppress returnDanglingLifetime; what it returns is a text of its own */
  return look_for(e, j, &look);
}

static guint own_samples(const AseRun *run) {
  guint samples = 0;
  for (guint c = 0; c < run->chunks->len; c++) {
    const AioChunk *chunk = run->chunks->pdata[c];
    for (guint k = 0; k < chunk->n; k++)
      samples += ase_run_owns(run, chunk, k);
  }
  return samples;
}

/* A leg shorter than a few samples may have none. */
static char *against_few(const AseEvidence *e) {
  const guint samples = own_samples(e->run);
  if (e->samples_due < FEW_SAMPLES || samples >= FEW_PART * e->samples_due)
    return NULL;
  Words w = words_of(e, 0, 0.0, 0.0);
  /* TRANSLATORS: the leg ("sweep joint 3, ..."), samples, samples */
  return take_words(
      &w, aio_said(N_("\"%s\": %u samples that the controller says are of this motion came, "
                      "about %.0f were to come: whether the arm did it is not known; check "
                      "the line, and what the controller's telemetry says of its motion"),
                   w.leg, samples, e->samples_due));
}

char *ase_evidence_against(const AseEvidence *e) {
  char *text = against_few(e);
  for (guint j = 0; !text && j < e->model->n; j++)
    text = against_joint(e, j, LEAST, against_stuck);
  for (guint j = 0; !text && j < e->model->n; j++)
    text = against_joint(e, j, FAR, against_strokes);
  if (!text)
    text = against_end(e);
  for (guint j = 0; !text && j < e->model->n; j++)
    text = against_joint(e, j, FAR, against_speed);
  return text ? text : ase_evidence_against_unsteady(e);
}
