/* SPDX-License-Identifier: MIT */
/* Line 13.6b: what a plan promises of each parameter, and what a fit of its sweeps then reports.
 * Usage: show_promised [ARMS] */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sweeps/plan.h"
#include "support/faulty.h"

enum { POSITIONS = 40 };
#define NOISE_A 0.02 /* as a plan assumes it */
#define DRIVE   0.1  /* of the arms of support/truth.h: 0.005 to 0.1 A/(N m), as real drives have */
#define FACTOR  1.5
#define MOST    2.0 /* %: white noise that a fit takes for correlated, by chance */

/* What the arm file states. */
typedef enum {
  KNOWS_NOTHING,
  KNOWS_SOME_LINKS,
  KNOWS_LINKS, /* no drives */
  KNOWS_ALL,   /* masses within 15 %, torque constants within 10 % */
  KNOWN_KINDS
} Known;

static const char *const names[KNOWN_KINDS] = {
    "neither masses nor drives stated",
    "masses of half of the links stated",
    "masses stated, drives not",
    "masses within 15 % and drives within 10 % stated",
};

typedef struct {
  size_t arms, failed, parameters, promised, broken, withheld;
  double worst; /* factor */
} Count;

static bool show(const char *what, double measured, bool is_upper, double target) {
  const bool is_pass = is_upper ? measured <= target : measured >= target;
  printf("SHOW 13.6b %s measured=%.4g target=%s%g %s\n", what, measured,
         is_upper ? "<=" : ">=", target, is_pass ? "PASS" : "FAIL");
  return is_pass;
}

/* ---- the arm file ---- */

static void set_limits(ArmModel *model) {
  for (size_t i = 0; i < model->n; i++) {
    ArmLimits *limits = &model->joints[i].limits;
    limits->q_max = model->joints[i].type == ARM_JOINT_R ? 2.6 : 0.4;
    limits->q_min = -limits->q_max;
  }
}

static void state_drive(const Truth *truth, size_t i, double off, ArmJoint *joint) {
  joint->n_motors = 1;
  joint->motors[0] = (ArmMotor){.gear_ratio = 100,
                                .motor_sign = truth->eta[i] > 0 ? 1 : -1,
                                .torque_constant_Nm_A = 0.01 * off / fabs(truth->eta[i]),
                                .torque_constant_rel_sd = 0.1,
                                .rotor_inertia_kg_m2 = NAN};
}

static void state(const Truth *truth, Known known, TestRng *rng, ArmModel *model) {
  truth_model(truth, model);
  set_limits(model);
  for (size_t i = 0; i < model->n; i++) {
    ArmJoint *joint = &model->joints[i];
    const double mass = test_rng_uniform(rng, 0.85, 1.15), drive = test_rng_uniform(rng, 0.9, 1.1);
    const bool is_stated = known >= KNOWS_LINKS || (known && test_rng_below(rng, 2));
    joint->link.mass_kg *= known == KNOWS_ALL ? mass : 1.0;
    if (!is_stated)
      joint->link = (ArmLink){0};
    if (known == KNOWS_ALL)
      state_drive(truth, i, drive, joint);
  }
}

/* ---- the sweeps ---- */

static void sweep(const Truth *truth, const ArmJointPlan *p, size_t joint, const double *hold,
                  double speed, TestRng *rng, TruthRecording *rec) {
  double q[TRUTH_MAX_JOINTS], qd[TRUTH_MAX_JOINTS] = {0};
  memcpy(q, hold, truth->n * sizeof *q);
  qd[joint] = speed;
  for (size_t k = 0; k < p->positions; k++) {
    const double part = (double)k / (double)(p->positions - 1);
    q[joint] = p->from + (p->to - p->from) * (speed > 0 ? part : 1 - part);
    truth_recording_add(rec, 0.04 * (double)rec->data.rows, joint, q, speed, 0,
                        truth_current(truth, q, qd, NULL, joint) + NOISE_A * test_rng_normal(rng));
  }
}

static bool record(const Truth *truth, const ArmPlan *plan, TestRng *rng, TruthRecording *rec) {
  size_t rows = 0;
  for (size_t i = 0; i < plan->n; i++)
    if (plan->joint[i].is_swept)
      rows += 2 * plan->joint[i].n_holds * plan->joint[i].n_speeds * plan->joint[i].positions;
  if (!truth_recording_init(rec, truth->n, rows, false))
    return false;
  for (size_t i = 0; i < plan->n; i++) {
    const ArmJointPlan *p = &plan->joint[i];
    for (size_t s = 0; p->is_swept && s < 2 * p->n_holds * p->n_speeds; s++)
      sweep(truth, p, i, p->holds[s / (2 * p->n_speeds)],
            (s % 2 ? -1 : 1) * p->speeds[s / 2 % p->n_speeds], rng, rec);
  }
  return true;
}

