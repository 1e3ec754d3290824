/* SPDX-License-Identifier: MIT */
#include "support/faulty_arms.h"

#include <math.h>
#include <string.h>

#define N FAULTY_JOINTS
static const double degree = 3.14159265358979323846 / 180;

/* antipodal holds of the other joints, and more of them that differ [deg] */
static const double puma_holds[N][FAULTY_HOLDS][N] = {
    {{0, -90, 0, 0, 0, 0}, {0, -60, 30, 0, 40, 0}, {0, -30, 0, 0, 90, 0}, {0, 0, 90, 0, 0, 0}},
    {{0, 0, 0, 0, 0, 0}, {40, 0, 180, 0, 0, 0}, {0, 0, 90, 0, 90, 0}, {0, 0, -45, 90, 90, 0}},
    {{0, -90, 0, -10, 90, 0},
     {0, -90, 0, 170, 90, 0},
     {0, -45, 0, 80, 90, 0},
     {0, -45, 0, 0, 0, 0}},
    {{0, -90, 0, 0, 90, 39},
     {0, -90, 0, 0, -90, 39},
     {0, -60, 0, 0, 90, 200},
     {0, -60, 0, 0, -60, 0}},
    {{0, -90, 0, 0, 0, 39},
     {0, -90, 0, 0, 0, 219},
     {0, -90, 0, 45, 0, 120},
     {0, -70, 0, 0, 0, 300}},
    {{0, -90, 0, 0, 0, 0}, {0, -90, 0, 0, 70, 0}, {0, -90, 0, 60, 90, 0}, {0, -60, 0, 0, -70, 0}},
};
static const double puma_range[N][2] = {{-120, 120}, {-180, 10}, {-45, 150},
                                        {-110, 110}, {-95, 95},  {-150, 150}};
/* of the theory notes, lack of fit, section 10: vectors/misfit, the same holds for all joints */
#define NOTES_HOLDS                                                                                \
  {                                                                                                \
    {0, -90, 90, 0, 0, 0}, {40, -60, 50, 40, 50, 30}, {-50, -120, 140, -60, -50, -60}, {           \
      20, -20, 20, 80, 60, 120                                                                     \
    }                                                                                              \
  }
static const double notes_holds[N][FAULTY_HOLDS][N] = {NOTES_HOLDS, NOTES_HOLDS, NOTES_HOLDS,
                                                       NOTES_HOLDS, NOTES_HOLDS, NOTES_HOLDS};
static const double notes_range[N][2] = {{-120, 120}, {-180, 10}, {-10, 180},
                                         {-80, 140},  {-70, 70},  {-105, 105}};
static const double ur_holds[N][FAULTY_HOLDS][N] = {
    {{0, -90, 0, 0, 0, 0}, {0, -60, 30, 0, 40, 0}, {0, -30, 0, 0, 90, 0}, {0, 0, 90, 0, 0, 0}},
    {{0, 0, 0, 0, 0, 0}, {40, 0, 150, 0, 0, 0}, {0, 0, 90, 0, 90, 0}, {0, 0, -80, 90, 90, 0}},
    {{0, -90, 0, 0, 90, 0},
     {0, -90, 0, 180, 90, 0},
     {0, -45, 0, 80, 90, 0},
     {0, -45, 0, -90, 0, 0}},
    {{0, -90, 0, 0, 90, 0}, {0, -90, 0, 0, -90, 0}, {0, -60, 40, 0, 0, 60}, {0, -60, 0, 0, 180, 0}},
    {{0, -90, 0, 0, 0, 0}, {0, -90, 0, 0, 0, 180}, {0, -90, 0, 60, 0, 90}, {0, -45, 0, 20, 0, 270}},
    {{0, -90, 0, 0, 90, 0}, {0, -90, 0, 90, 60, 0}, {0, -90, 0, 60, -90, 0}, {0, -45, 0, 0, 45, 0}},
};
static const double ur_range[N][2] = {{-120, 120}, {-170, -10}, {-140, 140},
                                      {-150, 150}, {-150, 150}, {-150, 150}};

