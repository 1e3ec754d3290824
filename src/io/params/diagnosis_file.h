/* SPDX-License-Identifier: MIT */
/* What may cause a misfit, in files and in words.
 *
 * {"format": "armature-diagnosis", "version": 1, "verdict", "joints": [{"joint", "misfit"}],
 *  "causes": [{"code", "joint", "values": {name with unit: number}, "explained", "rest",
 *  "misfit_joint", "misfit_before_A", "misfit_after_A", "explains_it", "doubt",
 *  "tied_with": [indices of causes, from 0], "separate_by", "message"}]}
 *
 * likeliest first. What the fit leaves in doubt without a misfit (core/sweeps/plausible.h: the sign
 * of a current, the unit of a speed) comes before; its "explained", "rest", "misfit_.." and
 * "explains_it" are null. "misfit_..": the rms current that the joint which misses most does not
 * explain. "doubt": why the cause is not believed although it may take the misfit away, else null.
 */
#ifndef ARMATURE_IO_DIAGNOSIS_FILE_H
#define ARMATURE_IO_DIAGNOSIS_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "core/sweeps/diagnose.h"
#include "core/sweeps/ident.h"
#include "io/arm/arm_file.h"

/* "the base leans by 2.00 +- 0.02 deg: ..", numbers with a point. g_free it. */
char *aio_cause_text(const ArmModel *model, const ArmCause *cause);

/* Why it is not believed, of one language; NULL: it is. Static storage. */
const char *aio_cause_doubt(const ArmCause *cause);

/* Which measurement tells two that are tied. g_free it. */
char *aio_cause_tell_apart(const ArmCause *a, const ArmCause *b);

/* Which measurement tells cause k from those that are tied with it; NULL: it is tied with none.
 * g_free it. */
char *aio_cause_separate(const ArmDiagnosis *diagnosis, size_t k);

/* Part of what is beyond noise that the cause explains, 0 to 1. */
double aio_cause_share(const ArmDiagnosis *diagnosis, const ArmCause *cause);

/* The contract's word for a doubt that is a cause, NULL: it is none. */
const char *aio_doubt_cause(ArmDoubtKind kind);

/* The file. g_free it. */
char *aio_diagnosis_format(const ArmModel *model, const ArmGravityFit *fit,
                           const ArmDiagnosis *diagnosis, gsize *length);

/* Changes the arm as the cause implies. False: it implies no change of an arm file, or the file
 * does not say what would have to be changed; `reason` says so then. g_free it. */
bool aio_diagnosis_correct(AioArm *arm, const ArmCause *cause, char **reason);

#endif
