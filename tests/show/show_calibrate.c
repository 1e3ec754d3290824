/* SPDX-License-Identifier: MIT */
/* For line 4.1: whole calibrations of a simulated arm, from a controller at the other end of a
 * socket to the exported text, each judged against the truth. calibrate.sh pools what it prints:
 *
 *   parameter ARM SEED NAME VALUE TRUTH SD       of those that claim an error bar
 *   joint ARM SEED JOINT REST REST_SD ROWS MOTION MOTION_SD ROWS   sums of squares [A^2, 1]
 *   run ARM SEED CONVERGED VALID DEVICE_s WALL_s SLIPPED_s
 *
 *   show_calibrate ARM FIRST_SEED COUNT TIME_FACTOR
 *
 * The truth comes from the plant's numbers by formulas that the core does not use
 * (support/truth.h); k* by the core's, which a prediction with the true values then confirms.
 * Every seed has another noise, other free ranges and other speeds, and so another plan, slower
 * where the program asks for it; truth 2 is without noise. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/sweeps/predict.h"
#include "io/params/params_file.h"
#include "session/bench.h"
#include "session/measure/full_sweeps.h"
#include "session/method/gravity.h"
#include "support/truth.h"

enum { POSES = 200 };

/* ---- the truth ---- */

/* Modified Denavit-Hartenberg numbers from a placement that was made of them. */
static void take_joint(Truth *truth, const ArmJoint *joint, size_t i) {
  const double *R = joint->rotation, *p = joint->translation;
  const double beta = atan2(-R[5], R[8]), along = p[2] * cos(beta) - p[1] * sin(beta);
  truth->slides[i] = joint->type == ARM_JOINT_T;
  truth->beta[i] = beta;
  truth->b[i] = p[0];
  truth->theta[i] = truth->slides[i] ? atan2(-R[1], R[0]) : joint->offset;
  truth->d[i] = truth->slides[i] ? along + joint->offset : along;
  truth->mass[i] = joint->link.mass_kg;
  memcpy(truth->com[i], joint->link.com_m, sizeof truth->com[i]);
}

static void truth_of_plant(const ArmPlantConfig *config, Truth *truth) {
  const ArmModel *model = &config->model;
  *truth = (Truth){.n = model->n, .has_coupling = model->has_coupling};
  memcpy(truth->gravity, model->gravity_m_s2, sizeof truth->gravity);
  for (size_t i = 0; i < model->n; i++) {
    const ArmPlantJoint *joint = &config->joints[i];
    const double friction[4] = {joint->coulomb_pos, joint->viscous_pos, joint->coulomb_neg,
                                joint->viscous_neg};
    take_joint(truth, &model->joints[i], i);
    truth->eta[i] = joint->eta;
    memcpy(truth->friction[i], friction, sizeof friction);
    for (size_t j = 0; j < i; j++)
      truth->coupling[i][j] = model->has_coupling ? model->coupling[i][j] : 0.0;
  }
}

/* A constant load cannot be told from Coulomb friction, which then contains it. */
static bool is_embodied(const ArmGravityParameters *p, size_t i) {
  return p->type[i] == ARM_JOINT_T && p->joint[i].w[0].reason == ARM_REASON_EMBODIED;
}

static double true_value(const ArmModel *model, const Truth *truth, const ArmGravityParameters *p,
                         ArmParamId id) {
  const double home[TRUTH_MAX_JOINTS] = {0};
  double w[2 * ARM_MAX_JOINTS];
  if (id.kind == ARM_PARAM_RATIO)
    return truth->eta[id.i] / truth->eta[id.j];
  if (id.kind <= ARM_PARAM_MHAT) {
    arm_gravity_nominal(model, w);
    return truth->eta[id.i] * w[2 * id.i + (id.kind == ARM_PARAM_KY)];
  }
  const size_t k = id.kind - ARM_PARAM_COULOMB_POS;
  const bool has_load = k % 2 == 0 && is_embodied(p, id.i);
  return truth->friction[id.i][k] + (has_load ? truth_gravity_current(truth, home, id.i) : 0.0);
}

/* ---- predictions ---- */

typedef struct {
  double rest, rest_sds, motion, motion_sds; /* sums of squares */
  guint rest_rows, motion_rows;
} Errors;

typedef struct {
  const ArmModel *model;
  Truth truth;
  ArmGravityParameters *found;
  double low[ARM_MAX_JOINTS], high[ARM_MAX_JOINTS]; /* of the poses */
  double slow[ARM_MAX_JOINTS], fast[ARM_MAX_JOINTS];
} Case;

static void predict(const Case *c, const ArmGravityParameters *p, const double *q, const double *qd,
                    double *current, double *sd) {
  const ArmPredictOptions options = {.zero_speed = ARM_ZERO_SPEED_NONE};
  const ArmStatus status = arm_predict(c->model, p, q, qd, NULL, &options, current, sd);
  if (status != ARM_OK)
    g_error("predict: %s", arm_status_text(status));
}

