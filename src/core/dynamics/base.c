/* SPDX-License-Identifier: MIT */
/* The frame around the three ways: which parameters an arm has, what became of each, the map T, and
 * the distance of two spans by orthonormal rows, which tells whether two ways found the same space.
 */
#include "core/dynamics/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec3.h"
#include "core/dynamics/base_internal.h"

enum { P = ARM_BASE_P, WITH_ALL = 15 };

const char *arm_base_reason_key(ArmBaseReason reason) {
  static const char *const keys[ARM_BASE_REASONS] = {
      [ARM_BASE_KEPT] = "base",
      [ARM_BASE_ROUND] = "round_part",
      [ARM_BASE_ON_AXIS] = "on_axis",
      [ARM_BASE_ONE_AXIS] = "one_axis",
      [ARM_BASE_BEARINGS] = "bearings",
      [ARM_BASE_SLIDES] = "slides",
      [ARM_BASE_ALONG] = "slides_along_axis",
      [ARM_BASE_OBLIQUE] = "slides_obliquely",
      [ARM_BASE_NEVER_TURNS] = "never_turns",
      [ARM_BASE_DEPENDENT] = "dependent",
      [ARM_BASE_UNFELT] = "unfelt",
  };
  return (unsigned)reason < ARM_BASE_REASONS ? keys[reason] : "";
}

static void list_columns(const ArmModel *model, ArmBase *base) {
  base->columns = P * base->n;
  for (size_t c = 0; base->column && c < base->columns; c++)
    base->column[c] = (ArmBaseColumn){.joint = c / P, .parameter = (unsigned)(c % P)};
  arm_base_list_extra(model, base);
}

/* All of these show on their own until something says that they do not. */
static void start_full(ArmBaseWork *work, ArmBaseWay way) {
  const size_t p = work->base->columns;
  memset(work->full, 0, p * p * sizeof *work->full);
  for (size_t c = way == ARM_BASE_CLOSED_FORM ? P * work->base->n : 0; c < p; c++)
    work->full[c + p * c] = 1;
  if (way == ARM_BASE_CLOSED_FORM)
    arm_base_close(work);
}

static void list_kept(ArmBase *base) {
  base->count = 0;
  for (size_t j = 0; j < base->n; j++) {
    for (size_t k = 0; k < P; k++) {
      const size_t c = P * j + arm_inertia_place(ARM_INERTIA_ORDER_GAUTIER_KHALIL, k);
      if (base->column[c].reason == ARM_BASE_KEPT)
        base->kept[base->count++] = c;
    }
  }
  for (size_t c = P * base->n; c < base->columns; c++)
    if (base->column[c].reason == ARM_BASE_KEPT)
      base->kept[base->count++] = c;
}

/* cos 90 deg and the like */
static double without_rounding(double x) {
  return fabs(x) < 1e-14 ? 0 : x;
}

/* The kept rows of `full`. */
static ArmStatus take_map(const double *full, ArmBase *base) {
  list_kept(base);
  base->map = malloc(base->count * base->columns * sizeof *base->map);
  if (!base->map)
    return ARM_E_MEMORY;
  for (size_t c = 0; c < base->columns; c++)
    for (size_t b = 0; b < base->count; b++)
      base->map[b + base->count * c] = without_rounding(full[base->kept[b] + base->columns * c]);
  return ARM_OK;
}

static ArmStatus build(const ArmModel *model, ArmBaseWay way, ArmBase *base) {
  ArmModel nominal;
  ArmBaseWork work = {.model = model, .nominal = &nominal, .base = base};
  const double *g = model->gravity_m_s2;
  ArmStatus status = ARM_OK;
  list_columns(model, base); /* counts */
  base->column = calloc(base->columns, sizeof *base->column);
  base->kept = malloc(base->columns * sizeof *base->kept);
  work.full = malloc(base->columns * base->columns * sizeof *work.full);
  if (!base->column || !base->kept || !work.full) {
    free(work.full);
    return ARM_E_MEMORY;
  }
  list_columns(model, base);
  (void)arm_nominal(model, &nominal, NULL);
  start_full(&work, way);
  if (way == ARM_BASE_QR || base->with || arm_vec3_dot(g, g) == 0)
    status = arm_base_reduce(&work);
  if (status == ARM_OK)
    status = take_map(work.full, base);
  free(work.full);
  return status;
}

