/* SPDX-License-Identifier: MIT */
/* The golden identification cases of tests/golden: arm, structure, sweeps, expected parameters.
 *
 * Plain text, one keyword per line, joints from 1, SI, '-' = undefined; tests/golden/README.md
 * explains the keywords. In memory joints count from 0 and undefined numbers are NAN (flags: -1).
 */
#ifndef ARMATURE_TESTS_GOLDEN_H
#define ARMATURE_TESTS_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arm/model.h"
#include "core/data/dataset.h"

enum { GOLDEN_MAX_JOINTS = 8, GOLDEN_MAX_RATIOS = 32, GOLDEN_MAX_PREDICTIONS = 64 };

/* The cases, NULL-terminated. The noisy one has no sweeps: they are data/demo/puma560_table1.csv.
 */
extern const char *const golden_names[];

typedef struct {
  size_t joint;                   /* the joint that moves */
  double velocity;                /* signed [rad/s, m/s] */
  double hold[GOLDEN_MAX_JOINTS]; /* full q; the entry of the moving joint means nothing */
  size_t first, count;            /* its samples */
} GoldenSweep;

typedef struct {
  bool has_gravity;   /* its own gravity parameters are identified */
  double w[2];        /* R: k*x, k*y; T: mhat*, NAN */
  double friction[4]; /* lambda1+, lambda2+, lambda1-, lambda2- (embodied load included) */
} GoldenExpect;

typedef struct {
  size_t i, j;  /* i < j */
  double value; /* eta_i / eta_j */
} GoldenRatio;

typedef struct {
  double q[GOLDEN_MAX_JOINTS], qd[GOLDEN_MAX_JOINTS];
  double current[GOLDEN_MAX_JOINTS]; /* gravity and friction, all joints moving */
  double torque[GOLDEN_MAX_JOINTS];  /* gravity only, actuator side of the joint */
} GoldenPrediction;

typedef struct {
  char name[64];
  ArmModel model; /* links (masses, centres of mass) included */
  size_t n;
  /* structure, r and s counted from 1 */
  size_t r, s;
  int delta[GOLDEN_MAX_JOINTS], sigma[GOLDEN_MAX_JOINTS];
  int sigma_hat[GOLDEN_MAX_JOINTS], sigma_hat_paper[GOLDEN_MAX_JOINTS];
  /* the arm behind the data */
  double true_eta[GOLDEN_MAX_JOINTS], true_mhat[GOLDEN_MAX_JOINTS];
  double true_k[GOLDEN_MAX_JOINTS][3], true_friction[GOLDEN_MAX_JOINTS][4];
  /* what a fit of the sweeps must give */
  GoldenExpect expect[GOLDEN_MAX_JOINTS];
  GoldenRatio ratios[GOLDEN_MAX_RATIOS]; /* a spanning set, the other ones follow */
  size_t n_ratios;
  int cluster[GOLDEN_MAX_JOINTS]; /* same number = joined by these data; -1 = none */
  size_t n_clusters;
  double tol_k, tol_mhat, tol_friction, tol_prediction; /* absolute; NAN in the noisy case */
  double tol_ratio_rel, tol_last_ratio_rel;             /* the latter for the pair (n-1, n) */
  double cond_raw[GOLDEN_MAX_JOINTS], cond_equilibrated[GOLDEN_MAX_JOINTS];
  size_t rank[GOLDEN_MAX_JOINTS];
  double cluster_error;                  /* prediction error of the corrected recursion [A] */
  double paper_error[GOLDEN_MAX_JOINTS]; /* of the printed chain: large = it must fail [A] */
  /* noisy case only: the plain solve per joint, columns w, ratio, friction */
  size_t n_plain[GOLDEN_MAX_JOINTS];
  double plain[GOLDEN_MAX_JOINTS][8], plain_sd[GOLDEN_MAX_JOINTS][8];
  double plain_residual_sd[GOLDEN_MAX_JOINTS];
  GoldenPrediction predictions[GOLDEN_MAX_PREDICTIONS];
  size_t n_predictions;
  /* owned */
  GoldenSweep *sweeps;
  size_t n_sweeps;
  double *sample_q, *sample_current; /* of the moving joint */
  size_t n_samples;
} Golden;

/* Reads tests/golden/<name>.txt; NULL (and a message on stderr) when it cannot. */
Golden *golden_load(const char *name);
void golden_free(Golden *golden);

/* The sweeps as a recording: only the moving joint has a current; t advances 10 ms per row and
 * 1 s between sweeps. Every array is owned: free with golden_dataset_clear. */
typedef struct {
  ArmDataset data;
  double *storage;
  int *joint;
} GoldenDataset;

bool golden_dataset_init(GoldenDataset *set, const Golden *golden);
void golden_dataset_clear(GoldenDataset *set);

#endif