/* axes as in data/robots; joint 3 is the boom */
static const double stanford_holds[N][FAULTY_HOLDS][N] = {
    {{0, -90, .2, 0, 0, 0}, {0, -60, -.3, 0, 40, 0}, {0, -30, 0, 0, 70, 0}, {0, 20, -.1, 0, 0, 0}},
    {{0, 0, -.4, 0, 0, 0}, {40, 0, .3, 180, 60, 0}, {0, 0, 0, 0, 80, 0}, {0, 0, -.2, 90, -70, 0}},
    {{0, 0, 0, 0, 0, 0}, {0, 180, 0, 0, 0, 0}, {0, 60, 0, 90, 60, 0}, {40, -60, 0, 0, -60, 0}},
    {{0, 0, 0, 0, 80, 39}, {0, 0, 0, 0, -80, 39}, {0, 30, 0, 0, 70, 200}, {0, -30, .2, 0, -50, 0}},
    {{0, 0, 0, 0, 0, 39},
     {0, 0, 0, 180, 0, 219},
     {0, 30, 0, 45, 0, 120},
     {0, -50, .2, 100, 0, 300}},
    {{0, 0, 0, 0, 80, 0}, {0, 0, 0, 0, -80, 0}, {0, 30, 0, 60, 70, 0}, {0, -40, 0, 90, -60, 0}},
};
static const double stanford_range[N][2] = {{-120, 120}, {-150, 30}, {-.4, .3},
                                            {-150, 150}, {-85, 85},  {-150, 150}};
/* joints 1, 2, 4 turn about the vertical and 3 slides along it: gravity does not depend on them */
static const double scara_holds[N][FAULTY_HOLDS][N] = {
    {{0, 0, .05, 0}, {0, 60, .15, 90}, {0, 120, .1, 180}, {0, -90, 0, 0}},
    {{0, 0, .05, 0}, {60, 0, .15, 90}, {120, 0, .1, 180}, {-90, 0, 0, 0}},
    {{0, 0, 0, 0}, {60, 40, 0, 90}, {120, 100, 0, 180}, {-90, -60, 0, 0}},
    {{0, 0, .05, 0}, {60, 40, .15, 0}, {120, 100, .1, 0}, {-90, -60, 0, 0}},
};
static const double scara_range[N][2] = {{-140, 140}, {-140, 140}, {.01, .185}, {-200, 200}};

/* ---- numbers ---- */

typedef struct {
  size_t n;
  bool slides[N];
  double beta[N], b[N], theta[N], d[N]; /* deg, m */
  double mass[N], com[N][3], eta[N], friction[N][4];
} Numbers;

/* 6R, joints 2, 3, 4 parallel, a heavy wrist; currents and friction of its size */
static const Numbers ur = {
    .n = 6,
    .beta = {0, 90, 0, 0, 90, -90},
    .b = {0, 0, -.6127, -.5716, 0, 0},
    .d = {.1807, 0, 0, .1742, .1199, .1166},
    .mass = {7.8, 12.9, 3.9, 2.0, 2.0, 1.2},
    .com = {{.02, 0, -.03},
            {-.31, 0, .16},
            {-.28, .01, .05},
            {.01, .05, .02},
            {0, .08, .01},
            {.03, .01, .05}},
    .eta = {.09, .09, .1, .15, .15, .15},
    .friction = {{1.2, .8, -1.1, .8},
                 {1.4, .7, -1.3, .8},
                 {.7, .5, -.7, .45},
                 {.35, .2, -.3, .2},
                 {.3, .2, -.35, .2},
                 {.3, .15, -.3, .2}},
};

/* data/robots/stanford.arm.json, with a tool of 0.3 kg off the last axis */
static const Numbers stanford = {
    .n = 6,
    .slides = {false, false, true},
    .beta = {0, 90, 90, 0, 90, 90},
    .theta = {0, 90, 0, 0, -90, 0},
    .d = {0, .1529, .6447},
    .mass = {9.29, 5.01, 4.25, 1.08, .63, .81},
    .com = {{0, .1105, .0175},
            {0, 0, -.1054},
            {0, 0, -.6447},
            {.0092, .0054, 0},
            {0, -.0566, 0},
            {.0074, .0037, .172}},
    .eta = {.05, -.06, .02, .3, .4, -.35},
    .friction = {{.6, .2, -.55, .25},
                 {-.7, -.3, .8, -.2},
                 {.4, .5, -.45, .6},
                 {.2, .05, -.25, .04},
                 {.2, .06, -.2, .05},
                 {-.15, -.04, .17, -.05}},
};

/* data/robots/scara.arm.json, with motors of that size */
static const Numbers scara = {
    .n = 4,
    .slides = {false, false, true},
    .beta = {0, 0, 180, 0},
    .b = {0, .425, .375},
    .d = {.877, 0, 0, .2},
    .mass = {15, 8, 1.5, .5},
    .com = {{.2, 0, -.05}, {.15, 0, .05}, {0, 0, 0}, {.02, 0, 0}},
    .eta = {.05, -.07, .04, .3},
    .friction = {{.4, .1, -.45, .12},
                 {-.3, -.08, .25, -.07},
                 {.15, .5, -.2, .4},
                 {.02, .002, -.02, .002}},
};

