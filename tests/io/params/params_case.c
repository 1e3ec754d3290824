/* SPDX-License-Identifier: MIT */
#include "params_case.h"

#include <math.h>
#include <string.h>

void params_case_make(ArmModel *model, ArmGravityFit *fit) {
  g_assert_true(arm_model_init(model, 2) == ARM_OK);
  model->joints[1].type = ARM_JOINT_T;
  ArmGravityParameters *p = &fit->refined;
  *fit = (ArmGravityFit){.relative_gradient = 1e-12, .is_converged = true};
  p->n = 2;
  p->n_clusters = 1;
  p->type[1] = ARM_JOINT_T;
  for (size_t i = 0; i < 2; i++) {
    p->joint[i] = (ArmJointFit){.rows_used = 9, .widening = 1.0};
    for (int k = 0; k < 2; k++)
      p->joint[i].w[k] = (ArmEstimate){NAN, NAN, 0.1 + k, false, ARM_REASON_TOO_WEAK};
    for (int k = 0; k < 4; k++)
      p->joint[i].friction[k] = (ArmEstimate){NAN, NAN, 0.2 * k, false, ARM_REASON_ONE_SPEED};
  }
  p->ratio[0][1] = (ArmEstimate){NAN, NAN, 3.0, false, ARM_REASON_TOO_WEAK};
}

AioParams *params_case_load(const char *text, const ArmModel *model) {
  GError *error = NULL;
  AioParams *params = aio_params_load_bytes("p", text, strlen(text), model, &error);
  g_assert_no_error(error);
  return params;
}

char *params_case_replaced(const char *text, const char *from, const char *to) {
  GString *copy = g_string_new(text);
  g_assert_cmpuint(g_string_replace(copy, from, to, 1), ==, 1);
  return g_string_free(copy, FALSE);
}
