/* SPDX-License-Identifier: MIT */
/* Line 13.4: the cause of a misfit is first among the likely ones, or tied with the first; what is
 * not in the list, and two causes at once, are said to be unexplained.
 * Usage: show_diagnose [SEEDS of each fault [NAME part]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/faulty_faults.h"

static const double degree = 3.14159265358979323846 / 180;

static bool is_tilt(const Faulty *f, const ArmCause *c) {
  return c->code == ARM_CAUSE_BASE_TILT &&
         fabs(hypot(c->value[0], c->value[1]) - hypot(f->tilt[0], f->tilt[1])) < 0.3 * degree;
}

static bool is_dh_sign(const Faulty *f, const ArmCause *c) {
  return c->code == ARM_CAUSE_DH_SIGN && f->flipped[c->joint] < 0;
}

static bool is_gear(const Faulty *f, const ArmCause *c) {
  return c->code == ARM_CAUSE_GEAR_RATIO && f->gear[c->joint] > 0 &&
         fabs(c->value[0] * f->gear[c->joint] - 1) < 0.05;
}

static bool is_zero(const Faulty *f, const ArmCause *c) {
  return c->code == ARM_CAUSE_JOINT_ZERO && f->zero[c->joint] != 0 &&
         fabs(c->value[0] + f->zero[c->joint]) < 2.5 * degree;
}

static bool is_payload(const Faulty *f, const ArmCause *c) {
  return c->code == ARM_CAUSE_PAYLOAD_CHANGED && isnan(c->time) && c->hold == f->payload_hold;
}

/* strokes of a joint: three speeds in a hold, forth and back */
static bool is_lean(const Faulty *f, const ArmCause *c) {
  return c->code == ARM_CAUSE_ONE_SWEEP && c->joint == f->lean_joint &&
         c->hold == f->lean_stroke / 6 && (c->speed > 0) == (f->lean_stroke % 2 == 0) &&
         fabs(fabs(c->speed) - (30 + 20 * (double)(f->lean_stroke % 6 / 2)) * degree) < 5 * degree;
}

static bool is_ripple(const Faulty *f, const ArmCause *c) {
  return c->code == ARM_CAUSE_RIPPLE && c->joint == f->ripple_joint && c->order == f->ripple_order;
}

static bool is_swapped(const Faulty *f, const ArmCause *c) {
  return c->code == ARM_CAUSE_SWAPPED_JOINTS && c->joint == f->swapped[0] &&
         c->other == f->swapped[1];
}

static bool is_delay(const Faulty *f, const ArmCause *c) {
  return c->code == ARM_CAUSE_CURRENT_DELAY && fabs(c->value[0] - f->delay) < 0.2 * f->delay;
}

static bool is_load_friction(const Faulty *f, const ArmCause *c) {
  return c->code == ARM_CAUSE_LOAD_FRICTION && c->joint == ARM_CAUSE_NO_JOINT &&
         fabs(c->value[0] - f->load_friction) < 0.2 * f->load_friction;
}

static bool is_gain(const Faulty *f, const ArmCause *c) {
  return c->code == ARM_CAUSE_CURRENT_GAIN && c->joint == f->gain_joint &&
         fabs(c->value[0] - f->gain) < 0.05;
}

/* NULL: no single cause explains it */
typedef bool IsTrue(const Faulty *f, const ArmCause *c);
static IsTrue *const is_true_of[ALL_FAULTS] = {
    [FAULT_TILT_2] = is_tilt,         [FAULT_TILT_10] = is_tilt,
    [FAULT_DH_SIGN] = is_dh_sign,     [FAULT_GEAR] = is_gear,
    [FAULT_GEAR_HALF] = is_gear,      [FAULT_ZERO] = is_zero,
    [FAULT_PAYLOAD] = is_payload,     [FAULT_PAYLOAD_SMALL] = is_payload,
    [FAULT_LEAN] = is_lean,           [FAULT_RIPPLE] = is_ripple,
    [FAULT_RIPPLE_TWICE] = is_ripple, [FAULT_SWAPPED] = is_swapped,
    [FAULT_DELAY] = is_delay,         [FAULT_LOAD_FRICTION] = is_load_friction,
    [FAULT_TILT_AND_DRIFT] = is_tilt, [FAULT_GAIN_CHANGED] = is_gain,
};

