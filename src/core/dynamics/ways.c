/* SPDX-License-Identifier: MIT */
#include "core/dynamics/ways.h"

#include <math.h>

#include "core/dynamics/composite.h"

static ArmStatus compare(const ArmBase *closed, const ArmBase *qr, const ArmComposite *lin,
                         ArmBaseWays *ways) {
  const size_t p = closed->columns;
  double to_lin, to_qr;
  ArmStatus status =
      arm_base_distance(p, closed->count, closed->map, lin->count, lin->map, &to_lin);
  if (status == ARM_OK)
    status = arm_base_distance(p, closed->count, closed->map, qr->count, qr->map, &to_qr);
  if (status == ARM_OK)
    *ways = (ArmBaseWays){closed->count, lin->count, qr->count, fmax(to_lin, to_qr)};
  return status;
}

ArmStatus arm_base_compare(const ArmModel *model, ArmBaseWays *ways) {
  ArmModel nominal;
  ArmBase *closed = NULL, *qr = NULL;
  ArmComposite *lin = NULL;
  ArmStatus status = ARM_E_ARGUMENT;
  if (model->n == 0 || model->n > ARM_MAX_JOINTS)
    return status;
  (void)arm_nominal(model, &nominal, NULL);
  status = arm_base_new(&nominal, 0, ARM_BASE_CLOSED_FORM, &closed);
  if (status == ARM_OK)
    status = arm_base_new(&nominal, 0, ARM_BASE_QR, &qr);
  if (status == ARM_OK)
    status = arm_composite_new(&nominal, &lin);
  if (status == ARM_OK)
    status = compare(closed, qr, lin, ways);
  arm_base_free(closed);
  arm_base_free(qr);
  arm_composite_free(lin);
  return status;
}