static void draw(const Case *c, TestRng *rng, double *q, double *qd) {
  for (size_t j = 0; j < c->truth.n; j++) {
    q[j] = test_rng_uniform(rng, c->low[j], c->high[j]);
    qd[j] = test_rng_uniform(rng, c->slow[j], c->fast[j]) * (test_rng_next(rng) & 1 ? 1 : -1);
  }
}

/* In poses that no sweep has seen, at rest (gravity) and in motion (with friction). */
static void sum_errors(const Case *c, guint64 seed, Errors *errors) {
  const double still[ARM_MAX_JOINTS] = {0};
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS], current[ARM_MAX_JOINTS], sd[ARM_MAX_JOINTS];
  TestRng rng;
  test_rng_init(&rng, seed);
  for (guint pose = 0; pose < POSES; pose++) {
    draw(c, &rng, q, qd);
    predict(c, c->found, q, still, current, sd);
    for (size_t j = 0; j < c->truth.n; j++) {
      const double error = current[j] - truth_gravity_current(&c->truth, q, j);
      if (is_embodied(c->found, j) || !(sd[j] > 0.0))
        continue;
      errors[j].rest += error * error;
      errors[j].rest_sds += error * error / (sd[j] * sd[j]);
      errors[j].rest_rows++;
    }
    predict(c, c->found, q, qd, current, sd);
    for (size_t j = 0; j < c->truth.n; j++) {
      const double error = current[j] - truth_current(&c->truth, q, qd, NULL, j);
      errors[j].motion += error * error;
      errors[j].motion_sds += error * error / (sd[j] * sd[j]);
      errors[j].motion_rows++;
    }
  }
}

/* With the true values in place of those that were found, predictions are the truth's currents. */
static void confirm_truth(const Case *c) {
  ArmGravityParameters p = *c->found;
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS], current[ARM_MAX_JOINTS], sd[ARM_MAX_JOINTS];
  TestRng rng;
  for (guint i = 0; i < p.n; i++) {
    for (guint k = 0; k < 2; k++) {
      const ArmParamKind own = k ? ARM_PARAM_KY : ARM_PARAM_KX;
      const ArmParamId id = {p.type[i] == ARM_JOINT_T ? ARM_PARAM_MHAT : own, (guint8)i, 0};
      p.joint[i].w[k].used =
          is_embodied(c->found, i) ? 0.0 : true_value(c->model, &c->truth, &p, id);
    }
    for (guint k = 0; k < 4; k++)
      p.joint[i].friction[k].used = true_value(
          c->model, &c->truth, &p, (ArmParamId){ARM_PARAM_COULOMB_POS + k, (guint8)i, 0});
    for (guint j = i + 1; j < p.n; j++)
      p.ratio[i][j].used = c->truth.eta[i] / c->truth.eta[j];
  }
  test_rng_init(&rng, 1);
  for (guint pose = 0; pose < POSES; pose++) {
    draw(c, &rng, q, qd);
    predict(c, &p, q, qd, current, sd);
    for (size_t j = 0; j < p.n; j++) {
      const double want = truth_current(&c->truth, q, qd, NULL, j);
      if (!test_is_near(current[j], want, 1e-9, 1e-9))
        g_error("joint %zu: true values predict %.9g A, the truth is %.9g A", j + 1, current[j],
                want);
    }
  }
}

/* ---- one calibration ---- */

/* Two speeds and up to 5 % less at each end of a range, by the seed. */
static void vary(Bench *bench, guint64 seed) {
  TestRng rng;
  AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  test_rng_init(&rng, seed);
  for (guint k = 0; k < edits->n_speeds; k++) {
    const double factor = test_rng_uniform(&rng, 0.9, 1.1);
    edits->speeds_R[k] *= factor;
    edits->speeds_T[k] *= factor;
  }
  for (gsize j = 0; j < bench->truth.plant.model.n; j++) {
    const double width = edits->high[j] - edits->low[j];
    edits->low[j] += test_rng_uniform(&rng, 0.0, 0.05) * width;
    edits->high[j] -= test_rng_uniform(&rng, 0.0, 0.05) * width;
  }
  ase_session_set_edits(bench->session, edits, "by the seed");
  g_free(edits);
}

static AioParams *export(Bench *bench) {
  GError *error = NULL;
  char *text = ase_session_parameters(bench->session, &error);
  g_assert_no_error(error);
  AioParams *params =
      aio_params_load_bytes("exported", text, strlen(text), &bench->truth.plant.model, &error);
  g_assert_no_error(error);
  ase_session_exported(bench->session, "p.json");
  g_free(text);
  return params;
}

