/* SPDX-License-Identifier: MIT */
/* Full dynamics from motor currents whose torque constants are not known, or known from a data
 * sheet, or from torques: maximum likelihood over the triangles of information.h.
 *
 *   i_j = phi_j . local_j + eta_j (Y_b)_j . beta + noise of sd sigma_j,    eta_j = s_j e^kappa_j
 *
 *   beta    base parameters of the links [kg m^2, kg m, kg]          core/dynamics/base.h
 *   phi     friction and rotor of joint j [A ...]                    core/dynamics/rows.h
 *   eta     current over torque of joint j [A/(N m), A/N]; s its sign, kappa its logarithm
 *   rho     eta_j over that of the first joint of its group
 *
 * Joints belong to one group when currents tell the ratio of their torque constants: inertial
 * coupling does where gravity alone (Lin 1994) does not. A scale of all of a group is never told
 * by currents: it comes from a torque sensor, from data sheets, or is a convention (the gauge).
 *
 * Start: recursion from the last joint to the first over groups (Lin, IEEE TAC note 1994, section
 * II, extended to full dynamics), and the data sheet; the better one is refined by a
 * Levenberg-Marquardt search over (beta, phi, kappa). The noise of each joint is estimated with it.
 * Covariance: inverse Hessian, each joint's noise widened by what neighbouring rows share.
 *
 * Or joint by joint from the last to the first, of torques only: Lin, J. Robotic Systems 9(4) 1992,
 * Algorithm 2. Rows of joint j are then those of motions of one joint i <= j alone (stream.h), and
 * what they say of links that are known already is not asked again: errors of outboard links come
 * down to inboard ones, which their sds say. Per row some 1.8 times worse (theory notes, full
 * dynamics, 2.4).
 * Thread rule: re-entrant.
 */
#ifndef ARMATURE_CORE_DYNAMICS_IDENTIFY_H
#define ARMATURE_CORE_DYNAMICS_IDENTIFY_H

#include "core/dynamics/information.h"
#include "core/params/method.h"
#include "core/params/set.h"

/* ---- what is known before ---- */

typedef struct {
  bool is_torque;        /* its rows have a torque or force: eta is 1 */
  bool holds_rotor;      /* that is the motor's, its rotor included; false: measured beyond it */
  bool has[ARM_DYN_OWN]; /* which columns of its drive are estimated; of curves one at most */
  double eta;            /* stated, with its sign; NAN: not */
  double rel_sd;         /* relative sd of it; NAN: not stated */
  /* of friction terms that it has: as their columns were made */
  double curve_speed, load_seen[2];
  int friction_sign; /* of eta in s */
  /* Coulomb friction of both ways holds this times the rotor inertia Ia, where base parameters hold
   * the rotor and weigh it with the links: FcpR = Fcp + k Ia [m/s^2]; 0: it does not. */
  double rotor_in_coulomb;
} ArmDynamicsJoint;

/* Of an arm's joints: eta and rel_sd by its drives, currents, Coulomb and viscous friction, the
 * rotors that base parameters do not hold already (base.h, by QR), and what Coulomb friction holds
 * of the others.
 *   joint  n
 * ARM_E_ARGUMENT, ARM_E_NOT_FINITE, ARM_E_MEMORY as arm_base_new; joint is then untouched. */
ARM_MUST_CHECK ArmStatus arm_dynamics_joints(const ArmModel *model, ArmDynamicsJoint *joint);

typedef enum {
  ARM_GAUGE_DATASHEET = 0, /* eta are what is stated, within its sd */
  ARM_GAUGE_REFERENCE      /* eta of the first joint of a group is what is stated, exactly; of the
                              others only the sign and the order of magnitude are */
} ArmDynamicsGauge;

typedef enum {
  ARM_DYNAMICS_BATCH = 0, /* all rows at once */
  ARM_DYNAMICS_SEQUENTIAL /* joint n, then n-1 .. 1, each with what is known beyond it */
} ArmDynamicsWay;

typedef struct {
  ArmDynamicsGauge gauge;
  double rel_sd;      /* of a stated eta without one; default 0.15 */
  double worst_ratio; /* a ratio with a larger sd of its logarithm, data alone, is not told; default
                         ARM_DYNAMICS_WORST_RATIO */
  ArmDynamicsWay way;
  size_t most_trials;  /* of each of the searches; 0: 1000, of which some 5 to 20 are needed */
  double white_growth; /* variance of sums of rows over that of white ones, by the filter that they
                          come from alone (core/num/fir.h): noise is widened by its root at least,
                          which few rows may fail to tell; 0: none */
} ArmDynamicsOptions;

/* Below: data decide. At 0.3 (theory notes, full dynamics, 5.4, there a judgement) noise in the
 * parameters of weak outboard links looks like information: their 7 to 20 parameters add about as
 * many to 1/sd^2, so that ratios of sd 0.4 and more pass for 0.3, but none for 0.1 =
 * 1/sqrt(100). */
#define ARM_DYNAMICS_WORST_RATIO 0.1

extern const ArmDynamicsOptions arm_dynamics_defaults;

/* ---- what was found ---- */

