/* SPDX-License-Identifier: MIT */
/* Everything here is read off triangles [ own | base | effort ]; what the drives' own terms can
 * take up is projected out by a QR with those columns first. */
#include "core/dynamics/outcome.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/outcome_internal.h"
#include "core/num/lsq.h"

#define RCOND      1e-10 /* num/lsq.h */
#define NULL_SHARE 1e-6  /* as in identify_report.c: a larger part in the null space is not seen */

/* ---- how well it is predicted ---- */

/* Parameters as a column for [ own | base | effort ]. */
static void unknowns_of(const ArmDynamicsFit *fit, const ArmInformation *information, size_t joint,
                        double *x) {
  const ArmDynamicsJointFit *of = &fit->joint[joint];
  const size_t own = arm_information_own(information);
  const size_t first = arm_information_first(information, joint);
  for (size_t l = 0; l < own; l++)
    x[l] = of->known.has[l] ? of->local[l].used : 0;
  for (size_t b = first; b < fit->count; b++)
    x[own + b - first] = of->eta.used * fit->base[b].used;
  x[own + fit->count - first] = -1;
}

/* Does the fit have friction terms whose columns these rows lack? */
static bool lacks_terms(const ArmDynamicsFit *fit, const ArmInformation *information) {
  bool has = false;
  for (size_t j = 0; j < fit->n; j++)
    for (size_t l = ARM_DYN_LOCAL; l < ARM_DYN_OWN; l++)
      has = has || fit->joint[j].known.has[l];
  return has && arm_information_own(information) < ARM_DYN_OWN;
}

static void measure(const double *r, const double *x, size_t m, double rows, double mean,
                    ArmDynamicsResidual *residual) {
  double sum = 0;
  for (size_t i = 0; i < m; i++) {
    double e = 0;
    for (size_t c = i; c < m; c++)
      e += r[i + c * m] * x[c];
    sum += e * e;
  }
  const double total = arm_outcome_square(r + (m - 1) * m, m), centred = total - rows * mean * mean;
  residual->rms_error = sqrt(sum / rows);
  residual->rms = sqrt(total / rows);
  residual->r2 = centred > 0 ? 1 - sum / centred : (double)NAN;
  residual->best = fabs(r[m * m - 1]) / sqrt(rows);
}

/* The same without the columns of friction terms that the joint has not.
 *   a  m x m  scratch */
static ArmStatus find_best(const ArmDynamicsJoint *known, const double *r, size_t m, double rows,
                           double *a, double *best) {
  size_t own = ARM_DYN_OWN;
  double *work = malloc(65 * m * sizeof *work);
  if (!work)
    return ARM_E_MEMORY;
  const size_t columns = arm_outcome_gather(known, false, r, m, m, a, &own);
  const lapack_int failed =
      LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)columns, a, (lapack_int)m,
                          work, work + m, (lapack_int)(64 * m));
  if (!failed)
    *best = fabs(a[(columns - 1) * (m + 1)]) / sqrt(rows);
  free(work);
  return failed ? ARM_E_NUMERIC : ARM_OK;
}

ArmStatus arm_dynamics_residual(const ArmDynamicsFit *fit, ArmInformation *information,
                                size_t joint, ArmDynamicsResidual *residual) {
  const double none = (double)NAN;
  if (arm_information_joints(information) != fit->n ||
      arm_information_count(information) != fit->count || joint >= fit->n ||
      lacks_terms(fit, information))
    return ARM_E_ARGUMENT;
  const size_t m = arm_information_width(information, joint);
  *residual =
      (ArmDynamicsResidual){arm_information_rows(information, joint), none, none, none, none};
  if (residual->rows == 0)
    return ARM_OK;
  double *r = arm_outcome_triangle(information, joint);
  if (!r)
    return ARM_E_MEMORY;
  unknowns_of(fit, information, joint, r + m * m);
  const double rows = arm_information_mass(information, joint);
  measure(r, r + m * m, m, rows, arm_information_mean(information, joint), residual);
  ArmStatus status = ARM_OK;
  if (arm_information_own(information) == ARM_DYN_OWN) {
    double *a = calloc(m * m, sizeof *a);
    status = a ? find_best(&fit->joint[joint].known, r, m, rows, a, &residual->best) : ARM_E_MEMORY;
    free(a);
  }
  free(r);
  return status;
}

/* ---- friction ---- */

/* At the mean of rows of one way, whose column of ones is `way`: a column's part along it. False:
 * no row, or a parameter is not told. */
static bool friction_at(const ArmDynamicsFit *fit, size_t joint, const double *r, size_t m,
                        size_t own, size_t way, double *value, double *sd) {
  const ArmDynamicsJointFit *of = &fit->joint[joint];
  const double length = arm_outcome_square(r + way * m, m);
  double part[ARM_DYN_OWN] = {0}, variance = 0;
  *value = 0;
  for (size_t l = 0; l < own; l++) {
    if (l == ARM_DYN_ROTOR || !of->known.has[l] || !(length > 0))
      continue;
    for (size_t i = 0; i < m; i++)
      part[l] += r[i + way * m] * r[i + l * m] / length;
    if (part[l] != 0 && !of->local[l].identifiable)
      return false;
    *value += part[l] * of->local[l].used;
  }
  for (size_t a = 0; a < own; a++)
    for (size_t b = 0; b < own; b++)
      variance += part[a] * part[b] *
                  fit->covariance[arm_dynamics_place(fit, joint, a) +
                                  arm_dynamics_place(fit, joint, b) * fit->unknowns];
  double spread;
  *value -= arm_dynamics_rotor_weight(fit, joint, &spread);
  *sd = sqrt(fmax(variance, 0) + spread * spread);
  return length > 0 && isfinite(spread);
}

