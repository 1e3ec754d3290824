/* SPDX-License-Identifier: MIT */
/* Nominal links that can be started from: arm files state none, masses alone, or thin plates, and
 * both priors need a pseudo-inertia that is well inside. */
#include "core/dynamics/consistent.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/logchol.h"

enum { P = ARM_INERTIA_PARAMETERS };

/* Chosen, as no source has any: thinner than links are, whose motors and bearings alone spread
 * more, so that what is stated of a real one stays; and a body as flat leaves the pseudo-inertia a
 * condition (1 / SLIMMEST squared) that logarithms of it stand. A wrist is as large as BALL. */
#define THINNEST 0.005 /* m */
#define SLIMMEST 0.1   /* of the largest radius of gyration */
#define BALL     0.05  /* m, least radius of gyration of a link that nobody described */

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_mass(size_t n, const double *pi) {
  double masses[ARM_MAX_JOINTS];
  size_t known = 0;
  for (size_t i = 0; i < n; i++)
    if (pi[P * i] > 0 && isfinite(pi[P * i]))
      masses[known++] = pi[P * i];
  if (known == 0)
    return 1;
  qsort(masses, known, sizeof *masses, by_size);
  return (masses[(known - 1) / 2] + masses[known / 2]) / 2;
}

/* Parameters of mass, centre and second moments about it (m l, column-major). */
static void compose(double mass, const double centre[3], const double moments[9], double *pi) {
  double pseudo[ARM_PSEUDO];
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++)
      pseudo[r + 4 * c] = moments[r + 3 * c] + mass * centre[r] * centre[c];
    pseudo[c + 12] = pseudo[3 + 4 * c] = mass * centre[c];
  }
  pseudo[15] = mass;
  arm_pseudo_to_inertia(pseudo, pi);
}

/* As large as the link is long. */
static void set_ball(const ArmModel *model, size_t i, double mass, const double centre[3],
                     double *pi) {
  double moments[9] = {0}, radius = BALL;
  if (i + 1 < model->n) {
    const double *to = model->joints[i + 1].translation;
    radius = fmax(BALL, sqrt((to[0] * to[0] + to[1] * to[1] + to[2] * to[2]) / 12));
  }
  for (int k = 0; k < 3; k++)
    moments[4 * k] = mass * radius * radius;
  compose(mass, centre, moments, pi);
}

static void guess(const ArmModel *model, size_t i, double mass, double *pi) {
  double centre[3] = {0};
  for (int k = 0; k < 3 && i + 1 < model->n; k++)
    centre[k] = model->joints[i + 1].translation[k] / 2;
  set_ball(model, i, mass, centre, pi);
}

/* Radii of gyration below the floor become it. */
static void thicken(double *pi, double floor) {
  double pseudo[ARM_PSEUDO], axes[9], l[3], work[16], centre[3], moments[9] = {0};
  const double mass = pi[0];
  arm_pseudo_from_inertia(pi, pseudo);
  for (int k = 0; k < 3; k++)
    centre[k] = pi[1 + k] / mass;
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < 3; r++)
      axes[r + 3 * c] = pseudo[r + 4 * c] - mass * centre[r] * centre[c];
  if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', 3, axes, 3, l, work, 16))
    return; /* of a finite 3 x 3 matrix it does not fail */
  for (int k = 0; k < 3; k++)
    for (int e = 0; e < 9; e++)
      moments[e] += fmax(l[k], mass * floor * floor) * axes[e % 3 + 3 * k] * axes[e / 3 + 3 * k];
  compose(mass, centre, moments, pi);
}

static ArmNominalFate mend(const ArmModel *model, size_t i, double usual, ArmInertiaCheck check,
                           double *pi) {
  if (check.flaw == ARM_INERTIA_MASS || check.flaw == ARM_INERTIA_NOT_FINITE) {
    guess(model, i, usual, pi);
    return ARM_NOMINAL_GUESSED;
  }
  if (check.flaw == ARM_INERTIA_NEGATIVE || check.flaw == ARM_INERTIA_TRIANGLE) {
    const double centre[3] = {pi[1] / pi[0], pi[2] / pi[0], pi[3] / pi[0]};
    set_ball(model, i, pi[0], centre, pi);
    return ARM_NOMINAL_REPAIRED;
  }
  const double floor = fmax(THINNEST, SLIMMEST * sqrt(fmax(check.spread[2], 0)));
  if (check.spread[0] >= floor * floor)
    return ARM_NOMINAL_KNOWN;
  thicken(pi, floor);
  return ARM_NOMINAL_ROUNDED;
}

void arm_consistent_nominal(const ArmModel *model, const double *given, double *pi,
                            ArmNominalLink *links) {
  if (!given)
    (void)arm_inertia_nominal(model, pi);
  else if (given != pi)
    memcpy(pi, given, P * model->n * sizeof *pi);
  const double usual = median_mass(model->n, pi);
  for (size_t i = 0; i < model->n; i++) {
    const ArmInertiaCheck check = arm_inertia_check(pi + P * i);
    const ArmNominalFate fate = mend(model, i, usual, check, pi + P * i);
    if (links)
      links[i] = (ArmNominalLink){fate, check.flaw};
  }
}
