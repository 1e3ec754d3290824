/* SPDX-License-Identifier: MIT */
/* Gravity, friction and torque-constant ratios from single-joint motions, joint n down to 1.
 *
 *   i_i = A_ii w*_i + sum_{j>i, same cluster} rho_ij A_ij w*_j + f_i   (Lin 1994 (25), clusters)
 *   rho_ij = eta_i/eta_j,  w*_j = eta_j w_j,  f_i = lambda1(+/-) + lambda2(+/-) v_i         (20)
 *
 * Two estimates of the same parameters are kept: the recursion n -> 1 (each joint uses what was
 * found outboard of it) and the joint maximum-likelihood refinement of all joints together. Where
 * strokes at several speeds tell the noise, the refinement weighs them by it.
 * Ratios carry a prior (ridge): the datasheet ratio when both torque constants are known, else 0.
 */
#ifndef ARMATURE_CORE_IDENT_H
#define ARMATURE_CORE_IDENT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arm/model.h"
#include "core/arm/structure.h"
#include "core/data/dataset.h"
#include "core/data/shelf.h"
#include "core/data/windows.h"
#include "core/params/method.h"
#include "core/params/set.h"
#include "core/params/terms.h"
#include "core/sweeps/diagnose.h"
#include "core/sweeps/plausible.h"
#include "core/sweeps/verdict.h"

typedef struct {
  size_t rows_used;
  size_t rows_by_use[ARM_ROW_REASONS]; /* rows_by_use[ARM_ROW_USED] == rows_used */
  size_t columns, rank;
  double cond_raw, cond_equilibrated, cond_centred; /* INFINITY when rank < columns; centred: after
                                      viscous columns are centred on the mean |v| of a direction */
  double residual_sd; /* A; NAN when there is no residual degree of freedom */
  double r2;          /* 1 - RSS/TSS */
  double max_abs;     /* A, largest |residual| */
  double lag1;        /* lag-1 autocorrelation of the residual within sweeps */
  double widening;    /* factor already applied to every sd of this joint, >= 1; 1 where strokes
                         tell the noise, whose weights the sds come from */
  double unsteady;    /* of a fit of sums: part of its rows in strokes of varying speed, whose slow
                         errors sums tell badly; of a fit of rows, or where they are kept, 0 */
  bool has_acceleration;
  ArmEstimate w[2];        /* R: k*_x, k*_y; T: mhat*, unused */
  ArmEstimate friction[4]; /* lambda1+, lambda2+, lambda1-, lambda2- */
  ArmEstimate acceleration;
  bool has_term[ARM_TERMS]; /* core/params/terms.h; of the others nothing below is set */
  ArmEstimate term[ARM_TERMS];
  double term_sign;    /* of eta: s = sgn(v) term_sign */
  double load_seen[2]; /* smallest and largest |L| of the rows used [A] */
  double curve_speed;  /* v_s [rad/s, m/s] */
  ArmTermTrial trial[ARM_TERMS];
} ArmJointFit;

/* One complete set of parameters: what a parameter file holds and what a prediction needs. */
typedef struct {
  size_t n;
  ArmJointType type[ARM_MAX_JOINTS];
  ArmJointFit joint[ARM_MAX_JOINTS];
  int cluster[ARM_MAX_JOINTS]; /* from 0, -1 = none */
  size_t n_clusters;
  ArmEstimate ratio[ARM_MAX_JOINTS][ARM_MAX_JOINTS]; /* i < j inside one cluster */
  size_t n_ids;
  ArmParamId *ids;    /* n_ids, owned: the parameters the covariance speaks of */
  double *covariance; /* n_ids x n_ids column-major, owned; widened like the sds */
} ArmGravityParameters;

typedef struct {
  ArmGravityParameters refined;   /* joint maximum likelihood: what a prediction should use */
  ArmGravityParameters recursive; /* n -> 1 recursion */
  size_t iterations;              /* of the refinement */
  double relative_gradient;       /* at its end, <= 1e-8 when converged: largest cosine between a
                                     column and the residual (an exact fit's residual counts as
                                     1e-6 of the currents, its direction is rounding) */
  bool is_converged;
  ArmVerdict verdict; /* does the model fit? judged on strokes, not on the residual */
  ArmDoubts doubts;   /* what in recording and fit cannot be, or hardly */
} ArmGravityFit;

