/* SPDX-License-Identifier: MIT */
#include "io/base/scale.h"

#include <string.h>

#define RAD_PER_DEG (G_PI / 180.0)

static const AioUnit units[] = {
    {"s", AIO_QUANTITY_TIME, 1.0},
    {"ms", AIO_QUANTITY_TIME, 1e-3},
    {"us", AIO_QUANTITY_TIME, 1e-6},
    {"ns", AIO_QUANTITY_TIME, 1e-9},
    {"rad", AIO_QUANTITY_ANGLE, 1.0},
    {"deg", AIO_QUANTITY_ANGLE, RAD_PER_DEG},
    {"turn", AIO_QUANTITY_ANGLE, 2.0 * G_PI},
    {"m", AIO_QUANTITY_LENGTH, 1.0},
    {"mm", AIO_QUANTITY_LENGTH, 1e-3},
    {"rad_s", AIO_QUANTITY_ANGULAR_SPEED, 1.0},
    {"deg_s", AIO_QUANTITY_ANGULAR_SPEED, RAD_PER_DEG},
    {"rpm", AIO_QUANTITY_ANGULAR_SPEED, 2.0 * G_PI / 60.0},
    {"m_s", AIO_QUANTITY_LINEAR_SPEED, 1.0},
    {"mm_s", AIO_QUANTITY_LINEAR_SPEED, 1e-3},
    {"rad_s2", AIO_QUANTITY_ANGULAR_ACCELERATION, 1.0},
    {"deg_s2", AIO_QUANTITY_ANGULAR_ACCELERATION, RAD_PER_DEG},
    {"m_s2", AIO_QUANTITY_LINEAR_ACCELERATION, 1.0},
    {"mm_s2", AIO_QUANTITY_LINEAR_ACCELERATION, 1e-3},
    {"A", AIO_QUANTITY_CURRENT, 1.0},
    {"mA", AIO_QUANTITY_CURRENT, 1e-3},
    {"Nm", AIO_QUANTITY_TORQUE, 1.0},
    {"mNm", AIO_QUANTITY_TORQUE, 1e-3},
    {"N", AIO_QUANTITY_FORCE, 1.0},
};

const AioUnit *aio_unit_find(const char *name) {
  for (gsize k = 0; k < G_N_ELEMENTS(units); k++) {
    if (strcmp(units[k].name, name) == 0)
      return &units[k];
  }
  return NULL;
}

char *aio_unit_list(AioQuantity quantity) {
  GString *list = g_string_new(NULL);
  gsize left = 0;
  for (gsize k = 0; k < G_N_ELEMENTS(units); k++)
    left += units[k].quantity == quantity;
  for (gsize k = 0; k < G_N_ELEMENTS(units); k++) {
    if (units[k].quantity != quantity)
      continue;
    g_string_append_printf(list, "\"%s\"", units[k].name);
    left--;
    g_string_append(list, left > 1 ? ", " : left == 1 ? " or " : "");
  }
  return g_string_free(list, FALSE);
}

double aio_deg_from_rad(double rad) {
  return rad / RAD_PER_DEG;
}
