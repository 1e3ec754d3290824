/* SPDX-License-Identifier: MIT */
/* Residuals of one joint into statistics, and which of them are drawn as points. */
#include <math.h>

#include "session/method/swept_internal.h"
#include "session/method/swept_statistics.h"

#define MAD_SD     1.4826 /* sd of normal noise over its median size */
#define REACH_SD   8.0
#define REACH_PART 0.99

/* Within which most of them are. */
static bool find_reach(AseSweptWork *work, double *reach) {
  double middle, most;
  *reach = NAN;
  if (work->used == 0)
    return true;
  if (!aio_spool_rank(work->sizes, work->used / 2, &middle, NULL) ||
      !aio_spool_rank(work->sizes, (gsize)(REACH_PART * (double)(work->used - 1)), &most, NULL))
    return false;
  *reach = fmax(REACH_SD * MAD_SD * middle, most);
  return true;
}

/* ---- points ---- */

/* Of every block of near ones, neighbours in time, the lowest and the highest, and the first far
 * ones. */
typedef struct {
  AseSweptWork *work;
  double reach;
  gsize number, near, block, in_block;
  AseSweptChosen low, high; /* of the block that is open */
} Choice;

static void count_near(double residual, void *data) {
  Choice *choice = data;
  choice->near += fabs(residual) > choice->reach ? 0 : 1;
}

static void end_block(Choice *c) {
  const bool is_low_first = c->low.number <= c->high.number;
  const AseSweptChosen first = is_low_first ? c->low : c->high;
  const AseSweptChosen last = is_low_first ? c->high : c->low;
  g_array_append_val(c->work->points, first);
  if (first.number != last.number)
    g_array_append_val(c->work->points, last);
  c->in_block = 0;
}

static void choose(double residual, void *data) {
  Choice *c = data;
  const AseSweptChosen row = {c->number++, residual};
  if (fabs(residual) > c->reach) {
    if (c->work->far->len < ASE_SWEPT_FAR)
      g_array_append_val(c->work->far, row);
    return;
  }
  if (c->in_block == 0 || residual < c->low.residual)
    c->low = row;
  if (c->in_block == 0 || residual > c->high.residual)
    c->high = row;
  if (++c->in_block == c->block)
    end_block(c);
}

static bool choose_points(AseSweptWork *work, double reach) {
  Choice choice = {.work = work, .reach = reach};
  if (!aio_spool_each(work->residuals, count_near, &choice, NULL))
    return false;
  choice.block = MAX(2 * choice.near / ASE_SWEPT_POINTS, 1);
  if (!aio_spool_each(work->residuals, choose, &choice, NULL))
    return false;
  if (choice.in_block)
    end_block(&choice);
  return true;
}

/* ---- statistics ---- */

typedef struct {
  const AseSweptWork *work;
  AseSweptJoint *joint;
  AseCorrelation *correlation;
  gsize number;
  guint next; /* of the breaks */
} Telling;

static void tell(double residual, void *data) {
  Telling *t = data;
  const GArray *breaks = t->work->breaks;
  const double most = 4.0 * t->joint->sd;
  while (t->next < breaks->len && g_array_index(breaks, gsize, t->next) == t->number) {
    ase_correlation_add(t->correlation, (double)NAN);
    t->next++;
  }
  ase_correlation_add(t->correlation, residual);
  ase_histogram_add(residual, -most, most, ASE_SWEPT_HISTOGRAM, t->joint->histogram);
  t->number++;
}

static bool tell_all(AseSweptWork *work, AseSweptJoint *joint) {
  if (!work->used || !(joint->sd > 0.0))
    return true;
  const double mean = work->finite ? work->sum_finite / (double)work->finite : 0.0;
  Telling telling = {
      .work = work, .joint = joint, .correlation = ase_correlation_new(ASE_SWEPT_LAGS, mean)};
  const bool ok = aio_spool_each(work->residuals, tell, &telling, NULL);
  ase_correlation_end(telling.correlation, joint->correlation);
  return ok;
}

bool ase_swept_summarise(AseSweptWork *work) {
  AseSweptJoint *joint = &work->data->joint[work->joint - 1];
  joint->mean = work->used ? work->sum / (double)work->used : (double)NAN;
  return find_reach(work, &joint->reach) && choose_points(work, joint->reach) &&
         tell_all(work, joint);
}