/* ---- promised and reported ---- */

static void compare(size_t arm, ArmGravityParameters *promised, ArmGravityParameters *reported,
                    Count *count) {
  for (size_t k = 0; k < promised->n_ids; k++) {
    const ArmParamId id = promised->ids[k];
    const ArmEstimate *p = arm_gravity_parameters_at(promised, id),
                      *r = arm_gravity_parameters_at(reported, id);
    if (r->identifiable)
      count->parameters++;
    if (!p->identifiable || isnan(p->sd))
      continue;
    count->promised++;
    const double factor = r->identifiable ? fmax(p->sd / r->sd, r->sd / p->sd) : INFINITY;
    count->worst = isfinite(factor) ? fmax(count->worst, factor) : count->worst;
    count->withheld += !r->identifiable;
    if (factor <= FACTOR)
      continue;
    count->broken++;
    printf("# arm %zu: %s %d %d promised %.3g, reported %.3g (%s)\n", arm, arm_param_key(id.kind),
           id.i + 1, id.j + 1, p->sd, r->sd, arm_reason_key(r->reason));
  }
}

static bool plan_and_fit(size_t arm, const Truth *truth, const ArmModel *model, TestRng *rng,
                         Count *count) {
  static ArmPlan plan;
  static ArmPlanReport report;
  static ArmGravityFit fit;
  static ArmGravityParameters nominal;
  ArmPlanOptions options;
  ArmFitOptions fit_options;
  TruthRecording rec;
  arm_plan_options_default(&options);
  arm_fit_options_default(&fit_options);
  options.positions = POSITIONS;
  options.noise_sd = NOISE_A;
  count->arms++;
  if (arm_plan_nominal(model, &nominal, &options) != ARM_OK ||
      arm_plan_propose(model, &nominal, &options, &plan) != ARM_OK ||
      arm_plan_evaluate(model, &nominal, &options, &plan, &report) != ARM_OK)
    return false;
  bool is_good = record(truth, &plan, rng, &rec);
  if (is_good) {
    is_good = arm_gravity_fit(model, &rec.data, &fit_options, &fit) == ARM_OK;
    truth_recording_clear(&rec);
  }
  if (is_good) {
    compare(arm, &report.predicted, &fit.refined, count);
    arm_gravity_fit_clear(&fit);
  }
  arm_plan_report_clear(&report);
  return is_good;
}

static bool show_count(const char *what, const Count *count) {
  char line[200];
  printf("# %s: %zu arms, %zu of %zu parameters promised, worst factor %.2f\n", what, count->arms,
         count->promised, count->parameters, count->worst);
  snprintf(line, sizeof line, "%s: of %zu promised sds more than 1.5 times off, or not given [%%]",
           what, count->promised);
  bool is_pass = show(line, 100.0 * (double)count->broken / (double)count->promised, true, MOST);
  snprintf(line, sizeof line, "%s: plans or fits that failed", what);
  return show(line, (double)count->failed, true, 0) && is_pass;
}

static bool show_random(Known known, size_t arms) {
  TruthOptions options;
  Count count = {0};
  truth_options_default(&options);
  for (size_t k = 0; k < arms; k++) {
    TestRng rng;
    Truth truth;
    ArmModel model;
    test_rng_init(&rng, 1 + k);
    truth_random(&rng, &options, &truth);
    for (size_t i = 0; i < truth.n; i++)
      truth.eta[i] *= DRIVE;
    state(&truth, known, &rng, &model);
    count.failed += !plan_and_fit(k, &truth, &model, &rng, &count);
  }
  return show_count(names[known], &count);
}

static bool show_arm(FaultyArm arm, const char *name, Known known) {
  Faulty faulty;
  Truth truth;
  ArmModel model;
  TestRng rng;
  Count count = {0};
  char what[160];
  faulty_default(&faulty);
  test_rng_init(&rng, 7);
  if (!faulty_truth(arm, &faulty, &truth, &model))
    return show(name, 0, false, 1);
  state(&truth, known, &rng, &model);
  count.failed += !plan_and_fit(0, &truth, &model, &rng, &count);
  snprintf(what, sizeof what, "%s, %s", name, names[known]);
  return show_count(what, &count);
}

int main(int argc, char **argv) {
  const size_t arms = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 125;
  bool is_pass = true;
  for (Known known = KNOWS_NOTHING; known < KNOWN_KINDS; known++) {
    is_pass &= show_arm(FAULTY_TOOL, "PUMA with a tool", known);
    is_pass &= show_arm(FAULTY_UR, "UR-like arm", known);
    is_pass &= show_random(known, arms);
  }
  return is_pass ? 0 : 1;
}
