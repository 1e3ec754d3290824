/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "core/arm/inertia.h"
#include "core/dynamics/base.h"

/* The catalogue has the ten in Gautier and Khalil's order. */
static ArmParamKind inertial(unsigned parameter) {
  for (unsigned k = 0; k < ARM_INERTIA_PARAMETERS; k++)
    if (arm_inertia_place(ARM_INERTIA_ORDER_GAUTIER_KHALIL, k) == parameter)
      return (ArmParamKind)(ARM_PARAM_XX + k);
  return ARM_PARAM_KINDS;
}

ArmParamKind arm_base_kind(const ArmBaseColumn *column) {
  static const ArmParamKind kinds[ARM_COLUMN_KINDS] = {
      [ARM_COLUMN_COULOMB_POS] = ARM_PARAM_COULOMB_POS,
      [ARM_COLUMN_VISCOUS_POS] = ARM_PARAM_VISCOUS_POS,
      [ARM_COLUMN_COULOMB_NEG] = ARM_PARAM_COULOMB_NEG,
      [ARM_COLUMN_VISCOUS_NEG] = ARM_PARAM_VISCOUS_NEG,
      [ARM_COLUMN_SPRING] = ARM_PARAM_KINDS,
      [ARM_COLUMN_SPRING_BIAS] = ARM_PARAM_KINDS,
      [ARM_COLUMN_BALANCE_COS] = ARM_PARAM_KINDS,
      [ARM_COLUMN_BALANCE_SIN] = ARM_PARAM_KINDS,
      [ARM_COLUMN_BALANCE] = ARM_PARAM_KINDS,
      [ARM_COLUMN_ROTOR] = ARM_PARAM_ROTOR};
  return column->kind == ARM_COLUMN_INERTIAL ? inertial(column->parameter) : kinds[column->kind];
}

const char *arm_base_name(const char *symbol, bool is_regrouped, size_t joint,
                          char name[ARM_BASE_NAME]) {
  size_t at = strlen(symbol);
  memcpy(name, symbol, at);
  if (is_regrouped)
    name[at++] = 'R';
  if (joint >= 9)
    name[at++] = (char)('0' + (joint + 1) / 10);
  name[at++] = (char)('0' + (joint + 1) % 10);
  name[at] = '\0';
  return name;
}
