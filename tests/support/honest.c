/* SPDX-License-Identifier: MIT */
#include "support/honest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/sweeps/predict.h"

enum { POSITIONS = 126, SPEEDS = 5, UNSEEN = 200, JOINTS = HONEST_JOINTS };

static const double degree = 3.14159265358979323846 / 180;

/* the antipodal holds of the other joints [deg]; joint counted from 1 */
static const struct {
  size_t joint;
  double pose[JOINTS];
} holds[] = {
    {6, {0, -90, 0, 0, 0, 0}},    {5, {0, -90, 0, 0, 0, 39}},   {5, {0, -90, 0, 0, 0, -141}},
    {4, {0, -90, 0, 0, 90, 39}},  {4, {0, -90, 0, 0, -90, 39}}, {3, {0, -90, 0, -10, 90, 0}},
    {3, {0, -90, 0, 170, 90, 0}}, {2, {0, 0, 0, 0, 0, 0}},      {2, {0, 0, 180, 0, 0, 0}},
    {1, {0, -90, 90, 0, 0, 0}},
};
enum { HOLDS = sizeof holds / sizeof holds[0], ROWS = HOLDS * SPEEDS * 2 * POSITIONS };

typedef struct {
  Truth truth;
  ArmModel model;
  Golden *golden;
  TruthRecording rec;
  double clean[ROWS];
  bool starts[ROWS]; /* first row of a sweep */
  double pose[UNSEEN][JOINTS], current[UNSEEN][JOINTS];
} Study;

static void add_sweep(Study *study, size_t hold, double speed, double *t) {
  const size_t joint = holds[hold].joint - 1;
  double q[JOINTS], qd[JOINTS] = {0};
  for (size_t j = 0; j < JOINTS; j++)
    q[j] = holds[hold].pose[j] * degree;
  qd[joint] = speed;
  for (size_t k = 0; k < POSITIONS; k++, *t += 0.01) {
    const size_t row = study->rec.data.rows;
    const double way = (-125 + 250 * (double)k / (POSITIONS - 1)) * degree;
    q[joint] = speed > 0 ? way : -way;
    study->clean[row] = truth_current(&study->truth, q, qd, NULL, joint);
    study->starts[row] = k == 0;
    truth_recording_add(&study->rec, *t, joint, q, speed, 0, study->clean[row]);
  }
  *t += 1;
}

static bool study_init(Study *study) {
  TestRng rng;
  double t = 0;
  study->golden = golden_load("puma560_table1_noisy");
  if (study->golden == NULL || !truth_recording_init(&study->rec, JOINTS, ROWS, false))
    return false;
  truth_puma(study->golden, &study->truth);
  truth_model(&study->truth, &study->model);
  for (size_t h = 0; h < HOLDS; h++)
    for (int s = 0; s < SPEEDS; s++)
      for (int side = 1; side >= -1; side -= 2)
        add_sweep(study, h, side * (30 + 10 * s) * degree, &t);
  test_rng_init(&rng, 560);
  for (size_t k = 0; k < UNSEEN; k++) {
    truth_pose(&study->truth, &rng, study->pose[k]);
    for (size_t i = 0; i < JOINTS; i++)
      study->current[k][i] = truth_gravity_current(&study->truth, study->pose[k], i);
  }
  return true;
}

static void study_clear(Study *study) {
  truth_recording_clear(&study->rec);
  golden_free(study->golden);
}

/* AR(1) noise with Table I's standard deviations; white for rho = 0 */
static void add_noise(Study *study, uint64_t seed, double rho) {
  static const double noise_sd[JOINTS] = {.0225, .0293, .0149, .0187, .0167, .00636};
  TestRng rng;
  double noise = 0;
  test_rng_init(&rng, seed);
  for (size_t row = 0; row < ROWS; row++) {
    const size_t joint = (size_t)study->rec.joint[row] - 1;
    const double fresh = noise_sd[joint] * test_rng_normal(&rng);
    noise = study->starts[row] ? fresh : rho * noise + sqrt(1 - rho * rho) * fresh;
    study->rec.current[row + joint * ROWS] = study->clean[row] + noise;
  }
}

static double true_value(const Golden *golden, ArmParamId id) {
  if (id.kind == ARM_PARAM_RATIO)
    return golden->true_eta[id.i] / golden->true_eta[id.j];
  if (id.kind <= ARM_PARAM_MHAT)
    return golden->expect[id.i].w[id.kind == ARM_PARAM_KY ? 1 : 0];
  return golden->expect[id.i].friction[id.kind - ARM_PARAM_COULOMB_POS];
}

