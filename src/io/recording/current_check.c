/* SPDX-License-Identifier: MIT */
/* What cannot be fitted is refused before the fit: a current that is logged late or without its
 * sign can fit well and give wrong parameters. Each rule has its exception for an honest channel
 * that looks alike: coarse steps, a joint whose load never changes its sign. */
#include "io/recording/current_check.h"

#include <math.h>

#include "core/num/filter.h"
#include "io/base/safe_text.h"
#include "io/recording/current_sign.h"

/* A joint moves when it is faster than this (core/data/dataset.h) and than a tenth of its own
 * highest speed. */
#define MOVING_R_RAD_S 0.005
#define MOVING_T_M_S   0.0005
#define MOVING_PART    0.1

/* Quantised: four of five changes are at most two quanta (and rounding). With these a UR10e,
 * refreshed every 10.7 ms, is accepted, and an STS3215 with one value for 0.8 s refused. */
#define QUANTISED_PART    0.8
#define QUANTISED_STEPS   2.5
#define QUANTUM_TOLERANCE 0.05

/* Changes of the value, from row to row of one stretch of motion (within) and over a rest, a
 * reversal or a gap (across). */
typedef struct {
  gsize pairs, within, across;
  double moving_s, least; /* least: the smallest change */
  double last, last_t;    /* value and time of the last row in motion */
  bool is_same_stretch;
  double quantum; /* 0: not known yet, what follows is not counted */
  gsize small;    /* within, of two quanta at most */
  bool are_multiples;
} Refresh;

/* A joint, while its rows go by several times. */
typedef struct {
  AioMotion rows;
  double top, median_step;
  Refresh refresh;
  double low, high;
  bool moves[2];
  AioSignScan sign;
  AioFreezeScan freeze;
  AioCurrentQuality quality;
  bool is_judged; /* moves for long enough, and changes at all */
  bool is_quantised;
} Judge;

typedef struct {
  const AioRecording *about;
  const ArmRowSource *source;
  gsize first, end; /* joints */
  Judge judge[ARM_MAX_JOINTS];
} Judging;

static bool is_moving(const AioMotion *m, gsize row) {
  return fabs(m->qd[row]) > m->min_speed;
}

/* ---- one pass over some rows each ---- */

static void find_top(Judge *judge, const AioMotion *m) {
  for (gsize row = m->begin; row < m->end; row++)
    if (fabs(m->qd[row]) > judge->top)
      judge->top = fabs(m->qd[row]);
}

static void note_change(Refresh *r, double step) {
  if (r->quantum > 0) {
    const double multiple = step / r->quantum;
    r->small += r->is_same_stretch && step <= QUANTISED_STEPS * r->quantum;
    r->are_multiples = r->are_multiples && !(fabs(multiple - round(multiple)) > QUANTUM_TOLERANCE);
  }
  r->least = fmin(r->least, step);
  if (r->is_same_stretch)
    r->within++;
  else
    r->across++;
}

/* Goes through the stretches of motion; a row without a value neither changes nor repeats it. */
static void watch_refresh(Judge *judge, const AioMotion *m) {
  Refresh *r = &judge->refresh;
  for (gsize row = m->begin; row < m->end; row++) {
    const bool is_continued = row > 0 && arm_filter_is_continued(m->t, row, judge->median_step);
    r->is_same_stretch = r->is_same_stretch && is_moving(m, row) && is_continued;
    if (!is_moving(m, row) || isnan(m->i[row]))
      continue;
    const double step = fabs(m->i[row] - r->last);
    if (r->is_same_stretch) {
      r->pairs++;
      r->moving_s += m->t[row] - r->last_t;
    }
    if (step > 0)
      note_change(r, step);
    r->last = m->i[row];
    r->last_t = m->t[row];
    r->is_same_stretch = true;
  }
}

static void watch_sign(Judge *judge, const AioMotion *m) {
  for (gsize row = m->begin; row < m->end; row++) {
    if (!isnan(m->i[row])) {
      judge->low = fmin(judge->low, m->i[row]);
      judge->high = fmax(judge->high, m->i[row]);
    }
    if (is_moving(m, row))
      judge->moves[m->qd[row] > 0] = true;
  }
  aio_sign_scan_range(&judge->sign, m);
}

static void watch(Judge *judge, const AioMotion *m) {
  watch_refresh(judge, m);
  watch_sign(judge, m);
}

static void compare(Judge *judge, const AioMotion *m) {
  if (judge->is_judged)
    watch_refresh(judge, m);
  if (judge->quality.has_one_sign)
    aio_sign_scan_ways(&judge->sign, m);
}

static void watch_freeze(Judge *judge, const AioMotion *m) {
  if (judge->freeze.counts)
    aio_freeze_scan_rows(&judge->freeze, m);
}

