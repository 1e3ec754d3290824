/* SPDX-License-Identifier: MIT */
/* Line 4 of docs/acceptance.md: a real UR10e, from another tool's files to parameters, and what a
 * current that must not be fitted meets. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sweeps/ident.h"
#include "core/sweeps/predict.h"
#include "io/arm/arm_file.h"
#include "io/recording/import.h"
#include "support/support.h"

/* residual rms over current rms, and Coulomb and viscous figures [A, A s/rad] of an independent fit
 * of the same rows (README of the recordings) */
typedef struct {
  double part, coulomb_pos, coulomb_neg, viscous_pos, viscous_neg;
} Reference;

static const Reference reference[6] = {
    {.037, 1.354, 1.418, 2.247, 2.072}, {.036, 1.686, 1.240, 1.925, 1.251},
    {.028, .676, .649, .939, 1.010},    {.031, .261, .266, .330, .330},
    {.048, .325, .287, .211, .194},     {.045, .245, .240, .309, .320},
};

static bool show(const char *what, double measured, double target) {
  const bool is_pass = measured <= target;
  printf("SHOW 4 %s measured=%.4g target=<=%.4g %s\n", what, measured, target,
         is_pass ? "PASS" : "FAIL");
  return is_pass;
}

static void must(bool is_done, GError *error) {
  if (is_done)
    return;
  fprintf(stderr, "show_ur10e: %s\n", error ? error->message : "failed");
  exit(1);
}

static AioRecording *import(const char *relative, const AioColumnMap *map, const ArmModel *model) {
  GError *error = NULL;
  AioRecording *recording = aio_import(test_shared_path(relative), map, model, NULL, &error);
  must(recording != NULL, error);
  return recording;
}

/* the joint that a single-joint file moves */
static AioRecording *import_sweep(AioColumnMap *map, const ArmModel *model, int joint) {
  char path[64];
  snprintf(path, sizeof path, "datasets/ur10e/single_joint/joint_%d.csv", joint);
  map->moving = AIO_MOVING_VALUE;
  map->moving_joint = joint;
  return import(path, map, model);
}

static AioRecording *import_sweeps(AioColumnMap *map, const ArmModel *model) {
  GError *error = NULL;
  AioRecording *all = NULL;
  for (int joint = 1; joint <= 6; joint++) {
    AioRecording *one = import_sweep(map, model, joint);
    if (!all) {
      all = one;
      continue;
    }
    must(aio_recording_append(all, one, &error), error);
    aio_recording_free(one);
  }
  return all;
}

static double rms_current(const ArmDataset *data, size_t joint, double min_speed) {
  double sum = 0.0;
  size_t count = 0;
  for (size_t r = 0; r < data->rows; r++) {
    const size_t at = r + joint * data->rows;
    if (data->joint[r] == (int)joint + 1 && fabs(data->qd[at]) > min_speed) {
      sum += data->current[at] * data->current[at];
      count++;
    }
  }
  return sqrt(sum / (double)count);
}

static ArmFitOptions fit_options(void) {
  ArmFitOptions options;
  arm_fit_options_default(&options);
  options.rows.min_speed_R = 0.03;
  options.rows.wants_acceleration = true;
  options.lowpass_Hz = 7.5; /* 0.15 of half the sampling rate, as the reference */
  return options;
}

/* prints the four friction figures beside the reference; returns the worst relative deviation */
static double compare_friction(const char *which, size_t i, const ArmJointFit *joint) {
  const Reference *want = &reference[i];
  const double target[4] = {want->coulomb_pos, want->viscous_pos, -want->coulomb_neg,
                            want->viscous_neg};
  double worst = 0.0;
  for (size_t f = 0; f < 4; f++) {
    const double error = fabs(joint->friction[f].used / target[f] - 1.0);
    printf("# %s joint %zu %s: %.4f +- %.4f, reference %.3f (%.1f %%)\n", which, i + 1,
           arm_param_key((ArmParamKind)(ARM_PARAM_COULOMB_POS + f)), joint->friction[f].used,
           joint->friction[f].sd, target[f], 100.0 * error);
    worst = fmax(worst, error);
  }
  return worst;
}

static bool show_joints(const ArmDataset *data, const ArmGravityParameters *p) {
  bool is_pass = true;
  for (size_t i = 0; i < 6; i++) {
    char what[64];
    snprintf(what, sizeof what, "joint %zu residual rms / rms current", i + 1);
    compare_friction("whole arm,", i, &p->joint[i]);
    is_pass &=
        show(what, p->joint[i].residual_sd / rms_current(data, i, 0.03), 1.1 * reference[i].part);
  }
  return is_pass;
}

/* The reference gives every joint free sin q and cos q columns, also those whose axis is vertical:
 * a one-joint arm with a horizontal axis is that very model. */