static void print_parameters(const Case *c, const char *arm, guint64 seed) {
  for (gsize k = 0; k < c->found->n_ids; k++) {
    const ArmParamId id = c->found->ids[k];
    const ArmEstimate *e = arm_gravity_parameters_at(c->found, id);
    if (!e->identifiable)
      continue;
    char *name = aio_params_name(id);
    printf("parameter %s %" G_GUINT64_FORMAT " %s %.9g %.9g %.3g\n", arm, seed, name, e->value,
           true_value(c->model, &c->truth, c->found, id), e->sd);
    g_free(name);
  }
}

static void judge(Bench *bench, ArmGravityParameters *found, const char *arm, guint64 seed) {
  const AseEdits *edits = ase_session_edits(bench->session);
  Errors errors[ARM_MAX_JOINTS] = {0};
  AseFreedom freedom;
  Case c = {.model = &bench->truth.plant.model, .found = found};
  truth_of_plant(&bench->truth.plant, &c.truth);
  ase_freedom_init(&freedom, c.model);
  memcpy(c.low, freedom.low, sizeof c.low);
  memcpy(c.high, freedom.high, sizeof c.high);
  for (gsize j = 0; j < found->n; j++) {
    c.slow[j] = edits->plan.joint[j].speeds[0];
    c.fast[j] = edits->plan.joint[j].speeds[edits->plan.joint[j].n_speeds - 1];
  }
  confirm_truth(&c);
  print_parameters(&c, arm, seed);
  sum_errors(&c, seed, errors);
  for (gsize j = 0; j < found->n; j++)
    printf("joint %s %" G_GUINT64_FORMAT " %zu %.6g %.6g %u %.6g %.6g %u\n", arm, seed, j + 1,
           errors[j].rest, errors[j].rest_sds, errors[j].rest_rows, errors[j].motion,
           errors[j].motion_sds, errors[j].motion_rows);
}

/* Of a joint of this type too few sweeps would tell whether the model fits, as the plan says. */
static bool has_too_fast(Bench *bench, ArmJointType type) {
  const AseItinerary *itinerary = ase_session_itinerary(bench->session);
  const ArmModel *model = &ase_session_arm(bench->session)->model;
  bool is = false;
  for (gsize j = 0; j < model->n && !is; j++) {
    AseFullSweeps full;
    if (model->joints[j].type != type)
      continue;
    ase_full_sweeps(itinerary, model, j + 1, &full);
    is = isfinite(full.too_fast) && full.speeds < 2;
  }
  return is;
}

static void scale(double *speeds, guint n, double factor) {
  for (guint k = 0; k < n; k++)
    speeds[k] *= factor;
}

/* Who is told to choose slower sweeps does, of the joints that are named alone: slow ones stick. */
static void slow_down(Bench *bench) {
  for (int times = 0; times < 5; times++) {
    const bool is_R = has_too_fast(bench, ARM_JOINT_R), is_T = has_too_fast(bench, ARM_JOINT_T);
    if (!is_R && !is_T)
      return;
    AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
    scale(edits->speeds_R, edits->n_speeds, is_R ? 0.8 : 1.0);
    scale(edits->speeds_T, edits->n_speeds, is_T ? 0.8 : 1.0);
    ase_session_set_edits(bench->session, edits, "as the plan asks");
    g_free(edits);
    bench_do(bench, ASE_STEP_CHECK);
    bench_reach(bench, ASE_STEP_PLAN);
  }
}

static void calibrate(const char *arm, guint64 seed, double time_factor) {
  Bench bench;
  bench_init_seed(&bench, arm, time_factor, seed);
  bench_hurry(&bench);
  vary(&bench, seed);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_PLAN);
  slow_down(&bench);
  bench_reach(&bench, ASE_STEP_FIT);
  bench_do(&bench, ASE_STEP_VALIDATE);
  AioParams *params = export(&bench);
  judge(&bench, &params->fit.refined, arm, seed);
  const bool is_converged = ase_gravity_of(ase_session_fit(bench.session))->is_converged;
  const bool is_valid = bench_state(&bench, ASE_STEP_VALIDATE) == ASE_STATE_PASSED;
  if (!is_valid)
    printf("# %s, seed %" G_GUINT64_FORMAT ": %s\n", arm, seed,
           bench_reason(&bench, ASE_STEP_VALIDATE));
  aio_params_free(params);
  bench_clear(&bench);
  printf("run %s %" G_GUINT64_FORMAT " %d %d %.1f %.1f %.3f\n", arm, seed, is_converged, is_valid,
         bench.report.device_s, bench.report.wall_s, bench.report.slipped_s);
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: show_calibrate ARM FIRST_SEED COUNT TIME_FACTOR\n");
    return 2;
  }
  const guint64 first = g_ascii_strtoull(argv[2], NULL, 10);
  const guint64 count = g_ascii_strtoull(argv[3], NULL, 10);
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (guint64 seed = first; seed < first + count; seed++)
    calibrate(argv[1], seed, g_ascii_strtod(argv[4], NULL));
  return 0;
}
