/* SPDX-License-Identifier: MIT */
/* Does a fit predict strokes that it has not seen? Judged against the sd that it promised for them
 * and against limits of size, never against its own residual: a bad fit has a large one.
 * Source: Armature theory notes, lack of fit, section 6.
 *
 *   e = alpha - z theta,  even and odd k = 0..3 of the pairs (k = 0..3 of a stroke without partner)
 *   Sigma = J C J' + diag(s_k^2/w_p + [odd, k = 0] tau^2 + [k = 0] misfit_speed^2)
 *
 * letter        meaning                                                          unit
 * alpha, z      coefficients of a stroke's current and columns (core/sweeps/stroke.h)   A
 * C             covariance of the parameters                                     their units
 * s_k, tau      noise of a sample at order k, scatter of friction, of the fit
 *               (core/sweeps/verdict.h)                                                 A
 * w_p           4/(1/n+ + 1/n-), a stroke alone: its samples n                   1
 * misfit_speed  what the fit's friction misses of its curve                      A
 */
#ifndef ARMATURE_CORE_VALIDATE_H
#define ARMATURE_CORE_VALIDATE_H

#include "core/data/dataset.h"
#include "core/data/windows.h"
#include "core/sweeps/ident.h"

typedef enum {
  ARM_VALIDATION_NOT_MEASURED = 0, /* no stroke of a dozen samples or more */
  ARM_VALIDATION_PASSED,
  ARM_VALIDATION_UNKNOWN,   /* the fit knows nothing of a parameter that the prediction needs */
  ARM_VALIDATION_UNUSABLE,  /* nothing worth validating: r2 of the fit, or what it promises */
  ARM_VALIDATION_TOO_LARGE, /* beyond a limit of size, whatever was promised */
  ARM_VALIDATION_MISFIT     /* beyond what was promised */
} ArmValidationKind;

typedef struct {
  double promised_factor;   /* times what was promised; 2 */
  double friction_relative; /* smaller is no misfit, part of friction; 0.02 */
  double relative;          /* part of the rms current; 0.10 */
  double absolute;          /* A; INFINITY: the lab sets none */
  double promised_relative; /* of the rms current; 0.05 */
  double r2;                /* least of the fit; 0.8 */
} ArmValidationLimits;

void arm_validation_limits_default(ArmValidationLimits *limits);

typedef struct {
  ArmValidationKind kind;
  size_t strokes, samples;
  double rms, promised, current; /* A rms over strokes: error, its sd, measured current; promised:
                                    NAN of a fit that does not know its noise: then p too, and the
                                    limits of size alone decide */
  double limit;                  /* A: above it the error does not pass */
  double p;                      /* of an error as large by chance: F, by the pairs of the fit */
  double slow, fast;             /* |mean speed| of the slowest and the fastest [rad/s, m/s] */
  double worst;                  /* rms error of the worst stroke [A] ... */
  size_t worst_row;              /* ... its first row in the recording */
} ArmJointValidation;

typedef struct {
  size_t n;
  ArmJointValidation joint[ARM_MAX_JOINTS];
} ArmValidation;

/* Judges a recording that the fit has not seen.
 *   rows  which rows count, as in the fit
 *   out   overwritten
 * ARM_E_ARGUMENT: n or a joint type differs. ARM_E_NO_DATA: no usable row. ARM_E_MEMORY,
 * ARM_E_NUMERIC. Untouched on failure. */
ARM_MUST_CHECK ArmStatus arm_validate(const ArmModel *model, const ArmGravityFit *fit,
                                      const ArmDataset *data, const ArmRowOptions *rows,
                                      const ArmValidationLimits *limits, ArmValidation *out);

/* The same of rows that are read some at a time, of which those that are wild have been found
 * (core/sweeps/wild.h); what the source or the shelf reports.
 *   median_step  of t [s]
 *   shelf        has what is kept of each stroke meanwhile; NULL: in memory */
ARM_MUST_CHECK ArmStatus arm_validate_windows(const ArmModel *model, const ArmGravityFit *fit,
                                              ArmWindows *windows, double median_step,
                                              const ArmValidationLimits *limits, ArmShelf *shelf,
                                              ArmValidation *out);

#endif
