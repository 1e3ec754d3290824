/* SPDX-License-Identifier: MIT */
#include "support/designs.h"

#include <string.h>

#include "support/vectors.h"

bool designs_model(const char *text, const char *robot, ArmModel *model) {
  double mdh[3 * DESIGN_JOINTS], limit[4][DESIGN_JOINTS];
  static const char *const keys[] = {"lo", "hi", "vmax", "amax"};
  const char *from = vectors_find(text, robot);
  const size_t n = from ? vectors_numbers(vectors_find(from, "mdh_alpha_d_r"), 21, mdh) / 3 : 0;
  if (arm_model_init(model, n) != ARM_OK)
    return false;
  for (size_t k = 0; k < 4; k++)
    vectors_exactly(from, keys[k], n, limit[k]);
  for (size_t j = 0; j < n; j++) {
    ArmJoint *joint = &model->joints[j];
    arm_joint_set_mdh(joint, ARM_JOINT_R, mdh[3 * j], mdh[3 * j + 1], 0, mdh[3 * j + 2]);
    joint->limits.q_min = limit[0][j];
    joint->limits.q_max = limit[1][j];
    joint->limits.speed_max = limit[2][j];
    joint->limits.accel_max = limit[3][j];
  }
  return true;
}

/* The text of a string that begins at the next quote. */
static void read_word(const char *at, size_t size, char *out) {
  const char *from = strchr(at, '"') + 1;
  const size_t length = (size_t)(strchr(from, '"') - from);
  memcpy(out, from, length < size ? length : size - 1);
  out[length < size ? length : size - 1] = '\0';
}

bool designs_next(const char *text, const char **at, Design *design) {
  const char *from = vectors_find(*at, "robot");
  char kind[32];
  if (!from)
    return false;
  memset(design, 0, sizeof *design);
  read_word(from, sizeof design->robot, design->robot);
  read_word(vectors_find(from, "basis"), sizeof kind, kind);
  design->basis.kind = strcmp(kind, "fourier") == 0 ? ARM_BASIS_FOURIER : ARM_BASIS_SPLINE;
  design->basis.order = (size_t)vectors_number(from, "K");
  design->basis.period_s = vectors_number(from, "T");
  design->base_parameters = (size_t)vectors_number(from, "base_params");
  design->cond = vectors_number(from, "cond");
  *at = vectors_find(from, "C");
  if (!designs_model(text, design->robot, &design->model))
    return false;
  vectors_exactly(from, "C", design->model.n * arm_basis_functions(&design->basis), design->c);
  return true;
}
