/* SPDX-License-Identifier: MIT */
/* A fit of sums against the fit of the rows that they are of, and sums of parts put together
 * against those of the whole. Asserts of cmocka.
 */
#ifndef ARMATURE_TESTS_SUMS_CASE_H
#define ARMATURE_TESTS_SUMS_CASE_H

#include "core/sweeps/sums.h"
#include "support/faulty.h"

/* Of an sd: parts in any order. */
#define SUMS_CASE_ANY_WAY 1e-9

typedef struct {
  ArmModel model;
  TruthRecording rec;
  ArmFitOptions options;
} SumsCase;

/* A recording of a faulty arm; truth_recording_clear it. */
void sums_case_make(FaultyArm arm, const Faulty *faulty, uint64_t seed, SumsCase *m);

/* The fit of sums, and the sums of rows; both are cleared by the caller. */
ArmGravityFit sums_case_fit(const SumsCase *m, const ArmReduced *sums);
ArmReduced sums_case_reduce(const SumsCase *m, const ArmDataset *data);

/* A recording's sums, their fit and the fit of its rows. */
typedef struct {
  ArmReduced sums;
  ArmGravityFit rows, fit;
} SumsBoth;
void sums_case_both(const SumsCase *m, SumsBoth *both);
void sums_case_both_clear(SumsBoth *both);

/* Values within `equal` of an sd, sds within `sds` of each other. */
void sums_case_same_estimates(ArmGravityParameters *a, ArmGravityParameters *b, double equal,
                              double sds);
void sums_case_same_verdicts(const ArmGravityFit *a, const ArmGravityFit *b);
/*   b  of sums: of joints whose rows they lack the largest residual is NAN */
void sums_case_same_residuals(const ArmGravityFit *a, const ArmGravityFit *b);

/* The recording in `count` parts is the whole in any order, lags included: cut behind these rows,
 * and anywhere, in the middle of strokes too.
 *   ends  count, rows: where each part ends */
void sums_case_check_cuts(const SumsCase *m, size_t count, const size_t *ends, TestRng *rng);
void sums_case_check_parts(const SumsCase *m, size_t count, TestRng *rng);

/* Sums and their fit on a shelf: the same to the last bit, and all room is given back; none at any
 * of more than `least` times: said, and nothing is left there. */
void sums_case_check_shelf(const SumsCase *m, size_t least);

#endif
