/* SPDX-License-Identifier: MIT */
#include "core/wild.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/filter.h"

#define MAD_SD     1.4826 /* sd of normal noise over its median deviation */
#define FAR_SD     20.0
#define FAR_PART   0.5  /* of the joint's median |current| */
#define AGREE_PART 0.25 /* neighbours, of the deviation */
enum { LEAST = 20 };    /* triples that a scale needs */

/* Row r stands between two rows of its stroke. */
static bool has_neighbours(const ArmDataset *data, double step, const ArmRowUse *use, size_t r) {
  if (r == 0 || r + 1 >= data->rows || use[r - 1] != ARM_ROW_USED || use[r] != ARM_ROW_USED ||
      use[r + 1] != ARM_ROW_USED || data->joint[r - 1] != data->joint[r] ||
      data->joint[r + 1] != data->joint[r])
    return false;
  const double *qd = data->qd + ((size_t)data->joint[r] - 1) * data->rows;
  return qd[r - 1] * qd[r] > 0.0 && qd[r] * qd[r + 1] > 0.0 &&
         arm_filter_is_continued(data->t, r, step) && arm_filter_is_continued(data->t, r + 1, step);
}

static double deviation(const double *y, size_t r) {
  return y[r] - 0.5 * (y[r - 1] + y[r + 1]);
}

/* Beyond which a sample of the joint is wild; INFINITY with too few of them. */
static double limit_of(const ArmDataset *data, double step, const ArmRowUse *use, size_t joint,
                       double *scratch) {
  const double *y = data->current + joint * data->rows;
  size_t count = 0, all = 0;
  for (size_t r = 0; r < data->rows; r++)
    if (data->joint[r] == (int)joint + 1 && has_neighbours(data, step, use, r))
      scratch[count++] = fabs(deviation(y, r));
  if (count < LEAST)
    return (double)INFINITY;
  const double sd = MAD_SD * arm_filter_median(scratch, count);
  for (size_t r = 0; r < data->rows; r++)
    if (data->joint[r] == (int)joint + 1 && use[r] == ARM_ROW_USED)
      scratch[all++] = fabs(y[r]);
  return fmax(FAR_SD * sd, FAR_PART * arm_filter_median(scratch, all));
}

static void mark_joint(const ArmDataset *data, double step, size_t joint, double limit,
                       ArmRowUse *use, ArmWild *wild) {
  const double *y = data->current + joint * data->rows;
  double worst = 0.0;
  for (size_t r = 0; r < data->rows; r++) {
    if (data->joint[r] != (int)joint + 1 || !has_neighbours(data, step, use, r))
      continue;
    const double off = fabs(deviation(y, r));
    if (!(off > limit) || fabs(y[r + 1] - y[r - 1]) > AGREE_PART * off)
      continue;
    use[r] = ARM_ROW_WILD;
    wild->count++;
    if (off <= worst)
      continue;
    worst = off;
    wild->row = r;
    wild->found = y[r];
    wild->expected = y[r] - deviation(y, r);
  }
}

ArmStatus arm_wild_mark(const ArmDataset *data, double median_step, ArmRowUse *use, ArmWild *wild) {
  double *scratch = malloc((data->rows + 1) * sizeof *scratch);
  if (!scratch)
    return ARM_E_MEMORY;
  memset(wild, 0, data->n * sizeof *wild);
  for (size_t joint = 0; joint < data->n; joint++) {
    const double limit = limit_of(data, median_step, use, joint, scratch);
    if (isfinite(limit))
      mark_joint(data, median_step, joint, limit, use, &wild[joint]);
  }
  free(scratch);
  return ARM_OK;
}