ArmStatus arm_base_new(const ArmModel *model, unsigned with, ArmBaseWay way, ArmBase **base) {
  ArmBaseGeometry geometry;
  ArmStatus status = arm_base_geometry(model, &geometry);
  if (status == ARM_OK && (with & ~(unsigned)WITH_ALL))
    status = ARM_E_ARGUMENT;
  if (status != ARM_OK)
    return status;
  ArmBase *made = calloc(1, sizeof *made);
  if (!made)
    return ARM_E_MEMORY;
  made->n = model->n;
  made->with = with;
  made->geometry = geometry;
  status = build(model, way, made);
  if (status == ARM_OK)
    *base = made;
  else
    arm_base_free(made);
  return status;
}

void arm_base_free(ArmBase *base) {
  if (!base)
    return;
  free(base->column);
  free(base->kept);
  free(base->map);
  free(base);
}

void arm_base_values(const ArmBase *base, const double *pi, double *beta) {
  memset(beta, 0, base->count * sizeof *beta);
  for (size_t c = 0; c < base->columns; c++)
    for (size_t b = 0; b < base->count; b++)
      beta[b] += base->map[b + base->count * c] * pi[c];
}

ArmBaseFate arm_base_fate(const ArmBase *base, size_t column) {
  if (base->column[column].reason == ARM_BASE_KEPT)
    return ARM_FATE_KEPT;
  for (size_t b = 0; b < base->count; b++)
    if (fabs(base->map[b + base->count * column]) > ARM_BASE_NEGLIGIBLE)
      return ARM_FATE_REGROUPED;
  return ARM_FATE_LOST;
}

bool arm_base_is_regrouped(const ArmBase *base, size_t b) {
  for (size_t c = 0; c < base->columns; c++)
    if (c != base->kept[b] && fabs(base->map[b + base->count * c]) > ARM_BASE_NEGLIGIBLE)
      return true;
  return false;
}

/* ---- distance of two spans ---- */

/* v less its part in the span of the n orthonormal rows of q, twice; returns its length. */
static double reject(size_t p, size_t n, const double *q, double *v) {
  double sum = 0;
  for (size_t k = 0; k < 2 * n; k++) {
    const double *row = q + p * (k % n);
    double along = 0;
    for (size_t i = 0; i < p; i++)
      along += row[i] * v[i];
    for (size_t i = 0; i < p; i++)
      v[i] -= along * row[i];
  }
  for (size_t i = 0; i < p; i++)
    sum += v[i] * v[i];
  return sqrt(sum);
}

static void take_unit_row(size_t p, size_t count, const double *a, size_t row, double *v) {
  double sum = 0;
  for (size_t i = 0; i < p; i++)
    sum += a[row + count * i] * a[row + count * i];
  for (size_t i = 0; i < p; i++)
    v[i] = sum > 0 ? a[row + count * i] / sqrt(sum) : 0;
}

/* Orthonormal rows of a in q; how far rows of b are outside. */
static double one_way(size_t p, size_t count_a, const double *a, size_t count_b, const double *b,
                      double *q, double *v) {
  double worst = 0;
  size_t n = 0;
  for (size_t row = 0; row < count_a; row++) {
    double *next = q + p * n;
    take_unit_row(p, count_a, a, row, next);
    const double left = reject(p, n, q, next);
    for (size_t i = 0; i < p && left > ARM_BASE_NEGLIGIBLE; i++)
      next[i] /= left;
    n += left > ARM_BASE_NEGLIGIBLE;
  }
  for (size_t row = 0; row < count_b; row++) {
    take_unit_row(p, count_b, b, row, v);
    worst = fmax(worst, reject(p, n, q, v));
  }
  return worst;
}

ArmStatus arm_base_distance(size_t columns, size_t count_a, const double *a, size_t count_b,
                            const double *b, double *distance) {
  const size_t most = count_a > count_b ? count_a : count_b;
  double *q = malloc((most + 2) * columns * sizeof *q);
  if (!q)
    return ARM_E_MEMORY;
  double *v = q + columns * (most + 1);
  *distance = fmax(one_way(columns, count_a, a, count_b, b, q, v),
                   one_way(columns, count_b, b, count_a, a, q, v));
  if (count_a != count_b)
    *distance = 1;
  free(q);
  return ARM_OK;
}
