/* SPDX-License-Identifier: MIT */
/* Under what conditions a session was measured, as its file tells. */
#ifndef ARMATURE_SESSION_CONDITIONS_H
#define ARMATURE_SESSION_CONDITIONS_H

#include <glib.h>
#include <stdbool.h>

#include "core/arm/model.h"
#include "io/base/error.h"

typedef struct {
  char name[64], serial[64], firmware[32], protocol[16]; /* of the last controller; "" not known */
  bool is_simulated;         /* it, or one before it: faults can be planted */
  gint64 began_us, ended_us; /* first and last sweep, microseconds since 1970; 0: none */
  double supply_V[2];        /* lowest, highest; NAN: not measured */
  double motor_C[ARM_MAX_JOINTS][2];
} AseConditions;

/* From the file of a session that may be open. false: what aio_store_open_read and
 * aio_store_each_run report; out untouched. */
bool ase_conditions_load(AseConditions *out, const char *path, GError **error);

#endif
