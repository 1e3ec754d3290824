/* SPDX-License-Identifier: MIT */
/* Triangles of an arm that moves at random, as the completion of its links gets them. */
#ifndef ARMATURE_TESTS_COMPLETION_H
#define ARMATURE_TESTS_COMPLETION_H

#include "core/dynamics/base.h"
#include "core/dynamics/consistent.h"
#include "support/support.h"

typedef struct {
  ArmModel model; /* its links are the truth */
  ArmBase *base;
  size_t n, p;
  double pi[10 * ARM_MAX_JOINTS], beta[10 * ARM_MAX_JOINTS]; /* the truth */
  double nominal[10 * ARM_MAX_JOINTS];
  double eta[ARM_MAX_JOINTS];
  double *triangles, *rights; /* n x p x p, n x p */
  ArmConsistentData data;     /* borrows all of these; eta is known, and the truth */
} Completion;

/* `samples` random states of the arm (q within +-pi rad or +-0.5 m, sds of speed 1, of acceleration
 * 2), currents eta tau plus white noise of sd sigma. Nominal links are the truth.
 *   eta, sigma  n   sigma 0: without noise, the data then say sd 1e-6 of the rms current */
void completion_new(Completion *c, const ArmModel *model, TestRng *rng, size_t samples,
                    const double *eta, const double *sigma);
void completion_free(Completion *c);

/* Nominal links off at random: x of logchol.h by `sd` in its logarithms, a tenth of it in m. */
void completion_spoil(Completion *c, TestRng *rng, double sd);

/* A ball of `mass` at a place of the last link, radius of gyration 4 cm, that the nominal links
 * lack. Before completion_new. */
void completion_add_tool(ArmModel *model, double mass, const double at[3]);

typedef struct {
  double from_optimum, from_truth; /* how far beta is from least squares, and from the truth, at the
                                      true eta: |R (beta - there)|^2 / p, 1 = an sd each */
  double held_out;                 /* rms error of currents / eta over rms, 200 unseen states */
} CompletionErrors;

CompletionErrors completion_judge(const Completion *c, const ArmConsistent *result, uint64_t seed);

/* Smallest eigenvalue of the mass matrix over its largest, at `poses` random poses. */
double completion_mass_matrix(const ArmModel *model, const double *pi, size_t poses, TestRng *rng);

#endif
