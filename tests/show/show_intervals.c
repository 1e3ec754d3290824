/* SPDX-License-Identifier: MIT */
/* Line 13.3: the sds of sound recordings are honest whatever their noise is like, and weights by
 * strokes make k* and ratios as good as they can be.
 * Usage: show_intervals [RECORDINGS a row [all]]; all: other layouts and faults too, not judged */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/intervals.h"

/* Columns `new` of the table in the theory notes, lack of fit, section 3.3: coverage and median sd
 * over the spread of the estimates. */
typedef struct {
  FaultyKind kind;
  double covered[2], width[2]; /* of k*, of ratios */
} Row;

static const Row rows[] = {
    {FAULTY_WHITE, {.948, .956}, {1.00, 1.04}},   {FAULTY_AR_90, {.965, .975}, {1.09, 1.10}},
    {FAULTY_AR_98, {.994, .988}, {1.68, 1.40}},   {FAULTY_SERVO, {1.00, 1.00}, {3.9, 4.5}},
    {FAULTY_ENCODER, {.941, .937}, {1.01, .99}},  {FAULTY_DRIFT, {.945, .947}, {.96, 1.01}},
    {FAULTY_SCATTER, {.965, .957}, {1.08, 1.05}}, {FAULTY_STRIBECK, {.944, .917}, {.97, .93}},
};
static const char *const names[INTERVALS_CLASSES] = {"k*", "ratios", "Coulomb"};

static bool show(const char *row, const char *what, int digits, double measured, const char *sign,
                 double target) {
  const bool is_good = sign[0] == '>' ? measured >= target : measured <= target;
  printf("SHOW 13.3 %s: %s measured=%.*f target=%s%.*f %s\n", row, what, digits, measured, sign,
         digits, target, is_good ? "PASS" : "FAIL");
  return is_good;
}

static void print(const char *row, const IntervalsResult *r) {
  printf("# %s, %zu recordings, %zu without a fit, %zu with an alarm of gravity\n", row,
         r->recordings, r->failed, r->alarms);
  for (int c = 0; c < INTERVALS_CLASSES; c++) {
    const Intervals *now = &r->weighed[c], *before = &r->equal[c];
    printf("#   %-7s given %zu: covered %.3f, width %.2f (mean of parameters %.2f); samples alike: "
           "covered %.3f, width %.2f (%.2f), error %.2f\n",
           names[c], now->given, now->covered, now->width, now->mean_width, before->covered,
           before->width, before->mean_width, before->error);
  }
}

static bool show_row(const Row *row, size_t count) {
  IntervalsResult r;
  Faulty f;
  char what[64];
  const char *name = faulty_kind_name(row->kind);
  bool is_good = true;
  faulty_sound(row->kind, &f);
  if (!intervals_run(FAULTY_NOTES, &f, 1, count, false, &r) || r.failed > 0) {
    printf("SHOW 13.3 %s: fits measured=%zu target=%zu FAIL\n", name, count - r.failed, count);
    return false;
  }
  print(name, &r);
  for (int c = INTERVALS_K_STAR; c <= INTERVALS_RATIOS; c++) {
    snprintf(what, sizeof what, "%s covered [%%]", names[c]);
    is_good &= show(name, what, 1, 100 * r.weighed[c].covered, ">=", 100 * row->covered[c] - 2);
    snprintf(what, sizeof what, "sd of %s over their scatter", names[c]);
    is_good &= show(name, what, 2, r.weighed[c].width, "<=", 1.1 * row->width[c]);
  }
  if (row->kind == FAULTY_SCATTER)
    is_good &= show(name, "error of k* with samples alike over that with weights", 2,
                    r.equal[INTERVALS_K_STAR].error, ">=", 3);
  return is_good;
}

/* ---- not judged: what the table does not contain ---- */

static void print_layout(const char *name, FaultyArm arm, size_t holds, size_t speeds,
                         double settle, size_t count) {
  for (int kind = 0; kind < FAULTY_KINDS; kind++) {
    IntervalsResult r;
    Faulty f;
    char row[96];
    faulty_sound((FaultyKind)kind, &f);
    f.holds = holds;
    f.speeds = speeds;
    f.settle = settle;
    snprintf(row, sizeof row, "%s, %s", name, faulty_kind_name((FaultyKind)kind));
    if (intervals_run(arm, &f, 1, count, false, &r))
      print(row, &r);
  }
}

static void print_fault(const char *name, const Faulty *f, size_t count) {
  IntervalsResult r;
  if (!intervals_run(FAULTY_NOTES, f, 1, count, true, &r))
    return;
  printf("# %s, %zu recordings with an alarm of gravity: within 2 sd and 5 sd\n", name, r.alarms);
  for (int c = INTERVALS_K_STAR; c <= INTERVALS_RATIOS; c++)
    printf("#   %-7s %.2f/%.2f; samples alike %.2f/%.2f, error %.2f\n", names[c],
           r.weighed[c].in_2sd, r.weighed[c].in_5sd, r.equal[c].in_2sd, r.equal[c].in_5sd,
           r.equal[c].error);
}

static void print_faults(size_t count) {
  const double degree = 3.14159265358979323846 / 180;
  Faulty f;
  faulty_default(&f);
  f.tilt[0] = 2 * degree;
  print_fault("base tilt 2 deg", &f, count);
  faulty_default(&f);
  f.zero[3] = 5 * degree;
  print_fault("zero of joint 4 5 deg off", &f, count);
  faulty_default(&f);
  f.payload = 0.2;
  print_fault("payload of 0.2 kg in one hold", &f, count);
  faulty_default(&f);
  f.ripple_joint = 2;
  f.ripple = 0.02;
  f.ripple_order = 2;
  print_fault("ripple of joint 3, 20 mA, 2 per rev", &f, count);
  faulty_default(&f);
  f.flipped[3] = -1;
  print_fault("DH sign of joint 4", &f, count);
}

int main(int argc, char **argv) {
  const size_t count = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 200;
  bool is_good = true;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
    is_good &= show_row(&rows[k], count);
  if (argc > 2 && strcmp(argv[2], "all") == 0) {
    print_layout("UR-like, 4 holds x 3 speeds", FAULTY_UR, 4, 3, 0, count);
    print_layout("PUMA with tool, 3 holds x 2 speeds", FAULTY_TOOL, 3, 2, 0, count);
    print_layout("PUMA with tool, 2 holds x 2 speeds", FAULTY_TOOL, 2, 2, 0, count);
    print_layout("PUMA with tool, 4 x 3, 0.75 s to settle", FAULTY_TOOL, 4, 3, 0.75, count);
    print_faults((count + 3) / 4);
  }
  return is_good ? 0 : 1;
}