ArmStatus arm_dynamics_friction(const ArmDynamicsFit *fit, ArmInformation *information,
                                size_t joint, bool *is_known, double *forth, double *forth_sd,
                                double *back, double *back_sd) {
  if (arm_information_joints(information) != fit->n ||
      arm_information_count(information) != fit->count || joint >= fit->n ||
      lacks_terms(fit, information))
    return ARM_E_ARGUMENT;
  const size_t m = arm_information_width(information, joint);
  const size_t own = arm_information_own(information);
  double *r = arm_outcome_triangle(information, joint);
  if (!r)
    return ARM_E_MEMORY;
  *is_known = friction_at(fit, joint, r, m, own, ARM_DYN_COULOMB_POS, forth, forth_sd) &&
              friction_at(fit, joint, r, m, own, ARM_DYN_COULOMB_NEG, back, back_sd);
  free(r);
  return ARM_OK;
}

/* ---- what the rows show ---- */

ArmStatus arm_dynamics_shown(const ArmDynamicsFit *fit, ArmInformation *information, double *r,
                             size_t ld, size_t *rows) {
  const size_t p = fit->count;
  ArmStatus status = ARM_OK;
  if (ld < fit->n * p)
    return ARM_E_ARGUMENT;
  memset(r, 0, ld * p * sizeof *r);
  *rows = 0;
  for (size_t j = 0; j < fit->n && status == ARM_OK; j++) {
    if (!arm_outcome_says(fit, j))
      continue;
    const double weight = fit->joint[j].eta.used / arm_outcome_sigma(fit, information, j);
    status = arm_outcome_project(information, &fit->joint[j].known, j, NULL, r + p * j, ld, NULL);
    for (size_t c = 0; c < p && status == ARM_OK; c++)
      for (size_t i = 0; i < p; i++)
        r[p * j + i + c * ld] *= weight;
    *rows += fit->joint[j].statistics.rows_used;
  }
  return status;
}

/* ---- scale ---- */

/* Columns [ has | base beta + rotor ] and the effort. */
static size_t scale_columns(const ArmDynamicsJoint *known, const double *r, size_t m, size_t own,
                            const double *beta, double rotor, double *a) {
  size_t columns = 0;
  const bool is_beside = known->has[ARM_DYN_ROTOR] || isnan(rotor);
  for (size_t l = 0; l < own; l++)
    if (l == ARM_DYN_ROTOR ? is_beside : known->has[l])
      memcpy(a + m * columns++, r + l * m, m * sizeof *a);
  for (size_t i = 0; i < m; i++) {
    double sum = is_beside ? 0 : rotor * r[i + ARM_DYN_ROTOR * m];
    for (size_t c = own; c + 1 < m; c++)
      sum += r[i + c * m] * beta[c - own];
    a[i + columns * m] = sum;
  }
  return columns + 1;
}

ArmStatus arm_dynamics_scale(ArmInformation *information, const ArmDynamicsJoint *known,
                             const double *beta, double rotor, size_t joint, double *scale,
                             double *sd) {
  enum { MOST = ARM_DYN_OWN + 1 };
  const size_t m = arm_information_width(information, joint);
  const double rows = arm_information_mass(information, joint);
  double x[MOST], covariance[MOST * MOST], share[MOST];
  *scale = *sd = (double)NAN;
  if (arm_information_rows(information, joint) == 0)
    return ARM_OK;
  double *r = arm_outcome_triangle(information, joint), *a = calloc(m * MOST, sizeof *a);
  ArmSvdWork *work = arm_svd_work_new(m, MOST);
  ArmStatus status = r && a && work ? ARM_OK : ARM_E_MEMORY;
  if (status == ARM_OK) {
    const size_t first = arm_information_first(information, joint);
    const size_t own = arm_information_own(information);
    const size_t columns = scale_columns(known, r, m, own, beta + first, rotor, a),
                 last = columns - 1;
    const double *effort = r + (m - 1) * m;
    status = arm_svd_solve(work, m, columns, a, effort, RCOND, x, covariance, share, NULL);
    if (status == ARM_OK && share[last] < NULL_SHARE && rows > (double)columns) {
      double sum = 0;
      for (size_t i = 0; i < m; i++) {
        double e = effort[i];
        for (size_t c = 0; c < columns; c++)
          e -= a[i + c * m] * x[c];
        sum += e * e;
      }
      *scale = x[last];
      *sd = sqrt(sum / (rows - (double)columns) * covariance[last + last * columns]);
    }
  }
  free(r);
  free(a);
  arm_svd_work_free(work);
  return status;
}
