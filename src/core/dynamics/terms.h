/* SPDX-License-Identifier: MIT */
/* Friction terms of an arm that moves (core/params/terms.h): which ones a joint gets, by its own
 * strokes, and what they lean on.
 *
 * Recordings are streamed again with the terms of a fit without them; a study takes the rows,
 * chooses at most one term a joint, the fit is made again, and once more for a second term. L is
 * that of the fit before; three fits settle it (theory notes, friction models, 1). A stroke is a
 * stretch between reversals of the drive of at least 0.3 s; strokes that follow each other share
 * one of 10 to 20 folds, so that memory does not grow with the recordings.
 * Thread rule: re-entrant; two calls never share an object.
 */
#ifndef ARMATURE_CORE_DYNAMICS_TERMS_H
#define ARMATURE_CORE_DYNAMICS_TERMS_H

#include "core/dynamics/identify.h"
#include "core/dynamics/stream.h"
#include "core/params/terms.h"

typedef struct ArmDynStudy ArmDynStudy;

/* What the terms of the next rows are made of.
 *   fastest  n   largest speed of each drive in all recordings; 0: it never moves
 *   beta     count  out; lives as long as what uses `terms` */
void arm_dyn_terms_of(const ArmDynamicsFit *fit, const double *fastest, double *beta,
                      ArmDynTerms *terms);

/* A study of rows that are made with terms of this fit, which is not kept.
 * ARM_E_MEMORY. Free with arm_dyn_study_free (NULL allowed). Some 5 MB for six joints. */
ARM_MUST_CHECK ArmStatus arm_dyn_study_new(const ArmDynamicsFit *fit, ArmDynStudy **study);
void arm_dyn_study_free(ArmDynStudy *study);

/* Rows of a joint, as ArmDynSink has them. */
void arm_dyn_study_push(ArmDynStudy *study, size_t joint, size_t rows, bool follows,
                        const double *t, const double *block, size_t ld);

/* Chooses.
 *   offers  ARM_TERMS  which terms may be
 *   terms   of the rows
 *   joint   n  in: as of the fit, out: with the columns that were chosen, and their v_s and sign
 *   trial   n x ARM_TERMS  in: of an earlier study (zeros: none), out
 *   any     out: something was chosen
 * ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_dyn_study_choose(ArmDynStudy *study, const bool *offers,
                                              const ArmDynTerms *terms, ArmDynamicsJoint *joint,
                                              ArmTermTrial (*trial)[ARM_TERMS], bool *any);

/* Has the joint this term? */
bool arm_dynamics_has_term(const ArmDynamicsJoint *joint, ArmFrictionTerm term);

/* Sds of terms by as much as strokes left out tell more than rows, 2 to 3 times the textbook's, and
 * with them those of what they share. Not the sd of the trial itself: a joint alone knows less than
 * all of them together. */
void arm_dynamics_widen_terms(ArmDynamicsFit *fit, ArmTermTrial (*trial)[ARM_TERMS]);

#endif
