/* SPDX-License-Identifier: MIT */
/* A recording knows no legs: passes are found where a joint turns round, poses and speeds are the
 * same within what an arm repeats. What is held out for validation lies between other sweeps of its
 * hold: what drifts is then in both parts. */
#include "session/measure/recorded.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "core/num/filter.h"
#include "io/base/said.h"
#include "session/base/text.h"

/* Chosen: a stretch ends with what no sweep has in its middle, and speeds and poses are one within
 * what an arm repeats: 5 % as in strokes (theory notes, lack of fit, section 1), 1 deg as in
 * core/sweeps/stroke. */
#define GAP_S      0.25
#define GAP_STEPS  20.0
#define HELD_RAD   (1.0 * G_PI / 180.0)
#define HELD_M     0.005
#define MOVING     0.5 /* part of the median speed: slower rows have no direction */
#define SAME_SPEED 0.05

/* Rows [first, end) in which only `joint` (from 0) sweeps. */
typedef struct {
  gsize first, end, joint;
} Stretch;

typedef struct {
  const AioRecording *r;
  double gap_s, step; /* step: median of the intervals */
  GPtrArray *runs;
  GArray *poses; /* gsize: of each run, its first row */
  guint64 index; /* of the next sample */
} Cut;

static double at(const AioRecording *r, const double *column, gsize row, gsize joint) {
  return column[joint * r->rows + row];
}

/* ---- stretches ---- */

static bool is_same_pose(const AioRecording *r, gsize a, gsize b, gsize joint) {
  for (gsize j = 0; j < r->n; j++) {
    const double moved = fabs(at(r, r->q, a, j) - at(r, r->q, b, j));
    if (j != joint && !(moved <= (r->type[j] == ARM_JOINT_R ? HELD_RAD : HELD_M)))
      return false;
  }
  return true;
}

static bool is_same(const AioRecording *r, const Stretch *s, gsize row) {
  return (gsize)r->joint[row] == s->joint + 1 && is_same_pose(r, s->first, row, s->joint);
}

/* A gap in time also counts between rows in which nothing moves. */
static bool is_gap(const Cut *cut, gsize row) {
  return row > 0 && cut->r->t[row] - cut->r->t[row - 1] > cut->gap_s;
}

/* ---- speed ---- */

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Of |qd| of the rows faster than `least`; 0 without any. */
static double median_speed(const AioRecording *r, const Stretch *s, double least) {
  GArray *speeds = g_array_new(FALSE, FALSE, sizeof(double));
  for (gsize row = s->first; row < s->end; row++) {
    const double speed = fabs(at(r, r->qd, row, s->joint));
    if ((gsize)r->joint[row] == s->joint + 1 && speed > least)
      g_array_append_val(speeds, speed);
  }
  g_array_sort(speeds, compare);
  const double median = speeds->len ? g_array_index(speeds, double, speeds->len / 2) : 0.0;
  g_array_unref(speeds);
  return median;
}

/* As an earlier sweep of the joint, if it was about as fast: noise makes no two medians equal. */
static double common_speed(const Cut *cut, gsize joint, double speed) {
  for (guint k = 0; k < cut->runs->len; k++) {
    const AseRun *run = cut->runs->pdata[k];
    if (run->joint == joint + 1 && fabs(run->speed - speed) <= SAME_SPEED * run->speed)
      return run->speed;
  }
  return speed;
}

/* ---- runs ---- */

static guint find_hold(const Cut *cut, const Stretch *s) {
  guint last = 0;
  for (guint k = 0; k < cut->runs->len; k++) {
    const AseRun *run = cut->runs->pdata[k];
    if (run->joint != s->joint + 1)
      continue;
    if (is_same_pose(cut->r, g_array_index(cut->poses, gsize, k), s->first, s->joint))
      return run->hold;
    last = MAX(last, run->hold);
  }
  return last + 1;
}

/* What comes before the row was recorded, whether or not it is kept: nothing is missing there. */
static bool is_continued(const Cut *cut, gsize row) {
  return row > 0 && arm_filter_is_continued(cut->r->t, row, cut->step);
}

