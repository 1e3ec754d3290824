/* SPDX-License-Identifier: MIT */
/* Line 13.8: friction that grows with the load or is off the straight line of speed: chosen where
 * it is, with its size, and nowhere else. Usage: show_friction [SOUND DATA SETS [RUNS with a way
 * back missing]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/arm/arm_file.h"
#include "io/recording/import.h"
#include "support/faulty.h"

static bool show(const char *what, double measured, const char *target, bool is_good) {
  printf("SHOW 13.8 %s measured=%.4g target=%s %s\n", what, measured, target,
         is_good ? "PASS" : "FAIL");
  return is_good;
}

static void must(bool is_done, GError *error) {
  if (is_done)
    return;
  fprintf(stderr, "show_friction: %s\n", error ? error->message : "failed");
  exit(1);
}

/* ---- a real arm ---- */

static bool show_recorded(const AioArm *arm, AioColumnMap *map, int joint) {
  static const double want[6] = {0, .067, .060, 0, 0, 0};
  GError *error = NULL;
  ArmFitOptions options;
  ArmGravityFit fit;
  char path[64], what[64];
  snprintf(path, sizeof path, "datasets/ur10e/single_joint/joint_%d.csv", joint);
  map->moving = AIO_MOVING_VALUE;
  map->moving_joint = joint;
  AioRecording *one = aio_import(test_shared_path(path), map, &arm->model, NULL, &error);
  must(one != NULL, error);
  const ArmDataset data = aio_recording_dataset(one);
  arm_fit_options_default(&options);
  options.rows.min_speed_R = 0.03;
  options.rows.wants_acceleration = true;
  options.lowpass_Hz = 7.5; /* as line 4 */
  options.offers_term[ARM_TERM_LOAD] = options.offers_term[ARM_TERM_CURVE] = true;
  must(arm_gravity_fit(&arm->model, &data, &options, &fit) == ARM_OK, NULL);
  const ArmJointFit *found = &fit.refined.joint[joint - 1];
  const ArmEstimate *mu = &found->term[ARM_TERM_LOAD];
  for (int t = 0; t < ARM_TERMS; t++)
    printf("# UR10e joint %d, %s: %s, value %.4f +- %.4f, strokes left out better by %.3f\n", joint,
           arm_term_key((ArmFrictionTerm)t), arm_term_outcome_key(found->trial[t].outcome),
           found->term[t].value, found->term[t].sd, found->trial[t].gain);
  snprintf(what, sizeof what, "UR10e joint %d, mu", joint);
  bool is_good = true;
  if (want[joint - 1] > 0) {
    char target[32];
    snprintf(target, sizeof target, "%.3f+-0.01", want[joint - 1]);
    is_good = show(what, mu->value, target,
                   mu->identifiable && fabs(mu->value - want[joint - 1]) <= 0.01);
  } else if (joint != 4) { /* its own may be found or not */
    is_good = show(what, found->has_term[ARM_TERM_LOAD], "none", !found->has_term[ARM_TERM_LOAD]);
  }
  arm_gravity_fit_clear(&fit);
  aio_recording_free(one);
  return is_good;
}

static bool show_arm(void) {
  GError *error = NULL;
  bool is_good = true;
  if (!test_shared_path("datasets/ur10e/single_joint/joint_1.csv"))
    return show("UR10e", NAN, "recordings below ARMATURE_SHARED", false);
  AioArm *arm = aio_arm_load(test_source_path("data/robots/ur10e.arm.json"), &error);
  must(arm != NULL, error);
  AioColumnMap *map =
      aio_column_map_load(test_source_path("data/maps/ur10e_31_columns.columns.json"), &error);
  must(map != NULL, error);
  for (int joint = 1; joint <= 6; joint++)
    is_good &= show_recorded(arm, map, joint);
  aio_column_map_free(map);
  aio_arm_free(arm);
  return is_good;
}

/* ---- a way back missing ---- */

/* mean error of eta2/3, eta3/4 and eta4/5 over the runs, relative; the largest of the three */
static double bias(size_t holds, bool has_terms, size_t runs) {
  static ArmGravityFit fit;
  Truth truth;
  ArmModel model;
  Faulty f;
  double mean[3] = {0}, worst = 0;
  faulty_default(&f);
  f.holds = holds;
  f.load_friction = 0.1;
  f.one_way = 1;
  f.offers_term[ARM_TERM_LOAD] = f.offers_term[ARM_TERM_CURVE] = has_terms;
  must(faulty_truth(FAULTY_TOOL, &f, &truth, &model), NULL);
  for (size_t seed = 1; seed <= runs; seed++) {
    must(faulty_fit(FAULTY_TOOL, &f, seed, &fit), NULL);
    for (size_t i = 1; i < 4; i++)
      mean[i - 1] +=
          (fit.refined.ratio[i][i + 1].used * truth.eta[i + 1] / truth.eta[i] - 1) / (double)runs;
    arm_gravity_fit_clear(&fit);
  }
  for (size_t i = 0; i < 3; i++)
    worst = fmax(worst, fabs(mean[i]));
  printf("# %zu holds, %s: eta2/3 %+.2f %%, eta3/4 %+.2f %%, eta4/5 %+.2f %%\n", holds,
         has_terms ? "with the terms" : "base", 100 * mean[0], 100 * mean[1], 100 * mean[2]);
  return 100 * worst;
}

