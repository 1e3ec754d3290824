/* SPDX-License-Identifier: MIT */
/* What an identification promises of a motion that it has not seen, and what it says of sds when
 * the promise is not kept.
 *
 *   promised^2 = s^2 + trace(J_V C' J_V^T) / rows     per joint, rms over the rows of recording V
 *
 *   s    sd of noise behind the filter of the rows, of what the fitted rows leave between one row
 *        and the next: s^2 = sigma^2 (1 - rho_1) / (1 - c_1), c_1 the lag-1 correlation of white
 *        noise there (core/num/fir.h), at most sigma^2. What a wrong model misses is slow
 *   J_V  derivatives of the joint's current in V, by [ own | base | log eta ]
 *   C'   covariance of the parameters for that noise: the weights of the fit stay, so that
 *        C' = C + B sum_j (f_j^2 - 1) w_j^2 J_j^T J_j B,  f_j^2 = s_j^2 growth w_j^2 <= 1,
 *        w_j = 1 / (widening sigma_j), growth that of white noise in sums of rows, B the covariance
 *        that the rows made (ArmDynamicsFit.bread): C is wider where friction terms or steps of
 *        positions say so, and of that rows know nothing
 *
 * A base that leans, a wrong zero, a spring: friction and base parameters take up most of it, so
 * that the residual is small and its rows look like many. Another motion is missed, and by how many
 * times what is promised says how much too small sds are. Sources: Armature theory notes, lack of
 * fit, 6; the sandwich: Huber 1967.
 * Thread rule: re-entrant; information is flushed, hence not const.
 */
#ifndef ARMATURE_CORE_DYNAMICS_PROMISE_H
#define ARMATURE_CORE_DYNAMICS_PROMISE_H

#include "core/dynamics/outcome.h"
#include "core/num/fir.h"

typedef struct ArmDynPromise ArmDynPromise;

/* What `fit` promises; not kept in step when it is widened.
 *   fitted  the rows of the fit
 *   white   white noise in them (core/dynamics/stream.h)
 * Free with arm_dyn_promise_free (NULL allowed). ARM_E_ARGUMENT: of different arms. ARM_E_MEMORY.
 * *promise is then untouched. */
ARM_MUST_CHECK ArmStatus arm_dyn_promise_new(const ArmDynamicsFit *fit, ArmInformation *fitted,
                                             const ArmFirWhite *white, ArmDynPromise **promise);
void arm_dyn_promise_free(ArmDynPromise *promise);

typedef struct {
  ArmDynamicsResidual of;
  double promised; /* as of.rms_error; NAN: no rows, no noise known, or it leans on a parameter of
                      which nothing is known */
  double p;        /* of an error as large, by chance; NAN where promised is */
  bool is_missed;  /* beyond chance, alone or with what others are missed by, by half of what is
                      promised or more, and more than a thousandth of the rms current; once one is,
                      others are by a fifth */
} ArmDynHeldOut;

/* Another recording.
 *   white  white noise in its rows: at another rate of samples it is another one
 *   found  n  out, untouched on failure
 * As arm_dynamics_residual. */
ARM_MUST_CHECK ArmStatus arm_dyn_promise_compare(const ArmDynPromise *promise,
                                                 const ArmDynamicsFit *fit,
                                                 ArmInformation *held_out, const ArmFirWhite *white,
                                                 ArmDynHeldOut *found);

/* Makes the noise of joints so many times what it was: covariance, sds and `widening` follow, by
 * the sandwich above; values stay. Joint by joint (ARM_DYNAMICS_SEQUENTIAL) what one joint is off
 * goes on to others: all sds grow by the largest factor.
 *   factor  n   below 1, NAN: 1
 * ARM_E_ARGUMENT: of different arms. ARM_E_MEMORY. fit is then untouched. */
ARM_MUST_CHECK ArmStatus arm_dynamics_widen(ArmDynamicsFit *fit, ArmInformation *fitted,
                                            const double *factor);

#endif
