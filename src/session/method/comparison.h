/* SPDX-License-Identifier: MIT */
/* Two calibrations of one arm: what has changed, in sds of the difference. Any thread. */
#ifndef ARMATURE_SESSION_COMPARISON_H
#define ARMATURE_SESSION_COMPARISON_H

#include <glib.h>
#include <stdbool.h>

#include "core/params/shared_scale.h"
#include "io/params/params_file.h"
#include "session/method/method.h"

/* Chosen: where nothing has changed one parameter in 370 is beyond. */
#define ASE_NOTEWORTHY_SDS 3.0

typedef struct {
  ArmParamId id;
  const ArmParamSet *of; /* which has it, as parameter k; `now` where both do */
  size_t k;
  bool in_before, in_now; /* a term is in every set: what lacks it has 0 */
  ArmEstimate before, now;
  double difference, sds; /* now - before; NAN: one of them is not identifiable, or not there */
} AseDifference;

/* An earlier calibration: the last fit in a session's file, or a parameter file of any kind, of any
 * arm, as a set; cleared by the caller.
 *   method  out: which found it
 *   found   out, untouched on failure
 * false: AIO_ERROR_NOT_FOUND, there is no fit in the session; what aio_store_open_read,
 * aio_json_load and ase_found_load_text report. */
bool ase_comparison_load(const char *path, const AseMethod **method, ArmParamSet *found,
                         GError **error);

/* The same from the text of a parameter file; `name` is what messages call it. */
bool ase_comparison_read_found(const char *name, const char *text, gsize length,
                               const AseMethod **method, ArmParamSet *found, GError **error);

/* The scales of torque constants that both have from the same data sheets, as if of the same
 * motors: in neither `sds` of a difference. Both out. */
void ase_comparison_scales(const ArmParamSet *before, const ArmParamSet *now, ArmScales *of_before,
                           ArmScales *of_now);

/* Every parameter of `now` in its order, and what only `before` has behind what precedes it there;
 * of AseDifference, g_array_unref; it points into both. What a set lacks is 0 exactly of a friction
 * term, else not identifiable. NULL with AIO_ERROR_REFUSED: number or type of the joints differ. */
GArray *ase_comparison_new(const ArmParamSet *before, const ArmParamSet *now, GError **error);

#endif
