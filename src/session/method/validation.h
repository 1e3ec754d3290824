/* SPDX-License-Identifier: MIT */
/* The proof on what no fit has seen: sweeps at other holds and speeds, predicted beforehand. And
 * how much friction changed between the first sweep and its repetition. */
#ifndef ARMATURE_SESSION_VALIDATION_H
#define ARMATURE_SESSION_VALIDATION_H

#include <glib.h>
#include <stdbool.h>

#include "core/data/dataset.h"
#include "core/sweeps/ident.h"
#include "core/sweeps/validate.h"
#include "session/measure/runs.h"

typedef struct {
  gsize rows;                    /* 0: nothing was measured of this joint */
  double rms_A, mean_A, worst_A; /* of samples: measured minus predicted, noise and all */
  double percent;                /* rms of the error over rms of the current */
  ArmJointValidation on_strokes; /* what it is judged by */
  /* NAN where no sweep is long enough */
  double model_error_A; /* rms over sweeps, noise of samples averaged out */
  double promised_A;    /* sd of model_error_A by the fit; NAN where it knows no noise: it has no
                           pairs of strokes, or an older program did not keep it */
  double ratio;         /* model_error_A over promised_A */
  bool has_passed;
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
 * AIO_ERROR_NOT_FOUND: no validation sweep was recorded. AIO_ERROR_MEANING: they can't be judged.
 * AIO_ERROR_IO: the temporary file of their rows. */
bool ase_validation_compute(AseValidation *out, const ArmModel *model, const GPtrArray *runs,
                            const ArmGravityFit *fit, const ArmRowOptions *rows,
                            const ArmValidationLimits *limits, double drift_limit, GError **error);

/* Why it did not pass, for people; "" when it did. Static. */
const char *ase_validation_reason(ArmValidationKind kind);
/* The same as a sentence of io/base/said. */
const char *ase_validation_said(ArmValidationKind kind);

#endif
