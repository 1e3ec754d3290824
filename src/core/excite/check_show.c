/* SPDX-License-Identifier: MIT */
/* Which motion would show a direction that a motion does not: states at the limits, in poses drawn
 * once for all, are tried kind by kind, and the kind that tells most on the average is named; a
 * simpler one where the others do not tell clearly more. */
#include <math.h>
#include <string.h>

#include "core/base/random.h"
#include "core/excite/check_internal.h"

enum { SEED = 20 };

/* Chosen: who tells less than a quarter more than a simpler kind is not worth its trouble. */
static const double clearly = 1.25;

typedef struct {
  ArmShownBy by;
  size_t i, j;
} Kind;

static void fill(const ArmExcitationRows *rows, const ArmMotionLimits *limits, const Kind *kind) {
  const size_t n = limits->n, poses = rows->block;
  double *q = rows->state, *qd = q + poses * n, *qdd = qd + poses * n;
  uint64_t random = SEED;
  memset(qd, 0, 2 * poses * n * sizeof *qd);
  for (size_t j = 0; j < n; j++)
    for (size_t p = 0; p < poses; p++)
      q[p + j * poses] = limits->middle[j] +
                         limits->half[ARM_MOTION_POSITION][j] * arm_random_uniform(&random, -1, 1);
  for (size_t p = 0; p < poses; p++) {
    if (kind->by == ARM_SHOWN_BY_SPEED || kind->by == ARM_SHOWN_BY_SPEEDS)
      qd[p + kind->i * poses] = limits->half[ARM_MOTION_SPEED][kind->i];
    if (kind->by == ARM_SHOWN_BY_SPEEDS) /* the same way and against each other */
      qd[p + kind->j * poses] = (p % 2 ? -1 : 1) * limits->half[ARM_MOTION_SPEED][kind->j];
    if (kind->by == ARM_SHOWN_BY_ACCELERATION)
      qdd[p + kind->i * poses] = limits->half[ARM_MOTION_ACCELERATION][kind->i];
  }
}

/* Mean square of the torques, in their noise, that a step makes. */
static double information(const ArmExcitationRows *rows, const double *step) {
  const size_t size = rows->block * rows->base->n;
  double total = 0;
  for (size_t r = 0; r < size; r++) {
    double sum = 0;
    for (size_t b = 0; b < rows->base->count; b++)
      sum += rows->rows[r + b * size] * step[b];
    total += sum * sum;
  }
  return total / (double)rows->block;
}

/* The next kind in the order of the enumeration; false: that was the last one. */
static bool next(size_t n, Kind *kind) {
  if (kind->by == ARM_SHOWN_AT_REST) {
    *kind = (Kind){.by = ARM_SHOWN_BY_SPEED};
  } else if (kind->by == ARM_SHOWN_BY_SPEEDS && kind->j + 1 < n) {
    kind->j++;
  } else if (kind->by == ARM_SHOWN_BY_SPEEDS && kind->i + 2 < n) {
    kind->i++;
    kind->j = kind->i + 1;
  } else if (kind->by != ARM_SHOWN_BY_SPEEDS && kind->i + 1 < n) {
    kind->i++;
  } else if (kind->by == ARM_SHOWN_BY_SPEED) {
    *kind = n > 1 ? (Kind){ARM_SHOWN_BY_SPEEDS, 0, 1} : (Kind){.by = ARM_SHOWN_BY_ACCELERATION};
  } else if (kind->by == ARM_SHOWN_BY_SPEEDS) {
    *kind = (Kind){.by = ARM_SHOWN_BY_ACCELERATION};
  } else {
    return false;
  }
  return true;
}

typedef struct {
  double information[ARM_SHOWN_KINDS];
  Kind kind[ARM_SHOWN_KINDS];
} Best;

static void keep(const Kind *kind, double told, Best *best) {
  if (told <= best->information[kind->by])
    return;
  best->information[kind->by] = told;
  best->kind[kind->by] = *kind;
}

static void name(const Best *best, double own, ArmWeakDirection *direction) {
  unsigned which = 0;
  for (unsigned by = 1; by < ARM_SHOWN_KINDS; by++)
    if (best->information[by] > clearly * best->information[which])
      which = by;
  direction->by = (ArmShownBy)which;
  direction->i = best->kind[which].i;
  direction->j = best->kind[which].j;
  direction->gain = own > 0 ? best->information[which] / own : (double)INFINITY;
}

ArmStatus arm_excitation_show(ArmExcitationRows *rows, const ArmMotionLimits *limits, size_t count,
                              const double *own, ArmWeakDirection *directions) {
  Best best[ARM_EXCITATION_WEAKEST] = {0};
  Kind kind = {.by = ARM_SHOWN_AT_REST};
  do {
    fill(rows, limits, &kind);
    const ArmStatus status = arm_excitation_rows_fill(rows, rows->block);
    if (status != ARM_OK)
      return status;
    for (size_t d = 0; d < count; d++)
      keep(&kind, information(rows, directions[d].step), &best[d]);
  } while (next(limits->n, &kind));
  for (size_t d = 0; d < count; d++)
    name(&best[d], own[d], &directions[d]);
  return ARM_OK;
}
