/* SPDX-License-Identifier: MIT */
#include "closed_loop_judge.h"

#include <math.h>
#include <stdio.h>

static const char *line_id;

bool judge_show(const char *what, double measured, double low, double high) {
  const bool is_good = measured >= low && measured <= high;
  printf("SHOW %s %s measured=%.4g target=%.4g..%.4g %s\n", line_id, what, measured, low, high,
         is_good ? "PASS" : "FAIL");
  return is_good;
}

static bool show_near(const char *what, double measured, double want, double tolerance) {
  return judge_show(what, measured, want - tolerance, want + tolerance);
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

/* A current holds the arm through the servo period before it is read, so that with the position at
 * the end of it a speed appears as half a period of the gravity gradient: 4 mA s/rad at joint 2.
 * With the position in its middle (3.2b) 2 mA s/rad are left, of which 0.6 are the amplifier's lag.
 */
static bool show_friction(const ArmGravityParameters *p, const ArmPlantConfig *config) {
  double coulomb = 0, viscous = 0, in_sds = 0;
  for (size_t i = 0; i < 6; i++) {
    const ArmPlantJoint *truth = &config->joints[i];
    const double is[4] = {truth->coulomb_pos, truth->viscous_pos, truth->coulomb_neg,
                          truth->viscous_neg};
    for (int k = 0; k < 4; k++) {
      const ArmEstimate *found = &p->joint[i].friction[k];
      const double error = fabs(found->value - is[k]);
      double *worst = k % 2 ? &viscous : &coulomb;
      *worst = fmax(*worst, error);
      in_sds = k % 2 ? fmax(in_sds, error / found->sd) : in_sds;
    }
  }
  printf("# worst lambda2: %.2g A s/rad; theory notes: 0.003\n", viscous);
  const bool is_good = judge_show("worst lambda1 [A]", coulomb, 0, 3e-3);
  return judge_show("worst lambda2 [sd]", in_sds, 0, 3) && is_good;
}

void judge_begin(const char *line) {
  line_id = line;
  setvbuf(stdout, NULL, _IOLBF, 0);
}

bool judge_closed_loop(const ArmGravityParameters *parameters, const ArmPlantConfig *config) {
  bool is_good = show_residuals(parameters);
  is_good &= show_values(parameters, config);
  return show_friction(parameters, config) && is_good;
}
