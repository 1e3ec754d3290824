/* SPDX-License-Identifier: MIT */
/* Line 3.2: the plant against theory notes, section 8: the closed-loop experiment on a PUMA with a
 * tool, fitted by the identification; and how much faster than real time it runs.
 *
 *   show_plant [accuracy]     accuracy: without the speed, as a test */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/ident.h"
#include "support/plant_rig.h"

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool show(const char *what, double measured, double low, double high) {
  const bool is_good = measured >= low && measured <= high;
  printf("SHOW 3.2 %s measured=%.4g target=%.4g..%.4g %s\n", what, measured, low, high,
         is_good ? "PASS" : "FAIL");
  return is_good;
}

static bool show_near(const char *what, double measured, double want, double tolerance) {
  return show(what, measured, want - tolerance, want + tolerance);
}

/* Ripple of the quantised speed, seen as residuals: the notes' figures [A]. */
static bool show_residuals(const ArmGravityParameters *p) {
  static const double want[6] = {.029, .030, .018, .005, .005, .0045};
  bool is_good = true;
  for (size_t i = 0; i < 6; i++) {
    char what[64];
    snprintf(what, sizeof what, "joint %zu residual sd [A]", i + 1);
    is_good &= show_near(what, p->joint[i].residual_sd, want[i], 0.25 * want[i]);
  }
  return is_good;
}

/* Against the truth within 3 sd. */
static bool show_values(const ArmGravityParameters *p, const ArmPlantConfig *config) {
  static const struct {
    size_t joint, axis;
    const char *name;
    double want;
  } gravity[] = {
      {1, 0, "k2x* g [A]", 1.6064}, {2, 1, "k3y* g [A]", .8042}, {4, 1, "k5y* g [A]", .1419}};
  bool is_good = true;
  for (size_t k = 0; k < 3; k++) {
    const ArmEstimate *w = &p->joint[gravity[k].joint].w[gravity[k].axis];
    is_good &= show_near(gravity[k].name, 9.81 * w->value, gravity[k].want, 3 * 9.81 * w->sd);
  }
  for (size_t i = 1; i < 5; i++) {
    char what[64];
    const ArmEstimate *ratio = &p->ratio[i][i + 1];
    snprintf(what, sizeof what, "eta%zu/eta%zu", i + 1, i + 2);
    is_good &= show_near(what, ratio->value, config->joints[i].eta / config->joints[i + 1].eta,
                         3 * ratio->sd);
  }
  return is_good;
}

/* A current holds the arm through the servo period before it is read, so a speed appears as half a
 * period of the gravity gradient: up to 4 mA s/rad at joint 2. */
static bool show_friction(const ArmGravityParameters *p, const ArmPlantConfig *config) {
  double coulomb = 0, viscous = 0;
  for (size_t i = 0; i < 6; i++) {
    const ArmPlantJoint *truth = &config->joints[i];
    const ArmEstimate *found = p->joint[i].friction;
    coulomb = fmax(coulomb, fmax(fabs(found[0].value - truth->coulomb_pos),
                                 fabs(found[2].value - truth->coulomb_neg)));
    viscous = fmax(viscous, fmax(fabs(found[1].value - truth->viscous_pos),
                                 fabs(found[3].value - truth->viscous_neg)));
  }
  const bool is_good = show("worst lambda1 [A]", coulomb, 0, 3e-3);
  return show("worst lambda2 [A s/rad]", viscous, 0, 5e-3) && is_good;
}

int main(int argc, char **argv) {
  static ArmModel model;
  static ArmPlantConfig config;
  TruthRecording rec;
  ArmFitOptions options;
  ArmGravityFit fit;
  double plant_s;
  setvbuf(stdout, NULL, _IOLBF, 0);
  rig_puma(&model);
  rig_add_tool(&model);
  rig_couple_wrist(&model);
  if (!rig_puma_config(&model, 1, &config) || !truth_recording_init(&rec, 6, 60000, false))
    return 1;
  const double before = cpu_s();
  bool is_good = rig_experiment(&config, &rec, &plant_s);
  const double times = plant_s / (cpu_s() - before);
  arm_fit_options_default(&options);
  if (is_good && arm_gravity_fit(&model, &rec.data, &options, &fit) == ARM_OK) {
    is_good = show_residuals(&fit.refined);
    is_good &= show_values(&fit.refined, &config);
    is_good &= show_friction(&fit.refined, &config);
    arm_gravity_fit_clear(&fit);
  } else {
    is_good = false;
  }
  truth_recording_clear(&rec);
  if (argc < 2 || strcmp(argv[1], "accuracy") != 0)
    is_good &= show("six rigid joints at 0.1 ms, times real time", times, 50, 1e6);
  return is_good ? 0 : 1;
}
