/* SPDX-License-Identifier: MIT */
/* Units at the border: the one file that knows degrees, rpm, mA. Inside everything is SI. */
#ifndef ARMATURE_IO_SCALE_H
#define ARMATURE_IO_SCALE_H

#include <glib.h>
#include <stdbool.h>

typedef enum {
  AIO_QUANTITY_TIME,
  AIO_QUANTITY_ANGLE,
  AIO_QUANTITY_LENGTH,
  AIO_QUANTITY_ANGULAR_SPEED,
  AIO_QUANTITY_LINEAR_SPEED,
  AIO_QUANTITY_ANGULAR_ACCELERATION,
  AIO_QUANTITY_LINEAR_ACCELERATION,
  AIO_QUANTITY_CURRENT,
  AIO_QUANTITY_TORQUE,
  AIO_QUANTITY_FORCE
} AioQuantity;

typedef struct {
  const char *name; /* as in files: "deg_s" */
  AioQuantity quantity;
  double to_si; /* value in SI = value in this unit x to_si */
} AioUnit;

/* The unit of that name, NULL when there is none. Static storage. */
const AioUnit *aio_unit_find(const char *name);

/* "rad, deg or turn": the units of a quantity, for messages. Free with g_free. */
char *aio_unit_list(AioQuantity quantity);

/* Degrees as people write limits and show angles. */
double aio_deg_from_rad(double rad);

#endif