static void get_sample(const AioRecording *r, gsize row, AioSample *sample) {
  sample->t_us = (guint64)llround(1e6 * (r->t[row] - r->t[0]));
  sample->t_host_ns = (gint64)sample->t_us * 1000;
  sample->flags = AIO_SAMPLE_DRIVES_ON | AIO_SAMPLE_ARMED | AIO_SAMPLE_ESTOP_CLOSED;
  sample->joint = (guint8)r->joint[row];
  for (gsize j = 0; j < r->n; j++) {
    sample->q[j] = at(r, r->q, row, j);
    sample->qd[j] = at(r, r->qd, row, j);
    sample->current[j] = at(r, r->current, row, j);
  }
}

/* It has room for many. */
static void pack_last(GPtrArray *chunks) {
  if (chunks->len)
    chunks->pdata[chunks->len - 1] = aio_chunk_pack(chunks->pdata[chunks->len - 1]);
}

/* Of however slow a recording: as many in one chunk as there is room for. */
static void add_sample(Cut *cut, GPtrArray *chunks, const AioSample *sample) {
  AioChunk *last = chunks->len ? chunks->pdata[chunks->len - 1] : NULL;
  if (!last || !aio_chunk_append(last, sample, sample->t_host_ns)) {
    last = aio_chunk_new((guint)cut->r->n, cut->index);
    g_ptr_array_add(chunks, last);
    aio_chunk_append(last, sample, sample->t_host_ns);
  }
  cut->index++;
}

/* Noise of a speed that was taken for a motion goes nowhere. */
static bool goes_somewhere(const AioRecording *r, const Stretch *s) {
  double low = INFINITY, high = -INFINITY;
  for (gsize row = s->first; row < s->end; row++) {
    low = fmin(low, at(r, r->q, row, s->joint));
    high = fmax(high, at(r, r->q, row, s->joint));
  }
  return high - low > (r->type[s->joint] == ARM_JOINT_R ? HELD_RAD : HELD_M);
}

static void add_run(Cut *cut, const Stretch *s, double speed) {
  const AseLeg leg = {.purpose = ASE_PURPOSE_MEASURE,
                      .sweeps = true,
                      .joint = (guint)s->joint + 1,
                      .hold = find_hold(cut, s),
                      .speed_R = common_speed(cut, s->joint, speed)};
  AseRun *run = ase_run_new(&leg, (gint64)cut->runs->len + 1);
  AioSample *sample = g_new0(AioSample, 1);
  run->is_imported = run->is_complete = true;
  run->outcome = g_strdup(ASE_OUTCOME_DONE);
  for (gsize row = s->first; row < s->end; row++) {
    if ((gsize)cut->r->joint[row] != s->joint + 1)
      continue;
    const bool is_kept = row > s->first && cut->r->joint[row - 1] == cut->r->joint[row];
    get_sample(cut->r, row, sample);
    if (!is_kept && is_continued(cut, row))
      sample->flags |= AIO_SAMPLE_CUT;
    add_sample(cut, run->chunks, sample);
  }
  pack_last(run->chunks);
  g_free(sample);
  g_ptr_array_add(cut->runs, run);
  g_array_append_val(cut->poses, s->first);
}

/* The end of the pass that begins at s->first: where the joint has turned round. */
static gsize find_turn(const AioRecording *r, const Stretch *s, double least) {
  int direction = 0;
  gsize turn = s->first;
  for (gsize row = s->first; row < s->end; row++) {
    const double qd = at(r, r->qd, row, s->joint);
    const int now = qd > least ? 1 : qd < -least ? -1 : 0;
    if (now * direction < 0)
      return turn;
    if (now)
      direction = now, turn = row + 1;
  }
  return s->end;
}

/* To and fro: two passes of about the same speed, in opposite directions. */
static void add_stretch(Cut *cut, const Stretch *s) {
  const double least = MOVING * median_speed(cut->r, s, 0.0);
  Stretch rest = *s;
  while (rest.first < rest.end && least > 0.0) {
    Stretch to = {rest.first, find_turn(cut->r, &rest, least), s->joint};
    const Stretch after = {to.end, rest.end, s->joint};
    const Stretch fro = {to.end, find_turn(cut->r, &after, least), s->joint};
    const double speed = median_speed(cut->r, &to, least);
    const double back = median_speed(cut->r, &fro, least);
    if (fabs(back - speed) <= SAME_SPEED * speed)
      to.end = fro.end;
    if (speed > 0.0 && goes_somewhere(cut->r, &to))
      add_run(cut, &to, speed);
    rest.first = to.end;
  }
}

