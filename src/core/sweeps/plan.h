/* SPDX-License-Identifier: MIT */
/* Which hold configurations and sweeps make the parameters identifiable, before anything moves.
 *
 * A sweep of R joint i sees gperp_i . (k*_i + sum_S x_S v_S(c)); v_S(c) in R^2 depends only on the
 * hold c of the outboard joints. Exactly then excited: rank of the stack over c of
 * [I_2 | v_S1(c) .. v_Sp(c)] = 2 + p, gperp_i not zero, two speeds per direction. Best: antipodal
 * holds, v(c2) = -v(c1) with |v| maximal (Lin 1994 Step 2 corrected: different displacements are
 * not sufficient).
 * The score of one joint is the rms, over random poses inside the limits, of the predicted sd of
 * its gravity current [A]: unit-free across parameters, lower is better. Any optimiser or
 * trajectory can be put behind the same score and evaluation.
 */
#ifndef ARMATURE_CORE_PLAN_H
#define ARMATURE_CORE_PLAN_H

#include <stdint.h>

#include "core/sweeps/ident.h"

enum { ARM_PLAN_MAX_HOLDS = 8, ARM_PLAN_MAX_SPEEDS = 9 };

/* Every hold is swept at every speed in both directions. */
typedef struct {
  bool is_swept;
  double from, to;  /* sweep range of the joint [rad, m], from < to */
  size_t positions; /* equally spaced samples per sweep */
  size_t n_speeds;
  double speeds[ARM_PLAN_MAX_SPEEDS]; /* > 0 [rad/s, m/s] */
  size_t n_holds;
  double holds[ARM_PLAN_MAX_HOLDS][ARM_MAX_JOINTS]; /* full q; the swept joint's entry is unused */
} ArmJointPlan;

typedef struct {
  size_t n;
  ArmJointPlan joint[ARM_MAX_JOINTS];
} ArmPlan;

typedef struct {
  bool ignores_limits;   /* treat every R joint as free within +-pi (for study, not for motion) */
  double limit_margin_R; /* kept from each end of the limits, default 5 deg */
  double limit_margin_part;             /* T: part of the stroke, default 0.05 */
  double stroke_R;                      /* widest sweep of an R joint, default 250 deg */
  size_t positions;                     /* default 126 */
  size_t n_speeds;                      /* default 5 */
  double speeds_R[ARM_PLAN_MAX_SPEEDS]; /* default 30..70 deg/s, cut at 0.9 of the joint's limit */
  double speeds_T[ARM_PLAN_MAX_SPEEDS]; /* default 0.03..0.07 m/s, likewise */
  bool rounds_angles; /* give up at most 1 % of the score for round angles; default true */
  double noise_sd;    /* A, where the parameters carry no residual sd; default 0.02 */
  uint64_t seed;      /* of the search */
  /* Loads are made up, as arm_plan_nominal says: a joint that carries others gets two holds more,
   * and no sd that depends on their loads is promised. */
  bool is_made_up;
  bool is_unscaled; /* drives are not known, as arm_plan_nominal says: nothing of that either */
  /* What this joint carries is not made up any more: no holds more for who carries only such. */
  bool is_found[ARM_MAX_JOINTS];
  bool (*progress)(double done, void *user); /* false cancels; NULL = none */
  void *user;
} ArmPlanOptions;

void arm_plan_options_default(ArmPlanOptions *options);

enum { ARM_PLAN_MORE_HOLDS = 2 }; /* where the loads are made up */

/* Parameters to plan with before anything was measured: links' nominal gravity times nominal eta
 * (eta = 1 where the drive is unknown), friction 0. Loads that the links leave at zero get 2 % of
 * the largest of their unit, 0.1 A s^2/m where there is none, so that the plan stands on the
 * structure (`used`, with ARM_REASON_LOAD_NOT_STATED; `value` is what the links state).
 * Clear with arm_gravity_parameters_clear.
 *   options  may be NULL; is_made_up is set when the load of some joint contains a link without
 *            masses, is_unscaled when the drive of a joint that shares a cluster is unknown: in
 *            A s^2/m its load then has another size, and ratios another sd
 * ARM_E_NOT_FINITE: the model holds NaN geometry. */
