/* SPDX-License-Identifier: MIT */
/* Line 18.7b: random arms with little current to spare, capsules and a table: designs and cancelled
 * searches on a grid ten times as dense as what they are held to, and what the limits cost.
 *
 *   show_scene [ARMS]   60 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/excite/trajectory.h"
#include "support/dyn_random.h"

enum { MOST = 5, RATE_HZ = 5000 };

static ArmModel model;
static ArmDriveCurrents currents;

static bool show(const char *what, double measured, const char *target, bool is_pass) {
  printf("SHOW 18.7b %s measured=%.4g target=%s %s\n", what, measured, target,
         is_pass ? "PASS" : "FAIL");
  fflush(stdout);
  return is_pass;
}

static void must(ArmStatus status, const char *what) {
  if (status == ARM_OK)
    return;
  fprintf(stderr, "show_scene: %s: %s\n", what, arm_status_text(status));
  exit(1);
}

/* A quarter more than what holds the arm anywhere, and 0.3 A. */
static void limit_currents(TestRng *rng) {
  double most[MOST] = {0}, zero[MOST] = {0}, q[MOST], i[MOST];
  must(arm_drive_currents_init(&model, NULL, &currents), "currents");
  for (int pose = 0; pose < 300; pose++) {
    for (size_t j = 0; j < model.n; j++)
      q[j] = test_rng_uniform(rng, model.joints[j].limits.q_min, model.joints[j].limits.q_max);
    arm_drive_currents_at(&currents, false, 1, q, zero, zero, i);
    for (size_t j = 0; j < model.n; j++)
      most[j] = fmax(most[j], fabs(i[j]));
  }
  for (size_t j = 0; j < model.n; j++)
    model.joints[j].limits.current_max = 1.25 * most[j] + 0.3;
}

static void random_arm(TestRng *rng) {
  ArmCurrentFriction friction[MOST];
  dyn_random_arm(rng, 2 + test_rng_below(rng, MOST - 1), &model);
  for (size_t j = 0; j < model.n; j++) {
    ArmJoint *joint = &model.joints[j];
    joint->limits = (ArmLimits){.q_min = -2, .q_max = 1.5, .speed_max = 2, .accel_max = 6};
    joint->n_motors = 1;
    joint->motors[0] = (ArmMotor){50, j % 2 ? -1 : 1, 0.1, 0.1, 1e-4};
    joint->n_capsules = 2;
    for (size_t c = 0; c < 2; c++)
      for (size_t k = 0; k < 3; k++)
        joint->capsules[c].to_m[k] = test_rng_uniform(rng, -0.3, 0.3);
    joint->capsules[0].radius_m = joint->capsules[1].radius_m = 0.04;
    const double f = test_rng_uniform(rng, 0, 0.1);
    friction[j] = (ArmCurrentFriction){f, f, -f, f};
  }
  limit_currents(rng);
  must(arm_drive_currents_init(&model, friction, &currents), "currents");
}

static size_t broken(const ArmTrajectory *design, const ArmClearance *clearance) {
  ArmCurrentViolation too_much[MOST];
  static ArmClearanceViolation too_near[ARM_CLEARANCE_MOST];
  const size_t samples = (size_t)(design->basis.period_s * RATE_HZ);
  size_t count = 0;
  for (size_t s = 0; s < samples; s++) {
    double q[MOST], qd[MOST], qdd[MOST], i[MOST];
    arm_basis_motion(&design->basis, design->n, design->c, (double)s / RATE_HZ, q, qd, qdd);
    arm_drive_currents_at(&currents, false, 1, q, qd, qdd, i);
    count += arm_drive_currents_violations(&currents, 1, 1, i, too_much);
    count += arm_clearance_violations(clearance, 0, 1, q, too_near);
  }
  return count;
}

static bool watch(size_t evaluations, void *user) {
  return evaluations < *(const size_t *)user;
}

typedef struct {
  size_t designed, broken, cancelled_broken, would_break;
  double cost; /* in log det per parameter, summed */
} Sums;

static void design_one(TestRng *rng, size_t k, Sums *sums) {
  ArmMotionLimits limits;
  ArmClearance *clearance = NULL;
  ArmBase *base = NULL;
  ArmTrajectory design = {0}, cancelled = {0}, without = {0};
  random_arm(rng);
  must(arm_motion_limits(&model, &limits, NULL, NULL), "limits");
  must(arm_clearance_new(&model, &limits, -1.5, &clearance), "clearance");
  must(arm_base_new(&model, 0, ARM_BASE_CLOSED_FORM, &base), "base parameters");
  const ArmScene scene = {&currents, clearance};
  size_t end = test_rng_below(rng, 600);
  ArmTrajectoryOptions options = {
      .basis = {k % 2 ? ARM_BASIS_SPLINE : ARM_BASIS_FOURIER, k % 2 ? 16 : 5, 10, k / 2 % 2},
      .criterion = {.kind = ARM_CRITERION_D},
      .scene = &scene,
      .seed = k,
      .evaluations = 600};
  const ArmStatus status = arm_trajectory_design(&model, base, &options, &design, NULL);
  if (status != ARM_E_INFEASIBLE) {
    must(status, "design");
    options.watch = watch;
    options.user = &end;
    must(arm_trajectory_design(&model, base, &options, &cancelled, NULL), "cancelled");
    options.watch = NULL;
    options.scene = NULL;
    must(arm_trajectory_design(&model, base, &options, &without, NULL), "without");
    sums->designed++;
    sums->broken += broken(&design, clearance) > 0;
    sums->cancelled_broken += broken(&cancelled, clearance) > 0;
    sums->would_break += broken(&without, clearance) > 0;
    sums->cost += (design.value - without.value) / (double)base->count;
  }
  arm_trajectory_clear(&design);
  arm_trajectory_clear(&cancelled);
  arm_trajectory_clear(&without);
  arm_clearance_free(clearance);
  arm_base_free(base);
}

int main(int argc, char **argv) {
  const size_t arms = argc > 1 ? strtoul(argv[1], NULL, 10) : 60;
  Sums sums = {0};
  TestRng rng;
  char what[160];
  test_rng_init(&rng, 1872);
  for (size_t k = 0; k < arms; k++)
    design_one(&rng, k, &sums);
  snprintf(
      what, sizeof what,
      "of %zu designs for %zu arms those beyond a current or a distance (without these limits: "
      "%zu)",
      sums.designed, arms, sums.would_break);
  bool is_good = show(what, (double)sums.broken, "0", sums.broken == 0);
  is_good = show("the same of searches cancelled after 0 to 599 evaluations",
                 (double)sums.cancelled_broken, "0", sums.cancelled_broken == 0) &&
            is_good;
  const double factor = exp(0.5 * sums.cost / (double)(sums.designed ? sums.designed : 1));
  is_good = show("mean sd of a parameter over that without these limits", factor, "reported",
                 sums.designed > 0) &&
            is_good;
  return is_good ? 0 : 1;
}
