/* SPDX-License-Identifier: MIT */
/* Dry friction as impulses that stop a motor or reach their limit, found for all motors together:
 * one by one, those of a coupled wrist would push each other on. Projected Gauss-Seidel. */
#include <math.h>
#include <string.h>

#include "core/plant/plant_internal.h"

/* A pivot that keeps no more of its diagonal than this is singular. */
static const double least_pivot = 0x1p-48;

/* Row-major lower triangle of the Cholesky factor in place; the diagonal holds reciprocals. */
static bool factor(size_t n, double *m) {
  for (size_t i = 0; i < n; i++) {
    double *row = m + n * i;
    for (size_t j = 0; j < i; j++) {
      const double *other = m + n * j;
      double sum = row[j];
      for (size_t k = 0; k < j; k++)
        sum -= row[k] * other[k];
      row[j] = sum * other[j];
    }
    double pivot = row[i];
    for (size_t k = 0; k < i; k++)
      pivot -= row[k] * row[k];
    if (!(pivot > least_pivot * row[i]) || !isfinite(pivot))
      return false;
    row[i] = 1 / sqrt(pivot);
  }
  return true;
}

static void solve(size_t n, const double *m, double *x) {
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++)
      x[i] -= m[n * i + k] * x[k];
    x[i] *= m[n * i + i];
  }
  for (size_t i = n; i-- > 0;) {
    x[i] *= m[n * i + i];
    for (size_t k = 0; k < i; k++)
      x[k] -= m[n * i + k] * x[i];
  }
}

typedef struct {
  double response[N][N]; /* joint speeds per impulse of motor i */
  double mobility[N][N]; /* speed of motor i per impulse of motor j */
} Contact;

static void contact_add(const ArmPlant *plant, const double *lower, const bool *clamped, size_t i,
                        Contact *contact) {
  double unit[N] = {0}, w[N];
  unit[i] = 1;
  arm_plant_to_joints(&plant->config.model, unit, contact->response[i]);
  for (size_t j = 0; j < plant->n; j++)
    if (clamped[j])
      contact->response[i][j] = 0;
  solve(plant->n, lower, contact->response[i]);
  arm_model_motor_speed(&plant->config.model, contact->response[i], w);
  for (size_t j = 0; j < plant->n; j++)
    contact->mobility[j][i] = w[j];
}

/* Impulses within their limits that minimise the kinetic energy left in slipping, by projected
 * Gauss-Seidel: exact after one round where motors do not act on each other. */
static void impulses(size_t n, const Contact *contact, const bool *is_dry,
                     const PlantFrictionStep *friction, double h, const double *w, double *p) {
  for (int round = 0; round < 100; round++) {
    double largest = 0, change = 0;
    for (size_t i = 0; i < n; i++) {
      if (!is_dry[i])
        continue;
      double slip = w[i];
      for (size_t j = 0; j < n; j++)
        slip -= is_dry[j] ? contact->mobility[i][j] * p[j] : 0;
      const double wanted = p[i] + slip / contact->mobility[i][i];
      const double next = fmax(-h * friction[i].limit[1], fmin(h * friction[i].limit[0], wanted));
      change = fmax(change, fabs(next - p[i]));
      largest = fmax(largest, fabs(next));
      p[i] = next;
    }
    if (change <= 1e-14 * largest) /* rounding; the rounds only bound what circles there */
      break;
  }
}

static void add_dry_friction(ArmPlant *plant, const double *lower, const bool *clamped,
                             const PlantFrictionStep *friction, double *v) {
  const size_t n = plant->n;
  Contact contact;
  bool is_dry[N];
  double w[N];
  for (size_t i = 0; i < n; i++) {
    is_dry[i] = friction[i].limit[0] > 0 || friction[i].limit[1] > 0;
    if (is_dry[i])
      contact_add(plant, lower, clamped, i, &contact);
    is_dry[i] = is_dry[i] && contact.mobility[i][i] > 0; /* not a clamped one */
    plant->dry[i] = is_dry[i] ? plant->dry[i] : 0;
  }
  arm_model_motor_speed(&plant->config.model, v, w);
  impulses(n, &contact, is_dry, friction, plant->config.substep_s, w, plant->dry);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; is_dry[i] && j < n; j++)
      v[j] -= contact.response[i][j] * plant->dry[i];
}

bool arm_plant_solve(ArmPlant *plant, const double *system, const double *rhs, const bool *clamped,
                     const PlantFrictionStep *friction, double *v) {
  const size_t n = plant->n;
  double lower[N * N];
  bool has_dry = false;
  memcpy(lower, system, n * n * sizeof *lower);
  for (size_t i = 0; i < n; i++) {
    v[i] = clamped[i] ? 0 : rhs[i];
    has_dry = has_dry || friction[i].limit[0] > 0 || friction[i].limit[1] > 0;
    for (size_t j = 0; clamped[i] && j < n; j++)
      lower[n * i + j] = lower[n * j + i] = i == j;
  }
  if (!factor(n, lower))
    return false;
  solve(n, lower, v);
  if (has_dry)
    add_dry_friction(plant, lower, clamped, friction, v);
  for (size_t i = 0; i < n; i++)
    if (!isfinite(v[i]))
      return false;
  return true;
}
