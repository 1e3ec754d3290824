/* SPDX-License-Identifier: MIT */
/* What is left of the currents, in their order: how large it is, and how far noise that
 * neighbouring samples share widens every sd. Lags are added up a few at a time, since white noise
 * has none to tell; what came out of the rows is kept, without a shelf while it is not too much. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/filter.h"
#include "core/sweeps/ident_internal.h"
#include "core/sweeps/sums_internal.h"

enum {
  MAX_LAG = ARM_SUMS_FARTHEST, /* samples; correlations inside their own noise end the sum long
                                  before, at 1 kHz it is a second */
  FIRST_LAGS = 4,              /* of the first pass */
  MORE_LAGS = 4,               /* times as many after each further one */
  HISTORY = 4 * MAX_LAG,
  KEPT = 1 << 20 /* residuals in memory; where there are more they are made again */
};

#define KEPT_BYTES (sizeof(double) + 1) /* of one */

/* Sums over pairs of residuals inside a sweep, by their lag. */
typedef struct {
  double product[MAX_LAG + 1], early[MAX_LAG + 1], late[MAX_LAG + 1];
  size_t pairs[MAX_LAG + 1];
  double before[HISTORY]; /* of this sweep, the newest at `newest` */
  size_t newest, count;
} Lags;

typedef struct {
  const ArmIdent *ident;
  size_t joint;
  const double *c;
  Lags *lags;            /* owned */
  double *kept;          /* owned, on the shelf: all residuals; NULL: too many */
  unsigned char *starts; /* behind kept: a sweep begins */
  size_t first, last;    /* lags of this pass */
  size_t rows;           /* seen */
  double y_mean, y_m2, rss, max_abs;
} Residuals;

/* A row of the joint right after another one: the sweep goes on. */
static bool continues(const Residuals *s, const ArmWindow *window, size_t r) {
  const ArmDataset *data = &window->data;
  const double *qd = data->qd + s->joint * data->rows;
  return r > 0 && window->use[r - 1] == ARM_ROW_USED && data->joint[r - 1] == data->joint[r] &&
         qd[r] * qd[r - 1] > 0.0 && arm_filter_is_continued(data->t, r, s->ident->median_step);
}

static double residual_at(Residuals *s, const ArmDataset *data, size_t r) {
  double row[ARM_IDENT_MAX_COLUMNS];
  const double y = arm_ident_fetch(s->ident, data, s->joint, r, row);
  double residual = y;
  for (size_t j = 0; j < s->ident->rows[s->joint].columns; j++)
    residual -= row[j] * s->c[j];
  const double step = y - s->y_mean;
  s->y_mean += step / (double)++s->rows;
  s->y_m2 += step * (y - s->y_mean);
  return residual;
}

static void add_lags(Residuals *s, double value, bool starts) {
  Lags *lags = s->lags;
  if (starts)
    lags->count = 0;
  if (lags->newest == 0) {
    const size_t count = lags->count < MAX_LAG ? lags->count : MAX_LAG;
    memcpy(lags->before + HISTORY - count, lags->before, count * sizeof *lags->before);
    lags->newest = HISTORY - count;
  }
  double *before = lags->before + --lags->newest;
  const size_t most = lags->count < s->last ? lags->count : s->last;
  before[0] = value;
  for (size_t k = s->first; k <= most; k++) {
    lags->product[k] += value * before[k];
    lags->early[k] += before[k] * before[k];
    lags->late[k] += value * value;
    lags->pairs[k]++;
  }
  lags->count++;
}

static void begin_pass(Residuals *s, size_t first, size_t last) {
  s->first = first;
  s->last = last;
  s->lags->count = 0;
  s->lags->newest = HISTORY;
}

static ArmStatus pass_rows(Residuals *s) {
  ArmRowWalk walk = arm_row_walk(s->ident->windows, s->joint);
  s->rows = 0;
  s->y_mean = s->y_m2 = s->rss = s->max_abs = 0.0;
  while (arm_row_walk_next(&walk)) {
    const bool starts = !continues(s, walk.window, walk.row);
    const double residual = residual_at(s, &walk.window->data, walk.row);
    s->rss += residual * residual;
    s->max_abs = fmax(s->max_abs, fabs(residual));
    add_lags(s, residual, starts);
    if (s->kept) {
      s->kept[s->rows - 1] = residual;
      s->starts[s->rows - 1] = starts;
      arm_shelf_saw(s->ident->shelf, KEPT_BYTES);
    }
  }
  return walk.status;
}

