/* SPDX-License-Identifier: MIT */
/* What a fit says of a joint's current, without the fit: made once by the method, asked for every
 * sample of a recording. Never changed after it is made, so that any number of threads may have it.
 * Joints count from 1; currents in A, positions in rad or m. */
#ifndef ARMATURE_SESSION_PREDICTOR_H
#define ARMATURE_SESSION_PREDICTOR_H

#include <glib.h>

#include "core/arm/model.h"
#include "core/params/set.h"

/* Counted (g_atomic_rc_box): the method puts its own values behind it, and no pointers. */
typedef struct AsePredictor AsePredictor;
struct AsePredictor {
  /* In this state of the arm, q and qd of all joints; NAN where nothing can be said. */
  double (*current)(const AsePredictor *self, guint joint, const double *q, const double *qd);
  /* How much of it there is per unit of a parameter: its column of the regression. */
  double (*column)(const AsePredictor *self, guint joint, const double *q, const double *qd,
                   ArmParamId id);
  double residual_sd[ARM_MAX_JOINTS]; /* of one sample [A], NAN: not known */
};

static inline AsePredictor *ase_predictor_ref(const AsePredictor *predictor) {
  return predictor ? (AsePredictor *)g_atomic_rc_box_acquire((gpointer)predictor) : NULL;
}
/* NULL allowed. */
static inline void ase_predictor_unref(AsePredictor *predictor) {
  if (predictor)
    g_atomic_rc_box_release(predictor);
}

#endif
