/* SPDX-License-Identifier: MIT */
#include "core/status.h"

const char *arm_status_text(ArmStatus status) {
  switch (status) {
  case ARM_OK:
    return "done";
  case ARM_E_ARGUMENT:
    return "argument out of range";
  case ARM_E_MEMORY:
    return "out of memory";
  case ARM_E_NOT_FINITE:
    return "a value is not finite";
  case ARM_E_NO_DATA:
    return "no usable rows";
  case ARM_E_NUMERIC:
    return "the numerical method did not converge";
  case ARM_E_INFEASIBLE:
    return "nothing inside the limits satisfies the request";
  }
  return "unknown status";
}
