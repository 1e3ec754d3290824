/* SPDX-License-Identifier: MIT */
/* Friction beyond Coulomb and viscous: two terms that a joint may have, whatever it was fitted to.
 * Source: Armature theory notes, friction models, sections 1 and 3.
 *
 *   i = L + lambda1(+/-) + lambda2(+/-) v + s (mu |L| + c3 exp(-|v|/v_s)),   s = sgn(v) sgn(eta)
 *
 * letter  meaning                                                          unit
 * L       what the gear transmits, in the joint's current: gravity, and of
 *         an arm that moves inertia and Coriolis too, no rotor             A
 * mu      `load`, >= 0: friction that grows with the load                  1
 * c3      `curve`: friction off the straight line of speed. Negative: it
 *         rises less than in proportion to speed; positive: Stribeck       A
 * v_s     .08 or .3 of the largest speed in the recording                  rad/s, m/s
 *
 * A term is chosen when all hold: n_e ln(s0/s1) > ln n_e + 6 (s: squares of the residual without
 * and with it, n_e: rows over their correlation); its t over strokes is significant, one-sided for
 * the load; strokes held out of the fit are predicted at least 2 % better. Of those the one that
 * predicts best; then once more beside it.
 */
#ifndef ARMATURE_CORE_PARAMS_TERMS_H
#define ARMATURE_CORE_PARAMS_TERMS_H

#include "core/params/catalogue.h"

typedef enum { ARM_TERM_LOAD = 0, ARM_TERM_CURVE, ARM_TERMS } ArmFrictionTerm;

/* What came of a term, and why. */
typedef enum {
  ARM_TERM_NOT_OFFERED = 0,
  ARM_TERM_CHOSEN,
  ARM_TERM_FEW_STROKES, /* too few to tell anything from scatter */
  ARM_TERM_UNSEEN,      /* the joint's own gravity, or its speeds, vary too little */
  ARM_TERM_ABSURD,      /* mu above 0.5: sign or unit of the current */
  ARM_TERM_NOT_NEEDED,  /* not significant, or mu not above 0.01 */
  ARM_TERM_NO_GAIN,     /* strokes held out are not predicted better */
  ARM_TERM_OUTCOMES
} ArmTermOutcome;

/* Value, sd and gain of the last trial; NAN: it could not be made. */
typedef struct {
  ArmTermOutcome outcome;
  double value, sd; /* sd by leaving strokes out */
  double gain;      /* by which the rms error of strokes held out falls, part of it */
  double widening;  /* sd over what rows say of it, 1 or more; 1 where strokes are the rows */
} ArmTermTrial;

/* The parameter that the term is. */
ArmParamKind arm_term_kind(ArmFrictionTerm term);

/* Snake-case words of files: "load"; "not_needed". Static storage. */
const char *arm_term_key(ArmFrictionTerm term);
const char *arm_term_outcome_key(ArmTermOutcome outcome);

/* Why a term was not chosen, an English phrase; static storage. */
const char *arm_term_outcome_text(ArmFrictionTerm term, ArmTermOutcome outcome);

#endif