typedef struct {
  size_t alarms, first, tied, second, explained, failed;
  double cpu; /* s */
} Count;

static void print_causes(size_t seed, const ArmDiagnosis *d) {
  printf("#   seed %zu, chi2 %.0f of %zu rows:", seed, d->chi2, d->rows);
  for (size_t k = 0; k < d->count && k < 4; k++) {
    const ArmCause *c = &d->at[k];
    printf(" %s%s", c->is_tied ? "= " : "", arm_cause_key(c->code));
    if (c->joint != ARM_CAUSE_NO_JOINT)
      printf(" %zu", c->joint + 1);
    if (c->other != ARM_CAUSE_NO_JOINT)
      printf("/%zu", c->other + 1);
    if (c->values > 0)
      printf(" %.4g(%.1g)", c->value[0], c->sd[0]);
    printf(" D %.1f rest %.2f;", c->explained, c->rest);
  }
  printf("\n");
}

static void judge(IsTrue *is_true, const Faulty *f, const ArmDiagnosis *d, size_t seed,
                  Count *count) {
  bool is_tied = false, is_second = false;
  const bool is_first = d->count > 0 && is_true && is_true(f, &d->at[0]);
  for (size_t k = 0; k < d->count && is_true; k++) {
    is_tied |= (k == 0 || d->at[k].is_tied) && is_true(f, &d->at[k]);
    is_second |= k < 2 && is_true(f, &d->at[k]);
  }
  count->alarms++;
  count->first += is_first;
  count->tied += is_tied;
  count->second += is_second;
  count->explained += d->count > 0 && d->at[0].explains_it;
  if (getenv("ALL") || (!is_tied && (is_true || (d->count > 0 && d->at[0].explains_it))))
    print_causes(seed, d);
}

static Count run(FaultyArm arm, Fault fault, size_t seeds) {
  static ArmGravityFit fit;
  static ArmDiagnosis diagnosis;
  Count count = {0};
  for (size_t seed = 1; seed <= seeds; seed++) {
    Faulty f;
    faulty_default(&f);
    faulty_break(arm, fault, seed, &f);
    const clock_t before = clock();
    if (!faulty_diagnose(arm, &f, seed, &fit, &diagnosis)) {
      count.failed++;
      continue;
    }
    count.cpu += (double)(clock() - before) / CLOCKS_PER_SEC;
    if (fit.verdict.verdict == ARM_VERDICT_MISFIT)
      judge(is_true_of[fault], &f, &diagnosis, seed, &count);
    arm_gravity_fit_clear(&fit);
  }
  return count;
}

static bool show(const char *arm, Fault fault, const Count *c) {
  IsTrue *is_true = is_true_of[fault];
  const size_t least = is_true ? (9 * c->alarms + 9) / 10 : c->alarms / 10;
  const size_t measured = is_true ? c->tied : c->explained;
  const bool is_good = c->failed == 0 && (is_true ? measured >= least : measured <= least);
  printf("SHOW 13.4 %s, %s: %s measured=%zu target=%s%zu of %zu alarms %s\n", arm,
         faulty_fault_name(fault), is_true ? "first or tied" : "explained by one cause", measured,
         is_true ? ">=" : "<=", least, c->alarms, is_good ? "PASS" : "FAIL");
  printf("#   first %zu, in first two %zu, explained %zu, failed %zu; %.2f s of CPU each\n",
         c->first, c->second, c->explained, c->failed,
         c->cpu / (double)(c->alarms > 0 ? c->alarms : 1));
  return is_good;
}

int main(int argc, char **argv) {
  const size_t seeds = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 30;
  const char *part = argc > 2 ? argv[2] : "";
  static const FaultyArm arms[] = {FAULTY_NOTES, FAULTY_UR};
  static const char *const names[] = {"PUMA", "UR-like"};
  bool is_good = true;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int k = 0; k < ALL_FAULTS; k++)
    for (int arm = 0; arm < (argc > 3 ? 2 : 1); arm++) {
      if (k == FAULT_UNSIGNED || !strstr(faulty_fault_name((Fault)k), part))
        continue; /* an unsigned current is told by its plausibility */
      const Count count = run(arms[arm], (Fault)k, seeds);
      is_good &= show(names[arm], (Fault)k, &count);
    }
  return is_good ? 0 : 1;
}