static bool show_one_way(size_t runs) {
  bool is_good = true;
  for (size_t holds = 2; holds <= 4; holds += 2) {
    char what[96];
    bias(holds, false, runs);
    const double with = bias(holds, true, runs);
    snprintf(what, sizeof what,
             "PUMA, mu 0.1, %zu holds, one way back missing: worst ratio, mean error [%%]", holds);
    is_good &= show(what, with, "<=0.5", with <= 0.5);
  }
  return is_good;
}

/* ---- nothing to be found ---- */

/* terms given to a recording without any; friction with 5 % of Stribeck has a curve, only its load
 * counts */
static size_t given_to(FaultyArm arm, FaultyKind kind, uint64_t seed, bool *is_same) {
  static ArmGravityFit fit, base;
  Faulty f;
  size_t given = 0;
  faulty_sound(kind, &f);
  f.offers_term[ARM_TERM_LOAD] = true;
  f.offers_term[ARM_TERM_CURVE] = kind != FAULTY_STRIBECK;
  must(faulty_fit(arm, &f, seed, &fit), NULL);
  for (size_t i = 0; i < FAULTY_JOINTS; i++) {
    const ArmJointFit *joint = &fit.refined.joint[i];
    given += joint->has_term[ARM_TERM_LOAD] || joint->has_term[ARM_TERM_CURVE];
    for (int t = 0; t < ARM_TERMS; t++)
      if (joint->has_term[t])
        printf("# %s, seed %d, joint %zu: %s %.4f +- %.4f\n", faulty_kind_name(kind), (int)seed,
               i + 1, arm_term_key((ArmFrictionTerm)t), joint->term[t].value, joint->term[t].sd);
  }
  f.offers_term[ARM_TERM_LOAD] = f.offers_term[ARM_TERM_CURVE] = false;
  must(given > 0 || faulty_fit(arm, &f, seed, &base), NULL);
  if (given == 0) {
    const size_t ids = fit.refined.n_ids;
    *is_same &= ids == base.refined.n_ids && memcmp(fit.refined.covariance, base.refined.covariance,
                                                    ids * ids * sizeof(double)) == 0;
    for (size_t k = 0; k < ids && *is_same; k++)
      *is_same &= arm_gravity_parameters_at(&fit.refined, fit.refined.ids[k])->used ==
                  arm_gravity_parameters_at(&base.refined, base.refined.ids[k])->used;
    arm_gravity_fit_clear(&base);
  }
  arm_gravity_fit_clear(&fit);
  return given;
}

static bool show_sound(size_t count) {
  size_t given = 0;
  bool is_same = true;
  char target[48];
  for (size_t k = 0; k < count; k++)
    given += given_to(k % 2 ? FAULTY_UR : FAULTY_TOOL, (FaultyKind)(k / 2 % FAULTY_KINDS),
                      90000 + k, &is_same);
  const size_t joints = count * FAULTY_JOINTS;
  snprintf(target, sizeof target, "<=%zu of %zu", joints / 50, joints);
  const bool is_rare = show("sound data sets of eight kinds, PUMA and UR-like: joints with a term",
                            (double)given, target, given <= joints / 50);
  return show("fits without a term differ from those of before", !is_same, "0", is_same) && is_rare;
}

/* ---- what is found ---- */

static void list_found(void) {
  static const double mu[] = {.02, .03, .04, .06, .10};
  enum { RUNS = 10 };
  static ArmGravityFit fit;
  for (size_t m = 0; m < sizeof mu / sizeof mu[0]; m++) {
    size_t found[FAULTY_JOINTS] = {0}, within = 0, all = 0;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
      Faulty f;
      faulty_default(&f);
      f.load_friction = mu[m];
      f.offers_term[ARM_TERM_LOAD] = f.offers_term[ARM_TERM_CURVE] = true;
      must(faulty_fit(FAULTY_TOOL, &f, seed, &fit), NULL);
      for (size_t i = 0; i < FAULTY_JOINTS; i++) {
        const ArmEstimate *e = &fit.refined.joint[i].term[ARM_TERM_LOAD];
        found[i] += fit.refined.joint[i].has_term[ARM_TERM_LOAD];
        all += e->identifiable;
        within += e->identifiable && fabs(e->value - mu[m]) < 3 * e->sd;
      }
      arm_gravity_fit_clear(&fit);
    }
    printf(
        "# PUMA with a tool, mu %.2f: found on joints 1 to 6 in %zu %zu %zu %zu %zu %zu of %d; %zu "
        "of %zu within 3 sd\n",
        mu[m], found[0], found[1], found[2], found[3], found[4], found[5], RUNS, within, all);
  }
}

int main(int argc, char **argv) {
  const size_t count = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 300;
  const size_t runs = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 20;
  setvbuf(stdout, NULL, _IOLBF, 0);
  bool is_good = show_arm();
  is_good &= show_one_way(runs);
  is_good &= show_sound(count);
  list_found();
  return is_good ? 0 : 1;
}