/* Positions of one joint in used rows. */
typedef struct {
  double low, high, sum;
} ArmIdentRange;

typedef struct {
  ArmRowOptions rows;
  double lowpass_Hz; /* zero-phase low-pass of speeds, currents and computed accelerations before
                        anything else; 0 = none. For currents whose noise hides the friction. */
  ArmVerdictLimits limits;
  bool offers_term[ARM_TERMS]; /* to be tried on every joint; none: friction is Coulomb + viscous */
  bool has_equal_weights;      /* every sample counts alike, as if friction and slow noise did not
                                  scatter from stroke to stroke: for comparisons */
  bool sums_alone;             /* of arm_sums_of: no rows beside them, whatever they cannot tell */
  ArmDiagnosis *diagnosis;     /* NULL: not asked for; filled with what may cause an alarm */
  ArmShelf *shelf; /* borrowed: where what is kept of each stroke has room; NULL: in memory */
  /* Called between joints, iterations and causes with 0..1; false cancels. NULL = none. */
  bool (*progress)(double done, void *user);
  void *user;
} ArmFitOptions;

void arm_fit_options_default(ArmFitOptions *options);

/* Fits a recording.
 *   fit  out; on success the caller clears it with arm_gravity_fit_clear
 * ARM_E_NO_DATA: no joint has a usable row. ARM_E_NOT_FINITE: a used value is infinite.
 * ARM_E_ARGUMENT: n differs, or lowpass_Hz is not below half the sampling rate. ARM_E_MEMORY,
 * ARM_E_NUMERIC, ARM_E_SOURCE (the shelf). Outputs untouched on failure.
 * A cancelled fit returns ARM_E_NO_DATA with nothing allocated. */
ARM_MUST_CHECK ArmStatus arm_gravity_fit(const ArmModel *model, const ArmDataset *data,
                                         const ArmFitOptions *options, ArmGravityFit *fit);

/* The same of rows that are read some at a time: equal to the last bit, in memory that does not
 * grow with the rows, but for some 7 kB a stroke where there is no shelf, 50 bytes where there is
 * one. Filters (lowpass_Hz,
 * wants_acceleration) run over blocks with overlap where a stretch without a gap has more than
 * 16384 rows, equal to 1e-9 there; a source without a keeper is ARM_E_ARGUMENT then. What the
 * source reports. */
ARM_MUST_CHECK ArmStatus arm_gravity_fit_rows(const ArmModel *model, const ArmRowSource *source,
                                              const ArmFitOptions *options, ArmGravityFit *fit);
void arm_gravity_fit_clear(ArmGravityFit *fit);
void arm_gravity_parameters_clear(ArmGravityParameters *parameters);

/* The estimate an id speaks of, inside the parameter set; NULL: of a kind that is not found here.
 */
ArmEstimate *arm_gravity_parameters_at(ArmGravityParameters *parameters, ArmParamId id);

/* ---- ident_set.c: what readers have ---- */

/* The kinds above; static storage. */
const ArmMethod *arm_gravity_method(void);

/* The parameters as a set: joint by joint, then the ratios; constants of friction terms follow what
 * they belong to, with sd 0.
 *   is_torque  n: found from a torque or force; NULL = none
 *   wants_covariance  else n_covered is 0
 *   set  out; on success the caller clears it with arm_param_set_clear
 * ARM_E_MEMORY. ARM_E_ARGUMENT: the covariance speaks of what is not there. */
ARM_MUST_CHECK ArmStatus arm_gravity_set(const ArmGravityParameters *parameters,
                                         const bool *is_torque, bool wants_covariance,
                                         ArmParamSet *set);

/* The inverse, of a set with the kinds above: what it lacks is not there. What friction terms were
 * tried is not in a set and stays as it is.
 *   parameters  out; joints from 0 on success as arm_gravity_fit leaves them, cleared by the caller
 * ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_gravity_from_set(const ArmParamSet *set,
                                              ArmGravityParameters *parameters);

#endif