/* ---- what follows from each ---- */

static void set_min_speed(Judge *judge, ArmJointType type) {
  const double least = type == ARM_JOINT_R ? MOVING_R_RAD_S : MOVING_T_M_S;
  judge->rows.min_speed = fmax(least, MOVING_PART * judge->top);
}

static Refresh refresh_new(double quantum) {
  return (Refresh){.last = NAN, .least = INFINITY, .quantum = quantum, .are_multiples = true};
}

static void judge_motion(Judge *judge) {
  AioCurrentQuality *quality = &judge->quality;
  const Refresh *r = &judge->refresh;
  const gsize changes = r->within + r->across;
  quality->moving_s = r->moving_s;
  quality->sampling_s = r->pairs > 0 ? r->moving_s / (double)r->pairs : NAN;
  quality->refresh_s = changes > 0 ? r->moving_s / (double)changes : INFINITY;
  judge->is_judged = r->moving_s >= AIO_CURRENT_MIN_S && changes > 0;
  quality->is_constant = r->moving_s >= AIO_CURRENT_MIN_S && changes == 0;
  quality->has_one_sign = judge->is_judged && judge->moves[0] && judge->moves[1] &&
                          (judge->low >= 0 || judge->high <= 0);
  if (judge->is_judged)
    judge->refresh = refresh_new(r->least);
}

/* All changes are multiples of one quantum, and in motion most are of one or two. */
static bool is_quantised(const Refresh *r) {
  return (r->within + r->across > 1 || r->within == 0) &&
         (double)r->small >= QUANTISED_PART * (double)r->within && r->are_multiples;
}

static void judge_refresh(Judge *judge) {
  AioCurrentQuality *quality = &judge->quality;
  quality->is_unsigned = quality->has_one_sign && aio_sign_is_magnitude(&judge->sign);
  if (!judge->is_judged)
    return;
  judge->is_quantised = is_quantised(&judge->refresh);
  quality->is_stale = quality->refresh_s > AIO_CURRENT_STALE_S &&
                      quality->refresh_s > AIO_CURRENT_STALE_SAMPLES * quality->sampling_s &&
                      !judge->is_quantised;
  if (!quality->is_stale)
    aio_freeze_scan_init(&judge->freeze, judge->median_step, judge->is_quantised);
}

/* ---- all of it ---- */

static AioMotion rows_of(const Judging *all, gsize joint, gsize k, const ArmDataset *view) {
  const ArmRowSource *source = all->source;
  const gsize at = joint * view->rows, left = source->rows - k * source->width;
  AioMotion rows = all->judge[joint].rows;
  rows.begin = k > 0 ? ARM_WINDOW_MARGIN : 0;
  rows.end = rows.begin + MIN(source->width, left);
  rows.joint = view->joint;
  rows.t = view->t;
  rows.q = view->q + at;
  rows.qd = view->qd + at;
  rows.i = view->current + at;
  return rows;
}

static bool pass(Judging *all, void (*each)(Judge *judge, const AioMotion *rows)) {
  const ArmRowSource *source = all->source;
  ArmDataset view;
  for (gsize k = 0; k * source->width < source->rows; k++) {
    if (source->read(source->user, k, &view) != ARM_OK)
      return false;
    for (gsize joint = all->first; joint < all->end; joint++) {
      if (!all->about->has_current[joint])
        continue;
      const AioMotion rows = rows_of(all, joint, k, &view);
      each(&all->judge[joint], &rows);
    }
  }
  return true;
}

static void judging_init(Judging *all) {
  for (gsize joint = all->first; joint < all->end; joint++) {
    Judge *judge = &all->judge[joint];
    *judge = (Judge){.rows.own = (int)joint + 1,
                     .median_step = all->source->median_step,
                     .refresh = refresh_new(0),
                     .low = INFINITY,
                     .high = -INFINITY,
                     .quality = {.sampling_s = NAN, .refresh_s = INFINITY}};
    aio_sign_scan_init(&judge->sign);
  }
}

/* Qualities of the joints. false: the source cannot be read. */
static bool judge_all(Judging *all) {
  judging_init(all);
  if (!pass(all, find_top))
    return false;
  for (gsize joint = all->first; joint < all->end; joint++)
    set_min_speed(&all->judge[joint], all->about->type[joint]);
  if (!pass(all, watch))
    return false;
  for (gsize joint = all->first; joint < all->end; joint++)
    if (all->about->has_current[joint])
      judge_motion(&all->judge[joint]);
  if (!pass(all, compare))
    return false;
  for (gsize joint = all->first; joint < all->end; joint++)
    judge_refresh(&all->judge[joint]);
  const bool is_read = pass(all, watch_freeze);
  for (gsize joint = all->first; joint < all->end; joint++)
    if (all->judge[joint].freeze.counts)
      all->judge[joint].quality.freeze = aio_freeze_scan_end(&all->judge[joint].freeze);
  return is_read;
}

