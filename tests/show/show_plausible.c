/* SPDX-License-Identifier: MIT */
/* Line 13.1b: faults that leave no misfit are told by the rules of plausibility, and sound
 * recordings raise none.
 * Usage: show_plausible [RECORDINGS of each sound kind and layout [SEEDS of each fault]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/faulty.h"

static const double degree = 3.14159265358979323846 / 180;
static const char *const arm_names[] = {"PUMA", "UR-like"};

static bool show(const char *what, size_t measured, const char *target, bool is_good) {
  printf("SHOW 13.1b %s measured=%zu target=%s %s\n", what, measured, target,
         is_good ? "PASS" : "FAIL");
  return is_good;
}

/* ---- sound ---- */

static const char *const kinds[] = {
    "white",      "Stribeck 5 %", "encoder 0.05 deg",     "drift 3 %", "AR(1) 0.9",
    "AR(1) 0.98", "servo ripple", "friction scatter 2 %", "load 10 %",
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void make_sound(size_t kind, Faulty *f) {
  faulty_default(f);
  f->stribeck = kind == 1 ? 0.05 : 0;
  f->encoder = kind == 2 ? 0.05 * degree : 0;
  f->drift = kind == 3 ? 0.03 : 0;
  f->ar = kind == 4 ? 0.9 : kind == 5 ? 0.98 : 0;
  f->is_servo = kind == 6;
  f->scatter = kind == 7 ? 0.02 : 0;
  f->load_friction = kind == 8 ? 0.1 : 0;
}

static const struct {
  FaultyArm arm;
  size_t holds, speeds;
} layouts[] = {{FAULTY_PUMA, 4, 3}, {FAULTY_PUMA, 2, 2}, {FAULTY_PUMA, 3, 2}, {FAULTY_UR, 4, 3}};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

static void print_doubts(const ArmDoubts *doubts) {
  for (size_t k = 0; k < doubts->count; k++) {
    const ArmDoubt *d = &doubts->at[k];
    printf(" %s %zu (found %.4g, expected %.4g, %zu of %zu)", arm_doubt_key(d->kind), d->joint + 1,
           d->found, d->expected, d->count, d->rows);
  }
}

static bool show_sound(size_t count) {
  static ArmGravityFit fit;
  size_t doubtful = 0, failed = 0;
  char target[64];
  for (size_t l = 0; l < LAYOUTS; l++)
    for (size_t kind = 0; kind < KINDS; kind++)
      for (size_t seed = 1; seed <= count; seed++) {
        Faulty f;
        make_sound(kind, &f);
        f.holds = layouts[l].holds;
        f.speeds = layouts[l].speeds;
        if (!faulty_fit(layouts[l].arm, &f, 1000 * kind + seed, &fit)) {
          failed++;
          continue;
        }
        if (fit.doubts.count > 0) {
          doubtful++;
          printf("# %s %zu x %zu, %s, seed %zu:", arm_names[layouts[l].arm], layouts[l].holds,
                 layouts[l].speeds, kinds[kind], seed);
          print_doubts(&fit.doubts);
          printf("\n");
        }
        arm_gravity_fit_clear(&fit);
      }
  const size_t all = LAYOUTS * KINDS * count;
  snprintf(target, sizeof target, "<=%zu of %zu", all / 100, all);
  return show("sound recordings with a doubt", doubtful, target, doubtful <= all / 100) &&
         show("recordings that could not be fitted", failed, "0", failed == 0);
}

/* ---- faults that leave no misfit ---- */

static void speed_deg(Faulty *f, TestRng *rng) {
  (void)rng;
  f->speed_unit = 1 / degree;
}

static void speed_rpm(Faulty *f, TestRng *rng) {
  (void)rng;
  f->speed_unit = 1 / (6 * degree);
}

static void speed_flipped(Faulty *f, TestRng *rng) {
  (void)rng;
  f->speed_unit = -1;
}

static void current_flipped(Faulty *f, TestRng *rng) {
  f->negated[test_rng_below(rng, FAULTY_JOINTS)] = -1;
}

static void all_flipped(Faulty *f, TestRng *rng) {
  (void)rng;
  for (size_t i = 0; i < FAULTY_JOINTS; i++)
    f->negated[i] = -1;
}

static void unsigned_current(Faulty *f, TestRng *rng) {
  (void)rng;
  f->is_unsigned = true;
}

static const struct {
  const char *name;
  void (*make)(Faulty *f, TestRng *rng);
  ArmDoubtKind kind;
  ArmSpeedUnit unit;
  size_t joints; /* that must be told, at least */
} faults[] = {
    {"speeds in deg/s", speed_deg, ARM_DOUBT_SPEED_UNIT, ARM_SPEED_DEG, FAULTY_JOINTS},
    {"speeds in rpm", speed_rpm, ARM_DOUBT_SPEED_UNIT, ARM_SPEED_RPM, FAULTY_JOINTS},
    {"sign of the speeds", speed_flipped, ARM_DOUBT_SPEED_SIGN, ARM_SPEED_SI, FAULTY_JOINTS},
    {"sign of one current", current_flipped, ARM_DOUBT_CURRENT_SIGN, ARM_SPEED_SI, 1},
    {"sign of all currents", all_flipped, ARM_DOUBT_CURRENT_SIGN, ARM_SPEED_SI, FAULTY_JOINTS},
    {"unsigned currents", unsigned_current, ARM_DOUBT_UNSIGNED, ARM_SPEED_SI, 1},
};
enum { FAULTS = sizeof faults / sizeof faults[0] };

/* joints of which the fault is told, by its name */
static size_t joints_told(const Faulty *f, const ArmDoubts *doubts, size_t fault) {
  size_t joints = 0;
  for (size_t k = 0; k < doubts->count; k++) {
    const ArmDoubt *d = &doubts->at[k];
    const bool is_it = d->kind == faults[fault].kind && d->unit == faults[fault].unit;
    const bool is_there = d->kind != ARM_DOUBT_CURRENT_SIGN || f->negated[d->joint] < 0;
    joints += is_it && is_there;
  }
  return joints;
}

static bool show_fault(FaultyArm arm, size_t fault, size_t seeds) {
  static ArmGravityFit fit;
  size_t told = 0;
  char what[96], target[64];
  for (size_t seed = 1; seed <= seeds; seed++) {
    Faulty f;
    TestRng rng;
    test_rng_init(&rng, 7700 + seed);
    faulty_default(&f);
    faults[fault].make(&f, &rng);
    if (!faulty_fit(arm, &f, seed, &fit))
      continue;
    const bool is_told = joints_told(&f, &fit.doubts, fault) >= faults[fault].joints;
    told += is_told;
    if (!is_told) {
      printf("# %s, %s, seed %zu:", arm_names[arm], faults[fault].name, seed);
      print_doubts(&fit.doubts);
      printf("\n");
    }
    arm_gravity_fit_clear(&fit);
  }
  snprintf(what, sizeof what, "%s, %s: told", arm_names[arm], faults[fault].name);
  snprintf(target, sizeof target, "%zu of %zu", seeds, seeds);
  return show(what, told, target, told == seeds);
}

int main(int argc, char **argv) {
  const size_t count = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 10; /* 360 in all */
  const size_t seeds = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 30;
  setvbuf(stdout, NULL, _IOLBF, 0);
  bool is_good = show_sound(count);
  for (int arm = FAULTY_PUMA; arm <= FAULTY_UR; arm++)
    for (size_t k = 0; k < FAULTS; k++)
      is_good &= show_fault((FaultyArm)arm, k, seeds);
  return is_good ? 0 : 1;
}