static HonestParameter *parameter_of(HonestSet *set, ArmParamId id) {
  for (size_t k = 0; k < set->n_parameters; k++) {
    const ArmParamId *known = &set->parameters[k].id;
    if (known->kind == id.kind && known->i == id.i && known->j == id.j)
      return &set->parameters[k];
  }
  HonestParameter *fresh = &set->parameters[set->n_parameters++];
  *fresh = (HonestParameter){.id = id};
  return fresh;
}

static void judge_parameters(const Study *study, ArmGravityParameters *p, HonestSet *set) {
  for (size_t k = 0; k < p->n_ids; k++) {
    const ArmEstimate *e = arm_gravity_parameters_at(p, p->ids[k]);
    if (!e->identifiable)
      continue;
    HonestParameter *to = parameter_of(set, p->ids[k]);
    const double z = (e->value - true_value(study->golden, p->ids[k])) / e->sd;
    const bool in_95 = fabs(z) <= 1.959963985, in_3sd = fabs(z) <= 3;
    to->seen++;
    to->in_95 += in_95;
    to->in_3sd += in_3sd;
    to->sum_z += z;
    to->sum_z2 += z * z;
    to->sum_sd += e->sd;
    set->seen++;
    set->in_95 += in_95;
    set->in_3sd += in_3sd;
    set->in_3sd_white += fabs(z) * p->joint[p->ids[k].i].widening <= 3;
  }
}

static bool judge_predictions(const Study *study, const ArmGravityParameters *p, HonestSet *set) {
  const ArmPredictOptions options = {0};
  const double still[JOINTS] = {0};
  double current[JOINTS], sd[JOINTS];
  for (size_t k = 0; k < UNSEEN; k++) {
    if (arm_predict(&study->model, p, study->pose[k], still, NULL, &options, current, sd) != ARM_OK)
      return false;
    for (size_t i = 0; i < JOINTS; i++) {
      const double error = current[i] - study->current[k][i];
      set->square_error[i] += error * error;
      set->n_errors[i]++;
      if (sd[i] > 0) {
        set->square_z[i] += error / sd[i] * error / sd[i];
        set->n_z[i]++;
      }
    }
  }
  return true;
}

static void judge(const Study *study, ArmGravityFit *fit, HonestResult *result) {
  const ArmEstimate *last = &fit->refined.ratio[4][5];
  judge_parameters(study, &fit->refined, &result->refined);
  judge_parameters(study, &fit->recursive, &result->recursive);
  if (!judge_predictions(study, &fit->refined, &result->refined) ||
      !judge_predictions(study, &fit->recursive, &result->recursive))
    result->failed++;
  result->not_converged += !fit->is_converged;
  if (last->identifiable) {
    const double truth = study->golden->true_eta[4] / study->golden->true_eta[5];
    result->last_ratio_given++;
    result->last_ratio_wrong += !(fabs(last->value - truth) <= 3 * last->sd);
  }
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool honest_run(uint64_t first, size_t count, double rho, HonestResult *result) {
  static Study study;
  ArmFitOptions options;
  ArmGravityFit fit;
  memset(result, 0, sizeof *result);
  arm_fit_options_default(&options);
  if (!study_init(&study)) {
    study_clear(&study);
    return false;
  }
  for (size_t k = 0; k < count; k++) {
    add_noise(&study, first + k, rho);
    const double start = seconds();
    const ArmStatus status = arm_gravity_fit(&study.model, &study.rec.data, &options, &fit);
    result->seconds_per_fit += (seconds() - start) / (double)count;
    result->seeds++;
    if (status != ARM_OK) {
      result->failed++;
      continue;
    }
    judge(&study, &fit, result);
    arm_gravity_fit_clear(&fit);
  }
  study_clear(&study);
  return true;
}

double honest_rms(const HonestSet *set, size_t first, size_t last) {
  double sum = 0, count = 0;
  for (size_t i = first - 1; i < last; i++) {
    sum += set->square_error[i];
    count += (double)set->n_errors[i];
  }
  return sqrt(sum / count);
}

void honest_print(const char *what, const HonestSet *set) {
  for (size_t k = 0; k < set->n_parameters; k++) {
    const HonestParameter *p = &set->parameters[k];
    const double seen = (double)p->seen, mean = p->sum_z / seen;
    char name[32];
    if (p->id.kind == ARM_PARAM_RATIO)
      snprintf(name, sizeof name, "ratio_%d_%d", p->id.i + 1, p->id.j + 1);
    else
      snprintf(name, sizeof name, "%s_%d", arm_param_key(p->id.kind), p->id.i + 1);
    printf("# %s %-16s given %zu, 95 %% covers %.3f, 3 sd %.3f, z %+.2f +- %.2f, sd %.3g\n", what,
           name, p->seen, (double)p->in_95 / seen, (double)p->in_3sd / seen, mean,
           sqrt(p->sum_z2 / seen - mean * mean), p->sum_sd / seen);
  }
}