static ArmStatus pass_more(Residuals *s, size_t first, size_t last) {
  begin_pass(s, first, last);
  if (!s->kept)
    return pass_rows(s);
  for (size_t k = 0; k < s->rows; k++) {
    add_lags(s, s->kept[k], s->starts[k]);
    arm_shelf_saw(s->ident->shelf, KEPT_BYTES);
  }
  return ARM_OK;
}

/* correlation of residuals so many samples apart within sweeps; NAN without such pairs */
static double correlation(const Lags *lags, size_t k) {
  return lags->early[k] > 0.0 && lags->late[k] > 0.0
             ? lags->product[k] / sqrt(lags->early[k]) / sqrt(lags->late[k])
             : (double)NAN;
}

bool arm_ident_is_told(double correlation, double pairs) {
  return pairs >= ARM_IDENT_LEAST_PAIRS && correlation >= ARM_IDENT_TOLD / sqrt(pairs);
}

double arm_ident_widening(double lag1, double sum) {
  const double rho = fmin(lag1, ARM_IDENT_MOST_LAG1);
  return sqrt(fmax((1.0 + rho) / (1.0 - rho), 1.0 + 2.0 * sum));
}

static bool is_told(const Lags *lags, size_t k) {
  return arm_ident_is_told(correlation(lags, k), (double)lags->pairs[k]);
}

static ArmStatus find_widening(Residuals *s, double *widening) {
  const double lag1 = correlation(s->lags, 1);
  double sum = lag1;
  *widening = 1.0;
  if (!is_told(s->lags, 1))
    return ARM_OK;
  for (size_t lag = 2; lag <= MAX_LAG; lag++) {
    const size_t most = MORE_LAGS * s->last < MAX_LAG ? MORE_LAGS * s->last : MAX_LAG;
    const ArmStatus status = lag > s->last ? pass_more(s, lag, most) : ARM_OK;
    if (status != ARM_OK)
      return status;
    if (!is_told(s->lags, lag))
      break;
    sum += correlation(s->lags, lag);
  }
  *widening = arm_ident_widening(lag1, sum);
  return ARM_OK;
}

static ArmStatus allocate(Residuals *s, size_t rows) {
  ArmStatus status = ARM_OK;
  s->lags = calloc(1, sizeof *s->lags);
  if (!s->lags)
    return ARM_E_MEMORY;
  if (rows > KEPT && !s->ident->shelf)
    return ARM_OK;
  s->kept = arm_shelf_take(s->ident->shelf, rows + 1, KEPT_BYTES, &status);
  s->starts = s->kept ? (unsigned char *)(s->kept + rows + 1) : NULL;
  return status;
}

ArmStatus arm_ident_residuals(const ArmIdent *ident, size_t joint, const double *c,
                              ArmIdentStats *stats) {
  const size_t rows = ident->rows[joint].rows;
  Residuals s = {.ident = ident, .joint = joint, .c = c};
  double widening;
  if (ident->is_of_sums[joint])
    return arm_sums_residuals(ident, joint, c, stats);
  ArmStatus status = allocate(&s, rows);
  if (status == ARM_OK && rows > 0) { /* a design has none */
    begin_pass(&s, 1, FIRST_LAGS);
    status = pass_rows(&s);
  }
  if (status == ARM_OK)
    status = find_widening(&s, &widening);
  if (status == ARM_OK) {
    stats->max_abs = rows > 0 ? s.max_abs : (double)NAN;
    stats->r2 = s.y_m2 > 0.0 ? 1.0 - s.rss / s.y_m2 : (double)NAN;
    stats->lag1 = correlation(s.lags, 1);
    stats->widening = widening;
  }
  free(s.lags);
  arm_shelf_give(ident->shelf, s.kept);
  return status;
}
