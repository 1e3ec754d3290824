/* SPDX-License-Identifier: MIT */
/* Mass matrices of an identified arm at random poses, columns from its base regressor: with the
 * links that were completed, with the base parameters as estimated, and with the identified rotors
 * beside these. Prints how many of how many are positive definite: completed, base, with rotors. */
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "io/arm/arm_file.h"
#include "io/arm/base_json.h"
#include "io/params/dynamics_file.h"

enum { N = ARM_MAX_JOINTS };

typedef struct {
  ArmModel model; /* without gravity */
  ArmBase *base;
  double *rows; /* n x count */
} Arm;

/* H beta-wise: column k is the torque of a unit acceleration of joint k. */
static bool is_definite(const Arm *arm, const double *q, const double *beta, const double *rotor) {
  const size_t n = arm->model.n, count = arm->base->count;
  double h[N * N] = {0}, rest[N] = {0};
  for (size_t k = 0; k < n; k++) {
    double unit[N] = {0};
    unit[k] = 1;
    if (arm_base_regressor(arm->base, &arm->model, q, rest, unit, arm->rows) != ARM_OK)
      exit(2);
    for (size_t j = 0; j < n; j++)
      for (size_t b = 0; b < count; b++)
        h[j + k * n] += arm->rows[b + j * count] * beta[b];
    h[k + k * n] += rotor ? rotor[k] : 0;
  }
  return LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, h, (lapack_int)n) == 0;
}

static double used(const ArmParamSet *set, ArmParamKind kind, size_t j) {
  const ArmEstimate *e = arm_param_set_at(set, (ArmParamId){kind, (unsigned char)j, 0});
  return e ? e->used : 0;
}

static void betas(const Arm *arm, const AioDynamics *dynamics, double *completed, double *estimated,
                  double *rotor) {
  double pi[ARM_INERTIA_PARAMETERS * N];
  size_t b = 0;
  for (size_t i = 0; i < arm->model.n; i++) {
    arm_inertia_from_link(&dynamics->link[i].link, pi + ARM_INERTIA_PARAMETERS * i);
    rotor[i] =
        used(&dynamics->found, ARM_PARAM_ROTOR, i) / used(&dynamics->found, ARM_PARAM_ETA, i);
  }
  arm_base_values(arm->base, pi, completed);
  for (size_t k = 0; k < dynamics->found.n; k++)
    if (dynamics->found.param[k].id.kind == ARM_PARAM_BASE)
      estimated[b++] = dynamics->found.estimate[k].used;
}

/* show_identified ARM.arm.json P.json [POSES] */
int main(int argc, char **argv) {
  GError *error = NULL;
  Arm arm;
  uint64_t random = 174;
  size_t good[3] = {0};
  const size_t poses = argc > 3 ? (size_t)strtoul(argv[3], NULL, 10) : 10000;
  g_autoptr(AioArm) file = argc > 2 ? aio_arm_load(argv[1], &error) : NULL;
  g_autoptr(AioDynamics) dynamics = file ? aio_dynamics_load(argv[2], &file->model, &error) : NULL;
  if (!dynamics || !dynamics->has_links) {
    printf("# %s\n", error ? error->message : "an arm and its parameters, with links, are needed");
    return 2;
  }
  arm.model = file->model;
  if (arm_base_new(&arm.model, 0, ARM_BASE_CLOSED_FORM, &arm.base) != ARM_OK)
    return 2;
  memset(arm.model.gravity_m_s2, 0, sizeof arm.model.gravity_m_s2);
  g_autofree double *rows = g_new(double, arm.model.n *arm.base->count);
  g_autofree double *completed = g_new0(double, arm.base->count);
  g_autofree double *estimated = g_new0(double, arm.base->count);
  double rotor[N];
  arm.rows = rows;
  betas(&arm, dynamics, completed, estimated, rotor);
  for (size_t p = 0; p < poses; p++) {
    double q[N];
    for (size_t j = 0; j < arm.model.n; j++)
      q[j] = arm_random_uniform(&random, -3.14159, 3.14159);
    good[0] += is_definite(&arm, q, completed, NULL);
    good[1] += is_definite(&arm, q, estimated, NULL);
    good[2] += is_definite(&arm, q, estimated, rotor);
  }
  printf("%zu %zu %zu %zu\n", good[0], good[1], good[2], poses);
  arm_base_free(arm.base);
  return 0;
}
