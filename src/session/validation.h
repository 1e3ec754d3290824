/* SPDX-License-Identifier: MIT */
/* The proof on what no fit has seen: sweeps at other holds and speeds, predicted beforehand. And
 * how much friction changed between the first sweep and its repetition. */
#ifndef ARMATURE_SESSION_VALIDATION_H
#define ARMATURE_SESSION_VALIDATION_H

#include <glib.h>
#include <stdbool.h>

#include "core/dataset.h"
#include "core/ident.h"
#include "session/runs.h"

typedef struct {
  gsize rows;           /* 0: nothing was measured of this joint */
  double rms_A, mean_A; /* of measured minus predicted */
  double worst_A;       /* largest of them */
  double percent;       /* rms of the error over rms of the current */
  double ratio;         /* rms over the residual sd of the fit */
  bool has_passed;      /* ratio <= limit */
} AseJointValidation;

typedef struct {
  guint joints;
  AseJointValidation joint[ARM_MAX_JOINTS];
  /* of the first sweep, NAN without a repetition */
  guint drift_joint;
  double drift_A;   /* change of friction: half the difference of the directions */
  double drift_sds; /* the same in sds of that change */
  bool has_drifted; /* |drift_sds| > limit */
} AseValidation;

/* runs: of AseRun, with purposes MEASURE, VALIDATE, DRIFT; at the parameters of the refinement.
 * AIO_ERROR_NOT_FOUND: no validation sweep was recorded. */
bool ase_validation_compute(AseValidation *out, const ArmModel *model, const GPtrArray *runs,
                            const ArmGravityFit *fit, const ArmRowOptions *rows, double limit,
                            double drift_limit, GError **error);

#endif