static bool show_single_joints(AioColumnMap *map, const ArmModel *arm) {
  const ArmFitOptions options = fit_options();
  double worst = 0.0;
  ArmModel model;
  must(arm_model_init(&model, 1) == ARM_OK, NULL);
  arm_joint_set_mdh(&model.joints[0], ARM_JOINT_R, 1.5707963267948966, 0.0, 0.0, 0.0);
  for (int joint = 1; joint <= 6; joint++) {
    ArmGravityFit fit;
    AioRecording *one = import_sweep(map, arm, joint);
    const ArmDataset all = aio_recording_dataset(one);
    const size_t first = (size_t)(joint - 1) * all.rows;
    int *moving = g_new(int, all.rows);
    for (size_t r = 0; r < all.rows; r++)
      moving[r] = 1;
    const ArmDataset data = {.n = 1,
                             .rows = all.rows,
                             .t = all.t,
                             .joint = moving,
                             .q = all.q + first,
                             .qd = all.qd + first,
                             .current = all.current + first};
    must(arm_gravity_fit(&model, &data, &options, &fit) == ARM_OK, NULL);
    worst = fmax(worst, compare_friction("alone,", (size_t)joint - 1, &fit.refined.joint[0]));
    arm_gravity_fit_clear(&fit);
    g_free(moving);
    aio_recording_free(one);
  }
  return show("worst deviation of a Coulomb or viscous figure", worst, 0.05);
}

static void list_pose(const char *name, const AioRecording *pose, const ArmModel *model,
                      const ArmGravityParameters *p) {
  const ArmPredictOptions options = {0};
  const ArmDataset data = aio_recording_dataset(pose);
  double q[6] = {0}, measured[6] = {0}, rest[6] = {0}, predicted[6], sd[6];
  for (size_t j = 0; j < 6; j++)
    for (size_t r = 0; r < data.rows; r++) {
      q[j] += data.q[r + j * data.rows] / (double)data.rows;
      measured[j] += data.current[r + j * data.rows] / (double)data.rows;
    }
  must(arm_predict(model, p, q, rest, NULL, &options, predicted, sd) == ARM_OK, NULL);
  printf("# %s: measured - predicted (sd) in A, Coulomb band:", name);
  for (size_t j = 0; j < 6; j++)
    printf(" %+.2f (%.2f) [%.2f..%.2f]", measured[j] - predicted[j], sd[j],
           p->joint[j].friction[2].used, p->joint[j].friction[0].used);
  printf("\n");
}

static bool show_poses(const AioColumnMap *map, const ArmModel *model,
                       const ArmGravityParameters *p) {
  int listed = 0;
  for (int pose = 1; pose <= 10; pose++) {
    char path[64];
    snprintf(path, sizeof path, "datasets/ur10e/static_poses/p%d.csv", pose);
    AioRecording *recording = import(path, map, model);
    list_pose(strrchr(path, '/') + 1, recording, model, p);
    aio_recording_free(recording);
    listed++;
  }
  printf("SHOW 4 static poses predicted and listed measured=%d target=10 %s\n", listed,
         listed == 10 ? "PASS" : "FAIL");
  return listed == 10;
}

static bool show_refusal(void) {
  static const char text[] =
      "{\"format\":\"armature-columns\",\"version\":1,\"input\":\"json\",\"rows\":\"entries\","
      "\"time\":{\"column\":\"timestamp\",\"unit\":\"s\"},\"moving_joint\":{\"value\":1},"
      "\"joints\":[{\"joint\":1,\"position\":{\"column\":\"position\",\"unit\":\"rad\"},"
      "\"speed\":{\"column\":\"speed\",\"unit\":\"rad_s\"},"
      "\"current\":{\"column\":\"current\",\"unit\":\"mA\"}}]}";
  GError *error = NULL;
  ArmModel model;
  must(arm_model_init(&model, 1) == ARM_OK, NULL);
  AioColumnMap *map = aio_column_map_parse("sts3215.columns.json", text, strlen(text), &error);
  must(map != NULL, error);
  AioRecording *recording = aio_import(
      test_shared_path("datasets/sts3215_negative/stale_current.json"), map, &model, NULL, &error);
  const bool is_refused = !recording && g_error_matches(error, AIO_ERROR, AIO_ERROR_REFUSED);
  printf("# %s\n", error ? error->message : "not refused");
  printf("SHOW 4 sts3215_negative measured=%s target=refused %s\n",
         is_refused ? "refused" : "accepted", is_refused ? "PASS" : "FAIL");
  g_clear_error(&error);
  aio_recording_free(recording);
  aio_column_map_free(map);
  return is_refused;
}

int main(void) {
  GError *error = NULL;
  ArmGravityFit fit;
  const ArmFitOptions options = fit_options();
  if (!test_shared_path("datasets/ur10e/single_joint/joint_1.csv")) {
    printf("SHOW 4 UR10e measured=absent target=recordings below ARMATURE_SHARED FAIL\n");
    return 1;
  }
  AioArm *arm = aio_arm_load(test_source_path("data/robots/ur10e.arm.json"), &error);
  must(arm != NULL, error);
  AioColumnMap *map =
      aio_column_map_load(test_source_path("data/maps/ur10e_31_columns.columns.json"), &error);
  must(map != NULL, error);
  AioRecording *sweeps = import_sweeps(map, &arm->model);
  const ArmDataset data = aio_recording_dataset(sweeps);
  must(arm_gravity_fit(&arm->model, &data, &options, &fit) == ARM_OK, NULL);
  bool is_pass = show_joints(&data, &fit.refined);
  is_pass &= show_single_joints(map, &arm->model);
  map->moving_joint = 0;
  map->from_s = 0.0;
  is_pass &= show_poses(map, &arm->model, &fit.refined);
  is_pass &= show_refusal();
  arm_gravity_fit_clear(&fit);
  aio_recording_free(sweeps);
  aio_column_map_free(map);
  aio_arm_free(arm);
  return is_pass ? 0 : 1;
}
