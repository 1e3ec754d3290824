/* SPDX-License-Identifier: MIT */
#include "core/arm/inertia.h"

#include <math.h>
#include <string.h>

#include "core/base/vec3.h"

/* The only permutations in the program: entry k of the order stands at places[order][k] of pi. */
static const unsigned char places[][ARM_INERTIA_PARAMETERS] = {
    [ARM_INERTIA_ORDER_ARMATURE] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
    [ARM_INERTIA_ORDER_LIN] = {0, 1, 2, 3, 4, 6, 9, 5, 7, 8},
    [ARM_INERTIA_ORDER_GAUTIER_KHALIL] = {4, 5, 7, 6, 8, 9, 1, 2, 3, 0},
    [ARM_INERTIA_ORDER_PINOCCHIO] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
};

/* Row and column of the tensor of pi[4 + k]. */
static const unsigned char rows[6] = {0, 0, 1, 0, 1, 2}, columns[6] = {0, 1, 1, 2, 2, 2};

size_t arm_inertia_place(ArmInertiaOrder order, size_t k) {
  return places[order][k];
}

void arm_inertia_from_order(ArmInertiaOrder order, const double *in, double *out) {
  for (size_t k = 0; k < ARM_INERTIA_PARAMETERS; k++)
    out[places[order][k]] = in[k];
}

void arm_inertia_to_order(ArmInertiaOrder order, const double *in, double *out) {
  for (size_t k = 0; k < ARM_INERTIA_PARAMETERS; k++)
    out[k] = in[places[order][k]];
}

/* out = tensor + mass (x.x 1 - x x^T), both as pi[4..9] */
static void tensor_add_point(double mass, const double x[3], const double *tensor, double *out) {
  const double square = arm_vec3_dot(x, x);
  for (int k = 0; k < 6; k++)
    out[k] =
        tensor[k] + mass * ((rows[k] == columns[k] ? square : 0.0) - x[rows[k]] * x[columns[k]]);
}

void arm_inertia_from_link(const ArmLink *link, double *pi) {
  memset(pi, 0, ARM_INERTIA_PARAMETERS * sizeof *pi);
  if (!link->is_present)
    return;
  const double *i = link->inertia_com_kg_m2; /* Ixx Iyy Izz Ixy Ixz Iyz */
  const double tensor[6] = {i[0], i[3], i[1], i[4], i[5], i[2]};
  pi[0] = link->mass_kg;
  for (int a = 0; a < 3; a++)
    pi[1 + a] = link->mass_kg * link->com_m[a];
  tensor_add_point(link->mass_kg, link->com_m, tensor, pi + 4);
}

ArmStatus arm_inertia_to_link(const double *pi, ArmLink *link) {
  ArmLink result = {.is_present = true, .mass_kg = pi[0]};
  double tensor[6];
  for (size_t k = 0; k < ARM_INERTIA_PARAMETERS; k++)
    if (!isfinite(pi[k]))
      return ARM_E_NOT_FINITE;
  if (pi[0] == 0)
    return ARM_E_NUMERIC;
  for (int a = 0; a < 3; a++)
    result.com_m[a] = pi[1 + a] / pi[0];
  tensor_add_point(-pi[0], result.com_m, pi + 4, tensor);
  const double inertia[6] = {tensor[0], tensor[2], tensor[5], tensor[1], tensor[3], tensor[4]};
  memcpy(result.inertia_com_kg_m2, inertia, sizeof inertia);
  *link = result;
  return ARM_OK;
}

size_t arm_inertia_nominal(const ArmModel *model, double *pi) {
  size_t missing = 0;
  for (size_t i = 0; i < model->n; i++) {
    arm_inertia_from_link(&model->joints[i].link, pi + ARM_INERTIA_PARAMETERS * i);
    missing += !model->joints[i].link.is_present;
  }
  return missing;
}

/* I' = R I R^T - [s x][Rh x] - [Rh x][s x] - m [s x]^2, h' = R h + m s, m' = m */
void arm_inertia_move(const double *rotation, const double *shift, const double *pi, double *out) {
  const double full[9] = {pi[4], pi[5], pi[7], pi[5], pi[6], pi[8], pi[7], pi[8], pi[9]};
  double h[3], half[9];
  arm_mat3_mul_vec(rotation, pi + 1, h);
  arm_mat3_mul(rotation, full, half);
  const double twice = 2 * arm_vec3_dot(shift, h) + pi[0] * arm_vec3_dot(shift, shift);
  for (int k = 0; k < 6; k++) {
    const int r = rows[k], c = columns[k];
    out[4 + k] = arm_vec3_dot(half + 3 * r, rotation + 3 * c) + (r == c ? twice : 0.0) -
                 shift[r] * h[c] - h[r] * shift[c] - pi[0] * shift[r] * shift[c];
  }
  for (int a = 0; a < 3; a++)
    out[1 + a] = h[a] + pi[0] * shift[a];
  out[0] = pi[0];
}