ARM_MUST_CHECK ArmStatus arm_plan_nominal(const ArmModel *model, ArmGravityParameters *parameters,
                                          ArmPlanOptions *options);

/* What a fit has found of some joints, instead of what was made up: load, friction, noise of those
 * with rows, ratios between them. Joints without rows keep their loads, raised to the largest that
 * was found of their unit, as they carry what is further out.
 *   options  is_found is set; is_made_up and is_unscaled are cleared when all joints have rows */
void arm_plan_take_found(const ArmGravityParameters *found, ArmGravityParameters *parameters,
                         ArmPlanOptions *options);

/* Range a joint may take as a hold or sweep [rad, m]. An R joint without limits: +-pi; a T joint
 * without limits may not leave q = 0. */
void arm_plan_range(const ArmModel *model, const ArmPlanOptions *options, size_t joint, double *low,
                    double *high);

/* Fills the sweep (range, positions, speeds) and the number of holds one joint needs,
 * 1 + ceil(p/2) for p ratios (T with identifiable mhat: 2); holds are all zeros (clamped). */
void arm_plan_joint_init(const ArmModel *model, const ArmStructure *structure,
                         const ArmPlanOptions *options, size_t joint, ArmJointPlan *plan);

/* Score of one joint's sweeps [A], INFINITY where a parameter stays unseen; prior on ratios as in
 * the fit. Does not look at limits. */
double arm_plan_score(const ArmModel *model, const ArmStructure *structure,
                      const ArmGravityParameters *parameters, const ArmPlanOptions *options,
                      size_t joint, const ArmJointPlan *plan);

/* The exact excitation condition of one R joint without gear coupling (else the numerical rank of
 * its gravity columns).
 *   rank, required  out: 2 + p is required */
void arm_plan_excitation(const ArmModel *model, const ArmStructure *structure,
                         const ArmGravityParameters *parameters, size_t joint,
                         const ArmJointPlan *plan, size_t *rank, size_t *required);

/* Proposes sweeps of every joint (antipodal start, then a bounded search) from what is known of
 * the arm. Scores that agree to a relative 2^-32 count as equal, and of equals the first wins: a
 * plan does not hang on how a processor rounds. ARM_E_INFEASIBLE: a joint's range is empty.
 * ARM_E_MEMORY. Cancelled: ARM_E_NO_DATA. */
ARM_MUST_CHECK ArmStatus arm_plan_propose(const ArmModel *model,
                                          const ArmGravityParameters *parameters,
                                          const ArmPlanOptions *options, ArmPlan *plan);

typedef struct {
  ArmGravityParameters predicted; /* per joint: cond, rank, and sds a fit would report; owned */
  double score[ARM_MAX_JOINTS];   /* A */
  size_t excitation_rank[ARM_MAX_JOINTS], excitation_required[ARM_MAX_JOINTS];
  double duration_s[ARM_MAX_JOINTS]; /* sweeps and the moves between holds */
} ArmPlanReport;

/* What a fit of the planned sweeps would know: condition numbers and standard deviations of the
 * joint refinement, at the given parameters and their residual sds, of noise that is white. With
 * loads that are made up or unscaled ratios are refused (ARM_REASON_LOAD_NOT_STATED), and of joints
 * that share a cluster the score and the sds of gravity parameters and Coulomb friction are NAN.
 * ARM_E_NO_DATA: nothing is swept. ARM_E_ARGUMENT: n or a joint's type differs. ARM_E_NOT_FINITE: a
 * hold or range. ARM_E_MEMORY, ARM_E_NUMERIC. */
ARM_MUST_CHECK ArmStatus arm_plan_evaluate(const ArmModel *model,
                                           const ArmGravityParameters *parameters,
                                           const ArmPlanOptions *options, const ArmPlan *plan,
                                           ArmPlanReport *report);
void arm_plan_report_clear(ArmPlanReport *report);

#endif
