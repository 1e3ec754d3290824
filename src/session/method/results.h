/* SPDX-License-Identifier: MIT */
/* What was found of the arm: the fit, of which arm and rows it is, and how it was validated. Plain
 * values; whether they still hold is a matter of the steps. One thread at a time. */
#ifndef ARMATURE_SESSION_RESULTS_H
#define ARMATURE_SESSION_RESULTS_H

#include "session/method/fit.h"
#include "session/method/validation.h"

typedef struct {
  AseFit *fit;
  char *arm_digest; /* of the arm that it was made with */
  char *sha256;     /* of its rows; NULL: not known */
  GArray *wild;     /* of AioWildSpan: what it left out of them; NULL: not known */
} AseFitted;
/* Frees what it has; all zeros afterwards. */
void ase_fitted_clear(AseFitted *fitted);

typedef struct AseResults AseResults;

AseResults *ase_results_new(void);
void ase_results_free(AseResults *results); /* NULL allowed */

/* Nothing is left, no validation is wanted. */
void ase_results_clear(AseResults *results);

/* The same, then this: its members are taken over, and NULL afterwards. */
void ase_results_take_fit(AseResults *results, AseFitted *fitted);
const AseFit *ase_results_fit(const AseResults *results);      /* NULL: none; borrowed */
AseFit *ase_results_ref_fit(const AseResults *results);        /* the same; ase_fit_unref */
const char *ase_results_arm_digest(const AseResults *results); /* borrowed, as the next two */
const char *ase_results_sha256(const AseResults *results);
const GArray *ase_results_wild(const AseResults *results);

/* Taken over, instead of another one. */
void ase_results_take_validation(AseResults *results, AseValidation *validation);
const AseValidation *ase_results_validation(const AseResults *results); /* NULL: none; borrowed */
/* There was one in the file: it is to be made when it is asked for. */
void ase_results_want_validation(AseResults *results, bool wants);
bool ase_results_wants_validation(const AseResults *results);

#endif
