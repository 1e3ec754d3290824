/* SPDX-License-Identifier: MIT */
/* Pseudo-inertias, their factors from the last row up, and log-Cholesky parameters. Source: Rucker
 * and Wensing 2022. */
#include "core/dynamics/logchol.h"

#include <math.h>
#include <string.h>

enum { D = 4 };

/* Places of s12, s23, s13, t1, t2, t3 in U. */
static const unsigned char places[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

static void set_both(double *pseudo, int r, int c, double value) {
  pseudo[r + D * c] = pseudo[c + D * r] = value;
}

void arm_pseudo_from_inertia(const double *pi, double *pseudo) {
  const double half = (pi[4] + pi[6] + pi[9]) / 2;
  pseudo[0] = half - pi[4];
  pseudo[1 + D] = half - pi[6];
  pseudo[2 + 2 * D] = half - pi[9];
  set_both(pseudo, 0, 1, -pi[5]);
  set_both(pseudo, 0, 2, -pi[7]);
  set_both(pseudo, 1, 2, -pi[8]);
  for (int a = 0; a < 3; a++)
    set_both(pseudo, a, 3, pi[1 + a]);
  pseudo[3 + 3 * D] = pi[0];
}

void arm_pseudo_to_inertia(const double *pseudo, double *pi) {
  const double xx = pseudo[0], yy = pseudo[1 + D], zz = pseudo[2 + 2 * D];
  pi[0] = pseudo[3 + 3 * D];
  for (int a = 0; a < 3; a++)
    pi[1 + a] = pseudo[a + 3 * D];
  pi[4] = yy + zz;
  pi[5] = -pseudo[D];
  pi[6] = xx + zz;
  pi[7] = -pseudo[2 * D];
  pi[8] = -pseudo[1 + 2 * D];
  pi[9] = xx + yy;
}

/* Cholesky from the last row up: U_jj^2 = P_jj - sum_k>j U_jk^2. */
bool arm_pseudo_factor(const double *pseudo, double *u) {
  memset(u, 0, ARM_PSEUDO * sizeof *u);
  for (int j = D - 1; j >= 0; j--) {
    double square = pseudo[j + D * j];
    for (int k = j + 1; k < D; k++)
      square -= u[j + D * k] * u[j + D * k];
    if (!(square > 0) || !isfinite(square))
      return false;
    u[j + D * j] = sqrt(square);
    for (int i = 0; i < j; i++) {
      double sum = pseudo[i + D * j];
      for (int k = j + 1; k < D; k++)
        sum -= u[i + D * k] * u[j + D * k];
      u[i + D * j] = sum / u[j + D * j];
    }
  }
  return true;
}

void arm_pseudo_over(const double *u0, const double *u, double *g) {
  memset(g, 0, ARM_PSEUDO * sizeof *g);
  for (int c = 0; c < D; c++)
    for (int r = c; r >= 0; r--) {
      double sum = u[r + D * c];
      for (int k = r + 1; k <= c; k++)
        sum -= u0[r + D * k] * g[k + D * c];
      g[r + D * c] = sum / u0[r + D * r];
    }
}

static void factor_of(const double *x, double *u) {
  const double scale = exp(x[0]);
  memset(u, 0, ARM_PSEUDO * sizeof *u);
  for (int k = 0; k < 3; k++)
    u[k + D * k] = exp(x[0] + x[1 + k]);
  for (int k = 0; k < 6; k++)
    u[places[k][0] + D * places[k][1]] = scale * x[4 + k];
  u[3 + 3 * D] = scale;
}

/* P = A B^T, symmetric by its use */
static void product(const double *a, const double *b, double *p) {
  for (int r = 0; r < D; r++)
    for (int c = 0; c < D; c++) {
      double sum = 0;
      for (int k = 0; k < D; k++)
        sum += a[r + D * k] * b[c + D * k];
      p[r + D * c] = sum;
    }
}

void arm_logchol_to_inertia(const double *x, double *pi) {
  double u[ARM_PSEUDO], pseudo[ARM_PSEUDO];
  factor_of(x, u);
  product(u, u, pseudo);
  arm_pseudo_to_inertia(pseudo, pi);
}

ArmStatus arm_logchol_from_inertia(const double *pi, double *x) {
  double u[ARM_PSEUDO], pseudo[ARM_PSEUDO];
  arm_pseudo_from_inertia(pi, pseudo);
  if (!arm_pseudo_factor(pseudo, u))
    return ARM_E_NUMERIC;
  const double scale = u[3 + 3 * D];
  x[0] = log(scale);
  for (int k = 0; k < 3; k++)
    x[1 + k] = log(u[k + D * k] / scale);
  for (int k = 0; k < 6; k++)
    x[4 + k] = u[places[k][0] + D * places[k][1]] / scale;
  return ARM_OK;
}

/* dP = dU U^T + U dU^T for dU = value at (r, c) */
static void column_of_entry(const double *u, int r, int c, double value, double *pi) {
  double change[ARM_PSEUDO] = {0};
  for (int b = 0; b < D; b++) {
    change[r + D * b] += value * u[b + D * c];
    change[b + D * r] += value * u[b + D * c];
  }
  arm_pseudo_to_inertia(change, pi);
}

void arm_logchol_jacobian(const double *x, double *jacobian) {
  double u[ARM_PSEUDO], pseudo[ARM_PSEUDO];
  factor_of(x, u);
  product(u, u, pseudo);
  for (int k = 0; k < ARM_PSEUDO; k++)
    pseudo[k] *= 2; /* dU = U */
  arm_pseudo_to_inertia(pseudo, jacobian);
  for (int k = 0; k < 3; k++)
    column_of_entry(u, k, k, u[k + D * k], jacobian + ARM_INERTIA_PARAMETERS * (1 + k));
  for (int k = 0; k < 6; k++)
    column_of_entry(u, places[k][0], places[k][1], u[3 + 3 * D],
                    jacobian + ARM_INERTIA_PARAMETERS * (4 + k));
}
