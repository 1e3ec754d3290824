/* SPDX-License-Identifier: MIT */
#include "io/recording/motion_hole.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdlib.h>

#include "io/base/said.h"

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* NAN: out of memory. */
static double median_step(const AioMotionTable *m) {
  const gsize steps = m->rows - 1;
  double *step = g_try_new(double, steps);
  for (gsize k = 0; step && k < steps; k++)
    step[k] = m->t[k + 1] - m->t[k];
  if (step)
    qsort(step, steps, sizeof *step, compare);
  const double median = step ? step[steps / 2] : (double)NAN;
  g_free(step);
  return median;
}

static bool rests_over(const AioMotionTable *m, gsize row) {
  for (gsize j = 0; j < m->n; j++) {
    const double *q = m->q + row + j * m->rows, *qd = m->qd + row + j * m->rows;
    if (fabs(qd[0]) > AIO_MOTION_REST || fabs(qd[1]) > AIO_MOTION_REST ||
        fabs(q[1] - q[0]) > AIO_HOLE_APART)
      return false;
  }
  return true;
}

bool aio_motion_find_hole(const AioMotionTable *motion, AioMotionHole *hole) {
  gsize holes = 0;
  if (!motion->line || motion->rows < 2)
    return false;
  *hole = (AioMotionHole){.usual_s = median_step(motion)};
  for (gsize row = 0; row + 1 < motion->rows; row++) {
    const double step_s = motion->t[row + 1] - motion->t[row];
    if (!(step_s > AIO_HOLE_STEPS * hole->usual_s) || rests_over(motion, row))
      continue;
    if (step_s > hole->step_s) {
      hole->row = row;
      hole->step_s = step_s;
    }
    holes++;
  }
  hole->others = holes ? holes - 1 : 0;
  return holes > 0;
}

char *aio_motion_hole_said(const AioMotionTable *motion) {
  AioMotionHole hole;
  if (!aio_motion_find_hole(motion, &hole))
    return NULL;
  char *worst = aio_said(
      /* TRANSLATORS: a file, its line, a time in it, how far it is to the next row, and usually */
      N_("%s:%u: at %.12g s, %.4g s to the next row, where rows are %.4g s apart: what is between "
         "is a guess"),
      aio_said_plain(motion->name), motion->line[hole.row], motion->t[hole.row], hole.step_s,
      hole.usual_s);
  if (hole.others == 0)
    return worst;
  /* TRANSLATORS: the sentence about the longest such step, and how many more there are */
  char *all = aio_said_many("%s; and %zu more", "%s; and %zu more", worst, hole.others);
  g_free(worst);
  return all;
}
