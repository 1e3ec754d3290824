/* SPDX-License-Identifier: MIT */
#include "core/params/method.h"

bool arm_method_has(const ArmMethod *method, ArmParamKind kind) {
  for (size_t k = 0; k < method->n; k++)
    if (method->params[k].kind == kind)
      return true;
  return false;
}
