/* SPDX-License-Identifier: MIT */
/* What cannot be fitted is refused before the fit: a current that is logged late or without its
 * sign can fit well and give wrong parameters. Each rule has its exception for an honest channel
 * that looks alike: coarse steps, a joint whose load never changes its sign. */
#include "io/recording/current_check.h"

#include <math.h>

#include "core/num/filter.h"
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

typedef struct {
  AioMotion motion;
  double median_step;
} Channel;

static bool is_moving(const Channel *c, gsize row) {
  return fabs(c->motion.qd[row]) > c->motion.min_speed;
}

static bool channel_init(const AioRecording *recording, gsize joint, Channel *c, GError **error) {
  const gsize at = joint * recording->rows;
  AioMotion *m = &c->motion;
  *m = (AioMotion){.rows = recording->rows,
                   .joint = recording->joint,
                   .own = (int)joint + 1,
                   .t = recording->t,
                   .q = recording->q + at,
                   .qd = recording->qd + at,
                   .i = recording->current + at};
  double top = 0;
  for (gsize row = 0; row < m->rows; row++) {
    if (fabs(m->qd[row]) > top)
      top = fabs(m->qd[row]);
  }
  const bool rotates = recording->type[joint] == ARM_JOINT_R;
  m->min_speed = fmax(rotates ? MOVING_R_RAD_S : MOVING_T_M_S, MOVING_PART * top);
  if (arm_filter_median_step(m->rows, m->t, &c->median_step) == ARM_OK)
    return true;
  aio_error_set_at(error, AIO_ERROR_MEMORY, recording->name, 0, 0, NULL, NULL,
                   "too large for the memory");
  return false;
}

typedef struct {
  gsize pairs;
  double moving_s;
  GArray *within; /* double: |change| from row to row of one stretch of motion */
  GArray *across; /* double: |change| over a rest, a reversal or a gap */
} Refresh;

/* Goes through the stretches of motion; a row without a value neither changes nor repeats it. */
static void watch_refresh(const Channel *c, Refresh *refresh) {
  const AioMotion *m = &c->motion;
  double last = NAN, last_t = 0;
  bool is_same_stretch = false;
  for (gsize row = 0; row < m->rows; row++) {
    const bool is_continued = row > 0 && arm_filter_is_continued(m->t, row, c->median_step);
    is_same_stretch = is_same_stretch && is_moving(c, row) && is_continued;
    if (!is_moving(c, row) || isnan(m->i[row]))
      continue;
    const double step = fabs(m->i[row] - last);
    if (is_same_stretch) {
      refresh->pairs++;
      refresh->moving_s += m->t[row] - last_t;
    }
    if (step > 0)
      g_array_append_val(is_same_stretch ? refresh->within : refresh->across, step);
    last = m->i[row];
    last_t = m->t[row];
    is_same_stretch = true;
  }
}

static double least_step(const GArray *steps) {
  double least = INFINITY;
  for (guint k = 0; k < steps->len; k++)
    least = fmin(least, g_array_index(steps, double, k));
  return least;
}

static bool are_multiples(const GArray *steps, double quantum) {
  for (guint k = 0; k < steps->len; k++) {
    const double multiple = g_array_index(steps, double, k) / quantum;
    if (fabs(multiple - round(multiple)) > QUANTUM_TOLERANCE)
      return false;
  }
  return true;
}

/* All changes are multiples of one quantum, and in motion most are of one or two. */
static bool is_quantised(const Refresh *refresh) {
  const double quantum = fmin(least_step(refresh->within), least_step(refresh->across));
  const guint total = refresh->within->len + refresh->across->len;
  guint small = 0;
  for (guint k = 0; k < refresh->within->len; k++)
    small += g_array_index(refresh->within, double, k) <= QUANTISED_STEPS * quantum;
  return (total > 1 || refresh->within->len == 0) &&
         small >= QUANTISED_PART * refresh->within->len &&
         are_multiples(refresh->within, quantum) && are_multiples(refresh->across, quantum);
}

static void judge_refresh(const Channel *c, AioCurrentQuality *quality) {
  Refresh refresh = {.within = g_array_new(FALSE, FALSE, sizeof(double)),
                     .across = g_array_new(FALSE, FALSE, sizeof(double))};
  watch_refresh(c, &refresh);
  const guint changes = refresh.within->len + refresh.across->len;
  quality->moving_s = refresh.moving_s;
  quality->sampling_s = refresh.pairs > 0 ? refresh.moving_s / (double)refresh.pairs : NAN;
  quality->refresh_s = changes > 0 ? refresh.moving_s / changes : INFINITY;
  if (quality->moving_s >= AIO_CURRENT_MIN_S) {
    quality->is_constant = changes == 0;
    quality->is_stale = changes > 0 && quality->refresh_s > AIO_CURRENT_STALE_S &&
                        quality->refresh_s > AIO_CURRENT_STALE_SAMPLES * quality->sampling_s &&
                        !is_quantised(&refresh);
    if (changes > 0 && !quality->is_stale)
      quality->freeze = aio_current_find_freeze(&c->motion, c->median_step, is_quantised(&refresh));
  }
  g_array_unref(refresh.within);
  g_array_unref(refresh.across);
}

static void judge_sign(const Channel *c, AioCurrentQuality *quality) {
  const AioMotion *m = &c->motion;
  double low = INFINITY, high = -INFINITY;
  bool moves[2] = {false, false};
  for (gsize row = 0; row < m->rows; row++) {
    if (!isnan(m->i[row])) {
      low = fmin(low, m->i[row]);
      high = fmax(high, m->i[row]);
    }
    if (is_moving(c, row))
      moves[m->qd[row] > 0] = true;
  }
  quality->has_one_sign = moves[0] && moves[1] && (low >= 0 || high <= 0);
  quality->is_unsigned = quality->has_one_sign && aio_current_is_magnitude(m);
}

bool aio_current_measure(const AioRecording *recording, gsize joint, AioCurrentQuality *quality,
                         GError **error) {
  Channel channel;
  if (!channel_init(recording, joint, &channel, error))
    return false;
  *quality = (AioCurrentQuality){.sampling_s = NAN, .refresh_s = INFINITY};
  if (!recording->has_current[joint])
    return true;
  judge_refresh(&channel, quality);
  if (quality->moving_s >= AIO_CURRENT_MIN_S && !quality->is_constant)
    judge_sign(&channel, quality);
  return true;
}

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
  g_string_append_printf(text, "%s%s: joint %" G_GSIZE_FORMAT ": ", text->len > 0 ? "\n" : "",
                         recording->name, joint + 1);
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

bool aio_current_check(const AioRecording *recording, GError **error) {
  GString *text = g_string_new(NULL);
  bool is_measured = true;
  for (gsize joint = 0; is_measured && joint < recording->n; joint++) {
    AioCurrentQuality quality;
    is_measured = aio_current_measure(recording, joint, &quality, error);
    if (is_measured && (quality.is_constant || quality.is_stale || quality.is_unsigned ||
                        quality.freeze.moving_s > 0))
      explain(recording, joint, &quality, text);
  }
  const bool is_good = is_measured && text->len == 0;
  if (is_measured && !is_good)
    g_set_error_literal(error, AIO_ERROR, AIO_ERROR_REFUSED, text->str);
  g_string_free(text, TRUE);
  return is_good;
}
