/* SPDX-License-Identifier: MIT */
/* How a fit predicts what it has not seen, as parameter files of every kind say it.
 *
 *   "validation": [{"name": "V", "joints": [{"joint": 1, "rows", "rms_error_A", "rms_A",
 *                   "r2_centred"}]}]
 *
 * Beyond the agreed keys of each joint "promised_A", what its error should be, where that is known.
 * Where a session has judged it, or should have, also "state": "passed|failed|stale|missing", and
 * of each joint "state", "promised_A", and "reason", why it failed. Errors are then rms over
 * sweeps, noise of samples averaged out. Not measured is null.
 */
#ifndef ARMATURE_IO_HELD_OUT_H
#define ARMATURE_IO_HELD_OUT_H

#include <glib.h>
#include <stdbool.h>

#include "core/params/set.h"
#include "core/sweeps/validate.h"
#include "io/json/json_read.h"
#include "io/json/json_write.h"

typedef enum {
  AIO_HELD_OUT_COMPARED = 0, /* and not judged */
  AIO_HELD_OUT_PASSED,
  AIO_HELD_OUT_FAILED,
  AIO_HELD_OUT_STALE,   /* was judged; what that rests on has changed */
  AIO_HELD_OUT_MISSING, /* could have been judged: the sweeps are there */
  AIO_HELD_OUT_STATES
} AioHeldOutState;

typedef struct {
  gsize rows;
  double rms_error, rms; /* A; N m or N where torques were measured. NAN without rows */
  double r2;             /* centred */
  double promised;       /* as rms_error; NAN: not known */
  AioHeldOutState state;
  ArmValidationKind reason; /* of a joint that failed; PASSED: another, drift of friction */
} AioJointHeldOut;

typedef struct {
  char *name; /* file */
  AioHeldOutState state;
  AioJointHeldOut joint[ARM_MAX_JOINTS];
} AioHeldOut;

/* Of AioHeldOut; g_ptr_array_unref it. */
GPtrArray *aio_held_out_list_new(void);
/* A new item at the end, nothing measured; the name is copied. */
AioHeldOut *aio_held_out_add(GPtrArray *list, const char *name);

/* The worst that a list says; NULL or empty: COMPARED. */
AioHeldOutState aio_held_out_state(const GPtrArray *list);
/* "passed"; of COMPARED "". Static. */
const char *aio_held_out_key(AioHeldOutState state);
/* What whoever uses the numbers is told: that it failed, in which joints and by how much; that it
 * is out of date or was never made. Of char *, English, empty when nothing stands against them.
 * g_ptr_array_unref it. */
GPtrArray *aio_held_out_lines(const GPtrArray *list, const ArmParamSet *set);

/* The member "validation" of what `set` found. */
void aio_held_out_write(AioJsonWriter *writer, const GPtrArray *list, const ArmParamSet *set);
/* The inverse, appended to `list`. False: error set, AIO_ERROR_MEANING. */
bool aio_held_out_read(const AioJsonNode *node, const ArmParamSet *set, GPtrArray *list,
                       GError **error);

#endif