/* ---- a recording in memory is one window ---- */

static ArmStatus read_whole(void *user, size_t k, ArmDataset *view) {
  (void)k;
  *view = aio_recording_dataset(user);
  return ARM_OK;
}

static bool open_whole(const AioRecording *recording, ArmRowSource *source, GError **error) {
  *source = (ArmRowSource){.n = recording->n,
                           .rows = recording->rows,
                           .width = MAX(recording->rows, 1),
                           .read = read_whole,
                           .user = (void *)recording};
  if (arm_filter_median_step(recording->rows, recording->t, &source->median_step) == ARM_OK)
    return true;
  aio_error_set_at(error, AIO_ERROR_MEMORY, recording->name, 0, 0, NULL, NULL,
                   "too large for the memory");
  return false;
}

bool aio_current_measure(const AioRecording *recording, gsize joint, AioCurrentQuality *quality,
                         GError **error) {
  ArmRowSource source;
  if (!open_whole(recording, &source, error))
    return false;
  Judging *all = g_new0(Judging, 1);
  all->about = recording;
  all->source = &source;
  all->first = joint;
  all->end = joint + 1;
  judge_all(all);
  *quality = all->judge[joint].quality;
  g_free(all);
  return true;
}

/* ---- what is said of it ---- */

static void append_seconds(GString *text, double seconds) {
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append(text, g_ascii_formatd(number, sizeof number, "%.3g", seconds));
}

static void explain_freeze(const AioFreeze *freeze, const char *what, GString *text) {
  g_string_append_printf(text, "the %s keeps one value from t = ", what);
  append_seconds(text, freeze->from_s);
  g_string_append(text, " s to ");
  append_seconds(text, freeze->to_s);
  g_string_append(text,
                  " s while the joint moves: did the drive stop sending it? cut that part off "
                  "or record again");
}

static void explain(const AioRecording *recording, gsize joint, const AioCurrentQuality *quality,
                    GString *text) {
  const char *what = recording->is_torque[joint] ? "torque" : "current";
  char *name = aio_text_visible(recording->name, false);
  g_string_append_printf(text, "%s%s: joint %" G_GSIZE_FORMAT ": ", text->len > 0 ? "\n" : "", name,
                         joint + 1);
  g_free(name);
  if (quality->is_constant) {
    g_string_append_printf(text, "the %s is constant during ", what);
    append_seconds(text, quality->moving_s);
    g_string_append(text, " s of motion: was another channel logged, or the drive not asked?");
  }
  if (quality->is_stale) {
    g_string_append_printf(text, "the %s is stale, it changes only every ", what);
    append_seconds(text, quality->refresh_s);
    g_string_append(text, " s though sampled every ");
    append_seconds(text, quality->sampling_s);
    g_string_append(text, " s: have the drive refresh it faster");
    if (quality->has_one_sign && !quality->is_unsigned)
      g_string_append(text, "; and it never changes sign although the joint moves both ways: is it "
                            "unsigned?");
  }
  if (quality->freeze.moving_s > 0)
    explain_freeze(&quality->freeze, what, text);
  if (quality->is_unsigned)
    g_string_append_printf(text,
                           "%sthe %s is unsigned, it never changes sign although the joint moves "
                           "both ways: log the signed value",
                           quality->is_stale || quality->freeze.moving_s > 0 ? "; " : "", what);
}

static bool is_bad(const AioCurrentQuality *quality) {
  return quality->is_constant || quality->is_stale || quality->is_unsigned ||
         quality->freeze.moving_s > 0;
}

bool aio_current_check_rows(const AioRecording *about, const ArmRowSource *source, GError **error) {
  GString *text = g_string_new(NULL);
  Judging *all = g_new0(Judging, 1);
  all->about = about;
  all->source = source;
  all->end = about->n;
  const bool is_read = judge_all(all);
  for (gsize joint = 0; is_read && joint < about->n; joint++)
    if (is_bad(&all->judge[joint].quality))
      explain(about, joint, &all->judge[joint].quality, text);
  const bool is_good = is_read && text->len == 0;
  if (is_read && !is_good)
    g_set_error_literal(error, AIO_ERROR, AIO_ERROR_REFUSED, text->str);
  g_string_free(text, TRUE);
  g_free(all);
  return is_good;
}

bool aio_current_check(const AioRecording *recording, GError **error) {
  ArmRowSource source;
  return open_whole(recording, &source, error) && aio_current_check_rows(recording, &source, error);
}