static void take_numbers(const Numbers *numbers, Truth *truth) {
  memset(truth, 0, sizeof *truth);
  truth->n = numbers->n;
  for (size_t i = 0; i < numbers->n; i++) {
    truth->slides[i] = numbers->slides[i];
    truth->beta[i] = numbers->beta[i] * degree;
    truth->b[i] = numbers->b[i];
    truth->theta[i] = numbers->theta[i] * degree;
    truth->d[i] = numbers->d[i];
    truth->mass[i] = numbers->mass[i];
    truth->eta[i] = numbers->eta[i];
    memcpy(truth->com[i], numbers->com[i], sizeof truth->com[i]);
    memcpy(truth->friction[i], numbers->friction[i], sizeof truth->friction[i]);
  }
  truth->gravity[2] = -9.81;
}

void faulty_add_mass(double mass, const double at[3], Truth *truth) {
  const size_t last = truth->n - 1;
  const double all = truth->mass[last] + mass;
  for (size_t k = 0; k < 3; k++)
    truth->com[last][k] = (truth->mass[last] * truth->com[last][k] + mass * at[k]) / all;
  truth->mass[last] = all;
}

/* Table I's arm with the masses of Armstrong, Khatib and Burdick, gears and motors as measured, and
 * a tool: masses and centres [kg, m] from the theory notes, gravity and friction, section 9 */
static void give_tool(Truth *truth) {
  static const double mass[N] = {13, 17.4, 4.8, .82, .34, .09};
  static const double com[N][3] = {{0, 0, 0},     {.068, .006, -.016}, {0, -.070, .014},
                                   {0, 0, -.019}, {0, 0, 0},           {0, 0, .032}};
  static const double gear[N] = {62.6111, 107.815, -53.7063, -76.0364, -71.923, -76.686};
  static const double torque_constant[N] = {.223, .226, .240, .069, .072, .066};
  static const double tool[3] = {.005, .0033, .133};
  for (size_t i = 0; i < N; i++) {
    truth->mass[i] = mass[i];
    truth->eta[i] = 1 / (gear[i] * torque_constant[i]);
    memcpy(truth->com[i], com[i], sizeof com[i]);
  }
  faulty_add_mass(.54, tool, truth);
}

/* The vectors have less viscous friction than Table I, whose unit is A s/deg: 17.45 times its
 * numbers, in A s/rad. A part of friction is what many limits are. */
static void take_friction_of_notes(Truth *truth) {
  for (size_t i = 0; i < N; i++)
    for (size_t k = 1; k < 4; k += 2)
      truth->friction[i][k] *= 1000 * degree * degree;
}

/* as the gears of a wrist inside one another do */
static void couple_wrist(Truth *truth) {
  truth->has_coupling = true;
  truth->coupling[4][3] = 0.2;
  truth->coupling[5][3] = -0.1;
  truth->coupling[5][4] = -0.18;
}

static bool puma_truth(FaultyArm arm, Truth *truth) {
  Golden *golden = golden_load("puma560_table1_noisy");
  if (!golden)
    return false;
  truth_puma(golden, truth);
  golden_free(golden);
  if (arm != FAULTY_PUMA)
    give_tool(truth);
  if (arm == FAULTY_WRIST)
    couple_wrist(truth);
  if (arm == FAULTY_NOTES)
    take_friction_of_notes(truth);
  return true;
}

bool faulty_rig(FaultyArm arm, FaultyRig *rig) {
  *rig = (FaultyRig){.range = puma_range, .holds = puma_holds, .rel_sd = 0.1};
  switch (arm) {
  case FAULTY_UR:
    take_numbers(&ur, &rig->truth);
    rig->range = ur_range;
    rig->holds = ur_holds;
    return true;
  case FAULTY_STANFORD:
    take_numbers(&stanford, &rig->truth);
    rig->range = stanford_range;
    rig->holds = stanford_holds;
    return true;
  case FAULTY_SCARA:
    take_numbers(&scara, &rig->truth);
    rig->range = scara_range;
    rig->holds = scara_holds;
    return true;
  case FAULTY_NOTES:
    rig->range = notes_range;
    rig->holds = notes_holds;
    rig->rel_sd = 0.35; /* 0.5 of a ratio */
    break;
  case FAULTY_PUMA:
  case FAULTY_TOOL:
  case FAULTY_WRIST:
    break;
  }
  return puma_truth(arm, &rig->truth);
}
