/* SPDX-License-Identifier: MIT */
/* Least squares judged from outside: problems of a given condition, a long double Householder
 * reference, LAPACK's dgelsd, and the streaming fit of core/num/lsq.h, all on the same numbers. */
#ifndef ARMATURE_TESTS_LSQ_REFERENCE_H
#define ARMATURE_TESTS_LSQ_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "support/support.h"

/* Fills a (rows x columns, column-major) with singular values spread evenly on a log scale from 1
 * to 1 / condition, and b = a x + noise, |noise| about `residual` |a x|, |x| about 1. */
void lsq_reference_problem(TestRng *rng, size_t rows, size_t columns, double condition,
                           double residual, double *a, double *b);

/* x of the least-squares problem, each way; false: out of memory or refused. */
bool lsq_reference_exact(size_t rows, size_t columns, const double *a, const double *b, double *x);
bool lsq_reference_dgelsd(size_t rows, size_t columns, const double *a, const double *b, double *x);
bool lsq_reference_stream(size_t rows, size_t columns, const double *a, const double *b, double *x);

/* Error of the streaming fit over the error of dgelsd, each the root mean square over `problems`
 * random problems (one alone is a lottery: the error lies mostly along one direction), at
 * conditions 1e3, 1e6, 1e8, 1e10 with residuals 0 and 1 %: geometric mean and largest. Prints a
 * comment line per case. */
bool lsq_reference_accuracy(TestRng *rng, size_t rows, size_t columns, size_t problems,
                            double *mean, double *worst);

#endif