static void add_all(Cut *cut) {
  const AioRecording *r = cut->r;
  Stretch s = {0, 0, 0};
  for (gsize row = 0; row < r->rows; row++) {
    const bool moves = r->joint[row] > 0;
    if (s.end > s.first && (is_gap(cut, row) || (moves && !is_same(r, &s, row)))) {
      add_stretch(cut, &s);
      s.end = s.first;
    }
    if (!moves)
      continue;
    if (s.end == s.first)
      s = (Stretch){row, row, (gsize)r->joint[row] - 1};
    s.end = row + 1;
  }
  if (s.end > s.first)
    add_stretch(cut, &s);
}

/* ---- what no fit sees ---- */

static GPtrArray *runs_like(const GPtrArray *runs, const AseRun *like) {
  GPtrArray *same = g_ptr_array_new();
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    if (run->joint == like->joint && run->hold == like->hold)
      g_ptr_array_add(same, runs->pdata[k]);
  }
  return same;
}

/* In the middle of part i of `out`, neither the first nor the last. Passes recorded one by one
 * go to and fro in turn: with odd and even numbers in turn, both are held out. */
static guint index_out(guint n, guint out, guint i, guint hold) {
  const guint k = 1 + (2 * i + 1) * (n - 2) / (2 * out);
  if (n - 2 < 2 * out || (k + i + hold) % 2 == 0)
    return k;
  return k < n - 2 ? k + 1 : k - 1;
}

/* Is it the first of its joint and hold? */
static bool is_new(GHashTable *seen, const AseRun *run) {
  const guint64 key = (guint64)run->joint << 32 | run->hold;
  return g_hash_table_add(seen, g_memdup2(&key, sizeof key));
}

void ase_recorded_hold_out(const GPtrArray *runs, double part) {
  GHashTable *seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  for (guint k = 0; k < runs->len; k++)
    ((AseRun *)runs->pdata[k])->purpose = ASE_PURPOSE_MEASURE;
  for (guint k = 0; k < runs->len; k++) {
    if (!is_new(seen, runs->pdata[k]))
      continue;
    GPtrArray *same = runs_like(runs, runs->pdata[k]);
    const guint n = same->len >= 3 ? same->len : 0;
    const guint out = MIN((guint)(part * n + 0.5), n ? n - 2 : 0);
    for (guint i = 0; i < out; i++) {
      AseRun *run = same->pdata[index_out(n, out, i, ((const AseRun *)runs->pdata[k])->hold)];
      run->purpose = ASE_PURPOSE_VALIDATE;
    }
    g_ptr_array_unref(same);
  }
  g_hash_table_unref(seen);
}

static bool has_currents(const AioRecording *r, GError **error) {
  for (gsize j = 0; j < r->n; j++)
    if (r->is_torque[j]) {
      aio_error_set_said(
          error, AIO_ERROR_REFUSED,
          N_("%s: joint %zu was recorded as a torque; a session needs motor currents"),
          aio_said_plain(r->name), j + 1);
      return false;
    }
  return true;
}

GPtrArray *ase_recorded_runs(const AioRecording *r, double held_out, GError **error) {
  double step;
  if (!has_currents(r, error))
    return NULL;
  if (arm_filter_median_step(r->rows, r->t, &step) != ARM_OK) {
    aio_error_set_said(error, AIO_ERROR_MEMORY, "%s: %s", aio_said_plain(r->name),
                       ase_status_said(ARM_E_MEMORY));
    return NULL;
  }
  Cut cut = {.r = r,
             .step = step,
             .gap_s = fmax(GAP_S, isnan(step) ? 0.0 : GAP_STEPS * step),
             .runs = g_ptr_array_new_with_free_func((GDestroyNotify)ase_run_unref),
             .poses = g_array_new(FALSE, FALSE, sizeof(gsize))};
  add_all(&cut);
  g_array_unref(cut.poses);
  if (!cut.runs->len) {
    g_ptr_array_unref(cut.runs);
    aio_error_set_said(error, AIO_ERROR_NOT_FOUND,
                       N_("%s: in no row a joint moves by itself, so that nothing can be fitted"),
                       aio_said_plain(r->name));
    return NULL;
  }
  ase_recorded_hold_out(cut.runs, held_out);
  return cut.runs;
}