/* Where the scale of a group comes from. */
typedef enum {
  ARM_SCALE_TORQUE = 0, /* a joint of it was measured in N m or N */
  ARM_SCALE_DATASHEET,  /* stated eta, within their sds */
  ARM_SCALE_REFERENCE,  /* stated eta of its first joint, taken as exact */
  ARM_SCALE_NONE        /* nothing is stated: eta of its first joint counts as 1, and neither eta
                           nor base parameters are numbers; ratios are, and so are predictions */
} ArmDynamicsScale;

typedef struct {
  ArmDynamicsJoint known;
  ArmEstimate eta;      /* [A/(N m), A/N] */
  ArmEstimate to_first; /* eta over that of the first joint of its group; 1 of that itself */
  ArmEstimate local[ARM_DYN_OWN]; /* of Coulomb friction with what it holds of a rotor */
  double rotor, rotor_sd;         /* Ia of a rotor that base parameters hold, by completion
                                     [kg m^2, kg]; NAN: not told */
  double log_eta, log_eta_sd;     /* kappa; sd with what is stated; 0 of a torque or a reference */
  double log_ratio_sd; /* of rho, data alone; INFINITY: no data tell it; 0 of the first */
  int sign;            /* s */
  bool is_sign_stated_otherwise;
  bool is_coupled;               /* structure: ideal currents would tell a ratio to another joint */
  ArmJointStatistics statistics; /* columns, rank: of the joint alone; cond: of the same;
                                    max_abs NAN: no residual is kept */
} ArmDynamicsJointFit;

typedef struct {
  size_t n, count;
  ArmDynamicsWay way;
  ArmDynamicsJointFit joint[ARM_MAX_JOINTS];
  ArmEstimate *base;         /* count */
  int group[ARM_MAX_JOINTS]; /* from 0, by first joint */
  size_t n_groups;
  ArmDynamicsScale scale[ARM_MAX_JOINTS]; /* of each group */
  size_t unknowns;                        /* count + 9 n, arm_dynamics_place */
  double *covariance; /* unknowns x unknowns, widened; 0 of what was not estimated */
  /* As rows and what was stated left it, before what is beyond the fit widened it further; joint by
     joint (ARM_DYNAMICS_SEQUENTIAL) none: NULL. */
  double *bread;                 /* unknowns x unknowns */
  double weight[ARM_MAX_JOINTS]; /* of a joint's rows in it, 1 / (widening sigma) [1/A]; 0: none */
  size_t iterations;
  bool has_converged; /* false: nothing is told, ARM_REASON_NOT_CONVERGED; `used` are eta as stated,
                         parameters of minimum length for these, and covariance is 0 */
} ArmDynamicsFit;

/* k eta Ia [A] of known.rotor_in_coulomb: the current less what the rotor weighs in base
 * parameters. Coulomb friction alone is `local` less this, and at rest, without friction, the
 * current has it all the same.
 *   spread  out  sd of it by what is not known of Ia; NAN: nothing is
 * Returns the value, 0 where nothing is known of Ia, or where it does not hold one. */
double arm_dynamics_rotor_weight(const ArmDynamicsFit *fit, size_t joint, double *spread);

/* Place in the covariance: of base parameter b it is b; of a column of a joint's own, or
 * (ARM_DYN_OWN) the logarithm of its eta: */
size_t arm_dynamics_place(const ArmDynamicsFit *fit, size_t joint, size_t local);

/* Identifies. What data cannot tell is `identifiable = false` with its reason, and `used` what
 * predictions take.
 *   information  rows of the arm; flushed, hence not const
 *   joint        n
 *   options      NULL: arm_dynamics_defaults
 *   fit          out; free with arm_dynamics_fit_free
 * ARM_E_ARGUMENT: options outside (0, 10), a stated eta that is 0, ARM_DYNAMICS_SEQUENTIAL with
 * rows of a joint that has no torque. ARM_E_NO_DATA: no joint has rows. ARM_E_NUMERIC: LAPACK
 * failed. ARM_E_MEMORY. *fit is then untouched. */
ARM_MUST_CHECK ArmStatus arm_dynamics_identify(ArmInformation *information,
                                               const ArmDynamicsJoint *joint,
                                               const ArmDynamicsOptions *options,
                                               ArmDynamicsFit **fit);
void arm_dynamics_fit_free(ArmDynamicsFit *fit);

/* ---- as a set ---- */

/* Base parameters with their combinations, friction, rotors, eta, ratios: "dynamics". */
const ArmMethod *arm_dynamics_method(void);

/* The fit as a set. Terms of base parameters are those of arm_base_new with friction and rotors: a
 * rotor that cannot be told from the links is a term of what it was regrouped into, and the joint's
 * own says so (ARM_REASON_REGROUPED). Where Coulomb friction holds it, too, the set has that as it
 * was estimated, and friction alone with what is known of the rotor (arm_dynamics_take_rotors),
 * else as not identifiable (ARM_REASON_ROTOR_NOT_KNOWN). Of torques measured beyond the rotor it
 * is nowhere.
 *   base  of the fit, of the links alone
 *   set   out, untouched on failure; the caller clears it
 * ARM_E_ARGUMENT: base has another count, or is of another model. ARM_E_MEMORY; ARM_E_NOT_FINITE
 * as arm_base_new. */
ARM_MUST_CHECK ArmStatus arm_dynamics_set(const ArmDynamicsFit *fit, const ArmModel *model,
                                          const ArmBase *base, ArmParamSet *set);

#endif
