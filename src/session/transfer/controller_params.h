/* SPDX-License-Identifier: MIT */
/* What a fit found, and a set of parameters of a controller: from one to the other by names
 * (docs/simulator.md, Parameters). Plain values; no device, no file.
 *
 * A set is always whole and in the controller's order: what is not known here keeps the value that
 * the controller has. Numbers are rounded to what the controller can hold, 32 bits.
 */
#ifndef ARMATURE_SESSION_CONTROLLER_PARAMS_H
#define ARMATURE_SESSION_CONTROLLER_PARAMS_H

#include <glib.h>
#include <stdbool.h>

#include "core/params/set.h"
#include "io/driver/driver.h"

/* One parameter that is different. `note`, for people, is a sentence of io/base/said; "" for none.
 * Sentences are such everywhere here. */
typedef struct {
  char name[32], unit[16];
  double before, after;
  double sd; /* of after, in its unit; NAN: not known */
  char note[400];
} AseParamChange;

typedef struct {
  guint n;
  double *before, *after; /* as the controller had them, and as it shall have them */
  GArray *changes;        /* of AseParamChange, in the controller's order */
  GPtrArray *missing;     /* of char: sentences, what cannot be given to this controller and why */
} AseParamSet;

/* What a fit found (usually refined) for the controller whose `n` parameters are
 * `params`, as params_get gives them. What is not identifiable is set to the value that predictions
 * use, with the reason as its note. eta.ratio[j] is eta of the first joint of the cluster over eta
 * of joint j, 0 where there is none.
 * NULL with AIO_ERROR_REFUSED: a joint that was never swept has a load, which is known in currents
 * of another one, or a joint was measured as a torque or force, while controllers hold currents
 * (the message names the joint); a value is outside of the controller's range, or
 * the controller states another unit or type than its name means (the parameter). Free with
 * ase_param_set_free. */
AseParamSet *ase_param_set_from_fit(const ArmParamSet *found, const AioParam *params, guint n,
                                    GError **error);

/* The same from parameters of before (a backup), by names; read-only parameters stay as the
 * controller has them, with a sentence in `missing` if they differ. Also NULL with
 * AIO_ERROR_REFUSED: by the joints in their names, of arms with different numbers of joints. */
AseParamSet *ase_param_set_from_params(const AioParam *source, guint n_source,
                                       const AioParam *params, guint n, GError **error);

void ase_param_set_free(AseParamSet *set); /* NULL allowed */

/* The friction terms of a fit (core/params/terms.h): no controller has a place for them, and
 * would be without that part of friction. A sentence for each, of char, naming joint and term;
 * empty: none. g_ptr_array_unref. They are in `missing` of ase_param_set_from_fit as well, with
 * what else no controller has a place for (own inertia): without it the rest is as good as ever. */
GPtrArray *ase_param_lost_terms(const ArmParamSet *found);

/* Where the values of `params` differ from `expected` (n of them, the same order), compared as the
 * controller holds them. `before` is what was expected, `after` what was found. Of AseParamChange,
 * g_array_unref. */
GArray *ase_param_differences(const double *expected, const AioParam *params, guint n);

#endif
