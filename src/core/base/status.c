/* SPDX-License-Identifier: MIT */
#include "core/base/status.h"

/* For xgettext: screens show the text in the user's language. */
#define N_(text) text

const char *arm_status_text(ArmStatus status) {
  switch (status) {
  case ARM_OK:
    return N_("done");
  case ARM_E_ARGUMENT:
    return N_("argument out of range");
  case ARM_E_MEMORY:
    return N_("out of memory");
  case ARM_E_NOT_FINITE:
    return N_("a value is not finite");
  case ARM_E_NO_DATA:
    return N_("no usable rows");
  case ARM_E_NUMERIC:
    return N_("the numerical method did not converge");
  case ARM_E_INFEASIBLE:
    return N_("nothing inside the limits satisfies the request");
  case ARM_E_SOURCE:
    return N_("rows cannot be read");
  }
  return N_("unknown status");
}
