/* SPDX-License-Identifier: MIT */
/* What the drives' own terms can take up is projected out by a QR with those columns first. */
#include "core/dynamics/outcome_internal.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOISE_FLOOR 1e-7  /* of the rms effort, as in identify.c: less is rounding */
#define NO_NOISE    1e-12 /* [A] of a joint without efforts, so that weights are numbers */
#define SEEN        1e-9  /* of a column: less beside others is rounding, as in base_qr.c */

double arm_outcome_square(const double *x, size_t count) {
  double sum = 0;
  for (size_t k = 0; k < count; k++)
    sum += x[k] * x[k];
  return sum;
}

double *arm_outcome_triangle(ArmInformation *information, size_t joint) {
  const size_t m = arm_information_width(information, joint);
  double *r = calloc(m * m + m, sizeof *r);
  if (r)
    arm_information_triangle(information, joint, r);
  return r;
}

size_t arm_outcome_gather(const ArmDynamicsJoint *known, bool has_rotor, const double *r, size_t m,
                          size_t ld, double *a, size_t *own) {
  const size_t all = *own;
  size_t columns = 0;
  for (size_t c = 0; c < all; c++)
    if (known->has[c] && arm_outcome_square(r + c * m, m) > 0)
      memcpy(a + ld * columns++, r + c * m, m * sizeof *a);
  if (has_rotor)
    memcpy(a + ld * columns++, r + ARM_DYN_ROTOR * m, m * sizeof *a);
  *own = columns;
  for (size_t c = all; c < m; c++)
    memcpy(a + ld * columns++, r + c * m, m * sizeof *a);
  return columns;
}

/* ---- with a rotor ---- */

/* Its prior as one more row: (x - eta Ia0) / (|eta| sd) in units of the noise. */
static void put_prior(const ArmOutcomeRotor *rotor, size_t own, size_t columns, size_t ld,
                      double *a) {
  const double sd = fabs(rotor->eta) * rotor->rel_sd * rotor->stated;
  if (!(sd > 0))
    return;
  a[ld * own - 1] = rotor->sigma / sd;
  a[ld * columns - 1] = rotor->sigma / sd * rotor->eta * rotor->stated;
}

/* Off the row of R that is the rotor's, r_x x + r_b . (eta beta) = r_i. */
static void take_rotor(ArmOutcomeRotor *rotor, const double *a, size_t ld, size_t own, size_t felt,
                       size_t first) {
  const double *row = a + own - 1;
  const double diagonal = row[(own - 1) * ld];
  for (size_t c = 0; c < felt; c++)
    rotor->along[first + c] = -row[(own + c) * ld] / diagonal;
  rotor->alone = row[(own + felt) * ld] / diagonal / rotor->eta;
  rotor->sd = rotor->sigma / fabs(diagonal * rotor->eta);
}

static ArmStatus project(const ArmDynamicsJoint *known, const double *r, size_t m, size_t own,
                         size_t first, ArmOutcomeRotor *rotor, double *a, double *work, double *to,
                         size_t ld, double *right) {
  const size_t rows = m + 1, felt = m - own - 1;
  double *tau = a + rows * m;
  const size_t columns = arm_outcome_gather(known, rotor != NULL, r, m, rows, a, &own);
  if (rotor)
    put_prior(rotor, own, columns, rows, a);
  const double seen =
      rotor ? SEEN * sqrt(arm_outcome_square(a + (own - 1) * rows, rows)) : 0; /* before a is R */
  if (LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, (lapack_int)rows, (lapack_int)columns, a,
                          (lapack_int)rows, tau, work, (lapack_int)(64 * m)))
    return ARM_E_NUMERIC;
  if (rotor && !(fabs(a[(own - 1) * (rows + 1)]) > seen))
    return ARM_E_NO_DATA;
  if (rotor)
    take_rotor(rotor, a, rows, own, felt, first);
  for (size_t c = 0; c < felt; c++)
    for (size_t i = 0; i <= c; i++)
      to[i + (first + c) * ld] = a[own + i + (own + c) * rows];
  for (size_t i = 0; right && i < felt; i++)
    right[i] = a[own + i + (own + felt) * rows];
  return ARM_OK;
}

ArmStatus arm_outcome_project(ArmInformation *information, const ArmDynamicsJoint *known,
                              size_t joint, ArmOutcomeRotor *rotor, double *to, size_t ld,
                              double *right) {
  const size_t m = arm_information_width(information, joint);
  const size_t first = arm_information_first(information, joint);
  const size_t own = arm_information_own(information);
  double *r = arm_outcome_triangle(information, joint);
  double *a = calloc((m + 2) * m, sizeof *a), *work = malloc(64 * m * sizeof *work);
  ArmStatus status = r && a && work ? ARM_OK : ARM_E_MEMORY;
  if (status == ARM_OK)
    status = project(known, r, m, own, first, rotor, a, work, to, ld, right);
  if (status == ARM_E_NO_DATA) { /* the rows do not show the rotor: as without one */
    memset(a, 0, (m + 2) * m * sizeof *a);
    rotor->sd = (double)INFINITY;
    status = project(known, r, m, own, first, NULL, a, work, to, ld, right);
  }
  free(r);
  free(a);
  free(work);
  return status;
}

/* ---- noise ---- */

bool arm_outcome_says(const ArmDynamicsFit *fit, size_t joint) {
  const ArmJointStatistics *s = &fit->joint[joint].statistics;
  return s->rows_used > 0 && s->residual_sd >= 0;
}

double arm_outcome_sigma(const ArmDynamicsFit *fit, ArmInformation *information, size_t joint) {
  const ArmJointStatistics *s = &fit->joint[joint].statistics;
  ArmDynamicsResidual residual;
  double least = NO_NOISE;
  if (arm_dynamics_residual(fit, information, joint, &residual) == ARM_OK && residual.rms > 0)
    least = NOISE_FLOOR * residual.rms;
  const double widening = s->widening >= 1 ? s->widening : 1;
  return fmax(s->residual_sd * widening, least);
}
